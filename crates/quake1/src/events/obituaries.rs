//! Kills from lines about deaths.

use fragreel_model::{EventKind, Evidence, Kill, Player, Unknown};

use crate::events::deaths::{Deaths, OneSided};
use crate::events::obituary::{self, Obituary, Shape};
use crate::events::sink::EventSink;
use crate::state::Game;

/// Emits the kill that a line states. Returns false if it states none.
pub(super) fn line(out: &mut EventSink, deaths: &mut Deaths, game: &Game, line: &[u8]) -> bool {
    // an unfinished line may precede this one
    let found = read(game, line).or_else(|| read(game, line.trim_ascii_start())).or_else(|| read(game, obituary::behind_color(line)?));
    let Some(found) = found else { return false };
    let killer = found.killer.map(|name| game.roster.named(name));
    let victim = found.victim.map(|name| game.roster.named(name));
    deaths.line(out.now(), victim.as_ref().and_then(|player| player.slot));
    match (found.phrase.shape, killer, victim) {
        (Shape::SomeTeamMate, Some(killer), _) => {
            let victim = Player::unknown(killer.team.clone());
            team_kill(out, game, Kill::new(Some(killer), victim, found.phrase.means), Unknown::Victim);
        }
        (Shape::BySomeTeamMate, _, Some(victim)) => {
            let killer = Player::unknown(victim.team.clone());
            team_kill(out, game, Kill::new(Some(killer), victim, found.phrase.means), Unknown::Attacker);
        }
        (Shape::BySomebody, _, Some(victim)) => {
            let mut kill = Kill::new(Some(Player::unknown(None)), victim, found.phrase.means);
            kill.unknown = Some(Unknown::Attacker);
            out.emit(Evidence::Inferred, EventKind::Kill(kill));
        }
        (shape, killer, Some(victim)) => {
            let mates = killer.as_ref().is_some_and(|killer| killer.team.is_some() && killer.team == victim.team && killer != &victim);
            let mut kill = Kill::new(killer, victim, found.phrase.means);
            kill.team_kill = matches!(shape, Shape::OfTeamMate | Shape::ByTeamMate) || mates && game.level.has_teams();
            out.emit(Evidence::Inferred, EventKind::Kill(kill));
        }
        _ => return false,
    }
    true
}

/// Emits a kill whose line names one side. Other evidence of the moment gives the other.
fn team_kill(out: &mut EventSink, game: &Game, mut kill: Kill, missing: Unknown) {
    let named = match missing {
        Unknown::Victim => kill.attacker.as_ref(),
        Unknown::Attacker => Some(&kill.victim),
    };
    kill.team_kill = true;
    match named.and_then(|player| player.slot) {
        Some(slot) => out.one_sided(Evidence::Inferred, OneSided::new(game, slot as u8, missing), EventKind::Kill(kill)),
        None => {
            kill.unknown = Some(missing);
            out.emit(Evidence::Inferred, EventKind::Kill(kill));
        }
    }
}

/// The death that a line states, by the names on the scoreboard.
fn read<'l>(game: &Game, line: &'l [u8]) -> Option<Obituary<'l>> {
    if let Some(name) = obituary::deflected(line) {
        return Some(Obituary { killer: Some(name), victim: Some(name), phrase: &obituary::DEFLECTED });
    }
    let is_name = |bytes: &[u8]| game.roster.iter().any(|(_, person)| person.name == bytes);
    let ends = game.roster.iter().filter(|(_, person)| line.starts_with(&person.name)).map(|(_, person)| person.name.len());
    obituary::read(line, ends, is_name)
}
