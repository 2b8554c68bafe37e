//! What happened in a game.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Kill, MatchResult, Milliseconds, Run, Statement, Text};

/// Something that happened, when, and how we know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Time since the recording's first frame.
    pub time: Milliseconds,
    /// The server's clock, as the server states it: it may start again, and be negative. 0 before a server states any.
    pub server_time: Milliseconds,
    /// The match clock, where the game has one that runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_time: Option<Milliseconds>,
    /// Number of the container's message that said it, from 0.
    pub message: u32,
    /// Whether the stream states it or we concluded it.
    pub evidence: Evidence,
    /// Whether it rests on state that damage made uncertain: a delta base was lost before it, and nothing stated the state in full since.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncertain: bool,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// How an event is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// The stream says so in a field of its own.
    Stated,
    /// Concluded from text or from a change of state.
    Inferred,
}

/// A player as known at that moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Player {
    /// The slot that the server gave; absent where only a name is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u16>,
    /// The name, colored and clean.
    pub name: Text,
    /// The team, where the game has teams.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<Cow<'static, str>>,
}

impl Player {
    /// Somebody of whom at most the team is known.
    pub fn unknown(team: Option<Cow<'static, str>>) -> Self {
        Player { slot: None, name: Text::plain(""), team }
    }
}

/// Who can read a chat line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Channel {
    /// Everybody.
    Public,
    /// The speaker's team.
    Team,
    /// Spectators.
    Spectator,
    /// One player.
    Private,
    /// The server speaks.
    Server,
}

/// What happened to a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FlagAction {
    /// Taken from its base or the ground.
    Taken,
    /// Dropped by its carrier.
    Dropped,
    /// Brought back by its own team or by time.
    Returned,
    /// Brought home.
    Captured,
}

/// Where a match stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MatchState {
    /// Before the match.
    Warmup,
    /// The match is about to start.
    Countdown,
    /// The match runs.
    Started,
    /// Interrupted by players or an official.
    Paused,
    /// Going on after a pause.
    Resumed,
    /// Tied and prolonged.
    Overtime,
    /// Over; scores are shown.
    Intermission,
    /// Restarted on the same map.
    Restarted,
}

/// One line of a scoreboard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Whose.
    pub player: Player,
    /// The score that the game ranks by.
    pub score: i32,
    /// Deaths, where stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deaths: Option<i32>,
    /// Round-trip time in milliseconds, where stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ping: Option<i32>,
    /// Minutes in the game, where stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<i32>,
}

/// What happened. The `kind` field of the JSON is the variant in snake case.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// Somebody died.
    Kill(Kill),
    /// Somebody spoke.
    Chat {
        /// Who; absent for the server and for names that match nobody.
        from: Option<Player>,
        /// To whom.
        channel: Channel,
        /// What.
        text: Text,
    },
    /// A player came.
    Join {
        /// Who.
        player: Player,
    },
    /// A player left.
    Leave {
        /// Who.
        player: Player,
        /// Why, where stated.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<Text>,
    },
    /// A player took another name.
    Rename {
        /// The player under the new name.
        player: Player,
        /// The old name.
        from: Text,
    },
    /// A player changed sides.
    Team {
        /// The player, already on the new team.
        player: Player,
        /// The old team.
        from: Cow<'static, str>,
    },
    /// A scoreboard was shown.
    Scores {
        /// Team scores by name, where there are teams.
        teams: Vec<(Cow<'static, str>, i32)>,
        /// Its lines.
        players: Vec<Score>,
    },
    /// One score changed, outside of a scoreboard.
    Score {
        /// Whose; a team's name stands in `team` alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        player: Option<Player>,
        /// The team, where it is a team's score.
        #[serde(skip_serializing_if = "Option::is_none")]
        team: Option<Cow<'static, str>>,
        /// The new score.
        score: i32,
    },
    /// An item was picked up.
    Item {
        /// By whom.
        player: Player,
        /// Which, in the game's own terms.
        item: Cow<'static, str>,
        /// How long it had lain there since it came back, where the server says when it does.
        #[serde(skip_serializing_if = "Option::is_none")]
        delay: Option<Milliseconds>,
    },
    /// Something happened to a flag.
    Flag {
        /// The flag's team.
        team: Cow<'static, str>,
        /// What.
        action: FlagAction,
        /// By whom, where known.
        #[serde(skip_serializing_if = "Option::is_none")]
        player: Option<Player>,
    },
    /// The match passed into another state.
    Match {
        /// Which.
        state: MatchState,
        /// The number of the match in the recording, from 1, as in [`MatchStats`](crate::MatchStats); absent while none is played. A family alone
        /// does not say it: the facade numbers matches.
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<u32>,
        /// How it ended, where `state` is the intermission; likewise the facade's.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Box<MatchResult>>,
    },
    /// A round began or ended.
    Round {
        /// Its number, where stated.
        #[serde(skip_serializing_if = "Option::is_none")]
        number: Option<i32>,
        /// True when it began.
        started: bool,
        /// The side that won it.
        #[serde(skip_serializing_if = "Option::is_none")]
        winner: Option<Cow<'static, str>>,
    },
    /// A level was entered.
    Level {
        /// The map's file name, without folder and extension.
        map: String,
        /// The mod or game directory.
        game: String,
        /// The game type, named.
        #[serde(skip_serializing_if = "Option::is_none")]
        game_type: Option<Cow<'static, str>>,
        /// The title that the level shows.
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<Text>,
        /// When it was entered or served, as far as the server's settings say.
        #[serde(skip_serializing_if = "Option::is_none")]
        date: Option<String>,
    },
    /// Somebody was hurt.
    Damage {
        /// By whom; absent when the world did it.
        attacker: Option<Player>,
        /// Who.
        victim: Player,
        /// How much: the strength of the hit where it is known, otherwise what it cost.
        amount: i32,
        /// What it cost of armor, and of health down to nothing, where that is less than all the format says.
        #[serde(skip_serializing_if = "Option::is_none")]
        lost: Option<i32>,
        /// The means, in the game's own terms.
        #[serde(skip_serializing_if = "Option::is_none")]
        means: Option<Cow<'static, str>>,
    },
    /// A weapon was fired.
    Shot {
        /// By whom.
        player: Player,
        /// Which weapon.
        weapon: Cow<'static, str>,
    },
    /// Another weapon was taken in hand.
    Weapon {
        /// By whom.
        player: Player,
        /// Which weapon.
        weapon: Cow<'static, str>,
    },
    /// The recording player typed or bound a console command.
    Command {
        /// The command.
        text: Text,
    },
    /// A player's money changed (Counter-Strike).
    Money {
        /// Whose.
        player: Player,
        /// The new amount.
        amount: i32,
    },
    /// A reward, such as `excellent`.
    Award {
        /// Whose.
        player: Player,
        /// Which.
        award: Cow<'static, str>,
    },
    /// The server stated statistics, of some players or of all.
    Statistics(Box<Statement>),
    /// A run was finished: a level, a race, a DeFRaG course.
    Finish(Box<Run>),
    /// The server printed a line that is nothing of the above.
    Print {
        /// The line.
        text: Text,
    },
    /// The server put a line into the middle of the screen.
    CenterPrint {
        /// The line.
        text: Text,
    },
}

impl EventKind {
    /// The match passed into this state.
    pub fn match_state(state: MatchState) -> Self {
        EventKind::Match { state, number: None, result: None }
    }
}

/// Declares the kinds of events once: the fieldless enum, its names and the way from an event to its kind.
macro_rules! kinds {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// A kind of event without its details.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "each variant is documented on EventKind")]
        #[non_exhaustive]
        pub enum Kind {
            $($variant),*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Kind] = &[$(Kind::$variant),*];

            /// The stable name: the `kind` field of the JSON and the word that `--kinds` takes.
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$variant => $name),*
                }
            }
        }

        impl EventKind {
            /// The kind without the details.
            pub fn kind(&self) -> Kind {
                match self {
                    $(EventKind::$variant { .. } => Kind::$variant),*
                }
            }
        }
    };
}

kinds! {
    Kill = "kill",
    Chat = "chat",
    Join = "join",
    Leave = "leave",
    Rename = "rename",
    Team = "team",
    Scores = "scores",
    Score = "score",
    Item = "item",
    Flag = "flag",
    Match = "match",
    Round = "round",
    Level = "level",
    Damage = "damage",
    Shot = "shot",
    Weapon = "weapon",
    Command = "command",
    Money = "money",
    Award = "award",
    Statistics = "statistics",
    Finish = "finish",
    Print = "print",
    CenterPrint = "center_print",
}

/// A set of event kinds. Decoding skips whatever no requested kind needs.
///
/// ```
/// use fragreel_model::{Kind, Kinds};
///
/// let kinds = Kinds::from([Kind::Kill, Kind::Chat]);
/// assert!(kinds.has(Kind::Chat) && !kinds.has(Kind::Item));
/// assert_eq!(kinds, Kinds::from(Kind::Kill) | Kind::Chat.into());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kinds(u32);

impl Kinds {
    /// Every kind.
    pub const ALL: Kinds = Kinds(u32::MAX);
    /// No kind.
    pub const NONE: Kinds = Kinds(0);

    /// Whether `kind` is wanted.
    pub fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u32 & 1 != 0
    }

    /// Whether any of `kinds` is wanted.
    pub fn any(self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|&kind| self.has(kind))
    }
}

impl std::ops::BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

impl<const N: usize> From<[Kind; N]> for Kinds {
    fn from(kinds: [Kind; N]) -> Self {
        kinds.into_iter().collect()
    }
}

impl From<&[Kind]> for Kinds {
    fn from(kinds: &[Kind]) -> Self {
        kinds.iter().copied().collect()
    }
}

impl From<Kind> for Kinds {
    fn from(kind: Kind) -> Self {
        [kind].into()
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        Kinds(kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u32))
    }
}
