//! What is looked for.

use fragreel::edit::{Pattern, Wanted};
use fragreel::model::{Milliseconds, common};

use crate::command::Named;
use crate::output::printable;

/// What is looked for.
#[derive(clap::Args)]
pub struct Criteria {
    /// At least this number of kills by one player
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    kills: Option<u16>,

    /// Time window of --kills [default: 5 seconds]
    #[arg(long, value_name = "TIME")]
    within: Option<Milliseconds>,

    /// At least this number of kills by one railgun shot [default: 2]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "2", value_parser = clap::value_parser!(u16).range(2..))]
    multi_rail: Option<u16>,

    /// Chat that contains one of these words, separated by commas
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    chat: Vec<String>,

    /// Marks that were set while the game ran (KTX's `demomark`)
    #[arg(long)]
    marks: bool,

    /// Flag captures; with TIME, only if carried for at most TIME
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "end")]
    captures: Option<Most>,

    /// Kills over at least this distance in game units (a player is 56 units high)
    #[arg(long, value_name = "UNITS")]
    distance: Option<f32>,

    /// Kills of players who were in the air for at least TIME [default: 0.5]
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "0.5")]
    mid_air: Option<Milliseconds>,

    /// The same, by direct hits of rockets, grenades, or other missiles
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "0.5")]
    air_shots: Option<Milliseconds>,

    /// Flick kills: the view turned at least 60°, or DEGREES, in the last 0.2 s
    #[arg(long, value_name = "DEGREES", num_args = 0..=1, default_missing_value = "60")]
    flicks: Option<f32>,

    /// Only kills with these weapons, separated by commas: the game's means of death or the common
    /// name (railgun, rocket_launcher), with `*` and `?` as wildcards
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with_all = ["chat", "marks", "captures"])]
    weapon: Vec<String>,

    /// Only this player's moments: the name without colors, in any case, with `*` and `?` as
    /// wildcards. May be repeated
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,

    /// Only the recording player's moments
    #[arg(long)]
    own: bool,

    /// Skip kills of players who spawned less than 1 s ago, or less than TIME
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "1")]
    no_spawn_kills: Option<Milliseconds>,

    /// Join overlapping moments into one
    #[arg(long)]
    merge: bool,

    /// Seconds before each moment to include
    #[arg(long, value_name = "TIME", default_value = "5")]
    before: Milliseconds,

    /// Seconds after each moment to include
    #[arg(long, value_name = "TIME", default_value = "3")]
    after: Milliseconds,
}

/// At most so long, or however long.
#[derive(Debug, Clone, Copy)]
pub struct Most(Option<Milliseconds>);

impl std::str::FromStr for Most {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "end" { Ok(Most(None)) } else { text.parse().map(|time| Most(Some(time))) }
    }
}

/// What is looked for where nothing is said.
const KILLS: usize = 3;
const WITHIN: Milliseconds = Milliseconds(5000);

impl Criteria {
    /// The players that are asked for.
    pub fn named(&self) -> Named {
        Named::new(&self.player)
    }

    /// Says which weapons nobody calls so, where nothing was found.
    pub fn remark_on_weapons(&self) {
        let is_known = |name: &&String| common::WEAPONS.iter().any(|weapon| Pattern::new(name).matches(weapon));
        for name in self.weapon.iter().filter(|name| !is_known(name)) {
            eprintln!("no kill with `{}`; common names: {}", printable(name), common::WEAPONS.join(", "));
        }
    }

    /// What to look for. Without criteria: kills in a row and flags; where the `best` are wanted, all but chat and distance.
    pub fn settle(&self, best: bool) -> Wanted {
        let mut wanted = Wanted::default();
        let judged = self.distance.is_some() || self.mid_air.is_some() || self.air_shots.is_some() || self.flicks.is_some();
        let nothing_said = self.kills.is_none() && self.multi_rail.is_none() && self.chat.is_empty() && !self.marks && self.captures.is_none() && !judged;
        let kills = self.kills.map(usize::from).or(nothing_said.then_some(KILLS));
        wanted.kills = kills.map(|kills| (kills, self.within.unwrap_or(WITHIN)));
        wanted.multi_rail = self.multi_rail.map(usize::from);
        wanted.words.clone_from(&self.chat);
        wanted.marks = self.marks;
        wanted.captures = self.captures.is_some() || nothing_said;
        wanted.capture_within = self.captures.and_then(|most| most.0);
        wanted.distance = self.distance;
        wanted.mid_air = self.mid_air;
        wanted.air_shots = self.air_shots;
        wanted.flick = self.flicks;
        if nothing_said && best {
            wanted = Wanted::best();
            if let (Some((_, within)), Some(given)) = (&mut wanted.kills, self.within) {
                *within = given;
            }
        }
        wanted.weapons = self.weapon.iter().map(|name| Pattern::new(name)).collect();
        wanted.players = self.player.iter().map(|name| Pattern::new(name)).collect();
        wanted.own = self.own;
        wanted.spawned = self.no_spawn_kills;
        wanted.merge = self.merge;
        (wanted.before, wanted.after) = (self.before, self.after);
        wanted
    }
}
