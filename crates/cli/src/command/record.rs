//! `fragreel record`

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fragreel::model::Milliseconds;
use quake1::protocol::handshake::Extensions;
use quake1::protocol::recorder::{End, Recorder, Settings, Status, map_checksum};

use crate::failure::{Failure, Stop};
use crate::output::{self, printable, size};
use crate::shell::{Outcome, Shell};

/// Join a QuakeWorld server as a spectator and record what it shows
///
/// Records from the first packet until the time or size is reached, Ctrl-C, or the server's end, and leaves properly. What
/// was received is in the file at any time.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel record qw://localhost -o live.qwd                        until Ctrl-C
  fragreel record qw://quake.example:27501 -o final.qwd --for 20:00   twenty minutes
  fragreel record qw://localhost -o live.qwd --map dm3.bsp          where the server checks the map
  fragreel record qw://localhost -o live.qwd --plain                for engines without extensions

Exit codes: 0 something was recorded, 2 nothing was.")]
pub struct Arguments {
    /// The server, such as qw://quake.example:27500
    #[arg(value_name = "URL")]
    server: String,

    /// Where to write the recording (.qwd)
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    /// Replace the output when it is there already
    #[arg(long)]
    force: bool,

    /// Stop after this time: seconds such as 90.5, or m:ss such as 20:00
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Milliseconds>,

    /// Stop when the recording has this many bytes
    #[arg(long, value_name = "BYTES")]
    size: Option<u64>,

    /// The name to join with
    #[arg(long, default_value = "fragreel")]
    name: String,

    /// The spectators' password
    #[arg(long, value_name = "PASSWORD", default_value = "1")]
    password: String,

    /// Ask for no extension, so that any engine plays the recording
    #[arg(long)]
    plain: bool,

    /// Stay where spectators appear instead of following a player
    #[arg(long)]
    no_follow: bool,

    /// The map's file, for servers that check whether players have the same one
    #[arg(long, value_name = "FILE.bsp")]
    map: Option<PathBuf>,
}

/// Where QuakeWorld servers listen.
const PORT: u16 = 27500;
/// Longest wait for a datagram: how late a packet of ours may be.
const PATIENCE: Duration = Duration::from_millis(5);

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let settings = self.settings()?;
        let address = resolve(&self.server)?;
        let socket = connect(address).map_err(|error| Failure::new(format!("cannot reach `{}`", self.server)).because(error))?;
        let mut file = create(&self.output, self.force)?;
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        // Without a handler Ctrl-C ends the program; what was received is in the file all the same.
        let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
        let mut live = Live { recorder: Recorder::new(settings), socket, started: Instant::now(), bytes: 0 };
        let told = live.run(&mut file, &self, &stop, shell);
        if live.bytes == 0 {
            // Nothing was received, so nothing is left behind.
            drop(file);
            let _ = std::fs::remove_file(&self.output);
        }
        told.map_err(|error| {
            Failure::new(format!("cannot write `{}`", self.output.display())).because(error).help("What was written before is a recording. Is there room?")
        })?;
        self.conclude(&live)
    }

    fn settings(&self) -> Result<Settings, Failure> {
        let map_checksum = self.map.as_deref().map_or(Ok(0), read_map)?;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
        Ok(Settings {
            name: self.name.clone(),
            spectator: self.password.clone(),
            extensions: if self.plain { Extensions::NONE } else { Extensions::QUAKEWORLD },
            qport: (time ^ std::process::id()) as u16,
            map_checksum,
            follow: !self.no_follow,
            ..Settings::default()
        })
    }

    fn conclude(&self, live: &Live) -> Result<Outcome, Stop> {
        let reason = match live.recorder.status() {
            Status::Ended(End::Refused(reason)) => format!("the server says: {reason}"),
            Status::Ended(End::Silent) => String::from("the server fell silent"),
            Status::Ended(End::Disconnected) => String::from("the server closed the connection"),
            _ => String::from("left the server"),
        };
        if live.bytes == 0 {
            return Err(Failure::new(format!("nothing was recorded from `{}`", self.server)).help(format!("In the end, {}.", printable(&reason))).into());
        }
        let mut output = output::stdout();
        let seconds = live.recorder.recorded_seconds(live.now());
        let length = Milliseconds::from_seconds(seconds);
        writeln!(
            output,
            "{}: {} packets, {length}, {}; {}",
            printable(&self.output.to_string_lossy()),
            live.recorder.packets(),
            size(live.bytes),
            printable(&reason)
        )?;
        if live.recorder.unreadable() > 0 {
            writeln!(output, "{} packets were recorded that fragreel cannot read to their end", live.recorder.unreadable())?;
        }
        output::finish(output)?;
        Ok(Outcome::Fine)
    }
}

/// The state machine with its socket and clock.
struct Live {
    recorder: Recorder,
    socket: UdpSocket,
    started: Instant,
    bytes: u64,
}

impl Live {
    fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Runs until something ends it. Fails only when the file cannot be written, and leaves the server then, too.
    fn run(&mut self, file: &mut File, wanted: &Arguments, stop: &AtomicBool, shell: &Shell) -> io::Result<()> {
        let mut datagram = vec![0; 1 << 16];
        let mut said = Status::Connecting;
        loop {
            let now = self.now();
            let long_enough = wanted.time.is_some_and(|time| self.recorder.recorded_seconds(now) >= time.seconds());
            if stop.load(Ordering::Relaxed) || long_enough || wanted.size.is_some_and(|size| self.bytes >= size) {
                self.recorder.leave(now);
            }
            self.recorder.tick(now);
            self.send();
            match self.socket.recv(&mut datagram) {
                Ok(length) => self.recorder.receive(self.now(), &datagram[..length]),
                // Nothing came, or a server that is not there yet said so.
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                Err(_) => std::thread::sleep(PATIENCE),
            }
            if let Err(error) = self.keep(file) {
                self.recorder.leave(self.now());
                self.send();
                return Err(error);
            }
            let status = self.recorder.status().clone();
            if status != said && shell.errors_are_terminal {
                match status {
                    Status::SigningOn => eprintln!("connected to {}", wanted.server),
                    Status::Playing => eprintln!("recording; Ctrl-C ends it"),
                    _ => {}
                }
            }
            said = status;
            if matches!(said, Status::Ended(_)) {
                self.send();
                return file.sync_all();
            }
        }
    }

    fn send(&mut self) {
        while let Some(datagram) = self.recorder.next_datagram() {
            // What is lost is lost, as on any network.
            let _ = self.socket.send(&datagram);
        }
    }

    fn keep(&mut self, file: &mut File) -> io::Result<()> {
        let mut fresh = Vec::new();
        self.recorder.take_recording(&mut fresh);
        self.bytes += fresh.len() as u64;
        file.write_all(&fresh)
    }
}

/// The checksum of a map's file.
fn read_map(path: &Path) -> Result<u32, Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::new(format!("cannot read `{}`", path.display())).because(error))?;
    map_checksum(&bytes).map_err(|error| Failure::new(format!("`{}` is no map of Quake", path.display())).because(error))
}

/// The address that `qw://host:port` means.
fn resolve(url: &str) -> Result<SocketAddr, Failure> {
    let help = "Servers are given as qw://HOST or qw://HOST:PORT.";
    let host = match url.split_once("://") {
        Some(("qw" | "quakeworld", host)) => host.trim_end_matches('/'),
        Some((scheme, _)) => return Err(Failure::new(format!("`{scheme}` servers cannot be recorded")).help(help)),
        None => url,
    };
    // An IPv6 address without a port ends with its bracket.
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let found = if has_port { host.to_socket_addrs() } else { (host.trim_matches(['[', ']']), PORT).to_socket_addrs() };
    let found = found.map_err(|error| Failure::new(format!("there is no server `{url}`")).because(error).help(help))?;
    let addresses: Vec<SocketAddr> = found.collect();
    // Most servers only listen to IPv4.
    let best = addresses.iter().find(|address| address.is_ipv4()).or(addresses.first());
    best.copied().ok_or_else(|| Failure::new(format!("there is no server `{url}`")).help(help))
}

fn connect(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" })?;
    socket.connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    Ok(socket)
}

fn create(path: &Path, force: bool) -> Result<File, Failure> {
    let created = if force { File::create(path) } else { File::create_new(path) };
    created.map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            Failure::new(format!("`{}` is there already", path.display())).help("Name another file, or allow it with --force.")
        } else {
            Failure::new(format!("cannot write `{}`", path.display())).because(error)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_found_by_their_url() {
        for (url, address) in [
            ("qw://127.0.0.1", "127.0.0.1:27500"),
            ("qw://127.0.0.1:27501/", "127.0.0.1:27501"),
            ("127.0.0.1:5", "127.0.0.1:5"),
            ("qw://[::1]:27600", "[::1]:27600"),
        ] {
            assert_eq!(resolve(url).map_err(|failure| failure.one_line()).unwrap(), address.parse().unwrap());
        }
        assert!(resolve("http://127.0.0.1").is_err());
    }
}
