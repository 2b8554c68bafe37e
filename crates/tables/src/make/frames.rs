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
    walk.damage().to_vec()
}

/// What serves both: conditions are looked at again for each row.
fn both(a: FrameOptions, b: FrameOptions) -> FrameOptions {
    let same = a.clock == b.clock;
    FrameOptions {
        fields: a.fields | b.fields,
        entities: a.entities | b.entities,
        rate: a.rate.zip(b.rate).map(|(a, b)| a.max(b)),
        clock: a.clock,
        from: if same { a.from.zip(b.from).map(|(a, b)| a.min(b)) } else { None },
        to: if same { a.to.zip(b.to).map(|(a, b)| a.max(b)) } else { None },
    }
}

fn put(table: &str, rows: &mut Rows, frame: &Frame, text: &mut String) {
    let place = Place { level: frame.level, time: frame.time, server_time: frame.server_time, match_time: frame.match_time, message: frame.message };
    match table {
        "frames" => {
            put_frame(rows, frame);
            place.put(rows, Evidence::Stated);
            rows.end();
        }
        "positions" => {
            let view = frame.view.as_ref().and_then(|view| view.slot);
            let since = rows.takes_all().then(|| rows.len());
            for player in &frame.players {
                put_player(rows, player, text);
                rows.flag(positions::is_view, Some(view == Some(player.slot)));
                if since.is_none() {
                    rows.int(positions::number, Some(frame.number));
                    place.put(rows, Evidence::Stated);
                }
                rows.end();
            }
            if let Some(since) = since {
                rows.fill(positions::number, Value::Int(frame.number.into()), since);
                place.fill(rows, Evidence::Stated, since);
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
        rows.vector(frames::view_pitch, Some(view.angles));
        rows.real(frames::fov, view.fov);
        rows.flag(frames::teleported, Some(view.teleported));
    }
    rows.count(frames::players, frame.players.len() as u64);
    if rows.wants(frames::in_view) {
        rows.count(frames::in_view, frame.players.iter().filter(|player| player.origin.is_some()).count() as u64);
    }
}

fn put_player(rows: &mut Rows, player: &PlayerFrame, text: &mut String) {
    rows.int(positions::slot, Some(player.slot));
    rows.int(positions::entity, player.entity);
    rows.text(positions::name, player.name.as_ref().map(|name| name.clean.as_str()));
    rows.text(positions::team, player.team.as_deref());
    rows.flag(positions::spectator, player.spectator);
    rows.flag(positions::alive, player.alive);
    rows.vector(positions::x, player.origin);
    rows.vector(positions::vx, player.velocity);
    rows.vector(positions::pitch, player.angles);
    rows.int(positions::health, player.health);
    rows.int(positions::armor, player.armor);
    rows.text(positions::weapon, player.weapon.as_ref().map(|weapon| weapon.common.unwrap_or(&weapon.own)));
    rows.text(positions::weapon_own, player.weapon.as_ref().map(|weapon| &*weapon.own));
    for (column, held) in [(positions::ammo, &player.ammo), (positions::powerups, &player.powerups), (positions::items, &player.items)] {
        if rows.wants(column) && !held.is_empty() {
            text.clear();
            list(held, text);
            rows.text(column, Some(text));
        }
    }
    rows.flag(positions::on_ground, player.on_ground);
    rows.flag(positions::crouching, player.crouching);
    rows.int(positions::ping, player.ping);
    rows.int(positions::score, player.score);
    rows.flag(positions::teleported, Some(player.teleported));
}

fn put_entity(rows: &mut Rows, entity: &EntityFrame) {
    rows.int(entities::entity, Some(entity.number));
    rows.text(entities::kind, Some(entity.kind.name()));
    rows.text(entities::model, entity.model.as_deref());
    rows.vector(entities::x, entity.origin);
    rows.vector(entities::vx, entity.velocity);
    rows.vector(entities::pitch, entity.angles);
    rows.int(entities::owner, entity.owner);
    rows.text(entities::item, entity.item.as_ref().map(|item| item.common.unwrap_or(&item.own)));
    rows.text(entities::item_own, entity.item.as_ref().map(|item| &*item.own));
    rows.flag(entities::teleported, Some(entity.teleported));
}

/// `rockets=12 cells=50`.
fn list(held: &[Held], text: &mut String) {
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
pub struct Walk<'a> {
    frames: Frames<'a>,
    table: &'static str,
    rows: Rows,
    frame: Frame,
    text: String,
}

impl<'a> Walk<'a> {
    /// `None` where the query is about something else, or the recording's frames are not understood.
    pub(crate) fn new(source: &Source<'a>, query: &Query) -> Option<Self> {
        let is_frames = query.table.source == Origin::Frames;
        let frames = is_frames.then(|| source.recording().frames(query.frame_options()).ok())??;
        let rows = Rows::new(query, source.id(), source.family().name());
        Some(Walk { frames, table: query.table.name, rows, frame: Frame::default(), text: String::new() })
    }
}

impl Iterator for Walk<'_> {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        while !self.rows.is_full() && self.frames.next_into(&mut self.frame) {
            put(self.table, &mut self.rows, &self.frame, &mut self.text);
        }
        self.rows.take()
    }
}
