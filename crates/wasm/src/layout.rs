//! The one declaration of what the page reads of frames and of movement: tables, columns, and the numbers in them. `cargo xtask tables` writes
//! `web/src/data/layout.ts` from it, and a test fails where the two differ.

use fragreel::model::{EntityKind, HappeningKind};
use fragreel::movement::Keys;

pub use crate::constants::*;
use crate::pack::Packed;
use crate::table::Columns;

/// What a column of whole numbers holds.
#[cfg(test)]
pub enum Holds {
    /// A number, or [`ABSENT`].
    Number,
    /// Bits, which [`PRESENT`] and the like name.
    Bits,
    /// The number of a word of this type in TypeScript, or [`NONE`].
    Word(&'static str),
}

/// Declares what is known of each of many, column by column.
macro_rules! columns {
    ($(#[doc = $about:literal])* $name:ident as $declared:ident:
        doubles { $($double:ident: $double_about:literal;)* } counts { $($count:ident: $count_about:literal;)* }) => {
        $(#[doc = $about])*
        #[derive(Debug, Default)]
        pub struct $name {
            $(#[doc = $double_about] pub $double: Vec<f64>,)*
            $(#[doc = $count_about] pub $count: Vec<u32>,)*
        }

        impl $name {
            /// A column of numbers that may have a fraction, by its name on the page.
            pub fn doubles(&mut self, name: &str) -> Option<&mut Vec<f64>> {
                $(if camel(stringify!($double)) == name { return Some(&mut self.$double); })*
                None
            }

            /// A column of whole numbers.
            pub fn counts(&mut self, name: &str) -> Option<&mut Vec<u32>> {
                $(if camel(stringify!($count)) == name { return Some(&mut self.$count); })*
                None
            }
        }

        #[cfg(test)]
        pub const $declared: Each = Each {
            about: concat!($($about),*),
            columns: [&[$((stringify!($double), $double_about)),*], &[$((stringify!($count), $count_about)),*]],
        };
    };
}

columns! {
    /// What is known of each frame.
    Frames as FRAMES:
    doubles {
        times: "Milliseconds since the recording's first frame.";
        server_times: "The server's clock in milliseconds.";
        match_times: "The match clock in milliseconds, NaN while none runs.";
    }
    counts {
        levels: "The number of the level.";
        messages: "The number of the message.";
        numbers: "The frame's own number.";
    }
}

columns! {
    /// The states of a player's movement. A step leads to each of them from the one before, unless its bits are `TELEPORTED`.
    Steps as STEPS:
    doubles {
        times: "Milliseconds since the recording's first frame.";
        speeds: "The horizontal speed in units a second.";
    }
    counts {
        bits: "`HELD`, `TELEPORTED`, `PLACED`, and the pair `ON_GROUND`.";
        keys: "The keys that were held in the step: of each the bit at its place in `KEYS`.";
    }
}

/// Whether a key is among those that are held.
type IsHeld = fn(Keys) -> bool;

/// The names of keys, and which of them are held. The place of each is the number of its bit.
pub const KEYS: [(&str, IsHeld); 7] = [
    ("forward", |keys| keys.forward),
    ("back", |keys| keys.back),
    ("left", |keys| keys.left),
    ("right", |keys| keys.right),
    ("jump", |keys| keys.jump),
    ("duck", |keys| keys.duck),
    ("attack", |keys| keys.attack),
];

/// The bits of the keys that are held.
pub fn bits_of(keys: Keys) -> u32 {
    KEYS.iter().enumerate().map(|(place, (_, is_held))| u32::from(is_held(keys)) << place).sum()
}

/// Columns as the page's types show them: name and meaning of those that may have a fraction, and of those of whole numbers.
#[cfg(test)]
pub struct Each {
    pub about: &'static str,
    pub columns: [&'static [(&'static str, &'static str)]; 2],
}

/// A table's columns by name: numbers that may have a fraction, and whole numbers.
#[derive(Debug)]
pub struct Names {
    pub floats: &'static [&'static str],
    pub ints: &'static [&'static str],
}

impl Names {
    /// Whether a column has numbers that may have a fraction.
    pub fn is_float(&self, column: &str) -> bool {
        self.floats.iter().any(|name| camel(name) == column)
    }
}

impl Columns {
    /// A column of numbers that may have a fraction, by its name on the page.
    pub fn floats_of(&mut self, names: &Names, column: &str) -> Option<&mut Packed<f32>> {
        self.floats.get_mut(names.floats.iter().position(|name| camel(name) == column)?)
    }

    /// A column of whole numbers. The column `frames` is one of them.
    pub fn ints_of(&mut self, names: &Names, column: &str) -> Option<&mut Packed<i32>> {
        if column == "frames" {
            return Some(&mut self.frames);
        }
        self.ints.get_mut(names.ints.iter().position(|name| camel(name) == column)?)
    }
}

/// A table as the page's types show it.
#[cfg(test)]
pub struct Declared {
    /// The name of the shape that its tables have.
    pub shape: &'static str,
    /// The tables of that shape.
    pub tables: &'static [&'static str],
    pub about: &'static str,
    /// Name, unit, meaning.
    pub floats: &'static [(&'static str, &'static str, &'static str)],
    /// The same, and what it holds.
    pub ints: &'static [(&'static str, Holds, &'static str, &'static str)],
}

/// Declares tables. Each shape is a module with the row that a writer fills by name; its tables have that shape.
macro_rules! tables {
    ($(
        $(#[doc = $about:literal])*
        $shape:ident [$($table:ident),+] {
            $($float:ident: $float_unit:literal, $float_about:literal;)*
            ---
            $($int:ident: $holds:expr, $int_unit:literal, $int_about:literal;)*
        }
    )*) => {
        $($(#[doc = $about])* pub mod $shape {
            use super::*;

            pub const NAMES: Names = Names { floats: &[$(stringify!($float)),*], ints: &[$(stringify!($int)),*] };
            pub const FLOATS: usize = NAMES.floats.len();
            pub const INTS: usize = NAMES.ints.len();
            #[allow(dead_code, reason = "happenings have no subject each")]
            pub type Table = crate::table::Table<FLOATS, INTS>;

            /// A row, written by the names of its columns.
            #[derive(Debug, Clone, Copy)]
            pub struct Row {
                $(#[doc = $float_about] pub $float: f32,)*
                $(#[doc = $int_about] pub $int: i32,)*
            }

            impl From<Row> for ([f32; FLOATS], [i32; INTS]) {
                #[inline]
                fn from(row: Row) -> Self {
                    ([$(row.$float),*], [$(row.$int),*])
                }
            }

            #[cfg(test)]
            use super::Holds::*;

            #[cfg(test)]
            pub const DECLARED: Declared = Declared {
                shape: stringify!($shape),
                tables: &[$(stringify!($table)),+],
                about: concat!($($about),*),
                floats: &[$((stringify!($float), $float_unit, $float_about)),*],
                ints: &[$((stringify!($int), $holds, $int_unit, $int_about)),*],
            };
        })*

        /// All tables of some frames.
        #[derive(Debug, Default)]
        pub struct Tables {
            $($(pub $table: Columns,)+)*
        }

        impl Tables {
            /// A table by its name on the page, with the names of its columns.
            pub fn get(&mut self, name: &str) -> Option<(&mut Columns, &'static Names)> {
                $($(if camel(stringify!($table)) == name { return Some((&mut self.$table, &$shape::NAMES)); })+)*
                None
            }
        }

        #[cfg(test)]
        pub const TABLES: &[Declared] = &[$($shape::DECLARED),*];
    };
}

tables! {
    /// Where each player is and looks, by slot.
    place [place] {
        x: "units", "Along x.";
        y: "units", "Along y.";
        z: "units", "Along z, which points up.";
        pitch: "degrees", "Positive looks down.";
        yaw: "degrees", "Positive turns to the left.";
        roll: "degrees", "Positive leans to the right.";
        ---
        bits: Bits, "", "`PRESENT`, `TELEPORTED`.";
    }
    /// How fast each player goes, by slot.
    speed [speed] {
        x: "units a second", "Along x.";
        y: "units a second", "Along y.";
        z: "units a second", "Along z, which points up.";
        ---
        bits: Bits, "", "`PRESENT`, `TELEPORTED`.";
    }
    /// How each player stands, by slot.
    status [status] {
        ---
        bits: Bits, "", "`PRESENT`, and pairs of known and true: `ALIVE`, `SPECTATOR`, `ON_GROUND`, `CROUCHING`.";
        health: Number, "points", "Health.";
        armor: Number, "points", "Armor.";
        weapon: Word("Term"), "", "The weapon in hand.";
        name: Word("Text"), "", "The name.";
        team: Word("string"), "", "The team.";
        score: Number, "points", "The score that the recording states.";
        ping: Number, "milliseconds", "The ping.";
        powerups: Word("Term[]"), "", "Active power-ups.";
        items: Word("Term[]"), "", "Owned items.";
        ammo: Word("Term[]"), "", "Ammunition by kind.";
    }
    /// Where each entity is, by number. NaN where a motion of `about` says it.
    entity [entity] {
        x: "units", "Along x.";
        y: "units", "Along y.";
        z: "units", "Along z, which points up.";
        pitch: "degrees", "Positive looks down.";
        yaw: "degrees", "Positive turns to the left.";
        roll: "degrees", "Positive leans to the right.";
        ---
        bits: Bits, "", "`PRESENT`, `TELEPORTED`.";
    }
    /// What each entity is, by number.
    about [about] {
        ---
        bits: Bits, "", "`PRESENT`.";
        kind: Number, "", "The place in `ENTITY_KINDS`.";
        model: Word("string"), "", "The model's file.";
        owner: Number, "", "The slot of its owner.";
        item: Word("Term"), "", "The item that it is.";
        motion: Word("Motion"), "", "The change of its place with time.";
        turning: Word("Motion"), "", "The change of its angles with time.";
    }
    /// What is drawn, of players by slot and of entities by number.
    look [figure, look] {
        ---
        bits: Bits, "", "`PRESENT`, `ROTATES`, `ONLY_SHELL`.";
        model: Word("string"), "", "The model's file; of a player of Quake III the folder of its three parts.";
        held: Word("string"), "", "The file of the weapon in hand.";
        bare: Word("string"), "", "The model to draw with the weapon's file, where the other one has a weapon of its own.";
        skin: Word("string"), "", "The skin's file or name.";
        skin_number: Number, "", "The number of the skin.";
        colors: Number, "", "Shirt in the second byte, trousers in the first.";
        body: Number, "", "The number of the body.";
        sequence: Number, "", "The sequence, or the animation of the legs.";
        second_sequence: Number, "", "The sequence of the gait, or the animation of the torso.";
        carried: Word("string"), "", "The file of a second model on it.";
        carried_skin: Number, "", "The number of that model's skin.";
        shell: Number, "", "The color of a shell around it: red, green, and blue from the third byte on.";
        render: Number, "", "The render mode, the amount, and the effect of Half-Life, from the first byte on.";
        render_color: Number, "", "The render color: red, green, and blue from the third byte on.";
        sound: Word("LastingSound"), "", "The looping sound.";
    }
    /// How figures are turned and what they do, of players by slot and of entities by number.
    aim [figure_aim, look_aim] {
        ---
        bits: Bits, "", "`PRESENT`, `FIRES`.";
        stride: Number, "degrees", "From the view to the direction of the legs.";
        blends: Number, "parts of 255", "Two blends, from the first byte on.";
        controllers: Number, "parts of 255", "Four controllers, from the first byte on.";
    }
    /// The frames of models, for those that are seen; there are no rows for absence.
    pose [figure_pose, look_pose] {
        frame: "", "The frame of the model.";
        ---
        bits: Bits, "", "`PRESENT`.";
    }
    /// How fast animations go on, for those that are seen; there are no rows for absence.
    pace [figure_pace, look_pace] {
        rate: "", "1 is as fast as the model states.";
        ---
        bits: Bits, "", "`PRESENT`.";
        began: Number, "milliseconds", "When the animation began, on the server's clock.";
    }
    /// The weapon as each player sees it, by slot.
    hand [hand] {
        frame: "", "The frame of the model, or its sequence.";
        ahead: "units", "From the eye, ahead.";
        right: "units", "From the eye, to the right.";
        up: "units", "From the eye, up.";
        turn_pitch: "degrees", "The angles of the weapon.";
        turn_yaw: "degrees", "The angles of the weapon.";
        turn_roll: "degrees", "The angles of the weapon.";
        kick_pitch: "degrees", "The kick of the view.";
        kick_yaw: "degrees", "The kick of the view.";
        kick_roll: "degrees", "The kick of the view.";
        step: "parts of 256", "The phase of the player's step.";
        ---
        bits: Bits, "", "`PRESENT`.";
        model: Word("string"), "", "The model's file.";
    }
    /// What is seen or heard for a moment, a row for each at the frame at which it was known. The only subject is 0.
    happening [happening] {
        x: "units", "Along x.";
        y: "units", "Along y.";
        z: "units", "Along z, which points up.";
        end_x: "units", "The other end of a beam.";
        end_y: "units", "The other end of a beam.";
        end_z: "units", "The other end of a beam.";
        direction_x: "", "Away from the surface that was hit, or the direction of a weapon, a pellet, or a static entity.";
        direction_y: "", "Away from the surface that was hit, or the direction of a weapon, a pellet, or a static entity.";
        direction_z: "", "Away from the surface that was hit, or the direction of a weapon, a pellet, or a static entity.";
        size: "units", "Its radius or width.";
        volume: "", "The sound's volume, from 0 to 1.";
        near: "units", "The distance up to which the sound has full volume.";
        far: "units", "The distance from which on the sound is silent; NaN: it has the same volume everywhere.";
        pitch: "", "The sound's speed; 1 is normal.";
        ---
        time: Number, "milliseconds", "Its start, since the recording's first frame.";
        kind: Number, "", "The place in `HAPPENING_KINDS`.";
        subject: Number, "", "A slot, or an entity's number and `ENTITY`.";
        color: Number, "", "Red, green, and blue from the third byte on.";
        count: Number, "", "The number of particles, or of the light style, or the frame of the static entity.";
        life: Number, "milliseconds", "The time for which it is visible.";
        file: Word("string"), "", "The sound's file, the light style's pattern, the static entity's model, or the decal's picture.";
        channel: Number, "", "The sound's channel and `LASTS`, or the static entity's skin.";
    }
    /// Through whose eyes the recording was made. The only subject is 0.
    view [view] {
        x: "units", "Along x.";
        y: "units", "Along y.";
        z: "units", "Along z, which points up.";
        pitch: "degrees", "Positive looks down.";
        yaw: "degrees", "Positive turns to the left.";
        roll: "degrees", "Positive leans to the right.";
        fov: "degrees", "The horizontal field of view.";
        ---
        bits: Bits, "", "`PRESENT`, `TELEPORTED`.";
        slot: Number, "", "The player's slot.";
    }
}

/// What a row of `about` says of a kind of entity.
pub fn entity_kind(kind: EntityKind) -> i32 {
    kind as i32
}

/// What a row of `happening` says of its kind.
pub fn happening_kind(kind: HappeningKind) -> i32 {
    kind as i32
}

/// A name as TypeScript spells it.
pub fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |made, part| made + &part[..1].to_uppercase() + &part[1..])
}
