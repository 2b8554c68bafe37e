//! What Quake's engines must find before they join anything: a map of one room, models of one triangle, empty pictures. None of it is the game's.

pub mod quake2;

use std::fs;
use std::io::Result;
use std::path::Path;

/// Writes a folder `id1` for a recording: everything that it names, and what engines want in any case.
pub fn write(at: &Path, recording: &[u8]) -> Result<()> {
    let mut files = vec![
        (String::from("gfx/palette.lmp"), (0..=255).flat_map(|gray| [gray; 3]).collect()),
        (String::from("gfx/colormap.lmp"), vec![0; 64 * 256 + 1]),
        (String::from("gfx.wad"), wad()),
        (String::from("default.cfg"), Vec::new()),
        (String::from("quake.rc"), b"exec default.cfg\nexec autoexec.cfg\nstuffcmds\n".to_vec()),
    ];
    // the console's picture has to be as large as the screen was
    files.push((String::from("gfx/conback.lmp"), picture(320, 200)));
    for name in PICTURES {
        files.push((format!("gfx/{name}.lmp"), picture(64, 24)));
    }
    let mut models = named(recording);
    models.extend(MODELS.iter().map(|name| format!("progs/{name}.mdl")));
    models.extend(SPRITES.iter().map(|name| format!("progs/{name}.spr")));
    for name in models {
        let file = if name.ends_with(".wav") {
            silence()
        } else if name.ends_with(".bsp") {
            room(inline_models(recording))
        } else if name.ends_with(".spr") {
            sprite()
        } else {
            triangle()
        };
        files.push((name, file));
    }
    files.sort();
    files.dedup();
    for (name, bytes) in &files {
        let path = at.join("id1").join(name);
        fs::create_dir_all(path.parent().unwrap_or(at))?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

/// Puts what [`write()`] wrote into `pak0.pak`, where ezQuake looks for it.
pub fn pack(at: &Path) -> Result<()> {
    const LONGEST: usize = 56;
    let (mut body, mut directory) = (Vec::new(), Vec::new());
    let id1 = at.join("id1");
    let mut folders = vec![id1.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&id1).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let bytes = fs::read(&path)?;
            let mut entry = name.into_bytes();
            entry.resize(LONGEST, 0);
            entry.extend(words(&[12 + body.len() as i32, bytes.len() as i32]));
            directory.extend(entry);
            body.extend(bytes);
        }
    }
    let head = [&b"PACK"[..], &words(&[12 + body.len() as i32, directory.len() as i32])].concat();
    fs::write(id1.join("pak0.pak"), [head, body, directory].concat())
}

const PICTURES: [&str; 37] = [
    "ranking", "complete", "inter", "finale", "pause", "loading", "qplaque", "ttl_main", "mainmenu", "menudot1", "box_tl", "box_ml", "box_bl", "box_tm",
    "box_mm", "box_mm2", "box_bm", "box_tr", "box_mr", "box_br", "menudot2", "menudot3", "menudot4", "menudot5", "menudot6", "ttl_cstm", "ttl_sgl", "mp_menu",
    "p_multi", "p_option", "p_load", "p_save", "bigbox", "netmen1", "sp_menu", "vidmodes", "help0",
];
const SPRITES: [&str; 2] = ["s_explod", "s_bubble"];
const MODELS: [&str; 36] = [
    "player", "eyes", "h_player", "gib1", "gib2", "gib3", "s_light", "flame", "flame2", "bolt", "bolt2", "bolt3", "v_axe", "v_shot", "v_shot2", "v_nail",
    "v_nail2", "v_rock", "v_rock2", "v_light", "spike", "s_spike", "missile", "grenade", "backpack", "vwplayer", "w_axe", "w_shot", "w_shot2", "w_nail",
    "w_nail2", "w_rock", "w_rock2", "w_light", "zom_gib", "laser",
];

/// Models, maps and sounds that a recording names. What stands before a name may look like letters of it.
fn named(recording: &[u8]) -> Vec<String> {
    const NUMBER: usize = 2;
    let texts = recording.split(|byte| !byte.is_ascii_graphic()).filter_map(|text| std::str::from_utf8(text).ok());
    let safe = |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_.".contains(&byte)) && !name.contains("..") && !name.starts_with('/');
    let mut names = Vec::new();
    for text in texts {
        if [".mdl", ".bsp", ".spr"].iter().any(|end| text.ends_with(end)) {
            let start = text.find("progs/").or_else(|| text.find("maps/"));
            names.extend(start.map(|start| &text[start..]).filter(safe).map(str::to_owned));
        } else if text.ends_with(".wav") {
            let starts = (0..=NUMBER).filter_map(|start| text.get(start..)).filter(|name| name.contains('/'));
            names.extend(starts.filter(safe).map(|name| format!("sound/{name}")));
        }
    }
    names
}

fn words(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn shorts(values: &[i16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn picture(width: i32, height: i32) -> Vec<u8> {
    [words(&[width, height]), vec![0; (width * height) as usize]].concat()
}

/// The status bar's pictures.
fn wad() -> Vec<u8> {
    const PICTURE: u8 = 66;
    const RAW: u8 = 68;
    let mut names: Vec<String> = "disc backtile sbar ibar scorebar ram net turtle num_minus anum_minus num_colon num_slash sb_shells sb_nails sb_rocket sb_cells \
         sb_armor1 sb_armor2 sb_armor3 sb_key1 sb_key2 sb_invis sb_invuln sb_suit sb_quad sb_sigil1 sb_sigil2 sb_sigil3 sb_sigil4 face1 face2 face3 face4 face5 \
         face_p1 face_p2 face_p3 face_p4 face_p5 face_invis face_invul2 face_inv2 face_quad"
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    names.extend((0..10).flat_map(|digit| [format!("num_{digit}"), format!("anum_{digit}")]));
    for weapon in ["shotgun", "sshotgun", "nailgun", "snailgun", "rlaunch", "srlaunch", "lightng"] {
        names.extend(["inv_", "inv2_", "inva1_", "inva2_", "inva3_", "inva4_", "inva5_"].map(|prefix| format!("{prefix}{weapon}")));
    }
    let (mut body, mut directory) = (Vec::new(), Vec::new());
    let mut add = |name: &str, kind: u8, bytes: Vec<u8>| {
        directory.extend(words(&[12 + body.len() as i32, bytes.len() as i32, bytes.len() as i32]));
        directory.extend([kind, 0, 0, 0]);
        let mut name = name.as_bytes().to_vec();
        name.resize(16, 0);
        directory.extend(name);
        body.extend(bytes);
    };
    add("conchars", RAW, vec![0; 128 * 128]);
    names.iter().for_each(|name| add(name, PICTURE, picture(24, 24)));
    [b"WAD2".to_vec(), words(&[names.len() as i32 + 1, 12 + body.len() as i32]), body, directory].concat()
}

/// A model with one triangle in two hundred frames.
fn triangle() -> Vec<u8> {
    const FRAMES: i32 = 200;
    let mut out = [b"IDPO".to_vec(), words(&[6]), floats(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0])].concat();
    out.extend([words(&[1, 8, 8, 3, 1, FRAMES, 0, 0]), floats(&[1.0])].concat());
    out.extend([words(&[0]), vec![0; 64]].concat());
    (0..3).for_each(|corner| out.extend(words(&[0, corner, corner])));
    out.extend(words(&[1, 0, 1, 2]));
    for _ in 0..FRAMES {
        out.extend(words(&[0]));
        out.extend([0, 0, 0, 0, 2, 2, 2, 0]);
        out.extend([0; 16]);
        out.extend([0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 2, 0]);
    }
    out
}

fn sprite() -> Vec<u8> {
    let head = [b"IDSP".to_vec(), words(&[1, 2]), floats(&[10.0]), words(&[8, 8, 1]), floats(&[0.0]), words(&[0])].concat();
    [head, words(&[0, -4, 4, 8, 8]), vec![0; 64]].concat()
}

fn silence() -> Vec<u8> {
    let format = [words(&[16]), shorts(&[1, 1]), words(&[11_025, 11_025]), shorts(&[1, 8])].concat();
    [b"RIFF".to_vec(), words(&[36 + 64]), b"WAVEfmt ".to_vec(), format, b"data".to_vec(), words(&[64]), vec![128; 64]].concat()
}

/// How many parts of the map, `*1` and on, a recording names as models.
fn inline_models(recording: &[u8]) -> usize {
    let names = recording.split(|byte| !byte.is_ascii_graphic()).filter_map(|text| std::str::from_utf8(text).ok()?.strip_prefix('*'));
    names.filter_map(|number| number.parse().ok()).filter(|number| *number < 256).max().unwrap_or(0)
}

/// A map of one room, and this number of empty parts that move.
fn room(inline: usize) -> Vec<u8> {
    const FAR: f32 = 2000.0;
    const WIDE: [i16; 6] = [-2048, -2048, -2048, 2047, 2047, 2047];
    const EMPTY: i32 = -1;
    const SOLID: i32 = -2;
    // leaf 0 is solid, leaf 1 the room
    let leaf = |number: i16| -1 - number;
    let (mut planes, mut nodes, mut clips) = (Vec::new(), Vec::new(), Vec::new());
    for wall in 0..6i16 {
        let (axis, low) = (usize::from(wall.unsigned_abs()) / 2, wall % 2 == 0);
        let mut plane = [0.0, 0.0, 0.0, if low { -FAR } else { FAR }];
        plane[axis] = 1.0;
        planes.extend([floats(&plane), words(&[axis as i32])].concat());
        let inside = if wall == 5 { leaf(1) } else { wall + 1 };
        let children = if low { [inside, leaf(0)] } else { [leaf(0), inside] };
        nodes.extend([words(&[i32::from(wall)]), shorts(&children), shorts(&WIDE), shorts(&[0, 0])].concat());
        let inside = if wall == 5 { EMPTY as i16 } else { wall + 1 };
        let children = if low { [inside, SOLID as i16] } else { [SOLID as i16, inside] };
        clips.extend([words(&[i32::from(wall)]), shorts(&children)].concat());
    }
    let leaves = [words(&[SOLID, -1]), shorts(&[0; 6]), shorts(&[0, 0]), vec![0; 4], words(&[EMPTY, -1]), shorts(&WIDE), shorts(&[0, 1]), vec![0; 4]].concat();
    let corners = floats(&[-64.0, -64.0, -FAR, 64.0, -64.0, -FAR, 64.0, 64.0, -FAR, -64.0, 64.0, -FAR]);
    let edges = shorts(&[0, 0, 0, 1, 1, 2, 2, 3, 3, 0]);
    let face = [shorts(&[4, 0]), words(&[0]), shorts(&[4, 0]), vec![255; 4], words(&[-1])].concat();
    let texture =
        [b"floor\0\0\0\0\0\0\0\0\0\0\0".to_vec(), words(&[16, 16, 40, 40 + 256, 40 + 256 + 64, 40 + 256 + 64 + 16]), vec![1; 256 + 64 + 16 + 4]].concat();
    let texture_info = [floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), words(&[0, 0])].concat();
    let model = |faces: i32| [floats(&[-FAR, -FAR, -FAR, FAR, FAR, FAR, 0.0, 0.0, 0.0]), words(&[0, 0, 0, 0, 1, 0, faces])].concat();
    let models = [model(1), model(0).repeat(inline)].concat();
    let entities = b"{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"info_player_start\"\n\"origin\" \"0 0 -1970\"\n}\n{\n\"classname\" \"info_player_deathmatch\"\n\"origin\" \"100 0 -1970\"\n}\n\0".to_vec();
    let lumps = [
        entities,
        planes,
        [words(&[1, 8]), texture].concat(),
        corners,
        Vec::new(),
        nodes,
        texture_info,
        face,
        Vec::new(),
        clips,
        leaves,
        shorts(&[0]),
        edges,
        words(&[1, 2, 3, 4]),
        models,
    ];
    const VERSION: i32 = 29;
    let (mut head, mut body) = (words(&[VERSION]), Vec::new());
    for mut lump in lumps {
        head.extend(words(&[4 + 15 * 8 + body.len() as i32, lump.len() as i32]));
        lump.resize(lump.len().next_multiple_of(4), 0);
        body.extend(lump);
    }
    [head, body].concat()
}
