//! Events as comma-separated values.

use std::io::{self, Write};

use fragreel::model::{Event, EventKind, Evidence, Player};

use super::{filter, sentence};
use crate::cells;

/// The columns, in order; docs/json.md says what is in them.
const COLUMNS: [&str; 17] = [
    "path",
    "time",
    "server_time",
    "match_time",
    "message",
    "evidence",
    "kind",
    "player",
    "player_slot",
    "player_team",
    "other",
    "other_slot",
    "other_team",
    "detail",
    "value",
    "marks",
    "text",
];

/// The line of headings.
pub fn headings() -> String {
    COLUMNS.join(",")
}

/// Writes the line of headings.
pub fn head(output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "{}", headings())
}

/// Writes lines into memory.
pub struct Rows {
    /// Whether cells may look like formulas.
    pub formulas: bool,
}

impl Rows {
    /// Writes the line of an event.
    pub fn push(&self, text: &mut Vec<u8>, path: &str, event: &Event) {
        let evidence = match event.evidence {
            Evidence::Stated => "stated",
            Evidence::Inferred => "inferred",
        };
        let [player, player_slot, player_team] = person(filter::subject(&event.kind));
        let [other, other_slot, other_team] = person(object(&event.kind));
        let row: [&str; COLUMNS.len()] = [
            path,
            &event.time.0.to_string(),
            &event.server_time.0.to_string(),
            &event.match_time.map(|time| time.0.to_string()).unwrap_or_default(),
            &event.message.to_string(),
            evidence,
            event.kind.kind().name(),
            &player,
            &player_slot,
            &player_team,
            &other,
            &other_slot,
            &other_team,
            detail(&event.kind),
            &value(&event.kind).map(|value| value.to_string()).unwrap_or_default(),
            &marks(&event.kind),
            &sentence::of(&event.kind),
        ];
        cells::write(text, &row, self.formulas);
    }
}

/// Name, slot and team.
fn person(player: Option<&Player>) -> [String; 3] {
    player.map_or_else(Default::default, |player| {
        [player.name.clean.clone(), player.slot.map(|slot| slot.to_string()).unwrap_or_default(), player.team.as_deref().unwrap_or_default().to_owned()]
    })
}

/// The player to whom something was done.
fn object(kind: &EventKind) -> Option<&Player> {
    match kind {
        EventKind::Kill(kill) => Some(&kill.victim),
        EventKind::Damage { victim, .. } => Some(victim),
        _ => None,
    }
}

/// The word that matters most, after the players.
fn detail(kind: &EventKind) -> &str {
    match kind {
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

/// The number, where there is one.
fn value(kind: &EventKind) -> Option<i32> {
    match kind {
        EventKind::Score { score, .. } => Some(*score),
        EventKind::Damage { amount, .. } | EventKind::Money { amount, .. } => Some(*amount),
        EventKind::Round { number, .. } => *number,
        EventKind::Match { number, .. } => number.and_then(|number| i32::try_from(number).ok()),
        EventKind::Finish(run) => run.time.value().and_then(|time| i32::try_from(time).ok()),
        _ => None,
    }
}

fn marks(kind: &EventKind) -> String {
    match kind {
        EventKind::Kill(kill) => sentence::marks(kill).collect::<Vec<_>>().join(";"),
        _ => String::new(),
    }
}
