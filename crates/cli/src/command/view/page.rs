//! The page on this machine, for as long as somebody wants it.

use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fragreel::model::Milliseconds;

use super::connection;
use super::site::{PageSource, Site};
use crate::failure::{Failure, FailureKind};

/// The page as `cargo xtask web` built it; empty where it did not.
const PAGE: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The page's files by their paths; none where it was not built.
pub fn viewer_files() -> &'static [(&'static str, &'static [u8])] {
    PAGE
}

/// How often somebody looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(20);

/// Requests answered at a time; a browser makes six.
const MOST_AT_ONCE: usize = 32;

/// The viewer with recordings, on loopback, under an address that nobody can guess.
pub struct Page {
    listener: TcpListener,
    site: Arc<Site>,
}

impl Page {
    /// Listens. Unpacks members of archives up to `largest`.
    pub fn open(offer: PageSource, largest: u64, port: u16) -> Result<Self, Failure> {
        if PAGE.is_empty() {
            let failure = Failure::new("this command was built without the viewer's page").kind(FailureKind::Unsupported);
            return Err(failure.help("The binaries of a release have the page: https://github.com/fragreel/fragreel/releases. In a checkout, `cargo xtask web` makes it; then build the command again."));
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
        let listener = listener.map_err(|error| Failure::new(format!("cannot listen at {address}")).because(error).help("--port takes another number."))?;
        let port = listener.local_addr().map_or(port, |address| address.port());
        let site = Arc::new(Site { page: PAGE, offer, largest, port, token: token() });
        Ok(Page { listener, site })
    }

    /// Where it is, with what to show.
    pub fn address(&self, from: Option<Milliseconds>, pov: Option<&str>) -> String {
        self.site.address(from, pov)
    }

    /// Answers requests until it is to end.
    pub fn serve(&self, ends: impl Fn() -> bool) {
        let at_work = Arc::new(AtomicUsize::new(0));
        while !ends() {
            match self.listener.accept() {
                Ok((stream, _)) if at_work.fetch_add(1, Ordering::SeqCst) < MOST_AT_ONCE => {
                    let (site, at_work) = (Arc::clone(&self.site), Arc::clone(&at_work));
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
