//! Bones over replacement deltas: `cargo run -p fragreel-quake1-live --example bones -- id1 dm3`, then `connect 127.0.0.1:27500` in FTE. Writes a skeletal model
//! of two boxes, `progs/bones.iqm`, below the folder, and serves a map with it: one box stands, the other goes from side to side as its bone is sent.

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use fragreel_quake1::unstable::replacement::EntityState;
use fragreel_quake1_live::server::{Level, Seating, Server};

/// The entity and its model's number in the level's list.
const BOXES: u32 = 40;
const MODEL: u32 = 2;
/// Units per word of a bone's place, and what a turn by nothing is.
const PER_UNIT: f32 = 64.0;
const UPRIGHT: i16 = -32767;
/// Half a box's side, in units, and how far the second is from the middle at most.
const HALF: f32 = 16.0;
const FAR: f32 = 96.0;

fn main() -> std::io::Result<()> {
    let argument = |at: usize| std::env::args().nth(at);
    let (folder, map) = (argument(1).unwrap_or_else(|| String::from("id1")), argument(2).unwrap_or_else(|| String::from("dm3")));
    let seconds = argument(3).and_then(|text| text.parse::<f32>().ok());
    std::fs::create_dir_all(format!("{folder}/progs"))?;
    std::fs::write(format!("{folder}/progs/bones.iqm"), model())?;
    let level = Level {
        name: String::from("Bones"),
        server_info: format!("\\hostname\\bones\\anycsqc\\1\\map\\{map}"),
        models: vec![format!("maps/{map}.bsp"), String::from("progs/bones.iqm")],
        ..Level::default()
    };
    let mut server = Server::new(level).with_seating(Seating::Slots { count: 8 });
    let socket = UdpSocket::bind("127.0.0.1:27500")?;
    socket.set_read_timeout(Some(Duration::from_millis(4)))?;
    let (started, mut datagram, mut last) = (Instant::now(), [0; 2048], 0.0);
    while seconds.is_none_or(|seconds| last < seconds) {
        if let Ok((length, from)) = socket.recv_from(&mut datagram) {
            server.receive(from, &datagram[..length]);
        }
        while server.next_event().is_some() {}
        let now = started.elapsed().as_secs_f32();
        if now - last >= 0.02 {
            last = now;
            let layout = server.layout();
            // four seconds to the left, four to the right
            let side = if now % 8.0 < 4.0 { -FAR } else { FAR };
            let place = |y: f32| [0, (y * PER_UNIT) as i16, 0, 0, 0, 0, UPRIGHT];
            let at = |units: [f32; 3]| units.map(|units| layout.origin.word(units));
            let boxes = EntityState { model: MODEL, origin: at([256.0, 0.0, 24.0]), bones: vec![place(0.0), place(side)], ..EntityState::default() };
            // everybody looks at it from the same place
            let mut visible: Vec<(u32, EntityState)> =
                (1..=8).map(|player| (player, EntityState { origin: at([0.0, 0.0, 24.0]), ..EntityState::default() })).collect();
            visible.push((BOXES, boxes));
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

/// An Inter-Quake Model (version 2): two boxes, each all of one bone.
fn model() -> Vec<u8> {
    const HEADER: usize = 124;
    let text = b"\0boxes\0skin\0first\0second\0";
    let corner = |at: usize| [at & 1, at >> 1 & 1, at >> 2].map(|high| if high == 1 { HALF } else { -HALF });
    let faces: [[u32; 4]; 6] = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles: Vec<u32> = (0..2).flat_map(|part| faces.iter().flat_map(move |f| [f[0], f[1], f[2], f[0], f[2], f[3]].map(|at| at + part * 8))).collect();
    let mut out = vec![0; HEADER];
    let mut place = |bytes: &[u8]| {
        let at = out.len() as u32;
        out.extend_from_slice(bytes);
        out.resize(out.len().next_multiple_of(4), 0);
        at
    };
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let floats = |floats: &[f32]| floats.iter().flat_map(|float| float.to_le_bytes()).collect::<Vec<u8>>();
    let vertices = 16;
    let text_at = place(text);
    let positions = place(&floats(&(0..vertices).flat_map(|at| corner(at % 8)).collect::<Vec<f32>>()));
    let coordinates = place(&floats(&(0..vertices).flat_map(|at| [(at & 1) as f32, (at >> 1 & 1) as f32]).collect::<Vec<f32>>()));
    let normals = place(&floats(&(0..vertices).flat_map(|at| corner(at % 8).map(|units| units / HALF * 0.577)).collect::<Vec<f32>>()));
    let indexes = place(&(0..vertices).flat_map(|at| [(at / 8) as u8, 0, 0, 0]).collect::<Vec<u8>>());
    let weights = place(&(0..vertices).flat_map(|_| [255u8, 0, 0, 0]).collect::<Vec<u8>>());
    // type, flags, format (1: bytes, 7: floats), how many of them, where
    let arrays = [[0, 0, 7, 3, positions], [1, 0, 7, 2, coordinates], [2, 0, 7, 3, normals], [4, 0, 1, 4, indexes], [5, 0, 1, 4, weights]];
    let arrays_at = place(&words(&arrays.concat()));
    let triangles_at = place(&words(&triangles));
    let meshes_at = place(&words(&[1, 7, 0, vertices as u32, 0, triangles.len() as u32 / 3]));
    // name, no parent, place, turn, size
    let joint = |name: u32| [words(&[name, u32::MAX]), floats(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 1.0, 1.0, 1.0])].concat();
    let joints_at = place(&[joint(12), joint(18)].concat());
    let length = out.len() as u32;
    let header = [
        2,
        length,
        0,
        text.len() as u32,
        text_at,
        1,
        meshes_at,
        arrays.len() as u32,
        vertices as u32,
        arrays_at,
        triangles.len() as u32 / 3,
        triangles_at,
        0,
        2,
        joints_at,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ];
    out[..16].copy_from_slice(b"INTERQUAKEMODEL\0");
    out[16..HEADER].copy_from_slice(&words(&header));
    out
}
