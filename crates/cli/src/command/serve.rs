//! `fragreel serve`

use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use fragreel::model::{Family, Kind, Milliseconds};
use quake3::protocol::film::Film;
use quake3::protocol::show::Show;

use super::OnePath;
use crate::failure::{Failure, Stop};
use crate::input;
use crate::output::{self, printable};
use crate::shell::{Outcome, Shell};

/// Show a Quake III recording to the game itself: join with it, as with any server
///
/// A server that the unmodified game connects to and that shows the recording through its player's eyes, to up to 64 at once. From
/// the game's console: `pause`, `play`, `seek 1:30`, `seek -10`, `speed 0.25`, `next` and `prev` (kill); in chat with `!` before it. Nobody but this
/// machine can reach it unless --public is given, and even then only this machine has the controls.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel serve final.dm_68                         then in the game: /connect localhost
  fragreel serve final.dm_71 --port 27970 --from 2:00   from there on, at another port
  fragreel serve final.dm_68 --public                for friends to watch along

Exit codes: 0 it was shown until Ctrl-C, 2 it could not be.")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    /// Where to listen (UDP)
    #[arg(long, default_value_t = 27960)]
    port: u16,

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
        let (film, marks) = self.film(shell)?;
        let length = film.length();
        let address = SocketAddr::from((if self.public { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST }, self.port));
        let socket = UdpSocket::bind(address).and_then(|socket| socket.set_read_timeout(Some(PATIENCE)).map(|()| socket));
        let socket = socket.map_err(|error| {
            Failure::new(format!("cannot listen at {address}")).because(error).help("Is another server there? --port takes another number.")
        })?;
        let port = socket.local_addr().map_or(self.port, |address| address.port());
        let name = path.file_name().map_or_else(|| String::from("recording"), |name| name.to_string_lossy().into_owned());
        let mut show = Show::new(film, &name, RandomState::new().hash_one(0), marks);
        if let Some(from) = self.from {
            show.seek(from.0);
        }
        let mut output = output::stdout();
        writeln!(output, "{} ({length}) is at port {port}: in the game, /connect 127.0.0.1:{port}", printable(&name))?;
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
                eprintln!("{} watching, at {}", show.watching(), show.position());
            }
            watching = show.watching();
        }
        show.close();
        send(&socket, &mut show);
        Ok(Outcome::Fine)
    }

    /// The recording, and when its kills are.
    fn film(&self, shell: &Shell) -> Result<(Film, Vec<Milliseconds>), Failure> {
        let path = &self.file.path;
        let demo = input::load(shell, path, false)?;
        let recording = demo.open().map_err(|error| input::not_opened(path, error))?;
        let cannot = |why: &str| Failure::new(format!("`{}` cannot be shown: {why}", path.display()));
        if recording.family() != Family::Quake3 {
            return Err(cannot("it is no recording of Quake III").help("Other games' recordings are not shown yet."));
        }
        let mut marks = Vec::new();
        recording.events([Kind::Kill].into_iter().collect(), &mut |event| marks.push(event.time));
        marks.sort_unstable();
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
        let opened = quake3::Recording::open(demo.bytes(), extension.as_deref(), fragreel::Limits::default());
        let dialect = opened.map_err(|error| cannot("it cannot be read").because(error))?.dialect();
        let film = Film::new(demo.bytes().to_vec(), dialect).map_err(|why| cannot(why).help("`fragreel convert` makes others of them."))?;
        Ok((film, marks))
    }
}

/// Whether somebody is on this machine.
fn is_here(from: SocketAddr) -> bool {
    match from.ip() {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => address.is_loopback(),
    }
}

fn send(socket: &UdpSocket, show: &mut Show<SocketAddr>) {
    while let Some((to, datagram)) = show.next_datagram() {
        // What is lost is lost, as on any network.
        let _ = socket.send_to(&datagram, to);
    }
}
