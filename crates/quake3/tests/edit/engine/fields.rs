//! How wide the fields of an entity and of a player are on the wire, protocol by protocol: bits, below 0 with a sign, 0 for a float.

/// An entity's fields.
pub(super) fn entity(protocol: u16) -> Vec<i32> {
    let early = || {
        let mut widths = vec![8, 16, 8, 32, 32, 0, 0, 0, 0, 0, 0, 8, 32, 32, 0, 0, 0, 0, 0, 0, 32, 32];
        widths.extend([0; 12]);
        widths.extend([10, 10, 10, 8, 32, 8, 8, 16, 8, 24, 10, 8, 16, 8, 8, 8]);
        widths
    };
    let frequent = || {
        let mut widths = vec![32, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 8, 8, 8, 8, 10, 8, 19, 10, 8, 8, 0, 32, 8, 0, 0, 0, 24, 16];
        widths.extend([8, 10, 8, 8, 0, 0, 0, 8, 0, 32, 32, 32, 0, 0, 0, 0, 32, 0, 0, 0, 32, 16]);
        widths
    };
    match protocol {
        43..=45 => early(),
        46..=48 => {
            let mut widths = early();
            widths[1] = 19;
            widths.push(8);
            widths
        }
        66..=71 => frequent(),
        _ => {
            let mut widths = frequent();
            widths.insert(45, 32);
            widths.insert(9, 32);
            if protocol >= 90 {
                widths.extend([32, 1]);
            }
            if protocol >= 91 {
                widths.extend([16, 16, 8]);
            }
            widths
        }
    }
}

/// A player's fields, without the four arrays.
pub(super) fn player(protocol: u16) -> Vec<i32> {
    let early = || {
        let mut widths = vec![32, 8, 8, 16, 16, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 10, 8, 12, 8, 8, 4, 16, 16];
        widths.extend([8, 8, 8, 8, 8, 8, 8, 5, 4, 0, 0, 0, 8, 8, 8, 8, 8, 0, 0, 0]);
        widths
    };
    let frequent = || {
        let mut widths = vec![32, 0, 0, 8, 0, 0, 0, 0, -16, 0, 0, 8, -16, 16, 8, 4, 8, 8, 8, 16, 10, 4, 16, 10, 16, 16, 16, 8];
        widths.extend([-8, 8, 8, 8, 8, 8, 8, 16, 16, 12, 8, 8, 8, 5, 0, 0, 0, 0, 10, 16]);
        widths
    };
    match protocol {
        43..=45 => early(),
        46..=48 => {
            let mut widths = early();
            (widths[29], widths[37]) = (10, -8);
            widths.extend([10, 16]);
            if protocol == 48 {
                (widths[4], widths[11]) = (-16, -16);
                widths.push(8);
            }
            widths
        }
        ..90 => frequent(),
        _ => {
            let mut widths = frequent();
            widths[19] = 24;
            widths.extend([32, 1]);
            if protocol >= 91 {
                widths.insert(42, 8);
                widths.extend([32, 32, 8, 8, 8, 8, 8]);
            }
            widths
        }
    }
}

/// Where an entity's origin is among its fields (`pos.trBase`).
pub(super) fn entity_origin(protocol: u16) -> [usize; 3] {
    match protocol {
        ..66 => [5, 6, 7],
        _ => [1, 2, 5],
    }
}

/// Where a player's is.
pub(super) fn player_origin(protocol: u16) -> [usize; 3] {
    match protocol {
        ..66 => [5, 6, 7],
        _ => [1, 2, 9],
    }
}

/// Which fields change together, by the number that stands for them before protocol 66.
#[rustfmt::skip]
pub(super) const MASKS: [u64; 31] = [
    0x8060, 0x60, 0xc060, 0x2000_0000_00e1, 0x1000_0000_8060, 0x80e0, 0xc0e0, 0x1000_0000_0000, 0x8040, 0x8020, 0x1_0000_8060,
    0x8000_0000_07ed, 0xe0, 0x3000_0000_07ed, 0x80, 0x40, 0x1000_0000_c0e0, 0x1000_0000_0060, 0x20, 0x2004_0000_00e1,
    0x2020_01c0_00e1, 0x1_0000_c0e0, 0x4060, 0xc040, 0x1_0000_c060, 0x1000_0000_c060, 0x1_0001_0000_8060, 0x3000_0000_8060,
    0x1000_0000_80e0, 0xc020, 0x2_0000_0000_8060,
];
