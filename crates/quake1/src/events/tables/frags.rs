//! Tables of frags: a row or two for each player, and rows for teams (`docs/formats/quake1.md`, "Printed statistics").

use std::borrow::Cow;

use fragreel_model::{Player, PlayerStats, Stat, Statement, TeamStats};

use super::keyed;
use crate::characters;
use crate::state::Game;

/// What the present rows are about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    /// Players, and totals of teams among them.
    #[default]
    Players,
    /// Teams.
    Teams,
    /// Anything else, such as the best players by figure.
    Others,
}

/// A table so far.
#[derive(Debug, Clone)]
pub(super) struct Table {
    statement: Statement,
    part: Part,
    friend_kills: bool,
    /// Which deaths the ranks of rows in one line count, if that is known.
    deaths: Option<Stat>,
    /// The team of the players in the present rows, if a heading names it.
    team: Option<String>,
    /// The player of the next row of figures. The row with the name comes first.
    next: Option<Player>,
    /// True if a player's main row was missing. The player's other rows are ignored then.
    astray: bool,
}

/// What a heading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heading {
    /// A table of players.
    Players { friend_kills: bool },
    /// Rows of teams, which may begin a table. In some tables, the ranks of players are frags less deaths by enemies.
    Teams { by_enemies: bool },
    /// Rows of something else.
    Others,
}

/// The heading in a line. Rules may be glued to it.
pub(super) fn heading(text: &str) -> Option<Heading> {
    let lower = text.to_ascii_lowercase();
    if lower.contains("frags (rank)") {
        return Some(Heading::Players { friend_kills: lower.contains("friendkills") });
    }
    let by_enemies = lower.contains("frags + (dropped)");
    if by_enemies || lower.contains("= frags of disconnected players") || lower.starts_with("team scores:") {
        return Some(Heading::Teams { by_enemies });
    }
    let ends = |tail| lower.ends_with(tail);
    (ends("match statistics:") || ends("top scorers:") || ends("top scores:")).then_some(Heading::Others)
}

impl Table {
    /// A table without rows.
    pub(super) fn new() -> Self {
        let statement = Statement::new("printed statistics");
        Table { statement, part: Part::Players, friend_kills: false, deaths: None, team: None, next: None, astray: false }
    }

    /// True while the table has no player.
    pub(super) fn is_without_players(&self) -> bool {
        self.statement.players.is_empty()
    }

    /// True once rows of something else have begun: players do not follow any more.
    pub(super) fn is_complete(&self) -> bool {
        self.part == Part::Others
    }

    /// Follows a heading.
    pub(super) fn head(&mut self, heading: Heading) {
        (self.next, self.team, self.astray) = (None, None, false);
        self.part = match heading {
            Heading::Players { friend_kills } => {
                self.friend_kills = friend_kills;
                Part::Players
            }
            Heading::Teams { by_enemies } => {
                self.deaths = self.deaths.or(by_enemies.then_some(Stat::DeathsByEnemies));
                Part::Teams
            }
            Heading::Others => Part::Others,
        };
    }

    /// Follows a row. Returns false if it is none.
    pub(super) fn row(&mut self, game: &Game, text: &str) -> bool {
        if self.part == Part::Others {
            return false;
        }
        if let Some(team) = text.strip_prefix("Team [").and_then(|rest| rest.strip_suffix("]:")) {
            (self.team, self.next) = (Some(team.to_owned()), None);
            return true;
        }
        if let Some(total) = total(text, self.part) {
            // the second Kombat Teams, which does not count a player's own deaths
            if self.part == Part::Players && total.name.starts_with('[') {
                self.deaths = self.deaths.or(Some(Stat::DeathsByPlayers));
            }
            self.teams(game, &total);
            return true;
        }
        if let Some((name, figures)) = one_line(text) {
            let player = self.player(game, name);
            self.astray = false;
            // under a heading with the team, KTPro counts every death
            let deaths = if self.team.is_some() { Some(Stat::Deaths) } else { self.deaths };
            self.statement.players.extend(frags(figures, player, self.friend_kills, deaths));
            return true;
        }
        if self.part == Part::Teams {
            return false;
        }
        if let Some(name) = text.strip_suffix(':') {
            self.next = Some(self.player(game, name));
        } else if let Some(player) = self.next.take() {
            let figures = frags(text, player, self.friend_kills, Some(Stat::Deaths));
            self.astray = figures.is_none();
            self.statement.players.extend(figures);
        } else if let Some(last) = self.statement.players.last_mut().filter(|_| !self.astray) {
            keyed::row(text, last);
        } else {
            return false;
        }
        true
    }

    /// What it states.
    pub(super) fn finish(self) -> Option<Statement> {
        Some(self.statement).filter(|statement| !statement.players.is_empty() || statement.teams.len() > 1)
    }

    fn teams(&mut self, game: &Game, total: &Total<'_>) {
        let name = total.name;
        let known = |name: &str| game.roster.iter().any(|(_, person)| characters::clean(&person.team).trim() == name);
        // a program that took the text for UTF-8 has put U+FFFD in the place of brackets
        let within = |left, right| name.strip_prefix(left).and_then(|rest: &str| rest.strip_suffix(right));
        let inner = within("[", "]").or_else(|| within("o?=", "o?="));
        let name = inner.filter(|_| !known(name)).unwrap_or(name).to_owned();
        let teams = &mut self.statement.teams;
        let at = teams.iter().position(|team| team.name == name).unwrap_or_else(|| {
            teams.push(TeamStats::new(name));
            teams.len() - 1
        });
        teams[at].stats.state(Stat::Score, total.score);
        teams[at].score_of_leavers = total.leavers.or(teams[at].score_of_leavers);
    }

    /// The player whose name ends a text, after marks and a team in brackets. Of two, the one with the longer name. Who has left has no slot.
    fn player(&self, game: &Game, text: &str) -> Player {
        let behind = |name: &str| text.strip_suffix(name).filter(|before| before.is_empty() || before.ends_with([' ', ']']));
        let names = game.roster.iter().map(|(slot, person)| (slot, characters::clean(&person.name)));
        let here = names.filter(|(_, name)| !name.trim().is_empty() && behind(name.trim()).is_some()).max_by_key(|(_, name)| name.len());
        if let Some(player) = here.and_then(|(slot, _)| game.roster.player(slot)) {
            return player;
        }
        let (team, name) = match text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            Some((team, name)) => (Some(team.to_owned()), name),
            None => (self.team.clone(), text),
        };
        // a mark of one character, and of who has left none
        let name = name.strip_prefix('.').or_else(|| name.strip_prefix('_')).unwrap_or(name).trim();
        Player { slot: None, name: fragreel_model::Text::plain(name), team: team.map(Cow::Owned) }
    }
}

/// A team's row.
#[derive(Debug, Clone, Copy)]
struct Total<'t> {
    name: &'t str,
    score: i64,
    /// What of that is of players who left, where the row says so.
    leavers: Option<i64>,
}

/// Reads a team's row: `icem: 173 + (21) = 194 frags`, `e : 28 + (0) = 28 [ 24.1% ]`, `[tot]: 92 . 29.6%`; among teams also `icem: 20`.
fn total(text: &str, part: Part) -> Option<Total<'_>> {
    let (name, rest) = text.rsplit_once(": ")?;
    let name = name.trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| words.get(at)?.parse::<i64>().ok();
    if let (Some(own), Some("+"), Some("="), Some(sum)) = (number(0), words.get(1).copied(), words.get(3).copied(), number(4)) {
        let left: i64 = words[2].trim_matches(['(', ')']).parse().ok()?;
        return (own.checked_add(left) == Some(sum)).then_some(Total { name, score: sum, leavers: Some(left) });
    }
    let alone = words.get(1).is_none_or(|next| !next.starts_with('('));
    let is_team = part == Part::Teams || name.starts_with('[') && name.ends_with(']');
    number(0).filter(|_| alone && is_team && !name.is_empty()).map(|score| Total { name, score, leavers: None })
}

/// A player's row in one line, `[tot] NAME: 31 (-17) 2 . 39.2%` or `[e] NAME  20 (-22)  32.3%`: the name with what is before it, and the figures.
fn one_line(text: &str) -> Option<(&str, &str)> {
    let open = text.match_indices(" (").map(|(at, _)| at).filter(|at| {
        let inside = text[at + 2..].split(')').next().unwrap_or_default();
        inside.parse::<i64>().is_ok()
    });
    let open = open.last()?;
    let before = text[..open].trim_end();
    let (name, score) = before.rsplit_once(' ')?;
    score.parse::<i64>().ok()?;
    let name = name.trim_end().trim_end_matches(':').trim();
    (!name.is_empty()).then(|| (name, &text[before.len() - score.len()..]))
}

/// `21 (-91) 3 15.8%`: frags, frags less deaths, mates killed in team games, efficiency. Builds differ in which deaths they count.
fn frags(text: &str, player: Player, friend_kills: bool, deaths: Option<Stat>) -> Option<PlayerStats> {
    let mut words = text.split_whitespace();
    let score: i64 = words.next()?.parse().ok()?;
    let net: i64 = words.next()?.trim_matches(['(', ')']).parse().ok()?;
    let mut line = PlayerStats::new(player);
    line.stats.state(Stat::Score, score);
    match deaths {
        Some(deaths) => line.stats.state(deaths, score.saturating_sub(net)),
        None => drop(line.other.insert(String::from("rank"), net.to_string())),
    }
    if friend_kills {
        let mates = words.next()?.parse();
        line.stats.state(Stat::TeamKills, mates.ok()?);
    }
    Some(line)
}
