//! The indexes of configstrings, by game (`docs/formats/quake3-events.md`, "Configstrings").

/// The indexes of configstrings. 0 and 1 are serverinfo and systeminfo everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StringPlaces {
    /// The level's title.
    pub title: usize,
    /// When the warmup ends: nothing or 0 when there is none, -1 while players are waited for.
    pub warmup: usize,
    /// The scores: of red and blue, or of the first and the second player. Two of them.
    pub scores: usize,
    /// The game's version, such as `baseq3-1`.
    pub game_version: usize,
    /// When the level or the match started.
    pub level_start: usize,
    /// Whether the intermission is shown.
    pub intermission: usize,
    /// Where the flags are.
    pub flag_status: usize,
    /// The first player.
    pub players: usize,
    /// The first location.
    pub locations: usize,
    /// The names of the first and the second player, in Quake Live.
    pub leaders: Option<usize>,
    /// When a pause began and when it ends, in Quake Live.
    pub pause: Option<usize>,
    /// The number and time of the round in Quake Live.
    pub round: Option<usize>,
    /// The names of red and blue, in Quake Live up to protocol 90.
    pub team_names: Option<usize>,
    /// CPMA's description of the match and of the round.
    pub cpma: Option<(usize, usize)>,
}

impl StringPlaces {
    /// How many players there may be.
    pub const fn player_slots(&self) -> usize {
        self.locations - self.players
    }

    /// Whether a string is of the players or of the match, and not of the level.
    pub fn changes_with_match(&self, index: usize) -> bool {
        let own = [self.warmup, self.scores, self.scores + 1, self.level_start, self.intermission, self.flag_status];
        let optional = [
            self.pause,
            self.pause.map(|pause| pause + 1),
            self.round,
            self.team_names,
            self.team_names.map(|names| names + 1),
            self.cpma.map(|(game, _)| game),
            self.cpma.map(|(_, round)| round),
        ];
        self.player_at(index).is_some() || own.contains(&index) || optional.contains(&Some(index))
    }

    /// The slot of the player that the string at `index` describes.
    pub fn player_at(&self, index: usize) -> Option<usize> {
        index.checked_sub(self.players).filter(|&slot| slot < self.player_slots())
    }
}

/// How many players there may be from protocol 46 on; before that strings had room for more.
pub const PLAYERS: usize = 64;
/// The key-value pairs of the server.
pub const SERVERINFO: usize = 0;
/// The key-value pairs of the system.
pub const SYSTEMINFO: usize = 1;

/// From protocol 46 on.
pub const QUAKE3: StringPlaces = StringPlaces {
    title: 3,
    warmup: 5,
    scores: 6,
    game_version: 20,
    level_start: 21,
    intermission: 22,
    flag_status: 23,
    players: 544,
    locations: 608,
    leaders: None,
    pause: None,
    round: None,
    team_names: None,
    cpma: None,
};

/// Up to protocol 45.
pub const EARLY: StringPlaces = StringPlaces { game_version: 12, level_start: 13, intermission: 14, flag_status: 15, locations: 672, ..QUAKE3 };

/// CPMA.
pub const CPMA: StringPlaces = StringPlaces { cpma: Some((672, 710)), ..QUAKE3 };

/// Quake Live.
pub const LIVE: StringPlaces = StringPlaces {
    game_version: 12,
    level_start: 13,
    intermission: 14,
    flag_status: 658,
    players: 529,
    locations: 593,
    leaders: Some(659),
    pause: Some(669),
    round: Some(661),
    team_names: Some(693),
    ..QUAKE3
};
