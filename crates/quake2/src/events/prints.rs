//! Printed lines: deaths, chat, arrivals and departures, flags, the course of a match.

use std::borrow::Cow;

use fragreel_model::replay::suspects::Suspect;
use fragreel_model::replay::wording::{self, Wording};
use fragreel_model::{Channel, EndCause, EventKind, Evidence, FlagAction, Kind, MatchState, PlayerStats, Stat, Statement, TeamStats};

use super::doubts::{self, Doubt};
use super::{EventBuilder, obituary, results};
use crate::chars;
use crate::state::State;
use crate::walk::At;

/// The print level of chat.
const CHAT: u8 = 3;

impl EventBuilder {
    pub(super) fn print(&mut self, at: At, level: u8, raw: &[u8], state: &State) {
        let is_chat = level & 7 == CHAT;
        if !is_chat && let Some(doubt) = self.death(raw) {
            return self.doubtful(at, doubt, raw, state);
        }
        let kind = if is_chat { self.chat(raw, state) } else { self.line(raw, state) };
        let mut is_read = kind.is_some();
        if matches!(kind, None | Some((Evidence::Stated, _))) && self.wanted.any(&[Kind::Statistics, Kind::Match, Kind::Round]) {
            is_read |= self.printed(at, raw, state);
        }
        if !is_read
            && self.wanted.any(&[Kind::Kill, Kind::Print])
            && let Some(doubt) = self.unknown_phrase(raw)
        {
            return self.doubtful(at, doubt, raw, state);
        }
        let (evidence, kind) = match kind {
            Some((evidence, kind)) => (evidence, kind),
            None if !self.wanted.has(Kind::Print) || raw.iter().all(u8::is_ascii_whitespace) => return,
            None => (Evidence::Stated, EventKind::Print { text: chars::line(raw) }),
        };
        self.emit(at, state, evidence, kind);
    }

    /// Reads results and tables that mods print. Returns whether the line is one.
    fn printed(&mut self, at: At, raw: &[u8], state: &State) -> bool {
        let text = chars::clean(raw);
        let table = if self.wanted.has(Kind::Statistics) { self.opentdm_stats.read(&text, |name| self.names.player(name.as_bytes())) } else { None };
        let said = self.result(text.trim_end()).or_else(|| table.map(|table| EventKind::Statistics(Box::new(table))));
        let Some(kind) = said else { return false };
        self.emit(at, state, Evidence::Inferred, kind);
        true
    }

    /// A death by a known phrase. It is certain if every name is that of one player.
    fn death(&self, raw: &[u8]) -> Option<Doubt> {
        let plain = chars::plain(raw);
        let line = plain.strip_suffix(b"\n").unwrap_or(&plain);
        // OpenTDM's suffix
        let (death, team_kill) = line.strip_suffix(b" ** team kill **").map_or((line, false), |death| (death, true));
        let found = obituary::read(death, |name| self.names.knows(name))?;
        let victims = self.names.all(found.victim);
        // the name of the victim is a suicide, unless another player has it and the phrase is of two
        let own = found.attacker == Some(found.victim) && (found.is_own || victims.len() == 1);
        let killers = found.attacker.filter(|_| !own).map(|name| self.names.all(name)).unwrap_or_default();
        let suspects = killers.into_iter().map(|player| Suspect { player, wording: None }).collect();
        Some(Doubt { suspects, victims, means: Cow::Borrowed(found.means), place: found.place, team_kill, is_kill: true, own })
    }

    /// A line that names two players, the second of whom may have killed the first.
    fn unknown_phrase(&self, raw: &[u8]) -> Option<Doubt> {
        let plain = chars::plain(raw);
        let line = plain.strip_suffix(b"\n").unwrap_or(&plain);
        let names: Vec<Cow<'_, [u8]>> = self.names.plain().collect();
        let end = names.iter().filter(|name| line.starts_with(name)).map(|name| name.len()).max()?;
        let (victim, rest) = line.split_at(end);
        let mut found = wording::second_names(rest, &[], names.iter().map(|name| &name[..]));
        let victims = self.names.all(victim);
        found.retain(|(name, _)| *name != victim || victims.len() > 1);
        // players of one name are found once each
        found.dedup();
        let is_kill = found.iter().any(|(_, wording)| self.learned.has(wording));
        found.retain(|(_, wording)| !is_kill || self.learned.has(wording));
        let each = |(name, wording): (&[u8], Wording)| {
            let all = self.names.all(name).into_iter();
            all.map(move |player| Suspect { player, wording: Some(wording.clone()) })
        };
        let suspects: Vec<Suspect> = found.into_iter().flat_map(each).collect();
        let doubt = Doubt { suspects, victims, means: Cow::Borrowed(doubts::UNKNOWN), place: None, team_kill: false, is_kill, own: false };
        (!doubt.suspects.is_empty()).then_some(doubt)
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
            self.arena.retain(|one| *one != player.name.clean);
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
            Line::InArena(name) => {
                self.arena.retain(|one| *one != name);
                self.arena.push(name);
                return None;
            }
            Line::Fight => return Some(EventKind::Round { number: None, started: true, winner: None }),
            Line::Defeated(name) => {
                let was_there = self.arena.contains(&name);
                self.arena.retain(|one| *one != name);
                // without both of them, the recording does not show whom the player fought
                return round(if let ([other], true) = (&self.arena[..], was_there) { Some(other.clone()) } else { None });
            }
            Line::Numbered(teams) => {
                self.numbered_teams = Some(teams);
                return None;
            }
            Line::NumberedScores(scores) => {
                if numbered != Some(scores.len()) {
                    return None;
                }
                // the last scores with names, or the board, have the same order
                let board = self.text_board.iter().map(|board| board.teams.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>());
                let named = std::iter::once(self.sides.clone()).chain(board).find(|names| names.len() == scores.len());
                let name = |at: usize| named.as_ref().map_or_else(|| format!("Team {}", at + 1), |names| names[at].clone());
                result.source = "printed scores".into();
                result.teams.extend(scores.into_iter().enumerate().map(|(at, score)| side(name(at), score)));
            }
            Line::Scores(sides) => {
                self.sides = sides.iter().map(|(name, _)| name.clone()).collect();
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
