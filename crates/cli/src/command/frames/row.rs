//! A player or an entity in a row.

use std::io::Write;

use fragreel::model::{EntityFrame, Fields, Frame, PlayerFrame, Term};

use super::known::{Form, Known, Places};
use super::piece::Piece;
use crate::cells::Row;
use crate::command::Clock;
use crate::numbers::{self, Recent};
use crate::output::printable;
use crate::table::front;

/// The columns of comma-separated values, in order; docs/json.md says what is in them.
pub const COLUMNS: [&str; 34] = [
    "path",
    "frame",
    "message",
    "level",
    "time",
    "server_time",
    "match_time",
    "kind",
    "number",
    "name",
    "team",
    "view",
    "alive",
    "x",
    "y",
    "z",
    "velocity_x",
    "velocity_y",
    "velocity_z",
    "pitch",
    "yaw",
    "roll",
    "health",
    "armor",
    "weapon",
    "powerups",
    "on_ground",
    "crouching",
    "ping",
    "score",
    "teleported",
    "model",
    "item",
    "owner",
];

/// Fields without a column.
pub const UNSAID: [Fields; 2] = [Fields::AMMO, Fields::ITEMS];

/// Writes the rows of a recording's frames.
pub struct Rows {
    /// The path's cell.
    start: Vec<u8>,
    /// The cells of the frame.
    head: Vec<u8>,
    form: Csv,
    known: Known,
}

impl Rows {
    /// Creates rows for a file.
    pub fn about(path: &str, formulas: bool) -> Self {
        let mut start = Vec::new();
        Row::new(&mut start, formulas).text(path);
        Rows { start, head: Vec::new(), form: Csv { formulas, numbers: Recent::new(numbers::push_shown), piece: Piece::new() }, known: Known::default() }
    }

    /// Writes a row for each player and entity of a frame.
    pub fn append(&mut self, text: &mut Vec<u8>, frame: &Frame) {
        let formulas = self.form.formulas;
        self.head.clear();
        let mut row = Row::behind(&mut self.head, &self.start, formulas);
        [frame.number, frame.message, frame.level].into_iter().for_each(|number| row.integer(Some(number)));
        [Some(frame.time), Some(frame.server_time), frame.match_time].into_iter().for_each(|time| row.integer(time.map(|time| time.0)));
        for player in &frame.players {
            text.extend_from_slice(&self.head);
            self.known.append(text, &mut self.form, player, is_view(frame, player));
        }
        for entity in &frame.entities {
            of_entity(Row::behind(text, &self.head, formulas), entity);
        }
    }
}

/// Writes a player's cells after those of the frame.
struct Csv {
    formulas: bool,
    numbers: Recent,
    piece: Piece,
}

impl Form for Csv {
    fn append_around(&mut self, before: &mut Vec<u8>, behind: &mut Vec<u8>, player: &PlayerFrame, is_view: bool) {
        let mut row = Row::behind(before, b"", self.formulas);
        row.text("player");
        row.integer(Some(player.slot));
        row.text(player.name.as_ref().map_or("", |name| &name.clean));
        row.text(player.team.as_deref().unwrap_or_default());
        row.flag(Some(is_view));
        row.flag(player.alive);
        let mut row = Row::behind(behind, b"", self.formulas);
        row.integer(player.health);
        row.integer(player.armor);
        row.text(player.weapon.as_ref().map_or("", word));
        match &player.powerups[..] {
            [] => row.empty(1),
            [one] => row.text(word(&one.what)),
            several => row.text(&several.iter().map(|held| word(&held.what)).collect::<Vec<_>>().join(";")),
        }
        row.flag(player.on_ground);
        row.flag(player.crouching);
        row.integer(player.ping);
        row.integer(player.score);
        row.flag(Some(player.teleported));
        row.empty(3);
        row.end();
    }

    fn append_places(&mut self, text: &mut Vec<u8>, places: &Places) {
        let piece = &mut self.piece;
        for values in places {
            match *values {
                Some([x, y, z]) => {
                    piece.bytes(text, b",");
                    piece.number(text, &mut self.numbers, x);
                    piece.bytes(text, b",");
                    piece.number(text, &mut self.numbers, y);
                    piece.bytes(text, b",");
                    piece.number(text, &mut self.numbers, z);
                }
                None => piece.bytes(text, b",,,"),
            }
        }
        piece.end(text);
    }
}

fn of_entity(mut row: Row<'_>, entity: &EntityFrame) {
    row.text(entity.kind.name());
    row.integer(Some(entity.number));
    row.empty(4);
    [entity.origin, entity.velocity, entity.angles].into_iter().for_each(|values| row.three(values));
    row.empty(8);
    row.flag(Some(entity.teleported));
    row.text(entity.model.as_deref().unwrap_or_default());
    row.text(entity.item.as_ref().map_or("", word));
    row.integer(entity.owner);
    row.end();
}

/// The common name where there is one, else the game's own.
fn word(term: &Term) -> &str {
    term.common.unwrap_or(&term.own)
}

fn is_view(frame: &Frame, player: &PlayerFrame) -> bool {
    frame.view.as_ref().is_some_and(|view| view.slot == Some(player.slot))
}

fn said(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The headings of the table for people.
pub fn heading() -> String {
    format!("{:>11}  {:>4}  {:<NAME$} {:>8} {:>8} {:>8} {:>6} {:>6} {:>4} {:>4}  weapon", "time", "slot", "name", "x", "y", "z", "pitch", "yaw", "hp", "ar")
}

/// Writes a line for each player and entity of a frame.
pub fn table(text: &mut Vec<u8>, frame: &Frame, clock: Clock) {
    let time = match clock {
        Clock::Demo => Some(frame.time),
        Clock::Server => Some(frame.server_time),
        Clock::Match => frame.match_time,
    };
    let time = time.map_or_else(|| String::from("-"), |time| time.to_string());
    let mut line = |slot: String, name: &str, [place, angles]: [Option<[f32; 3]>; 2], [health, armor]: [String; 2], last: &str| {
        let short = |values: Option<[f32; 3]>| values.map_or_else(Default::default, |values| values.map(|value| format!("{value:.1}")));
        let ([x, y, z], [pitch, yaw, _]) = (short(place), short(angles));
        let name = front(&printable(name), NAME);
        let line = format!("{time:>11}  {slot:>4}  {name:<NAME$} {x:>8} {y:>8} {z:>8} {pitch:>6} {yaw:>6} {health:>4} {armor:>4}  {}", printable(last));
        drop(writeln!(text, "{}", line.trim_end()));
    };
    for player in &frame.players {
        let slot = format!("{}{}", if is_view(frame, player) { "*" } else { "" }, player.slot);
        let name = player.name.as_ref().map_or("", |name| name.clean.as_str());
        line(slot, name, [player.origin, player.angles], [said(player.health), said(player.armor)], &said(player.weapon.as_ref()));
    }
    for entity in &frame.entities {
        let what = entity.item.as_ref().map(ToString::to_string).or_else(|| entity.model.as_deref().map(str::to_owned)).unwrap_or_default();
        line(entity.number.to_string(), entity.kind.name(), [entity.origin, entity.angles], Default::default(), &what);
    }
}

/// Room for a name.
const NAME: usize = 14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_a_cell_for_each_heading() {
        let mut frame = Frame::default();
        frame.add_player(3).team = Some("a,b".into());
        frame.entities.push(EntityFrame::new(7, fragreel::model::EntityKind::Item));
        let mut text = Vec::new();
        Rows::about("a \"b\".dem", true).append(&mut text, &frame);
        let mut rows = csv::ReaderBuilder::new().has_headers(false).from_reader(&text[..]);
        let rows: Vec<csv::StringRecord> = rows.records().collect::<Result<_, _>>().unwrap();
        assert_eq!(rows.iter().map(csv::StringRecord::len).collect::<Vec<_>>(), [COLUMNS.len(); 2]);
        assert_eq!((&rows[0][0], &rows[0][8], &rows[0][10], &rows[1][7], &rows[1][30]), ("a \"b\".dem", "3", "a,b", "item", "false"));
    }
}
