//! Deaths, and the circumstances of them.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Held, Milliseconds, Player, Term, common};

/// A side of a kill that the recording does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// A player did it, and nothing says which.
    Attacker,
    /// A player died, and nothing says which.
    Victim,
    /// A player of one name killed a player of another, and several players have either name.
    Both,
}

/// A death.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Kill {
    /// Who did it; absent when the world did. Equal to `victim` for a suicide.
    pub attacker: Option<Player>,
    /// Who died.
    pub victim: Player,
    /// The side that the recording does not identify: that player has no slot, and has the name and team where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Unknown>,
    /// The means of death, in the game's own terms.
    pub means: Cow<'static, str>,
    /// The weapon behind it, by the name that all games share; absent where none did it, or one that no other game has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weapon: Option<&'static str>,
    /// Counter-Strike and Action Quake II say so.
    #[serde(skip_serializing_if = "is_false")]
    pub headshot: bool,
    /// The part of the body that was hit, where the game says it: `head`, `chest`, `stomach`, `legs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Cow<'static, str>>,
    /// Attacker and victim were on the same team.
    #[serde(skip_serializing_if = "is_false")]
    pub team_kill: bool,
    /// Its circumstances, where they were asked for and the recording shows them.
    #[serde(rename = "scene", skip_serializing_if = "Option::is_none")]
    pub context: Option<Box<KillContext>>,
}

impl Kill {
    /// A kill without a headshot among enemies; without an attacker the world did it.
    pub fn new(attacker: Option<Player>, victim: Player, means: impl Into<Cow<'static, str>>) -> Self {
        let means = means.into();
        let weapon = common::weapon_of_means(&means);
        Kill { attacker, victim, unknown: None, means, weapon, headshot: false, place: None, team_kill: false, context: None }
    }

    /// Whether it is known who did it, if a player did.
    pub fn knows_attacker(&self) -> bool {
        !matches!(self.unknown, Some(Unknown::Attacker | Unknown::Both))
    }

    /// Whether it is known who died.
    pub fn knows_victim(&self) -> bool {
        !matches!(self.unknown, Some(Unknown::Victim | Unknown::Both))
    }

    /// Whether the victim did it.
    pub fn is_suicide(&self) -> bool {
        let is_victim = |attacker: &Player| attacker.slot == self.victim.slot && attacker.name == self.victim.name;
        self.unknown != Some(Unknown::Both) && self.attacker.as_ref().is_some_and(is_victim)
    }
}

/// The circumstances of a kill. Unless a field says otherwise, they are those of the last frame before it. What the recording does
/// not show is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KillContext {
    /// The number of that frame in the recording, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<u32>,
    /// The number of the container's message that the frame came with, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_message: Option<u32>,
    /// The frame's time since the recording's first frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame_time: Option<Milliseconds>,
    /// Where the attacker was, in the game's units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacker_origin: Option<[f32; 3]>,
    /// Where the victim was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub victim_origin: Option<[f32; 3]>,
    /// How far they were from each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f32>,
    /// The weapon that the attacker held: not always the one that killed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<Term>,
    /// Whether the victim stood on nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub victim_in_air: Option<bool>,
    /// How long the victim had stood on nothing: since the first of the frames in a row that show it, at most 5000 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub victim_air_time: Option<Milliseconds>,
    /// The victim's health before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub victim_health: Option<i32>,
    /// The victim's armor before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub victim_armor: Option<i32>,
    /// The attacker's health.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacker_health: Option<i32>,
    /// The attacker's power-ups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attacker_powerups: Vec<Held>,
    /// The victim's power-ups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub victim_powerups: Vec<Held>,
    /// The attacker's speed, in units a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacker_speed: Option<f32>,
    /// The victim's speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub victim_speed: Option<f32>,
    /// Where the attacker looked: pitch, yaw, roll.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacker_angles: Option<[f32; 3]>,
    /// The widest angle between the attacker's view in the frame of the kill and a view up to 200 ms before it, in degrees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacker_turn: Option<f32>,
    /// How long the victim had lived until the kill, where the recording shows when that began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_spawn: Option<Milliseconds>,
}

fn is_false(on: &bool) -> bool {
    !on
}
