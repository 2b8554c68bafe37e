//! Serves moving entities over loopback UDP and follows them: one thread is a server that speaks FTE's replacement
//! deltas, the other a client that joins it, prints what it sees, and leaves.
//!
//! ```text
//! cargo run -p fragreel-quake1-live --example follow_entities -- [SECONDS] [ENTITIES]
//! ```

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fragreel_quake1::unstable::replacement::{Coordinates, EntityState};
use fragreel_quake1_live::recorder::{Recorder, Settings, Status};
use fragreel_quake1_live::server::{Level, Server};

/// Time between two frames of the level.
const FRAME: Duration = Duration::from_millis(20);

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(3.0);
    let entities: u32 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(200);

    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let address = socket.local_addr()?;
    let stop = Arc::new(AtomicBool::new(false));
    let server = thread::spawn({
        let stop = Arc::clone(&stop);
        move || serve(&socket, entities, &stop)
    });
    follow(address, seconds)?;
    stop.store(true, Ordering::Relaxed);
    server.join().expect("the server's thread ends")
}

/// Everything circles, each entity at its own pace.
fn world(time: f32, count: u32) -> Vec<(u32, EntityState)> {
    let circling = |number: u32| {
        let angle = time * (1.0 + number as f32 / 100.0);
        let (radius, height) = (100.0 + number as f32, number as f32 / 4.0);
        let place = [radius * angle.cos(), radius * angle.sin(), height];
        (number, EntityState { model: 2, origin: place.map(|part| Coordinates::Float.word(part)), ..EntityState::default() })
    };
    (1..=count).map(circling).collect()
}

fn serve(socket: &UdpSocket, count: u32, stop: &AtomicBool) -> std::io::Result<()> {
    socket.set_read_timeout(Some(Duration::from_millis(2)))?;
    let (mut server, started, mut next, mut datagram) = (Server::new(Level::default()), Instant::now(), Duration::ZERO, [0; 2048]);
    while !stop.load(Ordering::Relaxed) {
        if let Ok((length, from)) = socket.recv_from(&mut datagram) {
            server.receive(from, &datagram[..length]);
        }
        if started.elapsed() >= next {
            next += FRAME;
            let time = started.elapsed().as_secs_f32();
            server.frame(time, &world(time, count));
        }
        while let Some((to, datagram)) = server.next_datagram() {
            socket.send_to(&datagram, to)?;
        }
    }
    Ok(())
}

fn follow(server: SocketAddr, seconds: f64) -> std::io::Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(server)?;
    socket.set_read_timeout(Some(Duration::from_millis(2)))?;
    let (mut client, started) = (Recorder::new(Settings { interval: FRAME.as_secs_f64(), ..Settings::default() }), Instant::now());
    let (mut datagram, mut received, mut next) = ([0; 2048], 0, 0.0);
    while !matches!(client.status(), Status::Ended(_)) {
        let now = started.elapsed().as_secs_f64();
        if now > seconds {
            client.leave(now);
        }
        client.tick(now);
        while let Some(datagram) = client.next_datagram() {
            socket.send(&datagram)?;
        }
        if let Ok(length) = socket.recv(&mut datagram) {
            received += length;
            client.receive(started.elapsed().as_secs_f64(), &datagram[..length]);
        }
        if now >= next && *client.status() == Status::Playing {
            next = now + 0.5;
            let deltas = client.deltas();
            let place = deltas.entities().get(1).map(|known| deltas.flags().position(&known.state));
            println!("{:6.2} s  {} entities in sight, {received} bytes received, entity 1 at {place:.1?}", deltas.seconds(), deltas.entities().len());
        }
    }
    // The goodbye.
    while let Some(datagram) = client.next_datagram() {
        socket.send(&datagram)?;
    }
    println!("{:?} after {} packets", client.status(), client.packets());
    Ok(())
}
