//! Events as comma-separated values.

use std::io::{self, Write};

use fragreel::model::{Event, EventKind, Evidence, Player};

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
        let [player, player_slot, player_team] = person(event.kind.subject());
        let [other, other_slot, other_team] = person(event.kind.object());
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
            event.kind.detail(),
            &event.kind.value().map(|value| value.to_string()).unwrap_or_default(),
            &marks(&event.kind),
            &event.kind.to_string(),
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

fn marks(kind: &EventKind) -> String {
    match kind {
        EventKind::Kill(kill) => kill.marks().collect::<Vec<_>>().join(";"),
        _ => String::new(),
    }
}
