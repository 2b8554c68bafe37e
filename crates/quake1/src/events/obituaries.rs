//! Kills from lines about deaths (`docs/formats/quake1.md`, "Death phrases").

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use fragreel_model::replay::suspects::Suspect;
use fragreel_model::replay::wording::{self, Learned, Wording};
use fragreel_model::{EventKind, Evidence, Kill, Player, Unknown};

use crate::events::deaths::{Deaths, Missing, OneSided};
use crate::events::doubts::Doubt;
use crate::events::line_names::Named;
use crate::events::obituary::{self, Obituary};
use crate::events::sink::EventSink;
use crate::phrase_file::{PhraseFile, Shape};
use crate::state::Game;
use crate::walk::lines::Line;

/// The longest name of somebody who is not on the scoreboard.
const LONGEST_NAME: usize = 31;
/// The most such names that are kept.
const MOST_STRANGERS: usize = 256;

/// Reads kills from lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Obituaries {
    /// Names in lines about kills that nobody on the scoreboard has: bots.
    strangers: BTreeSet<Vec<u8>>,
    /// Phrases that scores have shown to be about kills.
    learned: Learned,
    /// Phrases of a file.
    file: Option<Arc<PhraseFile>>,
}

impl Obituaries {
    /// Reads by the phrases of a file first.
    pub(super) fn new(file: Option<Arc<PhraseFile>>) -> Self {
        Obituaries { file, ..Obituaries::default() }
    }

    /// Emits the kill that a line states by a known phrase. Returns false if it states none.
    pub(super) fn known(&mut self, out: &mut EventSink, deaths: &mut Deaths, game: &Game, line: Line<'_>) -> bool {
        deaths.learned.drain(..).for_each(|wording| self.learned.add(wording));
        deaths.met.drain(..).for_each(|name| self.meet(game, &name));
        let text = line.text;
        if let Some(file) = self.file.clone() {
            let ends = self.names(game).filter(|name| text.starts_with(name)).map(<[u8]>::len);
            if let Some(found) = obituary::read_by(text, ends, |name| self.is_name(game, name), file.phrases()) {
                return self.tell(out, deaths, game, &found, text);
            }
        }
        // an unfinished line may precede this one
        let trimmed = Some(text.trim_ascii_start()).filter(|trimmed| trimmed.len() < text.len());
        let found = self.read(game, text).or_else(|| self.read(game, trimmed?)).or_else(|| self.read(game, obituary::behind_color(text)?));
        let Some(found) = found.or_else(|| self.of_stranger(game, line)) else { return false };
        self.tell(out, deaths, game, &found, text)
    }

    /// Holds back a line that may state a kill: its moment decides, and it is emitted as a kill or as a printed line. Returns false if it cannot.
    pub(super) fn unknown(&self, out: &mut EventSink, game: &Game, line: Line<'_>) -> bool {
        let doubt = self.in_one_piece(game, line.text).or_else(|| self.unknown_phrase(game, line));
        doubt.map(|doubt| out.doubtful(doubt, line.text)).is_some()
    }

    /// Emits a death by a known phrase.
    fn tell(&mut self, out: &mut EventSink, deaths: &mut Deaths, game: &Game, found: &Obituary<'_, '_>, line: &[u8]) -> bool {
        let (phrase, names) = (found.phrase, (found.killer.map(|name| Named::of(game, name)), found.victim.map(|name| Named::of(game, name))));
        let one = |named: &Option<Named>| named.as_ref().map(|named| named.one().cloned());
        let (killer, victim) = match (one(&names.0), one(&names.1)) {
            (Some(None), _) | (_, Some(None)) if names_two_or_its_victim(phrase.shape) => {
                let suspects = names.0.filter(|_| phrase.shape != Shape::Suicide).map(Named::all).unwrap_or_default();
                let suspects = suspects.into_iter().map(|player| Suspect { player, wording: None }).collect();
                let victims = names.1.map(Named::all).unwrap_or_default();
                let doubt = Doubt { shape: phrase.shape, means: Cow::Owned(phrase.means.to_owned()), is_kill: true, ..Doubt::new(game, suspects, victims) };
                out.doubtful(doubt, line);
                return true;
            }
            (killer, victim) => (killer.flatten(), victim.flatten()),
        };
        [found.killer, found.victim].into_iter().flatten().for_each(|name| self.meet(game, name));
        deaths.line(out.now(), victim.as_ref().and_then(|player| player.slot));
        let means = phrase.means.to_owned();
        match (phrase.shape, killer, victim) {
            (Shape::OfSomebody, Some(killer), _) => {
                let mut kill = Kill::new(Some(killer), Player::unknown(None), means);
                kill.unknown = Some(Unknown::Victim);
                deaths.scores.explain(&kill);
                out.emit(Evidence::Inferred, EventKind::Kill(kill));
            }
            (Shape::SomeTeamMate, Some(killer), _) => {
                let victim = Player::unknown(killer.team.clone());
                team_kill(out, game, Kill::new(Some(killer), victim, means), Missing::Victim);
            }
            (Shape::BySomeTeamMate, _, Some(victim)) => {
                let killer = Player::unknown(victim.team.clone());
                team_kill(out, game, Kill::new(Some(killer), victim, means), Missing::Attacker);
            }
            (Shape::BySomebody, _, Some(victim)) => {
                let mut kill = Kill::new(Some(Player::unknown(None)), victim, means);
                kill.unknown = Some(Unknown::Attacker);
                out.emit(Evidence::Inferred, EventKind::Kill(kill));
            }
            (shape, killer, Some(victim)) => {
                let mates = killer.as_ref().is_some_and(|killer| killer.team.is_some() && killer.team == victim.team && killer != &victim);
                let mut kill = Kill::new(killer, victim, means);
                kill.team_kill = matches!(shape, Shape::OfTeamMate | Shape::ByTeamMate) || mates && game.level.has_teams();
                deaths.scores.explain(&kill);
                out.emit(Evidence::Inferred, EventKind::Kill(kill));
            }
            _ => return false,
        }
        true
    }

    /// The death that a line states, by the names on the scoreboard and of strangers.
    fn read<'l>(&self, game: &Game, line: &'l [u8]) -> Option<Obituary<'l, 'static>> {
        if let Some(name) = obituary::deflected(line) {
            return Some(Obituary { killer: Some(name), victim: Some(name), phrase: obituary::DEFLECTED });
        }
        let ends = self.names(game).filter(|name| line.starts_with(name)).map(<[u8]>::len);
        obituary::read(line, ends, |name| self.is_name(game, name))
    }

    /// A line about a stranger, whose phrase begins a piece of its own.
    fn of_stranger<'l>(&self, game: &Game, line: Line<'l>) -> Option<Obituary<'l, 'static>> {
        let text = line.text;
        let begins = |end: &usize| *end <= LONGEST_NAME && text.get(*end).is_some_and(|byte| matches!(byte & 127, b' ' | b'\''));
        let found = obituary::read(text, line.pieces.iter().copied().filter(begins), |name| self.is_name(game, name))?;
        let (killer, victim) = (found.killer?, found.victim?);
        // the second name is known, or begins a piece as well
        let stands = |name: &[u8]| {
            let at = name.as_ptr().addr() - text.as_ptr().addr();
            at == 0 || self.is_name(game, name) || line.pieces.contains(&at)
        };
        (killer != victim && stands(killer) && stands(victim)).then_some(found)
    }

    /// A line in one piece about a stranger: a kill if the score of the player rises whom it names as the killer.
    fn in_one_piece(&self, game: &Game, line: &[u8]) -> Option<Doubt> {
        let on_board = game.roster.iter().map(|(_, person)| &person.name[..]);
        let (at, name) = wording::within(line, on_board).max_by_key(|(_, name)| name.len())?;
        let starts = line.iter().enumerate().take(LONGEST_NAME.min(at)).skip(1);
        let ends = starts.filter(|(_, byte)| matches!(*byte & 127, b' ' | b'\'')).map(|(end, _)| end);
        let found = obituary::read(line, ends, |name| self.is_name(game, name)).filter(|found| found.killer == Some(name) && found.victim != Some(name))?;
        let suspects = Named::of(game, name).all().into_iter().map(|player| Suspect { player, wording: None }).collect();
        let victims = Named::of(game, found.victim?).all();
        Some(Doubt { means: found.phrase.means.into(), stranger: found.victim.map(<[u8]>::to_vec), ..Doubt::new(game, suspects, victims) })
    }

    /// A line that names two players, the second of whom may have killed the first.
    fn unknown_phrase(&self, game: &Game, line: Line<'_>) -> Option<Doubt> {
        let text = line.text;
        let end = self.names(game).filter(|name| text.starts_with(name)).map(<[u8]>::len).max().or_else(|| {
            let begins = |end: &usize| *end <= LONGEST_NAME && text.get(*end) == Some(&b' ');
            line.pieces.iter().copied().find(begins)
        })?;
        let (victim, rest) = text.split_at(end);
        let pieces: Vec<usize> = line.pieces.iter().filter_map(|at| at.checked_sub(end)).collect();
        let mut found = wording::second_names(rest, &pieces, self.names(game));
        found.retain(|(name, _)| *name != victim || Named::of(game, victim).one().is_none());
        let is_kill = found.iter().any(|(_, wording)| self.learned.has(wording));
        found.retain(|(_, wording)| !is_kill || self.learned.has(wording));
        let each =
            |(name, wording): (&[u8], Wording)| Named::of(game, name).all().into_iter().map(move |player| Suspect { player, wording: Some(wording.clone()) });
        let suspects: Vec<Suspect> = found.into_iter().flat_map(each).collect();
        (!suspects.is_empty()).then(|| Doubt { is_kill, stranger: Some(victim.to_vec()), ..Doubt::new(game, suspects, Named::of(game, victim).all()) })
    }

    /// The names on the scoreboard and of strangers.
    fn names<'n>(&'n self, game: &'n Game) -> impl Iterator<Item = &'n [u8]> {
        game.roster.iter().map(|(_, person)| &person.name[..]).chain(self.strangers.iter().map(Vec::as_slice))
    }

    fn is_name(&self, game: &Game, name: &[u8]) -> bool {
        game.roster.iter().any(|(_, person)| person.name == name) || self.strangers.contains(name)
    }

    /// Keeps a name of a line about a kill that nobody on the scoreboard has.
    fn meet(&mut self, game: &Game, name: &[u8]) {
        if self.strangers.len() < MOST_STRANGERS && name.len() <= LONGEST_NAME && !self.is_name(game, name) {
            self.strangers.insert(name.to_vec());
        }
    }
}

/// True for phrases with a victim's name and, unless it was the world, a killer's.
fn names_two_or_its_victim(shape: Shape) -> bool {
    !matches!(shape, Shape::SomeTeamMate | Shape::BySomeTeamMate | Shape::BySomebody | Shape::OfSomebody)
}

/// Emits a kill whose line names one side. Other evidence of the moment gives the other.
fn team_kill(out: &mut EventSink, game: &Game, mut kill: Kill, missing: Missing) {
    let named = match missing {
        Missing::Victim => kill.attacker.as_ref(),
        Missing::Attacker => Some(&kill.victim),
    };
    kill.team_kill = true;
    match named.and_then(|player| player.slot) {
        Some(slot) => out.one_sided(Evidence::Inferred, OneSided::new(game, slot as u8, missing), EventKind::Kill(kill)),
        None => {
            kill.unknown = Some(missing.into());
            out.emit(Evidence::Inferred, EventKind::Kill(kill));
        }
    }
}
