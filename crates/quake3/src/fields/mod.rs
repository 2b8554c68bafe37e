//! Field tables, one file per revision (`docs/formats/quake3.md`, "Field tables"). Names are the engines' own.

use fragreel_base::delta::interleaved::{Field, Kind};

pub mod known_masks;
pub mod q3;
pub mod q3_43;
pub mod q3_46;
pub mod ql73;
pub mod ql90;
pub mod ql91;

/// An array of a player state. Its elements are [`SLOTS`] at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlayerArray {
    /// Its name.
    pub name: &'static str,
    /// How its elements are sent.
    pub element: Element,
    /// Its place among the arrays of a player state, as [`array`](mod@array) numbers them.
    pub at: usize,
}

/// How an array's elements are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Sixteen bits, two's complement.
    Signed,
    /// Sixteen bits.
    Unsigned,
    /// Thirty-two bits.
    Long,
}

/// The arrays that a player state has room for.
pub mod array {
    #![allow(missing_docs, reason = "each place holds the array of its name")]
    pub const STATS: usize = 0;
    pub const PERSISTANT: usize = 1;
    pub const AMMO: usize = 2;
    pub const POWERUPS: usize = 3;
    pub const COUNT: usize = 4;
}

/// Slots of each of the arrays.
pub const SLOTS: usize = 16;

/// The arrays of the original game, in wire order.
pub(crate) const ARRAYS: [PlayerArray; 4] = [
    PlayerArray { name: "stats", element: Element::Signed, at: array::STATS },
    PlayerArray { name: "persistant", element: Element::Signed, at: array::PERSISTANT },
    PlayerArray { name: "ammo", element: Element::Unsigned, at: array::AMMO },
    PlayerArray { name: "powerups", element: Element::Long, at: array::POWERUPS },
];

const fn float(name: &'static str) -> Field {
    Field { name, kind: Kind::Float }
}

const fn uint(name: &'static str, width: u8) -> Field {
    Field { name, kind: Kind::Uint(width) }
}

const fn int(name: &'static str, width: u8) -> Field {
    Field { name, kind: Kind::Int(width) }
}

/// `table` with `field` in front of the one called `before`. `M` is one more than `N`.
const fn inserted<const N: usize, const M: usize>(table: &[Field; N], field: Field, before: &str) -> [Field; M] {
    assert!(M == N + 1 && find(table, before) < N);
    let at = find(table, before);
    let mut out = [field; M];
    let mut from = 0;
    while from < N {
        out[if from < at { from } else { from + 1 }] = table[from];
        from += 1;
    }
    out
}

/// `table` with `fields` behind its last. `M` is the sum of `N` and `K`.
const fn appended<const N: usize, const K: usize, const M: usize>(table: &[Field; N], fields: [Field; K]) -> [Field; M] {
    assert!(M == N + K);
    let mut out = [table[0]; M];
    let mut at = 0;
    while at < M {
        out[at] = if at < N { table[at] } else { fields[at - N] };
        at += 1;
    }
    out
}

/// `table` with another width for the field that is called as `field` is.
const fn replaced<const N: usize>(mut table: [Field; N], field: Field) -> [Field; N] {
    table[find(&table, field.name)] = field;
    table
}

/// Where the field called `name` stands in `table`; a table without it gives `usize::MAX`. For use in constants.
pub const fn find(table: &[Field], name: &str) -> usize {
    let mut at = 0;
    while at < table.len() {
        if same(table[at].name.as_bytes(), name.as_bytes()) {
            return at;
        }
        at += 1;
    }
    usize::MAX
}

pub(crate) const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts and total widths, so that an accidental edit shows.
    #[test]
    fn tables_keep_their_size() {
        let width = |table: &[Field]| -> u32 {
            table
                .iter()
                .map(|field| match field.kind {
                    Kind::Float => 32,
                    Kind::Uint(width) | Kind::Int(width) => u32::from(width),
                })
                .sum()
        };
        let sizes = [
            &q3::ENTITY[..],
            &q3::PLAYER,
            &ql73::ENTITY,
            &ql90::ENTITY,
            &ql90::PLAYER,
            &ql91::ENTITY,
            &ql91::PLAYER,
            &q3_43::ENTITY,
            &q3_43::PLAYER,
            &q3_46::ENTITY,
            &q3_46::PLAYER_46,
            &q3_46::PLAYER,
        ]
        .map(|table| (table.len(), width(table)));
        assert_eq!(
            sizes,
            [(51, 1203), (48, 783), (53, 1267), (55, 1300), (50, 824), (58, 1340), (58, 936), (50, 1192), (45, 747), (51, 1203), (47, 775), (48, 783)]
        );
        for table in [&q3::ENTITY[..], &q3::PLAYER, &ql91::ENTITY, &ql91::PLAYER, &q3_43::ENTITY, &q3_43::PLAYER, &q3_46::ENTITY, &q3_46::PLAYER] {
            assert!(table.iter().enumerate().all(|(at, field)| find(table, field.name) == at), "names are unique");
        }
    }
}
