//! Recordings made byte by byte.

use fragreel_base::wire::Limits;
use fragreel_quake2::Recording;
use fragreel_quake2::container::dm2;

pub(super) fn open<'a>(bytes: &'a [u8], extension: &str) -> Recording<'a> {
    Recording::open(bytes, Some(extension), Limits::default()).unwrap()
}

/// A block of these messages.
pub(super) fn block(messages: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::new();
    dm2::write_block(&mut out, &messages.concat());
    out
}

/// A client's recording of these blocks, behind a block with `serverdata`, the map and a player called Alice.
pub(super) fn client(blocks: &[Vec<u8>]) -> Vec<u8> {
    [&[block(&[server_data(1), map("maps/q2dm1.bsp"), skin(0, "Alice")])], blocks, &[vec![0xff; 4]]].concat().concat()
}

pub(super) fn server_data(count: u8) -> Vec<u8> {
    let mut out = vec![12, 34, 0, 0, 0, count, 0, 0, 0, 1];
    out.extend(b"\0\0\0title\0");
    out
}

pub(super) fn string(index: u16, text: &str) -> Vec<u8> {
    let mut out = vec![13];
    out.extend(index.to_le_bytes());
    out.extend(text.as_bytes());
    out.push(0);
    out
}

pub(super) fn map(name: &str) -> Vec<u8> {
    string(33, name)
}

pub(super) fn skin(slot: u16, name: &str) -> Vec<u8> {
    let text = if name.is_empty() { String::new() } else { format!("{name}\\male/grunt") };
    string(1312 + slot, &text)
}

pub(super) fn print(text: &str) -> Vec<u8> {
    [&[10, 1], text.as_bytes(), b"\0"].concat()
}

/// A frame's header.
pub(super) fn header(number: i32, delta: i32) -> Vec<u8> {
    let mut out = vec![20];
    out.extend(number.to_le_bytes());
    out.extend(delta.to_le_bytes());
    out.extend([0, 0]);
    out
}

/// A player where `x` says.
pub(super) fn player(x: i16) -> Vec<u8> {
    let mut out = vec![17, 2, 0];
    out.extend(x.to_le_bytes());
    out.extend([0; 8]);
    out
}

/// Entities by number, each with its x.
pub(super) fn entities(list: &[(u16, i16)]) -> Vec<u8> {
    let mut out = vec![18];
    for (number, x) in list {
        // origin x, and a number of 16 bits
        out.extend([0x81, 0x01]);
        out.extend(number.to_le_bytes());
        out.extend(x.to_le_bytes());
    }
    out.extend([0, 0]);
    out
}

/// A whole frame in a block of its own.
pub(super) fn frame(number: i32, delta: i32, list: &[(u16, i16)]) -> Vec<u8> {
    block(&[header(number, delta), player(number as i16), entities(list)])
}
