//! What makes a moment worth watching.

use fragreel_model::{Event, Evidence, Milliseconds, Player, Text};
use serde::Serialize;

/// Something worth watching.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Reason {
    /// When it begins, since the recording's first frame.
    pub time: Milliseconds,
    /// When it ends.
    pub until: Milliseconds,
    /// When it begins on the server's clock.
    pub server_time: Milliseconds,
    /// When it begins on the match clock, where there is one that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_time: Option<Milliseconds>,
    /// Who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<Player>,
    /// What it is.
    #[serde(flatten)]
    pub what: What,
    /// The number of the container's message that states the first event of it.
    #[serde(skip)]
    pub message: u32,
    /// How the recording says it: stated only if all of its events are.
    #[serde(skip)]
    pub evidence: Evidence,
    /// Whether damage made one of its events uncertain.
    #[serde(skip)]
    pub uncertain: bool,
}

impl Reason {
    /// What one event shows.
    pub(super) fn of(event: &Event, player: Option<&Player>, what: What) -> Self {
        let Event { time, server_time, match_time, message, evidence, uncertain, .. } = *event;
        Reason { time, until: time, server_time, match_time, player: player.cloned(), what, message, evidence, uncertain }
    }

    /// The same with what a further event of it adds: its end, and its doubts.
    pub(super) fn and(mut self, event: &Event) -> Self {
        self.until = self.until.max(event.time);
        if event.evidence == Evidence::Inferred {
            self.evidence = Evidence::Inferred;
        }
        self.uncertain |= event.uncertain;
        self
    }
}

/// What is worth watching.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum What {
    /// Several kills in a short time.
    Kills {
        /// How many.
        kills: usize,
        /// The means of each, in the game's own terms.
        means: Vec<String>,
    },
    /// Several kills by one shot of a rail gun.
    MultiRail {
        /// Who died.
        victims: Vec<Player>,
        /// The means, in the game's own terms.
        means: String,
    },
    /// A word in chat.
    Chat {
        /// What was said.
        text: Text,
    },
    /// A mark that a player or the server set while the game ran: KTX's `demomark`.
    Mark {
        /// What the mark says besides; empty if nothing.
        text: Text,
    },
    /// A flag brought home.
    Capture {
        /// The flag's team.
        team: String,
        /// How long the player carried it, where the recording shows both ends.
        #[serde(skip_serializing_if = "Option::is_none")]
        carried: Option<Milliseconds>,
        /// How long the flag was away from its base, by all carriers.
        #[serde(skip_serializing_if = "Option::is_none")]
        away: Option<Milliseconds>,
    },
    /// A kill from afar.
    Distance {
        /// How far, in the game's units.
        distance: f32,
        /// Who died.
        victim: Player,
        /// The means, in the game's own terms.
        means: String,
    },
    /// A kill in mid-air.
    MidAir {
        /// Who died.
        victim: Player,
        /// The means, in the game's own terms.
        means: String,
        /// How long the victim was in the air, as far back as was looked.
        air: Milliseconds,
    },
    /// A kill in mid-air by the direct hit of a rocket, a grenade or another missile.
    AirShot {
        /// Who died.
        victim: Player,
        /// The means, in the game's own terms.
        means: String,
        /// How long the victim was in the air, as far back as was looked.
        air: Milliseconds,
    },
    /// A kill right after a quick turn of the view.
    Flick {
        /// Who died.
        victim: Player,
        /// The means, in the game's own terms.
        means: String,
        /// By how many degrees the view turned.
        turn: f32,
    },
}

impl What {
    /// The means of death that it is about, in the game's own terms.
    pub fn means(&self) -> Option<&str> {
        match self {
            What::Kills { means, .. } => means.first().map(String::as_str),
            What::MultiRail { means, .. }
            | What::Distance { means, .. }
            | What::MidAir { means, .. }
            | What::AirShot { means, .. }
            | What::Flick { means, .. } => Some(means),
            What::Chat { .. } | What::Mark { .. } | What::Capture { .. } => None,
        }
    }

    /// The common name of the weapon behind those.
    pub fn weapon(&self) -> Option<&'static str> {
        crate::means::weapon(self.means()?)
    }

    /// The stable names of all kinds.
    pub const NAMES: &'static [&'static str] = &["kills", "multi_rail", "chat", "mark", "capture", "distance", "mid_air", "air_shot", "flick"];

    /// The stable name: the `reason` of the JSON.
    pub fn name(&self) -> &'static str {
        match self {
            What::Kills { .. } => "kills",
            What::MultiRail { .. } => "multi_rail",
            What::Chat { .. } => "chat",
            What::Mark { .. } => "mark",
            What::Capture { .. } => "capture",
            What::Distance { .. } => "distance",
            What::MidAir { .. } => "mid_air",
            What::AirShot { .. } => "air_shot",
            What::Flick { .. } => "flick",
        }
    }
}
