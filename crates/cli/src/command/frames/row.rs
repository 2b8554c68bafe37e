//! A player or an entity in a row.

use std::io::Write;

use fragreel::model::{EntityFrame, Frame, PlayerFrame};

use crate::cells;
use crate::command::Clock;
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

/// Writes a row for each player and entity of a frame.
pub fn csv(text: &mut Vec<u8>, path: &str, frame: &Frame, formulas: bool) {
    let head = [
        path.to_owned(),
        frame.number.to_string(),
        frame.message.to_string(),
        frame.level.to_string(),
        frame.time.0.to_string(),
        frame.server_time.0.to_string(),
        said(frame.match_time.map(|time| time.0)),
    ];
    let mut write = |rest: Vec<String>| {
        let row: Vec<&str> = head.iter().chain(&rest).map(String::as_str).collect();
        debug_assert_eq!(row.len(), COLUMNS.len());
        cells::write(text, &row, formulas);
    };
    for player in &frame.players {
        write(of_player(frame, player));
    }
    for entity in &frame.entities {
        write(of_entity(entity));
    }
}

fn of_player(frame: &Frame, player: &PlayerFrame) -> Vec<String> {
    let powerups: Vec<String> = player.powerups.iter().map(|held| held.what.to_string()).collect();
    let mut row = vec![
        String::from("player"),
        player.slot.to_string(),
        player.name.as_ref().map(|name| name.clean.clone()).unwrap_or_default(),
        player.team.as_deref().unwrap_or_default().to_owned(),
        is_view(frame, player).to_string(),
        said(player.alive),
    ];
    row.extend([player.origin, player.velocity, player.angles].into_iter().flat_map(three));
    row.extend([said(player.health), said(player.armor), said(player.weapon.as_ref()), powerups.join(";")]);
    row.extend([said(player.on_ground), said(player.crouching), said(player.ping), said(player.score), player.teleported.to_string()]);
    row.extend([String::new(), String::new(), String::new()]);
    row
}

fn of_entity(entity: &EntityFrame) -> Vec<String> {
    let mut row = vec![String::from(entity.kind.name()), entity.number.to_string(), String::new(), String::new(), String::new(), String::new()];
    row.extend([entity.origin, entity.velocity, entity.angles].into_iter().flat_map(three));
    row.extend(std::iter::repeat_n(String::new(), 8));
    row.extend([entity.teleported.to_string(), entity.model.as_deref().unwrap_or_default().to_owned(), said(entity.item.as_ref()), said(entity.owner)]);
    row
}

fn is_view(frame: &Frame, player: &PlayerFrame) -> bool {
    frame.view.as_ref().is_some_and(|view| view.slot == Some(player.slot))
}

fn said(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn three(values: Option<[f32; 3]>) -> [String; 3] {
    values.map_or_else(Default::default, |values| values.map(|value| value.to_string()))
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
