//! Scores: the boards that servers send on request, in each mod's form, and team scores that change
//! (`docs/formats/quake3-events.md`, "Scoreboards").

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, Kind, Score};

use super::sink::EventSink;
use crate::game::Game;
use crate::state::State;
use crate::strings::{Words, info, number};
use crate::walk::Roster;

/// A form of scoreboard: a head, then the same number of words for each player.
#[derive(Debug)]
struct Form {
    command: &'static str,
    /// Words before the first player.
    head: usize,
    /// Where the head has the number of players.
    count: usize,
    /// Where the head has the scores of red and blue.
    teams: Option<usize>,
    /// Words per player; 0 when the words are divided evenly.
    stride: usize,
    at: Places,
}

/// Where the words for a player have what.
#[derive(Debug, Clone, Copy)]
struct Places {
    client: usize,
    score: usize,
    ping: Option<usize>,
    minutes: Option<usize>,
    deaths: Option<usize>,
}

const fn places(score: usize, deaths: usize) -> Places {
    let deaths = if deaths == 0 { None } else { Some(deaths) };
    Places { client: 0, score, ping: Some(score + 1), minutes: Some(score + 2), deaths }
}

const STOCK: Form = Form { command: "scores", head: 3, count: 0, teams: Some(1), stride: 14, at: places(1, 0) };

/// Every form. The one whose length fits the number of players exactly is the one meant.
static FORMS: &[Form] = &[
    STOCK,
    // up to protocol 45
    Form { stride: 6, ..STOCK },
    // OpenArena: the head holds the round's start
    Form { head: 4, stride: 15, ..STOCK },
    // Quake Live up to protocol 90
    Form { stride: 18, at: places(1, 16), ..STOCK },
    // Quake III Arena 1.25
    Form { stride: 15, ..STOCK },
    // DeFRaG: times instead of scores
    Form { head: 4, stride: 4, teams: None, at: Places { client: 0, score: 1, ping: Some(2), minutes: None, deaths: None }, ..STOCK },
    // CPMA
    Form { command: "xscores", head: 1, teams: None, stride: 7, at: Places { client: 0, score: 1, ping: None, minutes: Some(3), deaths: None }, ..STOCK },
    // Quake Live
    Form { command: "scores_ffa", stride: 18, at: places(1, 14), ..STOCK },
    Form { command: "scores_duel", head: 1, teams: None, stride: 0, at: places(1, 5), ..STOCK },
    Form { command: "scores_race", head: 1, teams: None, stride: 4, at: places(1, 0), ..STOCK },
    Form { command: "scores_ca", stride: 16, at: places(2, 6), ..STOCK },
    Form { command: "scores_ca", stride: 17, at: places(3, 7), ..STOCK },
    Form { command: "smscores", stride: 17, at: Places { client: 0, score: 1, ping: Some(2), minutes: Some(3), deaths: Some(9) }, ..STOCK },
    Form { command: "scores_tdm", head: 31, count: 28, teams: Some(29), stride: 15, at: places(2, 6) },
    Form { command: "scores_tdm", head: 31, count: 28, teams: Some(29), stride: 16, at: places(3, 7) },
    Form { command: "scores_tdm", head: 29, count: 28, teams: None, stride: 16, at: places(3, 7) },
    Form { command: "scores_ft", head: 31, count: 28, teams: Some(29), stride: 17, at: places(2, 6) },
    Form { command: "scores_ft", head: 31, count: 28, teams: Some(29), stride: 18, at: places(3, 7) },
    Form { command: "scores_ft", head: 29, count: 28, teams: None, stride: 18, at: places(3, 7) },
    Form { command: "scores_ctf", head: 37, count: 34, teams: Some(35), stride: 17, at: places(2, 6) },
    Form { command: "scores_ctf", head: 37, count: 34, teams: Some(35), stride: 19, at: places(3, 7) },
    Form { command: "scores_ctf", head: 35, count: 34, teams: None, stride: 19, at: places(3, 7) },
    Form { command: "scores_rr", stride: 18, at: Places { client: 0, score: 1, ping: Some(3), minutes: Some(4), deaths: Some(6) }, ..STOCK },
    Form { command: "scores_rr", stride: 19, at: Places { client: 0, score: 1, ping: Some(3), minutes: Some(4), deaths: Some(6) }, ..STOCK },
    Form { command: "rrscores", stride: 19, at: Places { client: 0, score: 1, ping: Some(3), minutes: Some(4), deaths: Some(17) }, ..STOCK },
];

/// Most players that any game has.
const MOST: usize = 128;

/// Reads a scoreboard command. `teams` are the team scores from strings, for boards that do not state their own.
pub(super) fn board(command: &[u8], words: Words<'_>, players: &Roster, teams: Option<TeamScores>) -> Option<EventKind> {
    let mut forms = FORMS.iter().filter(|form| form.command.as_bytes() == command).peekable();
    forms.peek()?;
    let words: Vec<&[u8]> = words.collect();
    let at = |index: usize| words.get(index).map(|word| number(word));
    let (form, count, stride) = forms.find_map(|form| {
        let count = usize::try_from(at(form.count)?).ok().filter(|&count| count <= MOST)?;
        let rest = words.len().checked_sub(form.head)?;
        let stride = if form.stride == 0 { rest.checked_div(count).unwrap_or(1) } else { form.stride };
        (stride > form.at.score && rest == count * stride).then_some((form, count, stride))
    })?;
    let own = form.teams.and_then(|place| Some([Some(at(place)?), Some(at(place + 1)?)]));
    let teams = teams.map(|stated| named(own.unwrap_or(stated))).unwrap_or_default();
    let line = |player: usize| {
        let of = |place: usize| at(form.head + player * stride + place);
        let client = u32::try_from(of(form.at.client)?).ok().filter(|&client| players.has_slot(client))?;
        // the place of a player who left, or the mark of one who gave up: no score
        if of(form.at.score)? == FORFEITED {
            return None;
        }
        Some(Score {
            player: players.player(client),
            score: of(form.at.score)?,
            deaths: form.at.deaths.and_then(of),
            ping: form.at.ping.map_or_else(|| words.get(form.head + player * stride + 2).and_then(|word| letters(word)), of),
            minutes: form.at.minutes.and_then(of),
        })
    };
    Some(EventKind::Scores { teams, players: (0..count).filter_map(line).collect() })
}

/// CPMA's `dmscores`: the first and second player, whose scores CPMA's string has in the places of blue and red.
pub(super) fn ranks(command: &[u8], mut words: Words<'_>, players: &Roster, stated: TeamScores) -> Option<EventKind> {
    if command != b"dmscores" {
        return None;
    }
    let mut line = |score: Option<i32>| {
        let client = u32::try_from(number(words.next()?)).ok().filter(|&client| players.has_slot(client))?;
        Some(Score { player: players.player(client), score: score?, deaths: None, ping: None, minutes: None })
    };
    let lines = [line(stated[1]), line(stated[0])];
    Some(EventKind::Scores { teams: Vec::new(), players: lines.into_iter().flatten().collect() })
}

/// The ping in CPMA's letters: `a` to `z` and `A` to `Z` are digits; the third and the fourth are the ping, in base 32.
fn letters(word: &[u8]) -> Option<i32> {
    let digit = |at: usize| match *word.get(at)? {
        letter @ b'a'..=b'z' => Some(i32::from(letter - b'a')),
        letter @ b'A'..=b'Z' => Some(i32::from(letter - b'A') + 26),
        _ => None,
    };
    Some(digit(2)? * 32 + digit(3)?)
}

/// The scores of red and blue, where stated.
pub(super) type TeamScores = [Option<i32>; 2];

fn named(scores: TeamScores) -> Vec<(Cow<'static, str>, i32)> {
    ["red", "blue"].into_iter().zip(scores).filter_map(|(team, score)| Some((Cow::Borrowed(team), score?))).collect()
}

/// The side whose score rose: 0 for red, 1 for blue.
pub(super) fn risen(before: TeamScores, after: TeamScores) -> Option<usize> {
    (0..2).find(|&team| matches!((before[team], after[team]), (Some(before), Some(after)) if after > before))
}

/// No player, in a score string.
const NOBODY: i32 = -9999;
/// The score of a player who left a duel, in Quake Live.
const FORFEITED: i32 = -999;

/// The scores from strings.
#[derive(Debug, Default)]
pub(super) struct ScoreTracker {
    stated: TeamScores,
    told: TeamScores,
    /// The score of the player whose view it is, and that player's slot.
    own: Option<(u32, i32)>,
    /// The score of the other duellist.
    other: Option<i32>,
}

impl ScoreTracker {
    /// The scores of red and blue.
    pub(super) fn teams(&self) -> TeamScores {
        self.stated
    }

    pub(super) fn start_level(&mut self, state: &State, game: &Game) {
        for index in [game.strings.scores, game.strings.scores + 1].into_iter().chain(game.strings.cpma.map(|(game, _)| game)) {
            self.changed(state, game, index);
        }
        self.told = self.stated;
    }

    /// Reports the scores that a match has when the recording begins.
    pub(super) fn opening(&self, out: &mut EventSink) {
        for (team, score) in named(self.stated).into_iter().filter(|(_, score)| *score != 0) {
            out.push(Evidence::Stated, Kind::Score, || EventKind::Score { player: None, team: Some(team), score });
        }
    }

    /// The string at `index` changed.
    pub(super) fn changed(&mut self, state: &State, game: &Game, index: usize) {
        let stated = |text: &[u8]| Some(number(text)).filter(|&score| !text.is_empty() && score != NOBODY && score != FORFEITED);
        match game.strings.cpma {
            // either of CPMA's strings is right when it is sent
            Some((of_game, of_round)) if index == of_game || index == of_round => {
                let string = state.string(index);
                self.stated = [stated(info(string, "sr")), stated(info(string, "sb"))];
            }
            None if index == game.strings.scores => self.stated[0] = stated(state.string(index)),
            None if index == game.strings.scores + 1 => self.stated[1] = stated(state.string(index)),
            _ => {}
        }
    }

    /// All commands of a message are known. Returns the team whose score rose.
    pub(super) fn update(&mut self, in_teams: bool, out: &mut EventSink) -> Option<usize> {
        let before = std::mem::replace(&mut self.told, self.stated);
        if !in_teams {
            return None;
        }
        for (at, team) in ["red", "blue"].into_iter().enumerate() {
            if let (true, Some(score)) = (before[at] != self.stated[at], self.stated[at]) {
                out.push(Evidence::Stated, Kind::Score, || EventKind::Score { player: None, team: Some(Cow::Borrowed(team)), score });
            }
        }
        risen(before, self.stated)
    }

    /// In a duel the strings have both scores, and the view has one: the other is the other duellist's.
    pub(super) fn other_duellist(&mut self, own: u32, score: i32, state: &State, game: &Game, players: &Roster, out: &mut EventSink) {
        let [Some(first), Some(second)] = self.stated else { return };
        let other = match score {
            _ if score == first => second,
            _ if score == second => first,
            _ => return,
        };
        if self.other == Some(other) {
            return;
        }
        let mut playing = players.slots().filter(|(_, person)| person.is_some_and(|person| !person.is_spectator()));
        let (Some((a, _)), Some((b, _)), None) = (playing.next(), playing.next(), playing.next()) else { return };
        let (a, b) = (a as u32, b as u32);
        // last, because it reads the server information
        if (own != a && own != b) || !game.is_duel(state) {
            return;
        }
        self.other = Some(other);
        let slot = if own == a { b } else { a };
        out.push(Evidence::Inferred, Kind::Score, || EventKind::Score { player: Some(players.player(slot)), team: None, score: other });
    }

    /// The player in `slot`, whose view it is, has this score.
    pub(super) fn player_score(&mut self, slot: u32, score: i32, players: &Roster, out: &mut EventSink) {
        if matches!(score, NOBODY | FORFEITED) {
            return;
        }
        let before = self.own.replace((slot, score));
        if before.is_some_and(|(whose, last)| whose == slot && last != score) && players.has_slot(slot) {
            out.push(Evidence::Stated, Kind::Score, || EventKind::Score { player: Some(players.player(slot)), team: None, score });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::roster::tests::roster;

    /// Team scores, then client, score, ping, minutes and deaths of each player.
    type Read = (Vec<i32>, Vec<(u16, i32, Option<i32>, Option<i32>, Option<i32>)>);

    fn read(line: &str) -> Option<Read> {
        let mut words = Words::new(line.as_bytes());
        let command = words.next().unwrap();
        let EventKind::Scores { teams, players } = board(command, words, &roster(&["a", "b"]), Some([None, None]))? else { panic!() };
        let players = players.iter().map(|line| (line.player.slot.unwrap(), line.score, line.ping, line.minutes, line.deaths)).collect();
        Some((teams.iter().map(|(_, score)| *score).collect(), players))
    }

    #[test]
    fn each_mod_has_its_form() {
        let zeros = |count: usize| " 0".repeat(count);
        let two = |head: &str, a: &str, b: &str, rest: usize| format!("{head} {a}{} {b}{}", zeros(rest), zeros(rest));
        let plain = (vec![5, 6], vec![(3, 20, Some(50), Some(7), None), (4, 19, Some(60), Some(8), None)]);
        assert_eq!(read(&two("scores 2 5 6", "3 20 50 7", "4 19 60 8", 10)), Some(plain.clone()), "stock");
        assert_eq!(read(&two("scores 2 5 6", "3 20 50 7", "4 19 60 8", 2)), Some(plain.clone()), "early");
        assert_eq!(read(&two("scores 2 5 6 7000", "3 20 50 7", "4 19 60 8", 11)), Some(plain.clone()), "OpenArena");
        let one = (vec![5, 6], vec![(3, 20, Some(50), Some(7), Some(9))]);
        assert_eq!(read(&format!("scores 1 5 6 3 20 50 7{} 9 0", zeros(12))), Some(one.clone()), "Quake Live");
        assert_eq!(read(&format!("scores_ca 1 5 6 3 1 20 50 7 12 9{}", zeros(9))), Some(one.clone()));
        assert_eq!(read(&format!("scores_ca 1 5 6 3 1 0 20 50 7 12 9{}", zeros(9))), Some(one.clone()));
        assert_eq!(read(&format!("scores_tdm{} 1 5 6 3 1 20 50 7 12 9{}", zeros(28), zeros(8))), Some(one.clone()));
        assert_eq!(read(&format!("scores_ctf{} 1 5 6 3 1 0 20 50 7 12 9{}", zeros(34), zeros(11))), Some(one.clone()));
        assert_eq!(read(&format!("scores_ffa 1 5 6 3 20 50 7{} 9 0 0 0", zeros(10))), Some(one.clone()));
        assert_eq!(read(&format!("scores_rr 1 5 6 3 20 2 50 7 12 9{}", zeros(11))), Some(one));
        assert_eq!(read(&format!("scores_duel 1 3 20 50 7 12 9{}", zeros(90))).unwrap().1, [(3, 20, Some(50), Some(7), Some(9))]);
        assert_eq!(read("xscores 1 3 20 abbaaAbiaaaa 7 0 0 0").unwrap().1, [(3, 20, Some(32), Some(7), None)], "CPMA");
        assert_eq!(read("scores 1 1609 9 \"\" 3 49344 24 -1").unwrap().1, [(3, 49344, Some(24), None, None)], "DeFRaG");
    }

    #[test]
    fn duels_of_cpma_rank_by_a_string() {
        let read = |line: &str| {
            let mut words = Words::new(line.as_bytes());
            let command = words.next().unwrap();
            let EventKind::Scores { players, .. } = ranks(command, words, &roster(&["a", "b", "c"]), [Some(-3), Some(17)])? else { panic!() };
            Some(players.iter().map(|line| (line.player.slot.unwrap(), line.score)).collect::<Vec<_>>())
        };
        assert_eq!(read("dmscores 1 2 0 44 -1"), Some(vec![(1, 17), (2, -3)]));
        assert_eq!(read("dmscores 1 -1"), Some(vec![(1, 17)]));
        assert_eq!((read("dmscores"), read("scores 1 2")), (Some(Vec::new()), None));
    }

    #[test]
    fn players_who_left_a_duel_have_no_score() {
        let zeros = " 0".repeat(86);
        let line = format!("scores_duel 2 0 3 30 10 12{zeros} 5 -999 0 0 0{zeros}");
        let mut words = Words::new(line.as_bytes());
        let command = words.next().unwrap();
        let Some(EventKind::Scores { players, .. }) = board(command, words, &roster(&["a", "b"]), None) else { panic!() };
        assert_eq!(players.iter().map(|line| (line.player.slot, line.score)).collect::<Vec<_>>(), [(Some(0), 3)]);
    }

    #[test]
    fn boards_that_fit_no_form_are_left_alone() {
        for line in ["scores", "scores 2 5 6 1 2 3", "scores -1 0 0", "scores 99999999 0 0", "scores_duel 0", "xscores 1", "scores_x 1"] {
            assert_eq!(read(line).filter(|board| !board.1.is_empty()), None, "{line}");
        }
        // players that there cannot be
        assert_eq!(read("xscores 1 777 20 abba 7 0 0 0").unwrap().1, []);
    }
}
