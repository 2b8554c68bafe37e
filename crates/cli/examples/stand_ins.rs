//! Writes what an engine has to find before it joins anything, so that another engine can be tried by hand:
//! `cargo run -p fragreel-cli --example stand_ins -- quake DIR RECORDING`, or `quake2 DIR MAP...`.

#[path = "../tests/live/stand_ins/mod.rs"]
mod stand_ins;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["quake", folder, recording] => {
            stand_ins::write(Path::new(folder), &std::fs::read(recording)?)?;
            stand_ins::pack(Path::new(folder))
        }
        ["quake2", folder, maps @ ..] => stand_ins::quake2::write(Path::new(folder), maps),
        _ => Err(std::io::Error::other("usage: quake DIR RECORDING | quake2 DIR MAP...")),
    }
}
