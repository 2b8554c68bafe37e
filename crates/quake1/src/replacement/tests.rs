//! Hand-assembled bytes for each field in each shape, and the two laws: what decodes encodes to the same bytes, and
//! what a sender composes takes one state to the other.

use fragreel_base::wire::{ReadBytes, WriteBytes};
use proptest::prelude::*;

use super::bits::*;
use super::*;

fn read(flags: &Flags, bytes: &[u8]) -> Delta {
    let (mut reader, mut delta) = (ReadBytes::new(bytes), Delta::default());
    code_delta(&mut reader, flags, &mut delta).unwrap_or_else(|error| panic!("{bytes:02x?}: {error}"));
    assert_eq!(reader.rest(), [0u8; 0], "{bytes:02x?}");
    let mut writer = WriteBytes::default();
    let Ok(()) = code_delta(&mut writer, flags, &mut delta);
    assert_eq!(writer.written(), bytes);
    delta
}

fn mask(bits: u32) -> Vec<u8> {
    let bits = delta_bits(bits);
    let bytes = bits.to_le_bytes();
    let length = 1 + usize::from(bits & EXTEND1 != 0) + usize::from(bits & EXTEND2 != 0) + usize::from(bits & EXTEND3 != 0);
    bytes[..length].to_vec()
}

fn delta_bits(bits: u32) -> u32 {
    fragreel_base::delta::masked::extended(u64::from(bits), MORE) as u32
}

fn with(bits: u32, fields: &[u8]) -> Vec<u8> {
    [&mask(bits)[..], fields].concat()
}

/// Each field alone in the plain shape: mask bit, bytes, what it must say.
#[test]
fn every_field_in_the_plain_shape() {
    type Check = fn(&EntityState) -> bool;
    let cases: &[(u32, &[u8], Check)] = &[
        (FRAME, &[7], |s| s.frame == 7),
        (FRAME | WIDE_OR_LERP, &[7, 1], |s| s.frame == 263),
        (ORIGIN_XY, &[0xf8, 0xff, 8, 0], |s| s.origin[..2] == [-8i32 as u32, 8]),
        (ORIGIN_Z, &[0, 0x80], |s| s.origin[2] == -32768i32 as u32),
        (ANGLES_XZ, &[0x40, 0x80], |s| s.angles == [0x4000, 0, 0x8000]),
        (ANGLES_Y, &[0xff], |s| s.angles[1] == 0xff00),
        (EFFECTS, &[9], |s| s.effects == 9),
        (EFFECTS2, &[9, 1], |s| s.effects == 265),
        (EFFECTS | EFFECTS2, &[1, 2, 3, 4], |s| s.effects == 0x0403_0201),
        (MODEL, &[200], |s| s.model == 200),
        (MODEL | WIDE_OR_LERP, &[0, 2], |s| s.model == 512),
        (SKIN, &[200], |s| s.skin == 200),
        (SKIN | WIDE_OR_LERP, &[0xff, 0xff], |s| s.skin == -1),
        (COLORMAP, &[3], |s| s.colormap == 3),
        (SOLID, &[31, 0], |s| s.solid == solid::SOLID_BSP),
        (SOLID, &[0x62, 0x20], |s| s.solid == solid::SOLID_HULL1),
        (FLAGS, &[32], |s| s.flags == 32),
        (ALPHA, &[127], |s| s.alpha == 127),
        (SCALE, &[32], |s| s.scale == 32),
        (BONE_DATA, &[0], |s| s.bones.is_empty()),
        (BONE_DATA, &[0x40, 5, 1, 2], |s| (s.base_bone, s.base_frame) == (5, 513)),
        (BONE_DATA, &[0x80, 1, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 0xff, 0xff], |s| s.bones == [[1, 2, 3, 4, 5, 6, -1]]),
        (DRAW_FLAGS, &[5], |s| (s.draw_flags, s.abs_light) == (5, 0)),
        (DRAW_FLAGS, &[6, 99], |s| (s.draw_flags, s.abs_light) == (6, 99)),
        (DRAW_FLAGS, &[7, 98], |s| (s.draw_flags, s.abs_light) == (7, 98)),
        (TAG_INFO, &[9, 0, 2], |s| (s.tag_entity, s.tag_index) == (9, 2)),
        (TAG_INFO, &[0x81, 0x80, 0x6b, 255], |s| (s.tag_entity, s.tag_index) == (33131, -1)),
        (LIGHT, &[0, 4, 0, 2, 0, 1, 200, 0, 3, 1], |s| s.light == [1024, 512, 256, 200] && (s.light_style, s.light_flags) == (3, 1)),
        (TRAIL_EFFECT, &[5, 0], |s| (s.trail_effect, s.emit_effect) == (5, 0)),
        (TRAIL_EFFECT, &[5, 0x80, 6, 0], |s| (s.trail_effect, s.emit_effect) == (5, 6)),
        (COLOR_MOD, &[1, 2, 3], |s| s.color_mod == [1, 2, 3]),
        (GLOW, &[1, 2, 3, 4, 5], |s| (s.glow_size, s.glow_color, s.glow_mod) == (1, 2, [3, 4, 5])),
        (FATNESS, &[0xfe], |s| s.fatness == -2),
        (MODEL2, &[4], |s| s.model2 == 4),
        (MODEL2 | WIDE_OR_LERP, &[4, 1], |s| s.model2 == 260),
        (GRAVITY_DIR, &[1, 2], |s| s.gravity_dir == [1, 2]),
        (RESET, &[], |s| *s == EntityState::default()),
    ];
    for (bits, fields, check) in cases {
        let delta = read(&Flags::default(), &with(*bits, fields));
        assert!(check(&delta.state), "{} {:?}", describe(*bits), delta.state);
        assert!(delta.spelling.is_canonical());
    }
}

#[test]
fn lerp_time_makes_numbers_of_variable_length() {
    type Check = fn(&EntityState) -> bool;
    let flags = Flags { lerp_time: true, new_size_encoding: true, ..Flags::default() };
    let cases: &[(u32, &[u8], Check)] = &[
        (FRAME, &[0x87, 0x02], |s| s.frame == 263),
        (WIDE_OR_LERP, &[100], |s| s.lerp_end == 100),
        (EFFECTS, &[0x80, 0x80, 0x80, 0x08], |s| s.effects == 1 << 24),
        (MODEL, &[0x80, 0x04], |s| s.model == 512),
        (SKIN, &[63], |s| s.skin == -1),
        (SKIN, &[0x88, 0x02], |s| s.skin == 200),
        (COLORMAP, &[3], |s| s.colormap == 3),
        (FLAGS, &[32], |s| s.flags == 32),
        (BONE_DATA, &[0x40, 5, 0x81, 0x04], |s| (s.base_bone, s.base_frame) == (5, 513)),
        (TAG_INFO, &[9, 0, 0], |s| (s.tag_entity, s.tag_index) == (9, -1)),
        (LIGHT, &[0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 1], |s| s.light_style == 128),
        (TRAIL_EFFECT, &[5, 6], |s| (s.trail_effect, s.emit_effect) == (5, 6)),
        (MODEL2, &[0x84, 0x02], |s| s.model2 == 260),
        // Order: frame, effects of the new kind, then model.
        (FRAME | WIDE_OR_LERP | EFFECTS | MODEL, &[1, 2, 3, 4], |s| (s.frame, s.lerp_end, s.effects, s.model) == (1, 2, 3, 4)),
    ];
    for (bits, fields, check) in cases {
        let delta = read(&flags, &with(*bits, fields));
        assert!(check(&delta.state), "{} {:?}", describe(*bits), delta.state);
    }
    let mut delta = Delta::default();
    assert!(code_delta(&mut ReadBytes::new(&with(EFFECTS2, &[0; 4])), &flags, &mut delta).is_err());
}

#[test]
fn solid_has_three_shapes() {
    let flags = Flags { new_size_encoding: true, ..Flags::default() };
    let long = 10 | 20 << 8 | 32798 << 16;
    for (fields, solid) in [
        (&[0][..], solid::SOLID_NOT),
        (&[1], solid::SOLID_BSP),
        (&[2], solid::SOLID_HULL1),
        (&[3], solid::SOLID_HULL2),
        (&[16, 0x41, 0x10], solid::expand(0x1041)),
        (&[32, 10, 20, 0x1e, 0x80], long),
    ] {
        let delta = read(&flags, &with(SOLID, fields));
        assert_eq!(delta.state.solid, solid);
        assert!(delta.spelling.is_canonical());
    }
    assert!(!read(&flags, &with(SOLID, &[16, 31, 0])).spelling.is_canonical());
    assert!(code_delta(&mut ReadBytes::new(&with(SOLID, &[33, 0, 0, 0, 0])), &flags, &mut Delta::default()).is_err());
}

#[test]
fn predinfo_changes_angles_and_its_last_bit() {
    let old = Flags::default();
    let new = Flags { predinfo: true, ..old };
    let bits = ANGLES_XZ | ANGLES_Y | PREDINFO;
    // Without the extension: 16-bit angles, then the weapon's frame in one or two bytes.
    let delta = read(&old, &with(bits, &[0x34, 0x12, 0x78, 0x56, 0xff, 0xff, 0x80, 127]));
    assert_eq!((delta.state.angles, delta.state.weapon_frame), ([0x1234, 0xffff, 0x5678], 127));
    let delta = read(&old, &with(PREDINFO, &[0x80, 0x80, 0x01]));
    assert_eq!(delta.state.weapon_frame, 128);
    // With it: 8-bit angles, then view angles for those axes that are announced.
    let delta = read(&new, &with(bits, &[1, 2, 3, 0x80, 1, 0, 2, 0, 3, 0]));
    assert_eq!((delta.state.angles, delta.state.view_angles), ([0x100, 0x300, 0x200], [1, 3, 2]));
    let delta = read(&new, &with(ANGLES_Y | PREDINFO, &[3, 0x80, 3, 0]));
    assert_eq!(delta.state.view_angles[1], 3);
    read(&new, &with(PREDINFO, &[0x80]));
    // The rest in order.
    let everything = [0x7f, 1, 0, 2, 0, 3, 0, 4, 5, 0, 6, 0, 7, 0, 8];
    let s = read(&new, &with(PREDINFO, &everything)).state;
    assert_eq!((s.movement, s.movetype, s.velocity, s.msec), ([1, 2, 3], 4, [5, 6, 7], 8));
}

#[test]
fn coordinates_and_angles_follow_the_protocol() {
    let float = Flags { origin: Coordinates::Float, angles: Angles::Short, ..Flags::default() };
    let delta = read(&float, &with(ORIGIN_Z | ANGLES_Y, &[0, 0, 0x80, 0x3f, 0, 0x40]));
    assert_eq!((float.position(&delta.state)[2], float.facing(&delta.state)[1]), (1.0, 90.0));
    let flags = Flags { origin: Coordinates::Fraction, angles: Angles::Float, ..Flags::default() };
    let delta = read(&flags, &with(ORIGIN_Z | ANGLES_Y, &[0xff, 0xff, 51, 0, 0, 0xb4, 0x42]));
    assert_eq!((flags.position(&delta.state)[2], flags.facing(&delta.state)[1]), (-0.8, 90.0));
    let delta = read(&flags, &with(ORIGIN_Z | ANGLES_Y | PREDINFO, &[0, 0, 0, 0, 0x40, 0]));
    assert_eq!(flags.facing(&delta.state)[1], 90.0);
}

#[test]
fn forbidden_bits_are_refused() {
    for bits in [1 << 30, 1 << 31] {
        assert!(code_delta(&mut ReadBytes::new(&with(bits, &[0; 40])), &Flags::default(), &mut Delta::default()).is_err());
    }
    assert!(code_delta(&mut ReadBytes::new(&with(BONE_DATA, &[1])), &Flags::default(), &mut Delta::default()).is_err());
    let cut = with(BONE_DATA, &[0x80, 255, 1, 2]);
    assert!(code_delta(&mut ReadBytes::new(&cut), &Flags::default(), &mut Delta::default()).is_err());
}

#[test]
fn the_message_ends_removes_and_restarts() {
    let flags = Flags { input_ack: true, ..Flags::default() };
    let bytes = [0x34, 0x12, 0, 0, 0x80, 0x3f, 0, 0x80, 9, 0x80, 0, 0xc0, 1, 5, 0, 1, 3, 0, 0];
    let (mut reader, mut update) = (ReadBytes::new(&bytes), Update::default());
    code(&mut reader, &flags, &mut update).unwrap();
    let numbers: Vec<u32> = update.entities.iter().map(|entity| entity.number).collect();
    assert_eq!((update.input_sequence, update.seconds(), numbers, update.restarts()), (0x1234, 1.0, vec![0, 9, 0x4000, 5], true));
    let mut writer = WriteBytes::default();
    let Ok(()) = code(&mut writer, &flags, &mut update);
    assert_eq!(writer.written(), bytes);

    let mut trace = fragreel_base::wire::Trace::new(ReadBytes::new(&bytes));
    code(&mut trace, &flags, &mut Update::default()).unwrap();
    let covered: u64 = trace.spans().iter().map(|span| span.to - span.from).sum();
    assert_eq!(covered, bytes.len() as u64 * 8);
}

#[test]
fn motion_is_forgotten_by_every_update() {
    let flags = Flags::default();
    let mut state = EntityState::default();
    let null = EntityState::default();
    read(&flags, &with(PREDINFO, &[0x78, 3, 1, 0, 2, 0, 3, 0, 4])).apply(&flags, &null, &mut state);
    assert_eq!((state.movetype, state.velocity, state.msec), (3, [1, 2, 3], 4));
    read(&flags, &with(FRAME, &[1])).apply(&flags, &null, &mut state);
    assert_eq!((state.movetype, state.velocity, state.msec), (3, [0; 3], 0));
    read(&flags, &with(ANGLES_XZ | PREDINFO, &[1, 0, 2, 0, 0])).apply(&flags, &null, &mut state);
    assert_eq!(state.view_angles, [-3, 0, 2]);
    read(&flags, &with(ANGLES_XZ, &[1, 2])).apply(&flags, &null, &mut state);
    assert_eq!(state.view_angles, [-0x100, 0, 0x200]);
}

pub(crate) fn any_flags() -> impl Strategy<Value = Flags> {
    let coordinates = prop_oneof![Just(Coordinates::Eighths), Just(Coordinates::Fraction), Just(Coordinates::Sixteenths), Just(Coordinates::Float)];
    let angles = prop_oneof![Just(Angles::Byte), Just(Angles::Short), Just(Angles::Float)];
    (coordinates, angles, any::<[bool; 4]>()).prop_map(|(origin, angles, [predinfo, new_size_encoding, lerp_time, input_ack])| Flags {
        origin,
        angles,
        predinfo,
        new_size_encoding,
        lerp_time,
        input_ack,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn what_decodes_encodes_to_the_same_bytes(flags in any_flags(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let (mut reader, mut update) = (ReadBytes::new(&bytes), Update::default());
        if code(&mut reader, &flags, &mut update).is_ok() {
            let length = reader.offset();
            let mut writer = WriteBytes::default();
            let Ok(()) = code(&mut writer, &flags, &mut update);
            prop_assert_eq!(writer.written(), &bytes[..length]);
        }
        let (mut reader, mut delta) = (ReadBytes::new(&bytes), Delta::default());
        if code_delta(&mut reader, &flags, &mut delta).is_ok() {
            let length = reader.offset();
            let mut writer = WriteBytes::default();
            let Ok(()) = code_delta(&mut writer, &flags, &mut delta);
            prop_assert_eq!(writer.written(), &bytes[..length]);
        }
    }

    #[test]
    fn composed_updates_arrive(flags in any_flags(), views in any::<bool>(), from in states(), to in states()) {
        let (mut from, mut to) = (from, to);
        flags.quantize(&mut from);
        flags.quantize(&mut to);
        let fields = flags.difference(&from, &to, views);
        let mut delta = Delta::default();
        flags.compose(fields, &to, views, &mut delta);
        let mut writer = WriteBytes::default();
        let Ok(()) = code_delta(&mut writer, &flags, &mut delta);
        let bytes = writer.finish();
        let mut reader = ReadBytes::new(&bytes);
        let mut read = Delta::default();
        code_delta(&mut reader, &flags, &mut read).unwrap();
        prop_assert_eq!(reader.rest().len(), 0);
        prop_assert!(read.spelling.is_canonical());
        read.apply(&flags, &EntityState::default(), &mut from);
        prop_assert_eq!(flags.difference(&from, &to, views), 0);
    }
}

/// Any state, from bytes: each field gets something of each size now and then.
pub(crate) fn states() -> impl Strategy<Value = EntityState> {
    (prop::collection::vec(any::<u32>(), 40), any::<u64>()).prop_map(|(words, small)| {
        let mut at = 0;
        let mut next = || {
            at += 1;
            let word = words[at % words.len()];
            match small >> (at % 32 * 2) & 3 {
                0 => 0,
                1 => word & 0xff,
                2 => word & 0xffff,
                _ => word,
            }
        };
        // Angles as floats come back from 16 bits only when they are a multiple of them.
        let angle = |word: u32| word & 0xff00;
        EntityState {
            frame: next(),
            origin: [next(), next(), next()],
            angles: [angle(next()), angle(next()), angle(next())],
            lerp_end: next(),
            effects: next(),
            movement: [next() as i16, next() as i16, next() as i16],
            movetype: next() as u8,
            velocity: [next() as i16, next() as i16, next() as i16],
            msec: next() as u8,
            weapon_frame: next() as u16,
            view_angles: [next() as i16, next() as i16, next() as i16],
            model: next(),
            skin: next() as i32,
            colormap: next(),
            solid: next(),
            flags: next(),
            alpha: next() as u8,
            scale: next() as u8,
            bones: (0..next() % 3).map(|n| [n as i16; 7]).collect(),
            base_bone: next(),
            base_frame: next(),
            draw_flags: next() as u8,
            abs_light: next() as u8,
            tag_entity: next(),
            tag_index: next() as i32,
            light: [next() as i16, next() as i16, next() as i16, next() as i16],
            light_style: next(),
            light_flags: next() as u8,
            trail_effect: next(),
            emit_effect: next(),
            color_mod: [next() as u8, next() as u8, next() as u8],
            glow_size: next() as u8,
            glow_color: next() as u8,
            glow_mod: [next() as u8, next() as u8, next() as u8],
            fatness: next() as i8,
            model2: next(),
            gravity_dir: [next() as u8, next() as u8],
        }
    })
}
