//! `fragreel serve`

use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use fragreel::Demo;
use fragreel::model::{Family, Kind, Milliseconds};
use live::Show;

use super::OnePath;
use crate::failure::{Failure, Stop};
use crate::input;
use crate::output::{self, printable};
use crate::shell::{Outcome, Shell};

/// Show a recording to the game itself: join with it, as with any server
///
/// A server that the unmodified game connects to, up to 64 at once: Quake III's, Quake II's, QuakeWorld's and NetQuake's clients. They see the recording through its
/// player's eyes, or, where it has all players' views, follow whom they like. From the game's console: `pause`, `play`, `seek 1:30`, `seek -10`,
/// `speed 0.25`, `next` and `prev` (kill), `follow NAME`; in QuakeWorld and NetQuake with `cmd` before it; in chat with `!` before it. Nobody but this
/// machine can reach it unless --public is given, and even then only this machine has the controls, unless everybody watches on a clock of his own.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel serve final.dm_68                         then in the game: /connect localhost
  fragreel serve final.mvd --from 2:00               QuakeWorld: follow whom you like, /cmd seek 3:00
  fragreel serve final.dm_71 --port 27970            at another port
  fragreel serve final.mvd2 --pov Alice              Quake II: through Alice's eyes
  fragreel serve final.dm_68 --public                for friends to watch along
  fragreel serve final.mvd --public --own-clock      for everybody on his own

Exit codes: 0 it was shown until Ctrl-C, 2 it could not be.")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    /// Where to listen (UDP); the game's usual port by default
    #[arg(long)]
    port: Option<u16>,

    /// Which protocol to speak, where the game has several: 15, 666 or 999 (NetQuake); the smallest that says everything by default
    #[arg(long, value_name = "NUMBER")]
    protocol: Option<u32>,

    /// Through whose eyes, where the recording has several players' and clients cannot choose: Quake II's server recordings, Relay and MVD2
    #[arg(long, value_name = "PLAYER")]
    pov: Option<String>,

    /// Give everybody a show of his own, from the start, with the controls of it
    #[arg(long)]
    own_clock: bool,

    /// Let other machines join, too
    #[arg(long)]
    public: bool,

    /// Begin at this time: seconds such as 90.5, or m:ss such as 1:30
    #[arg(long, value_name = "TIME")]
    from: Option<Milliseconds>,

    /// End after this time, whoever watches: seconds such as 90.5, or m:ss such as 20:00
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Milliseconds>,
}

/// Longest wait for a datagram: how late a frame may be.
const PATIENCE: Duration = Duration::from_millis(4);
/// Datagrams taken before time passes again, so that no flood stops the picture.
const MOST_AT_ONCE: usize = 200;

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = &self.file.path;
        let demo = input::load(shell, path, false)?;
        let recording = demo.open().map_err(|error| input::not_opened(path, error))?;
        let mut marks = Vec::new();
        recording.events([Kind::Kill].into_iter().collect(), &mut |event| marks.push(event.time.0));
        marks.sort_unstable();
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
        let opening = Opening {
            path,
            demo: &demo,
            extension: extension.as_deref(),
            marks,
            name: name(path),
            secret: RandomState::new().hash_one(0),
            protocol: self.protocol,
            pov: self.pov.as_deref(),
        };
        match recording.family() {
            Family::Quake3 => self.show(shell, opening.quake3()?, 27960),
            Family::Quake2 => opening.quake2(|show| self.show(shell, show, 27910))?,
            Family::Quake1 if opening.is_netquake() => opening.netquake(|show| self.show(shell, show, 26000), self.public)?,
            Family::Quake1 => opening.quakeworld(|show| self.show(shell, show, 27500))?,
            _ => Err(opening.cannot("its game's clients are not served").help("Recordings of Quake III, Quake II, QuakeWorld and NetQuake are.").into()),
        }
    }

    fn show(&self, shell: &Shell, show: impl Show<SocketAddr> + Clone, usual_port: u16) -> Result<Outcome, Stop> {
        if self.own_clock { self.run_show(shell, live::Apart::new(show), usual_port) } else { self.run_show(shell, show, usual_port) }
    }

    fn run_show(&self, shell: &Shell, mut show: impl Show<SocketAddr>, usual_port: u16) -> Result<Outcome, Stop> {
        let path = &self.file.path;
        let address = SocketAddr::from((if self.public { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST }, self.port.unwrap_or(usual_port)));
        let socket = UdpSocket::bind(address).and_then(|socket| socket.set_read_timeout(Some(PATIENCE)).map(|()| socket));
        let socket = socket.map_err(|error| {
            Failure::new(format!("cannot listen at {address}")).because(error).help("Is another server there? --port takes another number.")
        })?;
        let port = socket.local_addr().map_or(address.port(), |address| address.port());
        show.listens(port);
        if let Some(from) = self.from {
            show.seek(from.0);
        }
        let length = Milliseconds(show.length());
        let mut output = output::stdout();
        writeln!(output, "{} ({length}) is at port {port}: in the game, /connect 127.0.0.1:{port}", printable(&name(path)))?;
        output::finish(output)?;
        let _heed = crate::interrupt::Heed::new();
        let (started, mut datagram, mut watching) = (Instant::now(), vec![0; 1 << 16], 0);
        while !crate::interrupt::asked() && !self.time.is_some_and(|time| started.elapsed().as_secs_f64() >= time.seconds()) {
            for _ in 0..MOST_AT_ONCE {
                match socket.recv_from(&mut datagram) {
                    Ok((length, from)) => show.receive(from, &datagram[..length], is_here(from)),
                    Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
                    // Somebody is gone; who it was is known by his silence.
                    Err(_) => {}
                }
                send(&socket, &mut show);
            }
            show.tick(started.elapsed().as_secs_f64());
            send(&socket, &mut show);
            if show.watching() != watching && shell.errors_are_terminal {
                eprintln!("{} watching, at {}", show.watching(), Milliseconds(show.position()));
            }
            watching = show.watching();
        }
        show.close();
        send(&socket, &mut show);
        for (name, count) in show.held_back() {
            eprintln!("held back from the viewers' consoles: {} ({count})", printable(&name));
        }
        Ok(Outcome::Fine)
    }
}

/// A recording about to be shown.
struct Opening<'a> {
    path: &'a Path,
    demo: &'a Demo<'a>,
    extension: Option<&'a str>,
    /// When kills are, in milliseconds.
    marks: Vec<i64>,
    name: String,
    secret: u64,
    protocol: Option<u32>,
    pov: Option<&'a str>,
}

impl Opening<'_> {
    fn cannot(&self, why: &str) -> Failure {
        Failure::new(format!("`{}` cannot be shown: {why}", self.path.display()))
    }

    fn quake3(self) -> Result<impl Show<SocketAddr> + Clone, Failure> {
        use quake3::protocol::{film::Film, show::Show};
        let opened = quake3::Recording::open(self.demo.bytes(), self.extension, fragreel::Limits::default());
        let dialect = opened.map_err(|error| self.cannot("it cannot be read").because(error))?.dialect();
        let film = Film::new(self.demo.bytes().to_vec(), dialect).map_err(|why| self.cannot(why).help("`fragreel convert` makes others of them."))?;
        Ok(Show::new(film, &self.name, self.secret, self.marks))
    }

    /// What is no client's recording is converted first.
    fn quake2<T>(self, run: impl FnOnce(quake2::protocol::show::Show<'_, SocketAddr>) -> T) -> Result<T, Failure> {
        use quake2::{Recording, protocol::show::Show};
        let limits = fragreel::Limits::default;
        let unreadable = |error| self.cannot("it cannot be read").because(error);
        let source = Recording::open(self.demo.bytes(), self.extension, limits()).map_err(unreadable)?;
        let target = fragreel::model::Target { format: None, pov: self.pov.map(String::from) };
        let plain =
            source.convert(&target).map_err(|error| self.cannot("it cannot be converted").because(error).help("--pov PLAYER says through whose eyes."))?;
        for loss in &plain.losses {
            eprintln!("not shown: {loss}");
        }
        let recording = Recording::open(&plain.bytes, Some("dm2"), limits()).map_err(unreadable)?;
        Ok(run(Show::new(&recording, &self.name, self.secret, self.marks.iter().copied()).map_err(|why| self.cannot(why))?))
    }

    fn quakeworld<T>(self, run: impl FnOnce(quake1::protocol::show::quakeworld::Show<'_, SocketAddr>) -> T) -> Result<T, Failure> {
        use quake1::protocol::show::{Contents, quakeworld::Show};
        let recording = self.quake1(self.demo.bytes())?;
        let contents = Contents::of(&recording);
        let show = Show::new(&recording, &contents, &self.name, self.secret, self.marks.iter().copied());
        Ok(run(show.map_err(|why| self.cannot(why))?))
    }

    fn is_netquake(&self) -> bool {
        self.quake1(self.demo.bytes()).is_ok_and(|recording| recording.container() == quake1::container::Container::NetQuake)
    }

    /// What plain clients cannot play is converted first.
    fn netquake<T>(self, run: impl FnOnce(quake1::protocol::show::netquake::Show<'_, SocketAddr>) -> T, public: bool) -> Result<T, Failure> {
        use quake1::protocol::show::netquake::Show;
        /// Bytes of a frame that no network cuts to pieces.
        const WHOLE: usize = 1400;
        let target = fragreel::model::Target { format: self.protocol.map(|protocol| format!("dem {protocol}")), pov: None };
        let plain = self.quake1(self.demo.bytes())?.convert(&target);
        let plain = plain.map_err(|error| self.cannot("it cannot be converted").because(error))?;
        for loss in &plain.losses {
            eprintln!("not shown: {loss}");
        }
        let recording = self.quake1(&plain.bytes)?;
        let show = Show::new(&recording, &self.name, self.marks.iter().copied()).map_err(|why| self.cannot(why))?;
        Ok(run(if public { show.with_datagram(WHOLE) } else { show }))
    }

    fn quake1<'b>(&self, bytes: &'b [u8]) -> Result<quake1::Recording<'b>, Failure> {
        let extension = if std::ptr::eq(bytes, self.demo.bytes()) { self.extension } else { Some("dem") };
        quake1::Recording::open(bytes, extension, fragreel::Limits::default()).map_err(|error| self.cannot("it cannot be read").because(error))
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| String::from("recording"), |name| name.to_string_lossy().into_owned())
}

/// Whether somebody is on this machine.
fn is_here(from: SocketAddr) -> bool {
    match from.ip() {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => address.is_loopback(),
    }
}

fn send(socket: &UdpSocket, show: &mut impl Show<SocketAddr>) {
    while let Some((to, datagram)) = show.next_datagram() {
        // What is lost is lost, as on any network.
        let _ = socket.send_to(&datagram, to);
    }
}
