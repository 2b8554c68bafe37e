//! Which entity fields change together often, before protocol 66 (`docs/formats/quake3.md`, "Deltas before 66").

use fragreel_base::delta::FieldSet;

/// The field sets that a five-bit number stands for; number 31 announces a mask written out.
pub(crate) const KNOWN_MASKS: [FieldSet; 31] = [
    FieldSet(0x000000008060),
    FieldSet(0x000000000060),
    FieldSet(0x00000000c060),
    FieldSet(0x2000000000e1),
    FieldSet(0x100000008060),
    FieldSet(0x0000000080e0),
    FieldSet(0x00000000c0e0),
    FieldSet(0x100000000000),
    FieldSet(0x000000008040),
    FieldSet(0x000000008020),
    FieldSet(0x000100008060),
    FieldSet(0x8000000007ed),
    FieldSet(0x0000000000e0),
    FieldSet(0x3000000007ed),
    FieldSet(0x000000000080),
    FieldSet(0x000000000040),
    FieldSet(0x10000000c0e0),
    FieldSet(0x100000000060),
    FieldSet(0x000000000020),
    FieldSet(0x2004000000e1),
    FieldSet(0x202001c000e1),
    FieldSet(0x00010000c0e0),
    FieldSet(0x000000004060),
    FieldSet(0x00000000c040),
    FieldSet(0x00010000c060),
    FieldSet(0x10000000c060),
    FieldSet(0x1000100008060),
    FieldSet(0x300000008060),
    FieldSet(0x1000000080e0),
    FieldSet(0x00000000c020),
    FieldSet(0x2000000008060),
];
