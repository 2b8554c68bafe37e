//! A network between a recorder and a server that loses datagrams both ways.

use std::io::Result;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long a thread waits for a datagram before it looks whether it has to end.
const PATIENCE: Duration = Duration::from_millis(100);
/// More than any datagram has.
const LONGEST: usize = 1 << 16;

/// One client's way to a server. It ends with this.
pub struct Lossy {
    /// The port that the client sends to.
    pub port: u16,
    end: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Lossy {
    /// Loses this share of the datagrams; each direction has its own sequence of losses, which the seed determines.
    pub fn start(server: u16, seed: u64, percent: u64) -> Result<Self> {
        let (near, far) = (UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
        far.connect(("127.0.0.1", server))?;
        near.set_read_timeout(Some(PATIENCE))?;
        far.set_read_timeout(Some(PATIENCE))?;
        let port = near.local_addr()?.port();
        let end = Arc::<AtomicBool>::default();
        let client = Arc::<Mutex<Option<SocketAddr>>>::default();
        let there = thread::spawn({
            let (near, far, client, end) = (near.try_clone()?, far.try_clone()?, Arc::clone(&client), Arc::clone(&end));
            let mut dice = Dice::new(seed * 2, percent);
            move || {
                let mut datagram = vec![0; LONGEST];
                while !end.load(Ordering::Relaxed) {
                    if let Ok((length, from)) = near.recv_from(&mut datagram) {
                        *client.lock().unwrap_or_else(PoisonError::into_inner) = Some(from);
                        if !dice.loses() {
                            let _ = far.send(&datagram[..length]);
                        }
                    }
                }
            }
        });
        let back = thread::spawn({
            let end = Arc::clone(&end);
            let mut dice = Dice::new(seed * 2 + 1, percent);
            move || {
                let mut datagram = vec![0; LONGEST];
                while !end.load(Ordering::Relaxed) {
                    if let Ok(length) = far.recv(&mut datagram) {
                        let to = *client.lock().unwrap_or_else(PoisonError::into_inner);
                        if let Some(to) = to
                            && !dice.loses()
                        {
                            let _ = near.send_to(&datagram[..length], to);
                        }
                    }
                }
            }
        });
        Ok(Lossy { port, end, threads: vec![there, back] })
    }
}

impl Drop for Lossy {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Which datagrams are lost.
struct Dice {
    state: u64,
    percent: u64,
}

impl Dice {
    fn new(seed: u64, percent: u64) -> Self {
        Dice { state: seed, percent }
    }

    /// Whether the next one is. The generator is splitmix64: neighboring seeds give unrelated sequences.
    fn loses(&mut self) -> bool {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % 100 < self.percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(seed: u64) -> Vec<bool> {
        let mut dice = Dice::new(seed, 20);
        (0..1000).map(|_| dice.loses()).collect()
    }

    #[test]
    fn a_fifth_is_lost_and_the_seed_says_which() {
        for seed in 0..40 {
            let share = lost(seed).into_iter().filter(|lost| *lost).count();
            assert!((150..250).contains(&share), "{share} of 1000 with seed {seed}");
        }
        assert_eq!(lost(1), lost(1));
        assert_ne!(lost(1), lost(2));
    }

    #[test]
    fn what_is_not_lost_arrives_both_ways() {
        let server = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let client = UdpSocket::bind("127.0.0.1:0").expect("a port");
        server.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
        client.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
        let network = Lossy::start(server.local_addr().expect("an address").port(), 1, 0).expect("a network");
        client.send_to(b"there", ("127.0.0.1", network.port)).expect("sent");
        let mut datagram = [0; 16];
        let (length, from) = server.recv_from(&mut datagram).expect("a datagram");
        assert_eq!(&datagram[..length], b"there");
        server.send_to(b"back", from).expect("sent");
        let length = client.recv(&mut datagram).expect("a datagram");
        assert_eq!(&datagram[..length], b"back");
    }
}
