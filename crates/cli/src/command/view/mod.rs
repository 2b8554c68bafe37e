//! `fragreel view`

mod browser;
mod connection;
mod site;

use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fragreel::model::Milliseconds;

use super::Paths;
use crate::failure::{Failure, Stop};
use crate::search::{self, PassedOver};
use crate::shell::{Outcome, Shell};
use crate::{input, output};

use site::Site;

/// Show recordings in the browser, without the game
///
/// From above and in space, with a timeline, scores and chat; one of several can be chosen, or all shown side by side. The page and
/// exactly the named recordings are served to this machine alone, under an address that nobody can guess, until Ctrl-C.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel view final.dm_68                 opens the browser
  fragreel view demos/                      a list to choose from
  fragreel view --no-browser final.mvd      only prints the address

Exit codes: 0 it was shown until Ctrl-C, 2 it could not be.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Begin at this time: seconds such as 90.5, or m:ss such as 1:30
    #[arg(long, value_name = "TIME")]
    from: Option<Milliseconds>,

    /// Follow this player: the name without colours, or the slot's number
    #[arg(long, value_name = "PLAYER")]
    pov: Option<String>,

    /// Where to listen (TCP) [default: any free port]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Do not open the browser
    #[arg(long)]
    no_browser: bool,

    /// End after this time: seconds such as 90.5, or m:ss such as 20:00
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Milliseconds>,
}

/// The page as `cargo xtask web` built it; empty where it did not.
const PAGE: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// How often somebody looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(20);

/// Requests answered at a time; a browser makes six.
const MOST_AT_ONCE: usize = 32;

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        if PAGE.is_empty() {
            let failure = Failure::new("this command was built without the viewer's page");
            return Err(failure.help("In a checkout, `cargo xtask web` builds the page; after that, build the command again.").into());
        }
        let passed = PassedOver::default();
        let files = search::files(self.paths.all(), &passed).collect::<Result<Vec<_>, _>>()?;
        for remark in passed.remarks() {
            eprintln!("{remark}");
        }
        if files.is_empty() {
            return Err(Failure::new("there is no recording to show").help("Name recordings, or folders with some.").into());
        }
        if files.iter().any(|file| file.as_os_str() == input::STDIN) {
            return Err(Failure::new("standard input cannot be shown").help("Name a file: the page asks for it again when it is loaded again.").into());
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let listener = TcpListener::bind(address).and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
        let listener = listener.map_err(|error| Failure::new(format!("cannot listen at {address}")).because(error).help("--port takes another number."))?;
        let port = listener.local_addr().map_or(self.port, |address| address.port());
        let site = Arc::new(Site::new(PAGE, files, port, token()));
        let address = site.address(self.from, self.pov.as_deref());
        let mut out = output::stdout();
        writeln!(out, "{address}")?;
        output::finish(out)?;
        if shell.errors_are_terminal {
            eprintln!("Ctrl-C ends it");
        }
        if !self.no_browser {
            browser::open(&address);
        }
        self.serve(&listener, &site);
        Ok(Outcome::Fine)
    }

    fn serve(&self, listener: &TcpListener, site: &Arc<Site>) {
        let _heed = crate::interrupt::Heed::new();
        let (started, at_work) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
        while !crate::interrupt::asked() && !self.time.is_some_and(|time| started.elapsed().as_secs_f64() >= time.seconds()) {
            match listener.accept() {
                Ok((stream, _)) if at_work.fetch_add(1, Ordering::SeqCst) < MOST_AT_ONCE => {
                    let (site, at_work) = (Arc::clone(site), Arc::clone(&at_work));
                    std::thread::spawn(move || {
                        // Who goes away in the middle gets no answer.
                        let _ = connection::answer(&stream, &site);
                        at_work.fetch_sub(1, Ordering::SeqCst);
                    });
                }
                Ok(_) => drop(at_work.fetch_sub(1, Ordering::SeqCst)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(PATIENCE),
                Err(_) => std::thread::sleep(PATIENCE),
            }
        }
    }
}

/// What nobody can guess: the keys of the standard library's hashers come from the system's random numbers.
fn token() -> String {
    (0..2).map(|part| format!("{:016x}", RandomState::new().hash_one(part))).collect()
}
