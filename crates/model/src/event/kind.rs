//! The kinds of events: what each states, its sentence, and whom it is about.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::parts::{Channel, FlagAction, MatchState, Score};
use super::sentence::{self as words, Piece, pieces};
use crate::{EndCause, Kill, MatchResult, Milliseconds, Player, Run, Statement, Text, common};

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
        /// What ended it, where the recording says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        cause: Option<EndCause>,
        /// The team or player who gave up, paused or broke off, where stated.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<Cow<'static, str>>,
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
        /// Whether it is played in teams, where the server's settings say.
        #[serde(skip_serializing_if = "Option::is_none")]
        teams: Option<bool>,
        /// How long a match lasts at most, where the server's settings say.
        #[serde(skip_serializing_if = "Option::is_none")]
        time_limit: Option<Milliseconds>,
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
    /// A console command that the recording has: the recording player typed or bound it, or the server sent it to play another recording
    /// (`playdemo`) or to mark a moment (`//demomark`). In Quake II, each command that the server sends, except those of the signon.
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
        EventKind::Match { state, number: None, result: None, cause: None, by: None }
    }

    /// The match ended, stopped or was called off, for this reason.
    pub fn match_end(state: MatchState, cause: impl Into<Option<EndCause>>, by: Option<Cow<'static, str>>) -> Self {
        EventKind::Match { state, number: None, result: None, cause: cause.into(), by }
    }
}

/// Declares the kinds of events once: the fieldless enum, its names and groups, and the way from an event to its kind.
macro_rules! kinds {
    ($($variant:ident = $name:literal in $group:ident),* $(,)?) => {
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

            /// The group that lists and timelines show it in.
            pub fn group(self) -> Group {
                match self {
                    $(Kind::$variant => Group::$group),*
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
    Kill = "kill" in Kills,
    Chat = "chat" in Chat,
    Join = "join" in People,
    Leave = "leave" in People,
    Rename = "rename" in People,
    Team = "team" in People,
    Scores = "scores" in Scores,
    Score = "score" in Scores,
    Item = "item" in Items,
    Flag = "flag" in Flags,
    Match = "match" in Match,
    Round = "round" in Match,
    Level = "level" in Match,
    Damage = "damage" in Shots,
    Shot = "shot" in Shots,
    Weapon = "weapon" in Shots,
    Command = "command" in Prints,
    Money = "money" in Shots,
    Award = "award" in Awards,
    Statistics = "statistics" in Scores,
    Finish = "finish" in Match,
    Print = "print" in Prints,
    CenterPrint = "center_print" in Prints,
}

/// How lists and timelines group events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Group {
    /// Deaths.
    Kills,
    /// What happens to flags.
    Flags,
    /// Matches, rounds, levels, and runs begin or end.
    Match,
    /// Rewards.
    Awards,
    /// Items are picked up.
    Items,
    /// Players come, go, and change their names and teams.
    People,
    /// Shots, hits, and what is carried to make them.
    Shots,
    /// Players talk.
    Chat,
    /// Scores and statistics.
    Scores,
    /// Lines of the server and commands of the recording player.
    Prints,
}

/// The sentence, with names without colors. Its wording may change between versions.
///
/// ```
/// use fragreel_model::{EventKind, Kill, Player, Text};
///
/// let player = |name| Player { slot: None, name: Text::plain(name), team: None };
/// let kill = EventKind::Kill(Kill::new(Some(player("Sarge")), player("Visor"), "MOD_ROCKET_SPLASH"));
/// assert_eq!(kill.to_string(), "Sarge killed Visor: rocket splash");
/// ```
impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().iter().try_for_each(|piece| piece.fmt(f))
    }
}

impl EventKind {
    /// The sentence in pieces, for a reader who shows names in their colors.
    pub fn sentence(&self) -> Vec<Piece<'_>> {
        match self {
            EventKind::Kill(kill) => words::kill(kill),
            EventKind::Chat { from, channel, text } => {
                let from: Piece = from.as_ref().map_or("server".into(), Piece::from);
                match words::channel_mark(*channel) {
                    "" => pieces![from, ": ", text],
                    mark => pieces![mark, from, ": ", text],
                }
            }
            EventKind::Join { player } => pieces![player, " joined"],
            EventKind::Leave { player, reason: None } => pieces![player, " left"],
            EventKind::Leave { player, reason: Some(reason) } => pieces![player, " left: ", reason],
            EventKind::Rename { player, from } => pieces![from, " is now ", player],
            EventKind::Team { player, from } => {
                let to = player.team.as_deref().unwrap_or_default();
                pieces![player, format!(" went from {} to {}", words::or_no_team(from), words::or_no_team(to))]
            }
            EventKind::Scores { teams, players } => words::scores(teams, players),
            EventKind::Score { player, team, score } => {
                let whose: Piece = match (player, team) {
                    (None, Some(team)) => (&**team).into(),
                    (player, _) => player.as_ref().into(),
                };
                pieces![whose, format!(" has {score}")]
            }
            EventKind::Item { player, item, delay } => {
                let delay = delay.map(|delay| format!(", {delay} after it respawned")).unwrap_or_default();
                pieces![player, format!(" took {item}{delay}")]
            }
            EventKind::Flag { team, action, player: Some(player) } => {
                let action = if *action == FlagAction::Taken { "took" } else { words::flag(*action) };
                pieces![player, format!(" {action} the {team} flag")]
            }
            EventKind::Flag { team, action, player: None } => pieces![format!("the {team} flag was {}", words::flag(*action))],
            EventKind::Match { state, result, .. } => {
                let result = result.as_ref().map(|result| words::result(result)).unwrap_or_default();
                pieces![format!("{}{result}", words::match_state(*state))]
            }
            EventKind::Round { number, started, winner } => pieces![words::round(*number, *started, winner.as_deref())],
            EventKind::Level { map, game, game_type, title, .. } => {
                let details = [Some(game.as_str()), game_type.as_deref(), title.as_ref().map(|title| title.clean.as_str())];
                let details = details.into_iter().flatten().filter(|detail| !detail.is_empty());
                pieces![details.fold(format!("level {map}"), |text, detail| text + ", " + detail)]
            }
            EventKind::Damage { attacker, victim, amount, means, .. } => {
                let means = words::means(means.as_deref().unwrap_or_default());
                match attacker {
                    Some(attacker) if attacker == victim => pieces![victim, format!(" hurt themselves for {amount}{means}")],
                    Some(attacker) => pieces![attacker, " hurt ", victim, format!(" for {amount}{means}")],
                    None => pieces![victim, format!(" lost {amount}{means}")],
                }
            }
            EventKind::Shot { player, weapon } => pieces![player, format!(" fired the {weapon}")],
            EventKind::Weapon { player, weapon } => pieces![player, format!(" switched to the {weapon}")],
            EventKind::Command { text } | EventKind::Print { text } | EventKind::CenterPrint { text } => pieces![text],
            EventKind::Money { player, amount } => pieces![player, format!(" has ${amount}")],
            EventKind::Award { player, award } => pieces![player, format!(" earned {award}")],
            EventKind::Finish(run) => words::finish(run),
            EventKind::Statistics(statement) => {
                let players = statement.players.len();
                if players == 0 && !statement.teams.is_empty() {
                    return pieces![format!("{}: {}", statement.source, words::sides(statement))];
                }
                pieces![format!("statistics of {players} player{}: {}", if players == 1 { "" } else { "s" }, statement.source)]
            }
        }
    }

    /// The player whom it is about, or who did it.
    ///
    /// ```
    /// use fragreel_model::{EventKind, Kill, Player, Text};
    ///
    /// let player = |name| Player { slot: None, name: Text::plain(name), team: None };
    /// let kill = EventKind::Kill(Kill::new(Some(player("Sarge")), player("Visor"), "MOD_RAILGUN"));
    /// assert_eq!(kill.subject().unwrap().name.clean, "Sarge");
    /// assert_eq!(kill.object().unwrap().name.clean, "Visor");
    /// ```
    pub fn subject(&self) -> Option<&Player> {
        match self {
            EventKind::Kill(kill) => kill.attacker.as_ref(),
            EventKind::Damage { attacker, .. } => attacker.as_ref(),
            EventKind::Chat { from, .. } => from.as_ref(),
            EventKind::Score { player, .. } | EventKind::Flag { player, .. } => player.as_ref(),
            EventKind::Finish(run) => run.player.as_ref(),
            EventKind::Join { player }
            | EventKind::Leave { player, .. }
            | EventKind::Rename { player, .. }
            | EventKind::Team { player, .. }
            | EventKind::Item { player, .. }
            | EventKind::Shot { player, .. }
            | EventKind::Weapon { player, .. }
            | EventKind::Money { player, .. }
            | EventKind::Award { player, .. } => Some(player),
            _ => None,
        }
    }

    /// The player to whom something was done.
    pub fn object(&self) -> Option<&Player> {
        match self {
            EventKind::Kill(kill) => Some(&kill.victim),
            EventKind::Damage { victim, .. } => Some(victim),
            _ => None,
        }
    }

    /// Every player in it: the subject, the object, and those of a scoreboard.
    pub fn players(&self) -> impl Iterator<Item = &Player> {
        let board: &[Score] = if let EventKind::Scores { players, .. } = self { players } else { &[] };
        let statement = if let EventKind::Statistics(statement) = self { &*statement.players } else { &[] };
        let listed = board.iter().map(|line| &line.player).chain(statement.iter().map(|line| &line.player));
        self.subject().into_iter().chain(self.object()).chain(listed)
    }

    /// Every name in it: those of its players, and the one that a player had before.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        let before = if let EventKind::Rename { from, .. } = self { Some(from) } else { None };
        self.players().map(|player| &player.name).chain(before)
    }

    /// The word that matters most, after the players, in the game's own terms.
    pub fn detail(&self) -> &str {
        match self {
            EventKind::Kill(kill) => &kill.means,
            EventKind::Damage { means, .. } => means.as_deref().unwrap_or_default(),
            EventKind::Chat { text, .. } | EventKind::Command { text } | EventKind::Print { text } | EventKind::CenterPrint { text } => &text.clean,
            EventKind::Leave { reason, .. } => reason.as_ref().map_or("", |reason| &reason.clean),
            EventKind::Rename { from, .. } => &from.clean,
            EventKind::Team { from, .. } => from,
            EventKind::Item { item, .. } => item,
            EventKind::Flag { team, .. } => team,
            EventKind::Level { map, .. } => map,
            EventKind::Shot { weapon, .. } | EventKind::Weapon { weapon, .. } => weapon,
            EventKind::Award { award, .. } => award,
            EventKind::Score { team, .. } => team.as_deref().unwrap_or_default(),
            EventKind::Round { winner, .. } => winner.as_deref().unwrap_or_default(),
            EventKind::Statistics(statement) => &statement.source,
            EventKind::Finish(run) => &run.map,
            EventKind::Match { result: Some(result), .. } => result.winner.as_deref().unwrap_or_default(),
            _ => "",
        }
    }

    /// The number that it states: a score, an amount, a round, a time in milliseconds.
    pub fn value(&self) -> Option<i32> {
        match self {
            EventKind::Score { score, .. } => Some(*score),
            EventKind::Damage { amount, .. } | EventKind::Money { amount, .. } => Some(*amount),
            EventKind::Round { number, .. } => *number,
            EventKind::Match { number, .. } => number.and_then(|number| i32::try_from(number).ok()),
            EventKind::Finish(run) => run.time.value().and_then(|time| i32::try_from(time).ok()),
            _ => None,
        }
    }

    /// Whether a timeline should show it: of items, those that decide matches.
    pub fn is_major(&self) -> bool {
        match self.kind().group() {
            Group::Kills | Group::Flags | Group::Match | Group::Awards | Group::Chat => true,
            Group::Items => common::name_of_item(self.detail()).is_some_and(|item| common::DECISIVE_ITEMS.contains(&item)),
            Group::People | Group::Shots | Group::Scores | Group::Prints => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unknown;

    fn player(name: &str, slot: u16) -> Player {
        Player { slot: Some(slot), name: Text { raw: format!("^1{name}"), clean: name.into() }, team: None }
    }

    #[test]
    fn kills_read_as_sentences() {
        let event = |attacker: Option<Player>, headshot, team_kill| {
            let mut kill = Kill::new(attacker, player("Visor", 1), "MOD_ROCKET");
            (kill.headshot, kill.team_kill) = (headshot, team_kill);
            EventKind::Kill(kill).to_string()
        };
        assert_eq!(event(Some(player("Sarge", 0)), true, true), "Sarge killed Visor: rocket (headshot, team kill)");
        assert_eq!(event(Some(player("Visor", 0)), false, false), "Visor killed Visor: rocket", "two players of one name");
        assert_eq!(event(Some(player("Visor", 1)), false, false), "Visor killed themselves: rocket");
        assert_eq!(event(None, false, false), "Visor died: rocket");
        let mut kill = Kill::new(Some(player("Sarge", 0)), Player::unknown(None), "team");
        (kill.team_kill, kill.unknown) = (true, Some(Unknown::Victim));
        assert_eq!(EventKind::Kill(kill).to_string(), "Sarge killed somebody: team (team kill)");
        let mut kill = Kill::new(Some(Player::unknown(None)), player("Visor", 1), "");
        kill.unknown = Some(Unknown::Attacker);
        assert_eq!(EventKind::Kill(kill).to_string(), "somebody killed Visor");
    }

    #[test]
    fn names_keep_their_colors_in_pieces() {
        let kill = EventKind::Kill(Kill::new(Some(player("Sarge", 0)), player("Visor", 1), "MOD_LAVA"));
        let EventKind::Kill(Kill { attacker: Some(attacker), victim, .. }) = &kill else { unreachable!() };
        assert_eq!(kill.sentence(), pieces![&attacker.name, " killed ", &victim.name, ": lava"]);
    }

    #[test]
    fn scoreboards_are_lists() {
        let line = |name, score| Score { player: player(name, 0), score, deaths: None, ping: None, minutes: None };
        let board = |teams: &[(&'static str, i32)], players| {
            let teams = teams.iter().map(|(name, score)| (Cow::Borrowed(*name), *score)).collect();
            EventKind::Scores { teams, players }.to_string()
        };
        assert_eq!(board(&[("red", 2), ("blue", -1)], vec![line("Sarge", 3)]), "red 2, blue -1, Sarge 3");
        assert_eq!(board(&[], vec![]), "an empty scoreboard");
    }
}
