//! A small game for stock clients of QuakeWorld: `cargo run -p fragreel-quake1-live --example small_game -- dm3`, then `connect 127.0.0.1:27500` in ezQuake, FTE or any
//! other. Players walk about on a plane in any map that they have, see each other, chat, and score by touching the rocket that floats in the middle.
//! With `cl_splitscreen 1` in FTE two play at one screen.
//!
//! All that a game is, is here; handshake, signing on, deltas of both kinds, and who is gone, are the library's.

use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use fragreel_quake1::unstable::message::{Coord, Message, QwPrint, QwSound, StuffText, Text, UpdateFrags};
use fragreel_quake1::unstable::replacement::EntityState;
use fragreel_quake1::unstable::state::stat;
use fragreel_quake1_live::server::event::Move;
use fragreel_quake1_live::server::{Event, Level, Seat, Seating, Server};

/// Model numbers, in the order of the level's list.
const PLAYER: u32 = 2;
const ROCKET: u32 = 3;
/// The rocket's entity; 1 to 32 are players.
const PRIZE: u32 = 40;
/// The box of a standing player.
const BODY: u32 = 0x8020_1810;
const WALKS: u8 = 3;
/// Seconds between two moments, and units within which somebody has touched the prize.
const TICK: f32 = 0.013;
const NEAR: f32 = 40.0;

/// One who plays.
#[derive(Default)]
struct Body {
    seat: Seat,
    origin: [f32; 3],
    angles: [f32; 3],
    velocity: [f32; 3],
    frags: i16,
}

fn main() -> std::io::Result<()> {
    let map = std::env::args().nth(1).unwrap_or_else(|| String::from("dm3"));
    let level = Level {
        name: String::from("A plane"),
        server_info: format!("\\hostname\\small game\\map\\{map}\\maxclients\\8\\deathmatch\\1"),
        models: vec![format!("maps/{map}.bsp"), String::from("progs/player.mdl"), String::from("progs/missile.mdl")],
        sounds: vec![String::from("misc/talk.wav")],
        baselines: vec![(PRIZE, EntityState { model: ROCKET, ..EntityState::default() })],
        ..Level::default()
    };
    let mut server = Server::new(level).with_seating(Seating::Slots { count: 8 }).with_seats(4);
    let socket = UdpSocket::bind("127.0.0.1:27500")?;
    socket.set_read_timeout(Some(Duration::from_millis(4)))?;
    println!("at {}: connect with any client of QuakeWorld", socket.local_addr()?);
    let (mut bodies, started, mut datagram) = (Bodies::new(), Instant::now(), [0; 2048]);
    let (mut last, seconds) = (0.0, std::env::args().nth(2).and_then(|text| text.parse::<f32>().ok()));
    while seconds.is_none_or(|seconds| last < seconds) {
        if let Ok((length, from)) = socket.recv_from(&mut datagram) {
            server.receive(from, &datagram[..length]);
        }
        while let Some((from, seat, event)) = server.next_event() {
            happen(&mut server, &mut bodies, (from, seat), event);
        }
        let now = started.elapsed().as_secs_f32();
        if now - last >= TICK {
            last = now;
            touch(&mut server, &mut bodies, now);
            let visible = visible(&server, &bodies, now);
            server.frame(now, &visible);
        }
        while let Some((to, datagram)) = server.next_datagram() {
            // What is lost is lost, as on any network.
            let _ = socket.send_to(&datagram, to);
        }
    }
    server.close();
    while let Some((to, datagram)) = server.next_datagram() {
        let _ = socket.send_to(&datagram, to);
    }
    Ok(())
}

/// Who plays, by slot, and where he plays from.
type Bodies = BTreeMap<u8, (SocketAddr, Body)>;

/// What players do.
fn happen(server: &mut Server<SocketAddr>, bodies: &mut Bodies, (from, seat): (SocketAddr, Seat), event: Event) {
    match event {
        Event::Connected { user_info } => println!("{from} connects, seat {}: {}", seat.number, String::from_utf8_lossy(&user_info)),
        Event::Began if !seat.watches => {
            bodies.insert(seat.slot, (from, Body { seat, origin: [200.0, 0.0, 24.0], ..Body::default() }));
            server.send_to(&from, seat, &Message::StuffText(StuffText { text: Text(b"bf\n".to_vec()) }));
        }
        Event::Moved(input) => {
            if let Some((_, body)) = bodies.get_mut(&seat.slot) {
                walk(body, &input);
            }
        }
        Event::Command(text) => {
            if let Some(said) = text.strip_prefix(b"say ") {
                let line = [b"somebody: ", said, b"\n"].concat();
                server.broadcast(&Message::QwPrint(QwPrint { level: 3, text: Text(line) }));
            }
        }
        Event::Left => {
            bodies.remove(&seat.slot);
            println!("{from} left, seat {}", seat.number);
        }
        _ => {}
    }
}

/// On a plane: where he looks, as fast as he wants.
fn walk(body: &mut Body, input: &Move) {
    body.angles = input.angles;
    let seconds = f32::from(input.milliseconds) / 1000.0;
    let (sin, cos) = body.angles[1].to_radians().sin_cos();
    let [forward, side, _] = input.movement.map(|speed| f32::from(speed).clamp(-320.0, 320.0));
    body.velocity = [forward * cos + side * sin, forward * sin - side * cos, 0.0];
    for axis in 0..2 {
        body.origin[axis] = (body.origin[axis] + body.velocity[axis] * seconds).clamp(-1000.0, 1000.0);
    }
}

/// Where the prize is: it goes round.
fn prize(now: f32) -> [f32; 3] {
    [300.0 * now.cos(), 300.0 * now.sin(), 40.0]
}

/// A player who touches the prize scores.
fn touch(server: &mut Server<SocketAddr>, bodies: &mut Bodies, now: f32) {
    let place = prize(now);
    for (&slot, (address, body)) in bodies {
        let mut stats = [0; stat::COUNT];
        (stats[stat::HEALTH], stats[stat::ARMOR]) = (100, i32::from(body.frags));
        server.stats(address, body.seat, &stats);
        let far = (0..3).map(|axis| (body.origin[axis] - place[axis]).powi(2)).sum::<f32>();
        if far < NEAR * NEAR {
            body.frags += 1;
            body.origin = [-body.origin[0], -body.origin[1], body.origin[2]];
            server.lasting(&Message::UpdateFrags(UpdateFrags { slot, frags: body.frags }));
            let origin = place.map(|units| Coord((units * 8.0) as i32 as u32));
            let channel = (u16::from(slot) + 1) << 3;
            server.broadcast_unreliable(&Message::QwSound(QwSound { channel, sound: 1, origin, ..QwSound::default() }));
        }
    }
}

/// Everything there is, in rising order of numbers.
fn visible(server: &Server<SocketAddr>, bodies: &Bodies, now: f32) -> Vec<(u32, EntityState)> {
    let layout = server.layout();
    let turns = |degrees: f32| (degrees * (65536.0 / 360.0)) as i32 as i16;
    let mut all: Vec<(u32, EntityState)> = bodies
        .iter()
        .map(|(slot, (_, body))| (u32::from(*slot) + 1, body))
        .map(|(number, body)| {
            let facing = [body.angles[0] / -3.0, body.angles[1], 0.0].map(|degrees| layout.angles.word(degrees));
            let origin = body.origin.map(|units| layout.origin.word(units));
            let velocity = body.velocity.map(|speed| (speed * 8.0) as i16);
            let view_angles = body.angles.map(turns);
            let state = EntityState {
                model: PLAYER,
                origin,
                angles: facing,
                view_angles,
                velocity,
                colormap: number,
                solid: BODY,
                movetype: WALKS,
                ..EntityState::default()
            };
            (number, state)
        })
        .collect();
    let origin = prize(now).map(|units| layout.origin.word(units));
    all.push((PRIZE, EntityState { model: ROCKET, origin, ..EntityState::default() }));
    all.sort_by_key(|(number, _)| *number);
    all
}
