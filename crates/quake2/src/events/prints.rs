//! Printed lines: deaths, chat, arrivals and departures, flags, the course of a match.

use std::borrow::Cow;

use fragreel_model::{Channel, EndCause, EventKind, Evidence, FlagAction, Kill, Kind, MatchState, PlayerStats, Stat, Statement, TeamStats, Unknown};

use super::{EventBuilder, names, obituary, results};
use crate::chars;
use crate::state::State;
use crate::walk::At;

/// The print level of chat.
const CHAT: u8 = 3;

impl EventBuilder {
    pub(super) fn print(&mut self, at: At, level: u8, raw: &[u8], state: &State) {
        let kind = if level & 7 == CHAT { self.chat(raw, state) } else { self.line(raw, state) };
        if matches!(kind, None | Some((Evidence::Stated, _))) && self.wanted.any(&[Kind::Statistics, Kind::Match, Kind::Round]) {
            self.printed(at, raw, state);
        }
        let (evidence, kind) = match kind {
            Some((evidence, kind)) => (evidence, kind),
            None if !self.wanted.has(Kind::Print) || raw.iter().all(u8::is_ascii_whitespace) => return,
            None => (Evidence::Stated, EventKind::Print { text: chars::line(raw) }),
        };
        self.emit(at, state, evidence, kind);
    }

    /// Reads results and tables that mods print.
    fn printed(&mut self, at: At, raw: &[u8], state: &State) {
        let text = chars::clean(raw);
        let table = if self.wanted.has(Kind::Statistics) { self.opentdm_stats.read(&text, |name| self.names.player(name.as_bytes())) } else { None };
        let said = self.result(text.trim_end()).or_else(|| table.map(|table| EventKind::Statistics(Box::new(table))));
        if let Some(kind) = said {
            self.emit(at, state, Evidence::Inferred, kind);
        }
    }

    /// Reads `name: text`, or `(name): text` for the team, with `[DEAD]` or `[MVD]` before either.
    fn chat(&mut self, raw: &[u8], state: &State) -> Option<(Evidence, EventKind)> {
        let plain = chars::plain(raw);
        if let Some(said) = self.clock.print(raw, state.clock.time()) {
            return Some((Evidence::Inferred, EventKind::match_end(said.state, said.cause, None)));
        }
        let mut skip = 0;
        let mut channel = Channel::Public;
        for (tag, meant) in [(&b"[MVD] "[..], Some(Channel::Spectator)), (b"[DEAD] ", None), (b"[SPEC] ", Some(Channel::Spectator))] {
            if plain[skip..].starts_with(tag) {
                skip += tag.len();
                channel = meant.unwrap_or(channel);
            }
        }
        let brackets = plain[skip..].starts_with(b"(");
        let from = skip + usize::from(brackets);
        let name = self.names.prefix(&raw[from..]).map_or_else(|| unknown_speaker(&plain[from..], brackets), <[u8]>::len);
        let after = from + name;
        let separator: &[u8] = if brackets { b"): " } else { b": " };
        let Some(rest) = plain.get(after..).filter(|rest| name > 0 && rest.starts_with(separator)).map(|_| &raw[after + separator.len()..]) else {
            return Some((Evidence::Stated, EventKind::Chat { from: None, channel: Channel::Server, text: chars::line(raw) }));
        };
        if brackets {
            channel = Channel::Team;
        }
        let from = Some(self.names.player(&raw[from..after]));
        Some((Evidence::Inferred, EventKind::Chat { from, channel, text: chars::line(rest) }))
    }

    fn line(&mut self, raw: &[u8], state: &State) -> Option<(Evidence, EventKind)> {
        let plain = chars::plain(raw);
        let line = plain.strip_suffix(b"\n").unwrap_or(&plain);
        let inferred = |kind| Some((Evidence::Inferred, kind));
        // OpenTDM's suffix.
        let (death, team_kill) = match line.strip_suffix(b" ** team kill **") {
            Some(death) => (death, true),
            None => (line, false),
        };
        if let Some(found) = obituary::read(death, |name| self.names.knows(name)) {
            // a name that several players have is nobody's
            let player = |name: &[u8]| if self.names.is_shared(name) { names::stranger(name) } else { self.names.player(name) };
            let unknown = match (
                found.attacker.filter(|name| *name != found.victim).is_some_and(|name| self.names.is_shared(name)),
                self.names.is_shared(found.victim),
            ) {
                (true, true) => return None,
                (true, false) => Some(Unknown::Attacker),
                (false, true) => Some(Unknown::Victim),
                (false, false) => None,
            };
            let attacker = found.attacker.map(player);
            let victim = player(found.victim);
            let same_team = |team: &Option<Cow<'static, str>>| team.is_some() && *team == victim.team;
            let team_kill = team_kill || attacker.as_ref().is_some_and(|attacker| attacker.name != victim.name && same_team(&attacker.team));
            let mut kill = Kill::new(attacker, victim, found.means);
            kill.unknown = unknown;
            (kill.headshot, kill.place, kill.team_kill) = (found.place == Some("head"), found.place.map(Cow::Borrowed), team_kill);
            return inferred(EventKind::Kill(kill));
        }
        if let Some(said) = self.clock.print(raw, state.clock.time()) {
            return inferred(EventKind::match_end(said.state, said.cause, None));
        }
        if let Some(name) = line.strip_suffix(b" entered the game") {
            let name = &raw[..name.len()];
            let news = self.names.entered(name);
            return if news { inferred(EventKind::Join { player: self.names.player(name) }) } else { inferred(EventKind::Print { text: chars::line(raw) }) };
        }
        if let Some(name) = line.strip_suffix(b" disconnected") {
            let player = self.names.player(&raw[..name.len()]);
            self.names.leaves(&raw[..name.len()]);
            return inferred(EventKind::Leave { player, reason: None });
        }
        self.flag(line).or_else(|| self.team(line)).and_then(inferred)
    }

    /// Reads a line about a round or the result.
    fn result(&mut self, text: &str) -> Option<EventKind> {
        use results::Line;
        let before = std::mem::take(&mut self.round_over);
        let numbered = std::mem::take(&mut self.numbered_teams);
        let said = results::read(text)?;
        let round = |winner: Option<String>| Some(EventKind::Round { number: None, started: false, winner: winner.map(Cow::Owned) });
        let mut result = Statement::new("printed result");
        match said {
            Line::RoundOver => {
                self.round_over = true;
                return None;
            }
            Line::RoundWon(name) if before => return round(Some(name)),
            Line::RoundTied if before => return round(None),
            Line::RoundWon(_) | Line::RoundTied => return None,
            Line::Numbered(teams) => {
                self.numbered_teams = Some(teams);
                return None;
            }
            Line::NumberedScores(scores) => {
                if numbered != Some(scores.len()) {
                    return None;
                }
                // the board has the names, in the same order
                let named = self.text_board.as_ref().filter(|board| board.teams.len() == scores.len());
                let name = |at: usize| named.map_or_else(|| format!("Team {}", at + 1), |board| board.teams[at].0.clone());
                result.source = "printed scores".into();
                result.teams.extend(scores.into_iter().enumerate().map(|(at, score)| side(name(at), score)));
            }
            Line::Scores(sides) => {
                result.source = "printed scores".into();
                result.teams.extend(sides.into_iter().map(|(name, score)| side(name, score)));
            }
            Line::Tie { score } => {
                result.winner = Some(Cow::Borrowed(""));
                if let (Some(score), Some([one, two])) = (score, self.two_sides()) {
                    self.state_sides(&mut result, [(one, score), (two, score)]);
                }
            }
            Line::Won { name, scores } => {
                if let (Some([won, lost]), Some(other)) = (scores, self.other_side(&name)) {
                    self.state_sides(&mut result, [(name.clone(), won), (other, lost)]);
                }
                result.winner = Some(Cow::Owned(name));
            }
            Line::ByForfeit { name } => {
                let loser = self.other_side(&name).map(Cow::Owned);
                return Some(EventKind::match_end(MatchState::Forfeited, EndCause::Forfeit, loser));
            }
        }
        Some(EventKind::Statistics(Box::new(result)))
    }

    /// The two sides of the match, by the last board: teams, or two players.
    fn two_sides(&self) -> Option<[String; 2]> {
        let board = self.text_board.as_ref()?;
        let teams = board.teams.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let sides = if teams.is_empty() { board.rows.iter().map(|row| row.name.clone()).collect() } else { teams };
        sides.try_into().ok()
    }

    /// The side that plays against this one. Boards cut names.
    fn other_side(&self, name: &str) -> Option<String> {
        let [one, two] = self.two_sides()?;
        match (name.starts_with(&one), name.starts_with(&two)) {
            (true, false) => Some(two),
            (false, true) => Some(one),
            _ => None,
        }
    }

    /// Scores of sides: of teams, or of players where the board has no teams.
    fn state_sides(&self, result: &mut Statement, sides: [(String, i64); 2]) {
        let in_teams = self.text_board.as_ref().is_some_and(|board| !board.teams.is_empty());
        for (name, score) in sides {
            if in_teams {
                result.teams.push(side(name, score));
            } else {
                let mut line = PlayerStats::new(self.names.beginning(name.as_bytes()));
                line.stats.state(Stat::Score, score);
                result.players.push(line);
            }
        }
    }

    /// Reads the flag lines of CTF.
    fn flag(&self, line: &[u8]) -> Option<EventKind> {
        let text = String::from_utf8_lossy(line);
        let (name, action, team) = flag_line(&text)?;
        Some(EventKind::Flag { team, action, player: name.map(|name| self.names.player(name.as_bytes())) })
    }

    /// Reads team changes in CTF and OpenTDM.
    fn team(&mut self, line: &[u8]) -> Option<EventKind> {
        let text = String::from_utf8_lossy(line).into_owned();
        let ctf = text.strip_suffix(" team.").and_then(|rest| rest.split_once(" joined the ").or_else(|| rest.split_once(" changed to the ")));
        let opentdm = text.strip_suffix('\'').and_then(|rest| rest.split_once(" joined team '"));
        let (name, team) = ctf.or(opentdm)?;
        let name = if self.names.knows(name.as_bytes()) { name } else { name.strip_suffix(" (captain)").unwrap_or(name) };
        let team = if ctf.is_some() { team.to_ascii_lowercase() } else { team.to_owned() };
        let from = self.names.joins_team(name.as_bytes(), Some(&team)).unwrap_or_default();
        Some(EventKind::Team { player: self.names.player(name.as_bytes()), from: Cow::Owned(from) })
    }
}

/// A side with its score.
fn side(name: String, score: i64) -> TeamStats {
    let mut team = TeamStats::new(name);
    team.stats.state(Stat::Score, score);
    team
}

/// The length of the name of an unknown speaker: up to the first separator.
fn unknown_speaker(plain: &[u8], brackets: bool) -> usize {
    let separator: &[u8] = if brackets { b"): " } else { b": " };
    plain.windows(separator.len()).position(|window| window == separator).filter(|&length| length < 32).unwrap_or(0)
}

/// The player's name, what happened, and the flag's team. Threewave CTF ends lines with an exclamation mark, Loki's Minions CTF with a full stop.
fn flag_line(text: &str) -> Option<(Option<&str>, FlagAction, Cow<'static, str>)> {
    if let Some(team) = text.strip_prefix("The ").and_then(|rest| rest.strip_suffix(" flag has returned!")) {
        return Some((None, FlagAction::Returned, team_name(team)?));
    }
    let text = text.strip_suffix(" flag!").or_else(|| text.strip_suffix(" flag."))?;
    let (front, team) = text.rsplit_once(" the ")?;
    let team = team_name(team)?;
    let (name, verb) = front.rsplit_once(' ')?;
    let action = match verb {
        "got" | "stole" => FlagAction::Taken,
        "captured" => FlagAction::Captured,
        "lost" => FlagAction::Dropped,
        "returned" => FlagAction::Returned,
        _ => return None,
    };
    Some((Some(name), action, team))
}

fn team_name(team: &str) -> Option<Cow<'static, str>> {
    ["red", "blue"].into_iter().find(|known| known.eq_ignore_ascii_case(team)).map(Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_both_mods_are_read() {
        let of = |text| flag_line(text).map(|(name, action, team)| (name, action, team.into_owned()));
        let is = |name, action, team: &str| Some((name, action, team.to_owned()));
        assert_eq!(of("Alice of the west got the BLUE flag!"), is(Some("Alice of the west"), FlagAction::Taken, "blue"));
        assert_eq!(of("Bob stole the Red flag."), is(Some("Bob"), FlagAction::Taken, "red"));
        assert_eq!(of("Bob lost the red flag."), is(Some("Bob"), FlagAction::Dropped, "red"));
        assert_eq!(of("The BLUE flag has returned!"), is(None, FlagAction::Returned, "blue"));
        assert_eq!(of("Bob helped Alice return the red flag."), None);
        assert_eq!(of("Bob captured your flag!"), None, "whose flag is not said");
    }
}
