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
    /// The names of red and blue, then their tags, in Quake Live up to protocol 90. See [`Self::sides`].
    pub team_names: Option<usize>,
    /// CPMA's description of the match and of the round.
    pub cpma: Option<(usize, usize)>,
    /// Where the strings are in the protocols that recordings can be converted to: first, last, and what is added to the index. Others have no place.
    pub moves: &'static [(usize, usize, isize)],
    /// How many of the indexes up to the models have id's names.
    pub named: usize,
}

impl StringPlaces {
    /// The index of a string in the protocols that recordings can be converted to.
    pub(crate) fn converted(&self, index: usize) -> Option<usize> {
        let (_, _, distance) = self.moves.iter().find(|(first, last, _)| (*first..=*last).contains(&index))?;
        index.checked_add_signed(*distance)
    }

    /// How many players there may be.
    pub const fn player_slots(&self) -> usize {
        self.locations - self.players
    }

    /// Whether a string is of the players or of the match, and not of the level.
    pub(crate) fn changes_with_match(&self, index: usize) -> bool {
        let own = [self.warmup, self.scores, self.scores + 1, self.level_start, self.intermission, self.flag_status];
        let optional = [
            self.pause,
            self.pause.map(|pause| pause + 1),
            self.round,
            self.team_names,
            self.team_names.map(|names| names + 1),
            self.team_names.map(|names| names + 2),
            self.team_names.map(|names| names + 3),
            self.cpma.map(|(game, _)| game),
            self.cpma.map(|(_, round)| round),
        ];
        self.player_at(index).is_some() || own.contains(&index) || optional.contains(&Some(index))
    }

    /// The strings of the names and tags of red and blue: `[red, blue]` each. Protocol 91 has other strings in their places.
    pub fn sides(&self, protocol: u16) -> Option<[[usize; 2]; 2]> {
        let first = self.team_names.filter(|_| protocol <= 90)?;
        Some([[first, first + 1], [first + 2, first + 3]])
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
/// How many strings have the same names everywhere.
const INFOS: usize = 2;

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
    moves: &[(0, usize::MAX, 0)],
    named: usize::MAX,
};

/// Up to protocol 45. Later, version, start, intermission and flags moved up by 8, and 128 players' strings became 64, with the locations behind them.
pub const EARLY: StringPlaces = StringPlaces {
    game_version: 12,
    level_start: 13,
    intermission: 14,
    flag_status: 15,
    locations: 672,
    moves: &[(0, 11, 0), (12, 15, 8), (27, 607, 0), (672, 735, -64)],
    named: INFOS,
    ..QUAKE3
};

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
    moves: LIVE_MOVES,
    named: INFOS,
    ..QUAKE3
};

/// From protocols 73 and 90 to 91.
const LIVE_MOVES: &[(usize, usize, isize)] = &[
    (0, 665, 0),
    (667, 667, 0),
    (669, 672, 0),
    (679, 680, -1),
    (682, 685, -1),
    // client numbers and scores of the first two changed places
    (686, 687, 1),
    (688, 689, -3),
    (691, 692, 1),
    (697, 697, -1),
    (699, 703, -2),
    (705, 710, -2),
    (712, 713, -3),
];
