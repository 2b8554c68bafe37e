//! What players press.

use serde::Serialize;

/// What a player pressed in the step that led to a state.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Input {
    /// How many commands the step has, if that is known.
    pub commands: Option<u32>,
    /// Milliseconds that they last together.
    pub msec: f32,
    /// Pitch in degrees.
    pub pitch: f32,
    /// Yaw in degrees.
    pub yaw: f32,
    /// Forward, to the right, up; in the game's own units.
    pub moves: [f32; 3],
    /// The keys.
    pub keys: Keys,
    /// Where the moves come from.
    pub source: KeysSource,
}

/// Held keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, clippy::struct_excessive_bools, reason = "named as the keys are")]
pub struct Keys {
    pub forward: bool,
    pub back: bool,
    pub left: bool,
    pub right: bool,
    pub jump: bool,
    pub duck: bool,
    pub attack: bool,
}

impl Keys {
    /// `W`, `S`, `A`, `D`, `J` (jump), `C` (crouch), `F` (fire), in this order; `-` for none.
    pub fn letters(self) -> String {
        let all = [(self.forward, 'W'), (self.back, 'S'), (self.left, 'A'), (self.right, 'D'), (self.jump, 'J'), (self.duck, 'C'), (self.attack, 'F')];
        let held: String = all.into_iter().filter(|(held, _)| *held).map(|(_, letter)| letter).collect();
        if held.is_empty() { String::from("-") } else { held }
    }

    /// The keys that move: as [`letters`](Self::letters).
    pub fn moving(self) -> Keys {
        Keys { jump: false, duck: false, attack: false, ..self }
    }
}

/// Where moves and keys come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeysSource {
    /// A recorded user command.
    #[default]
    Command,
    /// DeFRaG's own statement.
    Stats,
    /// The direction of the legs in Quake III: which of eight, but not whether a key is held.
    Direction,
}

impl KeysSource {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            KeysSource::Command => "command",
            KeysSource::Stats => "stats",
            KeysSource::Direction => "direction",
        }
    }
}
