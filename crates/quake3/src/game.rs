//! Games and mods, and the meaning of their numbers (`docs/formats/quake3-events.md`, "Games and mods").
//!
//! The game is detected once per level, from the server's strings. Everything else is a table look-up.

pub mod events;
pub mod items;
mod lists;
pub mod means;
pub mod names;
pub mod strings;

use events::EventList;
use names::GameType;
use strings::{SERVERINFO, SYSTEMINFO, StringPlaces};

use crate::dialect::{Dialect, Line};
use crate::state::State;
use crate::strings::{info, number};

/// A game or mod with its own numbers. Other mods use those of their game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mod {
    /// The game itself, or a mod that is not known here.
    None,
    /// Team Arena.
    TeamArena,
    /// Challenge ProMode Arena.
    Cpma,
    /// Orange Smoothie Productions.
    Osp,
    /// DeFRaG.
    Defrag,
    /// Urban Terror, whose numbers are not known here: better no names than wrong ones.
    UrbanTerror,
}

/// A game with its names and numbers.
///
/// ```
/// use fragreel_quake3::{dialect::Line, game::{Game, Mod}};
///
/// let cpma = Game::of(Line::Quake3, b"\\gamename\\cpma\\gameversion\\1.48\\g_gametype\\7", b"", b"cpma-1");
/// assert_eq!((cpma.title, cpma.modification), ("Quake III Arena", Mod::Cpma));
/// assert_eq!(cpma.game_type(b"\\g_gametype\\7").unwrap().name, "Capture Strike");
/// assert_eq!(cpma.means(7), Some("MOD_ROCKET_SPLASH"));
/// assert_eq!(cpma.item(36), Some("item_armor_jacket"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Game {
    /// The line that its numbers come from.
    pub line: Line,
    /// The game's name.
    pub title: &'static str,
    /// The mod, where it is one that is known.
    pub modification: Mod,
    /// The game's own directory.
    pub directory: &'static str,
    /// Its events.
    pub events: &'static EventList,
    /// Where its configstrings are.
    pub strings: StringPlaces,
    /// Means of death by number.
    pub means: &'static [&'static str],
    /// Items by number.
    pub items: &'static [&'static str],
    /// Weapons by number.
    pub weapons: &'static [&'static str],
    /// Power-ups by slot.
    pub powerups: &'static [&'static str],
    /// Game types by number.
    pub game_types: &'static [GameType],
    /// Slots of the player's `stats`.
    pub stats: &'static [&'static str],
    /// Slots of the player's `persistant`.
    pub persistant: &'static [&'static str],
    /// Bits of the player's `pm_flags`.
    pub move_flags: &'static [(u32, &'static str)],
    /// Numbers per player in the command `scores`.
    pub score_numbers: usize,
    /// Whether chat begins with the speaker's slot.
    pub numbered_chat: bool,
    /// Whether the intermission's string is taken back when another match begins. id's own games do not: the string stays on for all matches of a level.
    pub clears_intermission: bool,
    /// Whether servers may run mods and other games of the line.
    pub has_mods: bool,
}

const QUAKE3: Game = Game {
    line: Line::Quake3,
    title: "Quake III Arena",
    modification: Mod::None,
    directory: "baseq3",
    events: &events::QUAKE3,
    strings: strings::QUAKE3,
    means: means::QUAKE3,
    items: items::QUAKE3,
    weapons: names::WEAPONS,
    powerups: names::POWERUPS,
    game_types: names::QUAKE3_TYPES,
    stats: names::STATS,
    persistant: names::PERSISTANT,
    move_flags: names::MOVE_FLAGS,
    score_numbers: 14,
    numbered_chat: false,
    clears_intermission: false,
    has_mods: true,
};

const EARLY: Game = Game {
    line: Line::Quake3Early,
    events: &events::EARLY,
    strings: strings::EARLY,
    persistant: names::EARLY_PERSISTANT,
    // without accuracy and awards
    score_numbers: 6,
    ..QUAKE3
};

const TEAM_ARENA: Game = Game {
    title: "Quake III: Team Arena",
    modification: Mod::TeamArena,
    means: means::TEAM_ARENA,
    items: items::TEAM_ARENA,
    weapons: names::MORE_WEAPONS,
    stats: names::MORE_STATS,
    ..QUAKE3
};

const OPENARENA: Game = Game {
    title: "OpenArena",
    directory: "baseoa",
    means: means::TEAM_ARENA,
    items: items::OPENARENA,
    weapons: names::MORE_WEAPONS,
    game_types: names::OPENARENA_TYPES,
    clears_intermission: true,
    ..QUAKE3
};

const URBAN_TERROR: Game = Game {
    title: "Urban Terror",
    modification: Mod::UrbanTerror,
    directory: "q3ut4",
    events: &events::UNKNOWN,
    means: &[],
    items: &[],
    weapons: &[],
    powerups: &[],
    game_types: &[],
    ..QUAKE3
};

const LIVE: Game = Game {
    line: Line::QuakeLive,
    title: "Quake Live",
    directory: "baseq3",
    events: &events::LIVE,
    strings: strings::LIVE,
    means: means::LIVE,
    items: items::LIVE,
    weapons: names::MORE_WEAPONS,
    powerups: names::LIVE_POWERUPS,
    game_types: names::LIVE_TYPES,
    stats: names::MORE_STATS,
    persistant: names::LIVE_PERSISTANT,
    move_flags: names::LIVE_MOVE_FLAGS,
    numbered_chat: true,
    clears_intermission: true,
    has_mods: false,
    ..QUAKE3
};

static GAMES: [Game; 6] = [QUAKE3, EARLY, TEAM_ARENA, OPENARENA, URBAN_TERROR, LIVE];

impl Game {
    /// The game of a line without a mod.
    pub(crate) fn plain(line: Line) -> &'static Game {
        GAMES.iter().find(|game| game.line == line).unwrap_or(&GAMES[0])
    }

    /// Every game that has a title of its own. The first of each line is the one without a mod.
    pub fn all() -> &'static [Game] {
        &GAMES
    }

    /// The game with this title. Mods have the title of their game.
    pub fn titled(title: &str, dialect: &Dialect) -> Option<Game> {
        GAMES.iter().find(|game| game.title == title && game.line == dialect.line).map(|game| game.of_dialect(dialect))
    }

    /// Whether versions of the game differ in their slots of `stats`.
    pub(crate) fn has_two_layouts(&self) -> bool {
        self.directory == OPENARENA.directory
    }

    /// Whether the game prints how rounds end.
    pub(crate) fn prints_rounds(&self) -> bool {
        self.directory == OPENARENA.directory
    }

    fn of_dialect(self, dialect: &Dialect) -> Game {
        if !dialect.flags_first {
            return self;
        }
        Game { powerups: names::LIVE_91_POWERUPS, strings: StringPlaces { team_names: None, ..self.strings }, ..self }
    }

    /// The game of a recording whose gamestate `state` holds.
    pub(crate) fn of_state(state: &State) -> Game {
        let dialect = state.dialect();
        let version = state.string(Game::plain(dialect.line).strings.game_version);
        Game::of(dialect.line, state.string(SERVERINFO), state.string(SYSTEMINFO), version).of_dialect(dialect)
    }

    /// Whether the game may be another when the string at `index` changes.
    pub(crate) fn depends_on(dialect: &Dialect, index: usize) -> bool {
        matches!(index, SERVERINFO | SYSTEMINFO) || index == Game::plain(dialect.line).strings.game_version
    }

    /// Detects the game of a server of this line from its serverinfo, its systeminfo, and the version string of its game code.
    pub fn of(line: Line, serverinfo: &[u8], systeminfo: &[u8], game_version: &[u8]) -> Game {
        let game = *Game::plain(line);
        if !game.has_mods {
            return game;
        }
        let name = info(serverinfo, "gamename");
        let mod_version = info(serverinfo, "gameversion");
        let directory = info(systeminfo, "fs_game");
        let engine = info(serverinfo, "version");
        let says = |text: &[u8], word: &str| text.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word.as_bytes()));
        if name.eq_ignore_ascii_case(b"cpma") || says(game_version, "cpma") {
            Game { modification: Mod::Cpma, strings: strings::CPMA, items: items::CPMA, game_types: names::CPMA_TYPES, ..game }
        } else if says(name, "osp") || says(mod_version, "osp") {
            Game { modification: Mod::Osp, items: items::CPMA, game_types: names::OSP_TYPES, ..game }
        } else if says(name, "defrag") || says(game_version, "defrag") || !info(serverinfo, "defrag_vers").is_empty() {
            Game { modification: Mod::Defrag, ..game }
        } else if says(game_version, "baseoa") || says(name, "baseoa") || says(engine, "+oa") || says(engine, "openarena") {
            OPENARENA
        } else if says(name, "q3ut") || says(name, "q3urt") || says(directory, "q3ut") {
            URBAN_TERROR
        } else if line == TEAM_ARENA.line && (says(name, "missionpack") || directory.eq_ignore_ascii_case(b"missionpack")) {
            TEAM_ARENA
        } else {
            game
        }
    }

    /// The mod's usual name, where it is one that is known.
    pub(crate) fn mod_name(&self) -> Option<&'static str> {
        match self.modification {
            Mod::None => None,
            Mod::TeamArena => Some("Team Arena"),
            Mod::Cpma => Some("CPMA"),
            Mod::Osp => Some("OSP"),
            Mod::Defrag => Some("DeFRaG"),
            Mod::UrbanTerror => Some("Urban Terror"),
        }
    }

    /// The directory of the game or mod: `fs_game`, else the name that the server states.
    pub(crate) fn directory_of(&self, serverinfo: &[u8], systeminfo: &[u8]) -> String {
        let stated = [info(systeminfo, "fs_game"), info(serverinfo, "gamename")].into_iter().find(|name| !name.is_empty());
        stated.map_or_else(|| String::from(self.directory), crate::strings::clean)
    }

    /// The game type that a serverinfo states; `None` for one that the game does not have.
    pub fn game_type(&self, serverinfo: &[u8]) -> Option<GameType> {
        if let (Mod::Defrag, Some(name)) = (self.modification, names::defrag_type(number(info(serverinfo, "defrag_gametype")))) {
            // courses with flags are played in teams
            let teams = self.game_type_number(number(info(serverinfo, "g_gametype"))).is_some_and(|beneath| beneath.teams);
            return Some(GameType { name, teams });
        }
        let stated = info(serverinfo, "g_gametype");
        if stated.is_empty() {
            return None;
        }
        self.game_type_number(number(stated))
    }

    /// The game type of this number.
    pub(crate) fn game_type_number(&self, number: i32) -> Option<GameType> {
        if self.modification == Mod::Cpma && number == -1 {
            return Some(GameType { name: "Hoony Mode", teams: false });
        }
        self.game_types.get(usize::try_from(number).ok()?).copied()
    }

    /// The name of event `number`, without the bits that distinguish repetitions.
    pub fn event(&self, number: u32) -> Option<&'static str> {
        name(self.events.names, number & !events::TOGGLE_BITS)
    }

    /// The name of a means of death.
    pub fn means(&self, number: u32) -> Option<&'static str> {
        name(self.means, number)
    }

    /// The class name of an item.
    pub fn item(&self, number: u32) -> Option<&'static str> {
        name(self.items, number)
    }

    /// The class name of a weapon.
    pub fn weapon(&self, number: u32) -> Option<&'static str> {
        name(self.weapons, number)
    }

    /// The name of a team.
    pub fn team(&self, number: u32) -> Option<&'static str> {
        name(names::TEAMS, number)
    }
}

fn name(names: &'static [&'static str], number: u32) -> Option<&'static str> {
    names.get(number as usize).copied().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_say_which_game_they_run() {
        let of = |serverinfo: &str, systeminfo: &str, version: &str| {
            let game = Game::of(Line::Quake3, serverinfo.as_bytes(), systeminfo.as_bytes(), version.as_bytes());
            (game.title, game.modification)
        };
        assert_eq!(of("\\gamename\\baseq3", "", "baseq3-1"), ("Quake III Arena", Mod::None));
        assert_eq!(of("\\gamename\\baseq3\\version\\ioq3+oa 1.35 win", "", "baseq3-1"), ("OpenArena", Mod::None));
        assert_eq!(of("\\gamename\\baseoa", "", "baseoa-1"), ("OpenArena", Mod::None));
        assert_eq!(of("\\gamename\\missionpack", "", "baseq3-1"), ("Quake III: Team Arena", Mod::TeamArena));
        assert_eq!(of("\\gamename\\osp\\gameversion\\OSP v1.03a", "\\fs_game\\osp", "baseq3-1"), ("Quake III Arena", Mod::Osp));
        assert_eq!(of("\\gamename\\baseq3\\defrag_vers\\190", "\\fs_game\\ALEX", "baseq3-1"), ("Quake III Arena", Mod::Defrag));
        assert_eq!(Game::of(Line::QuakeLive, b"", b"", b"baseqz").title, "Quake Live");
        assert_eq!(Game::of(Line::Quake3Early, b"\\gamename\\osp", b"", b"baseq3-1").events.obituary, 58);
    }

    #[test]
    fn every_line_has_its_game() {
        for dialect in Dialect::all() {
            assert_eq!(Game::plain(dialect.line).line, dialect.line, "{}", dialect.protocol);
        }
    }

    #[test]
    fn numbers_beyond_the_lists_have_no_name() {
        let game = Game::plain(Line::Quake3);
        assert_eq!((game.means(6), game.means(24), game.means(u32::MAX)), (Some("MOD_ROCKET"), None, None));
        assert_eq!((game.weapon(0), game.item(0), game.team(4)), (None, None, None));
        assert_eq!(game.event(60 | 0x200), Some("EV_OBITUARY"));
        assert_eq!(game.game_type(b"\\g_gametype\\99"), None);
        assert_eq!(game.directory_of(b"\\gamename\\cpma", b"\\fs_game\\mymod"), "mymod");
    }
}
