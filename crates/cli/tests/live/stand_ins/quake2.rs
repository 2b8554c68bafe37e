//! What Quake II's engines must find before they join anything: a map of one room with parts that move, empty pictures and a palette.

use std::fs;
use std::io::Result;
use std::path::Path;

use super::{floats, shorts, words};

/// The room's half width; its walls are as thick as it is wide again.
const FAR: f32 = 2000.0;
/// Parts of the map that recordings may name, `*1` and on. Engines want all of them.
const PARTS: usize = 128;

/// Writes a folder `baseq2` with maps of these names: all the same one, of checksum -1846104796.
pub fn write(at: &Path, maps: &[&str]) -> Result<()> {
    let mut files: Vec<(String, Vec<u8>)> = maps.iter().map(|name| (format!("maps/{name}.bsp"), room())).collect();
    // the palette is in a picture, and so are its shades
    files.push((String::from("pics/colormap.pcx"), picture(256, 320)));
    files.push((String::from("pics/conchars.pcx"), picture(128, 128)));
    files.push((String::from("pics/conback.pcx"), picture(320, 240)));
    // from 16 bits of color to the palette
    files.push((String::from("pics/16to8.dat"), vec![0; 1 << 16]));
    files.push((String::from("default.cfg"), Vec::new()));
    for (name, bytes) in &files {
        let path = at.join("baseq2").join(name);
        fs::create_dir_all(path.parent().unwrap_or(at))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// A black picture with a gray palette.
fn picture(width: u16, height: u16) -> Vec<u8> {
    const RUN: u8 = 0xc0;
    const LONGEST: u16 = 63;
    let mut out = vec![10, 5, 1, 8];
    [0, 0, width - 1, height - 1, width, height].iter().for_each(|number| out.extend(number.to_le_bytes()));
    out.extend([0; 48]);
    out.extend([0, 1]);
    out.extend(width.to_le_bytes());
    out.extend([0; 60]);
    for _ in 0..height {
        let mut left = width;
        while left > 0 {
            let run = left.min(LONGEST);
            out.extend([RUN | run as u8, 0]);
            left -= run;
        }
    }
    out.push(12);
    out.extend((0..=255).flat_map(|gray: u8| [gray; 3]));
    out
}

/// A plane with its distance, as a lump has it.
fn plane(axis: usize, positive: bool, distance: f32) -> Vec<u8> {
    const OTHER: i32 = 3;
    let mut normal = [0.0; 3];
    normal[axis] = if positive { 1.0 } else { -1.0 };
    let kind = if positive { axis as i32 } else { OTHER };
    [floats(&normal), floats(&[if positive { distance } else { -distance }]), words(&[kind])].concat()
}

/// A map of one room, whose walls are brushes, and of [`PARTS`] empty parts.
fn room() -> Vec<u8> {
    const SOLID: i32 = 1;
    const WIDE: [i16; 6] = [-4096, -4096, -4096, 4095, 4095, 4095];
    // Q2PRO wants every leaf below one node only, so each wall has a solid leaf of its own; the first one of a map is solid
    let leaf_number = |leaf: i32| -1 - leaf;
    let inside = leaf_number(6);
    let (mut planes, mut nodes, mut brushes, mut sides) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for wall in 0..6usize {
        let (axis, low) = (wall / 2, wall % 2 == 0);
        planes.extend(plane(axis, true, if low { -FAR } else { FAR }));
        let solid = leaf_number(wall as i32);
        let next = if wall == 5 { inside } else { wall as i32 + 1 };
        let children = if low { [next, solid] } else { [solid, next] };
        nodes.extend([words(&[wall as i32]), words(&children), shorts(&WIDE), shorts(&[0, 0])].concat());
    }
    for wall in 0..6usize {
        let (axis, low) = (wall / 2, wall % 2 == 0);
        brushes.extend(words(&[wall as i32 * 6, 6, SOLID]));
        for side in 0..6usize {
            let (along, top) = (side / 2, side % 2 == 1);
            let near = if low { -FAR } else { FAR };
            let distance = match (along == axis, top == low) {
                (true, true) => near,
                (true, false) => near * 2.0,
                (false, _) if top => FAR * 2.0,
                (false, _) => -FAR * 2.0,
            };
            sides.extend(shorts(&[(planes.len() / 20) as i16, 0]));
            planes.extend(plane(along, top, distance));
        }
    }
    let leaf = |contents: i32, cluster: i16, area: i16, brushes: i16| {
        [words(&[contents]), shorts(&[cluster, area]), shorts(&WIDE), shorts(&[0, if contents == 0 { 1 } else { 0 }, 0, brushes])].concat()
    };
    let corners = floats(&[-64.0, -64.0, -FAR, -64.0, 64.0, -FAR, 64.0, 64.0, -FAR, 64.0, -64.0, -FAR]);
    let face = [shorts(&[4, 0]), words(&[0]), shorts(&[4, 0]), vec![255; 4], words(&[-1])].concat();
    let mut texture = b"floor".to_vec();
    texture.resize(32, 0);
    let texture = [floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), words(&[0, 0]), texture, words(&[-1])].concat();
    let model = |head: i32, faces: i32| [floats(&[-FAR, -FAR, -FAR, FAR, FAR, FAR, 0.0, 0.0, 0.0]), words(&[head, 0, faces])].concat();
    let spot = |class: &str, x: i32| format!("{{\n\"classname\" \"{class}\"\n\"origin\" \"{x} 0 -1970\"\n}}\n");
    let starts: String = (0..8).map(|number| spot("info_player_deathmatch", number * 100)).collect();
    let entities = format!("{{\n\"classname\" \"worldspawn\"\n}}\n{}{starts}\0", spot("info_player_start", 0));
    // one cluster, which is seen and heard from itself
    let visibility = [words(&[1, 12, 12]), vec![1]].concat();
    let lumps = [
        entities.into_bytes(),
        planes,
        corners,
        visibility,
        nodes,
        texture,
        face,
        Vec::new(),
        [leaf(SOLID, -1, 0, 6).repeat(6), leaf(0, 0, 1, 0)].concat(),
        shorts(&[0]),
        shorts(&[0, 1, 2, 3, 4, 5]),
        shorts(&[0, 0, 0, 1, 1, 2, 2, 3, 3, 0]),
        words(&[1, 2, 3, 4]),
        [model(0, 1), model(inside, 0).repeat(PARTS)].concat(),
        brushes,
        sides,
        Vec::new(),
        words(&[0, 0, 0, 0]),
        words(&[0, 0]),
    ];
    const VERSION: i32 = 38;
    let (mut head, mut body) = ([b"IBSP".to_vec(), words(&[VERSION])].concat(), Vec::new());
    let start = 8 + lumps.len() * 8;
    for mut lump in lumps {
        head.extend(words(&[(start + body.len()) as i32, lump.len() as i32]));
        lump.resize(lump.len().next_multiple_of(4), 0);
        body.extend(lump);
    }
    [head, body].concat()
}
