//! Numbers with a meaning in tables. `cargo xtask tables` writes them to `web/src/data/layout.ts`.

macro_rules! constants {
    ($($(#[doc = $about:literal])* $name:ident = $value:expr;)*) => {
        $($(#[doc = $about])* pub const $name: i32 = $value;)*

        /// Name, value, and meaning of each.
        #[cfg(test)]
        pub const CONSTANTS: &[(&str, i32, &str)] = &[$((stringify!($name), $name, concat!($($about),*))),*];
    };
}

constants! {
    /// A whole number that the recording does not state.
    ABSENT = i32::MIN;
    /// The number of no word.
    NONE = -1;
    /// Bit of every row: the subject is in the frame.
    PRESENT = 1;
    /// Bit of a place, a speed, a view, or a state of movement: the subject did not move there.
    TELEPORTED = 2;
    /// Bit of a status: it is known whether the player is alive. The next higher bit says so, as for all that a status states.
    ALIVE = 4;
    /// Bit of a status: it is known whether the player is a spectator.
    SPECTATOR = 16;
    /// Bit of a status, or of a state of movement: it is known whether the player stands on something.
    ON_GROUND = 64;
    /// Bit of a status: it is known whether the player crouches.
    CROUCHING = 256;
    /// Bit of a state of movement: the keys of the step that led to it are known.
    HELD = 1;
    /// Bit of a state of movement: the speed is computed from places alone.
    PLACED = 4;
    /// Bit of a look: it turns.
    ROTATES = 4;
    /// Bit of a look: its shell alone is seen.
    ONLY_SHELL = 8;
    /// Bit of an aim: the player fires.
    FIRES = 4;
    /// Bit in the channel of a happening: its sound lasts.
    LASTS = 256;
    /// Added to an entity's number where a subject may be a slot, too.
    ENTITY = 1 << 16;
    /// The most rows in a block of a column.
    BLOCK = 256;
    /// Kind of a block: its numbers are all alike.
    ALIKE = 0;
    /// Kind of a block: each number is a number of units above the base, in one byte.
    ONE_BYTE = 1;
    /// Kind of a block: each number is a number of units above the base, in two bytes.
    TWO_BYTES = 2;
    /// Kind of a block: the numbers are as they are. Also the bits of these four kinds.
    PLAIN = 3;
    /// Bit in the kind of a block: each number is one more above the base than the one before it.
    COUNTING = 4;
    /// The first bit in the kind of a block that has the place of its unit in `UNITS`.
    UNIT_SHIFT = 3;
}
