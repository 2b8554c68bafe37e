//! Where a show is given: a socket, and who is connected to it.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

use fragreel_live::PlaybackServer;

use crate::command::record::By;
use crate::failure::Failure;

/// A socket that is listened at.
pub enum Socket {
    /// For games.
    Datagrams(UdpSocket),
    /// For streams.
    Connections(Connections),
}

/// A listening socket with its connections.
pub struct Connections {
    listener: TcpListener,
    lines: BTreeMap<SocketAddr, Line>,
    patience: Duration,
}

/// One connection.
struct Line {
    socket: TcpStream,
    /// What could not be sent yet.
    waiting: Vec<u8>,
    /// Turns for which what waits may be sent to somebody who was let go.
    farewell: u32,
}

/// Datagrams taken before time passes again, so that no flood stops the picture.
const MOST_AT_ONCE: usize = 200;
/// Connections taken at once, and altogether.
const MOST_ACCEPTED: usize = 8;
const MOST_LINES: usize = 80;
/// Bytes that may wait for a connection: who does not take them is hung up on.
const MOST_WAITING: usize = 4 << 20;
/// Turns for a last word.
const FAREWELL: u32 = 500;

impl Socket {
    /// Listens, on this machine only unless `public`. `patience`: how long a turn may wait for something to come.
    pub fn open(by: By, port: u16, public: bool, patience: Duration) -> Result<Self, Failure> {
        let address = SocketAddr::from((if public { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST }, port));
        let socket = match by {
            By::Datagrams => UdpSocket::bind(address).and_then(|socket| {
                if patience.is_zero() {
                    socket.set_nonblocking(true)?;
                } else {
                    socket.set_read_timeout(Some(patience))?;
                }
                Ok(Socket::Datagrams(socket))
            }),
            By::Connection => TcpListener::bind(address).and_then(|listener| {
                listener.set_nonblocking(true)?;
                Ok(Socket::Connections(Connections { listener, lines: BTreeMap::new(), patience }))
            }),
        };
        socket.map_err(|error| Failure::new(format!("cannot listen at {address}")).because(error).help("Another server may use this port. Choose another one."))
    }

    /// At which port it listens.
    pub fn port(&self) -> u16 {
        let address = match self {
            Socket::Datagrams(socket) => socket.local_addr(),
            Socket::Connections(lines) => lines.listener.local_addr(),
        };
        address.map_or(0, |address| address.port())
    }

    /// Takes what came, lets time pass, sends what is to be sent. Who may control the show: those on this machine, if `controls`.
    pub fn poll(&mut self, show: &mut dyn PlaybackServer<SocketAddr>, now: f64, controls: bool) {
        match self {
            Socket::Datagrams(socket) => {
                let mut datagram = [0; 1 << 16];
                for _ in 0..MOST_AT_ONCE {
                    match socket.recv_from(&mut datagram) {
                        Ok((length, from)) => show.receive(from, &datagram[..length], controls && is_here(from)),
                        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
                        // Somebody is gone; who it was is known by his silence.
                        Err(_) => {}
                    }
                    send(socket, show);
                }
            }
            Socket::Connections(lines) => {
                lines.accept(show, controls);
                if !lines.receive(show, controls) {
                    std::thread::sleep(lines.patience);
                }
            }
        }
        show.tick(now);
        self.send(show);
    }

    /// Takes what came and forgets it: there is nothing to show yet.
    pub fn idle(&mut self) {
        match self {
            Socket::Datagrams(socket) => {
                let mut datagram = [0; 2048];
                for _ in 0..MOST_AT_ONCE {
                    if socket.recv_from(&mut datagram).is_err() {
                        break;
                    }
                }
            }
            Socket::Connections(lines) => {
                for _ in 0..MOST_ACCEPTED {
                    drop(lines.listener.accept());
                }
            }
        }
    }

    /// Sends what is to be sent.
    pub fn send(&mut self, show: &mut dyn PlaybackServer<SocketAddr>) {
        match self {
            Socket::Datagrams(socket) => send(socket, show),
            Socket::Connections(lines) => lines.send(show),
        }
    }

    /// Ends the show.
    pub fn close(&mut self, show: &mut dyn PlaybackServer<SocketAddr>) {
        show.close();
        self.send(show);
        if let Socket::Connections(lines) = self {
            lines.flush();
        }
    }
}

impl Connections {
    fn accept(&mut self, show: &mut dyn PlaybackServer<SocketAddr>, controls: bool) {
        for _ in 0..MOST_ACCEPTED {
            let Ok((socket, from)) = self.listener.accept() else { return };
            if self.lines.len() >= MOST_LINES || socket.set_nonblocking(true).is_err() {
                continue;
            }
            // frames are small and must not wait for others
            let _ = socket.set_nodelay(true);
            self.lines.insert(from, Line { socket, waiting: Vec::new(), farewell: 0 });
            show.receive(from, b"", controls && is_here(from));
        }
    }

    /// Whether anything came.
    fn receive(&mut self, show: &mut dyn PlaybackServer<SocketAddr>, controls: bool) -> bool {
        let (mut buffer, mut any, mut gone) = ([0; 4096], false, Vec::new());
        for (&from, line) in &mut self.lines {
            match line.socket.read(&mut buffer) {
                Ok(0) => gone.push(from),
                Ok(length) => {
                    any = true;
                    show.receive(from, &buffer[..length], controls && is_here(from));
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(_) => gone.push(from),
            }
        }
        self.hang_up(show, &gone);
        any
    }

    fn send(&mut self, show: &mut dyn PlaybackServer<SocketAddr>) {
        while let Some((to, bytes)) = show.next_datagram() {
            if let Some(line) = self.lines.get_mut(&to) {
                line.waiting.extend(bytes);
            }
        }
        let mut gone = Vec::new();
        for (&address, line) in &mut self.lines {
            let open = line.write();
            if !show.has(&address) {
                line.farewell += 1;
            }
            let done = line.farewell > 0 && (line.waiting.is_empty() || line.farewell > FAREWELL);
            if !open || done || line.waiting.len() > MOST_WAITING {
                gone.push(address);
            }
        }
        self.hang_up(show, &gone);
    }

    fn hang_up(&mut self, show: &mut dyn PlaybackServer<SocketAddr>, gone: &[SocketAddr]) {
        for address in gone {
            self.lines.remove(address);
            show.forget(address);
        }
    }

    /// A last attempt to send what waits.
    fn flush(&mut self) {
        for _ in 0..50 {
            let done = self.lines.values_mut().fold(true, |done, line| done & (!line.write() || line.waiting.is_empty()));
            if done {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Line {
    /// Sends what it can. Whether the connection is still there.
    fn write(&mut self) -> bool {
        while !self.waiting.is_empty() {
            match self.socket.write(&self.waiting) {
                Ok(0) => return false,
                Ok(sent) => drop(self.waiting.drain(..sent)),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => return true,
                Err(_) => return false,
            }
        }
        true
    }
}

/// Whether somebody is on this machine.
fn is_here(from: SocketAddr) -> bool {
    match from.ip() {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => address.is_loopback(),
    }
}

fn send(socket: &UdpSocket, show: &mut dyn PlaybackServer<SocketAddr>) {
    while let Some((to, datagram)) = show.next_datagram() {
        // What is lost is lost, as on any network.
        let _ = socket.send_to(&datagram, to);
    }
}
