//! Rows of frames.

use std::fmt::Write;

use fragreel::Frames;
use fragreel::model::{Damage, EntityFrame, Evidence, Frame, FrameOptions, Held, PlayerFrame};

use super::{Place, Sink, Work};
use crate::batch::{Batch, Rows};
use crate::column::Value;
use crate::declared::{entities, frames, positions};
use crate::query::Query;
use crate::schema::Origin;
use crate::source::Source;

/// One walk serves all queries.
pub(super) fn make(source: &Source<'_>, work: &mut Work, sink: &mut Sink<'_>) -> Vec<Damage> {
    let Some(options) = work.queries.iter().map(Query::frame_options).reduce(both) else { return Vec::new() };
    // A recording whose frames are not understood has none.
    let Ok(mut walk) = source.recording().frames(options) else { return Vec::new() };
    let (mut frame, mut text) = (Frame::default(), String::new());
    while !work.stopped && walk.next_into(&mut frame) {
        for (query, (_, rows)) in work.queries.iter().zip(&mut work.rows) {
            put(query.table.name, rows, &frame, &mut text);
        }
        let _ = work.hand_on(sink);
    }
    walk.damage()
}

/// What serves both: conditions are looked at again for each row.
fn both(a: FrameOptions, b: FrameOptions) -> FrameOptions {
    let same = a.clock == b.clock;
    FrameOptions {
        fields: a.fields | b.fields,
        entities: a.entities | b.entities,
        rate: a.rate.zip(b.rate).map(|(a, b)| a.max(b)),
        server_interval: None,
        clock: a.clock,
        from: if same { a.from.zip(b.from).map(|(a, b)| a.min(b)) } else { None },
        to: if same { a.to.zip(b.to).map(|(a, b)| a.max(b)) } else { None },
        happenings: a.happenings || b.happenings,
        players_only: a.players_only && b.players_only,
    }
}

fn put(table: &str, rows: &mut Rows, frame: &Frame, text: &mut String) {
    let Frame { level, time, server_time, match_time, message, uncertain, .. } = *frame;
    let place = Place { level, time, server_time, match_time, message, uncertain };
    match table {
        "frames" => {
            put_frame(rows, frame);
            place.put(rows, Evidence::Stated);
            rows.end();
        }
        "positions" => {
            let view = frame.view.as_ref().and_then(|view| view.slot);
            let mut put = |players: &[PlayerFrame], rows: &mut Rows| {
                put_players(rows, players, text);
                rows.flags(positions::is_view, players, |player| Some(view == Some(player.slot)));
                rows.fill(positions::number, Value::Int(frame.number.into()), players.len());
                place.fill(rows, Evidence::Stated, players.len());
            };
            if rows.takes_all() {
                put(&frame.players, rows);
                rows.end_all(frame.players.len());
            } else {
                for player in &frame.players {
                    put(std::slice::from_ref(player), rows);
                    rows.end();
                }
            }
        }
        _ => {
            for entity in &frame.entities {
                put_entity(rows, entity);
                rows.int(entities::number, Some(frame.number));
                place.put(rows, Evidence::Stated);
                rows.end();
            }
        }
    }
}

fn put_frame(rows: &mut Rows, frame: &Frame) {
    rows.int(frames::number, Some(frame.number));
    if let Some(view) = &frame.view {
        rows.int(frames::view_slot, view.slot);
        rows.vector(frames::view_x, Some(view.origin));
        rows.vector(frames::view_pitch, view.angles);
        rows.real(frames::fov, view.fov);
        rows.flag(frames::teleported, Some(view.teleported));
    }
    rows.count(frames::players, frame.players.len() as u64);
    if rows.wants(frames::in_view) {
        rows.count(frames::in_view, frame.players.iter().filter(|player| player.origin.is_some()).count() as u64);
    }
}

/// A row for each player, column by column: places alone take 14 M instructions for 134,000 rows, player by player 40 M (docs/scale.md).
fn put_players(rows: &mut Rows, players: &[PlayerFrame], text: &mut String) {
    rows.ints(positions::slot, players, |player| Some(player.slot));
    rows.ints(positions::entity, players, |player| player.entity);
    rows.texts(positions::name, players, text, |player, _| player.name.as_ref().map(|name| name.clean.as_str()));
    rows.texts(positions::team, players, text, |player, _| player.team.as_deref());
    rows.flags(positions::spectator, players, |player| player.spectator);
    rows.flags(positions::alive, players, |player| player.alive);
    rows.vectors(positions::x, players, |player| player.origin);
    rows.vectors(positions::vx, players, |player| player.velocity);
    rows.vectors(positions::pitch, players, |player| player.angles);
    rows.ints(positions::health, players, |player| player.health);
    rows.ints(positions::armor, players, |player| player.armor);
    rows.texts(positions::weapon, players, text, |player, _| player.weapon.as_ref().and_then(|weapon| weapon.common));
    rows.texts(positions::weapon_own, players, text, |player, _| player.weapon.as_ref().map(|weapon| &*weapon.own));
    rows.texts(positions::ammo, players, text, |player, text| list(&player.ammo, text));
    rows.texts(positions::powerups, players, text, |player, text| list(&player.powerups, text));
    rows.texts(positions::items, players, text, |player, text| list(&player.items, text));
    rows.flags(positions::on_ground, players, |player| player.on_ground);
    rows.flags(positions::crouching, players, |player| player.crouching);
    rows.ints(positions::ping, players, |player| player.ping);
    rows.ints(positions::score, players, |player| player.score);
    rows.flags(positions::teleported, players, |player| Some(player.teleported));
}

fn put_entity(rows: &mut Rows, entity: &EntityFrame) {
    rows.int(entities::entity, Some(entity.number));
    rows.text(entities::kind, Some(entity.kind.name()));
    rows.text(entities::model, entity.model.as_deref());
    rows.vector(entities::x, entity.origin);
    rows.vector(entities::vx, entity.velocity);
    rows.vector(entities::pitch, entity.angles);
    rows.int(entities::owner, entity.owner);
    rows.text(entities::item, entity.item.as_ref().and_then(|item| item.common));
    rows.text(entities::item_own, entity.item.as_ref().map(|item| &*item.own));
    rows.flag(entities::teleported, Some(entity.teleported));
}

/// `rockets=12 cells=50`, put into the text.
pub(super) fn list<'a>(held: &[Held], text: &mut String) -> Option<&'a str> {
    for one in held {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(one.what.common.unwrap_or(&one.what.own));
        if let Some(number) = one.amount.map(i64::from).or(one.until.map(|until| until.0)) {
            text.push('=');
            whole(number, text);
        }
    }
    None
}

/// A whole number in digits: most are short.
fn whole(number: i64, text: &mut String) {
    match number {
        0..=9 => text.push((b'0' + number as u8) as char),
        10..=99 => {
            text.push((b'0' + (number / 10) as u8) as char);
            text.push((b'0' + (number % 10) as u8) as char);
        }
        // writing into a string does not fail
        _ => drop(write!(text, "{number}")),
    }
}

/// The rows of one query on frames, pulled batch by batch.
pub(crate) struct Walk {
    frames: Frames,
    table: &'static str,
    rows: Rows,
    frame: Frame,
    text: String,
}

impl Walk {
    /// `None` where the query is about something else, or the recording's frames are not understood.
    pub(crate) fn new(source: &Source<'_>, query: &Query) -> Option<Self> {
        let is_frames = query.table.source == Origin::Frames;
        let frames = is_frames.then(|| source.recording().frames(query.frame_options()).ok())??;
        let rows = Rows::new(query, source);
        Some(Walk { frames, table: query.table.name, rows, frame: Frame::default(), text: String::new() })
    }
}

impl Iterator for Walk {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        while !self.rows.is_full() && self.frames.next_into(&mut self.frame) {
            put(self.table, &mut self.rows, &self.frame, &mut self.text);
        }
        self.rows.take()
    }
}
