//! Rows of moments.

use std::cmp::Reverse;

use fragreel::edit::{Highlight, Wanted, What};
use fragreel::model::Player;

use super::scores::Entered;
use super::{Place, Sink, Work, put_player};
use crate::batch::Rows;
use crate::declared::moments;

/// What to look for: the criteria of `highlights --best`. Air shots and quick turns take a walk over the frames.
pub(super) fn wanted(work: &Work) -> Wanted {
    let mut wanted = Wanted::best();
    if work.queries.iter().all(|query| !query.with_frames) {
        (wanted.air_shots, wanted.flick) = (None, None);
    }
    wanted
}

/// The rows of these moments. `levels`: where the levels begin.
pub(super) fn make(found: &[Highlight], levels: &[Entered], work: &mut Work, sink: &mut Sink<'_>) {
    let mut by_points: Vec<usize> = (0..found.len()).collect();
    by_points.sort_by_key(|&at| Reverse(found[at].points));
    let mut ranks = vec![0; found.len()];
    by_points.into_iter().enumerate().for_each(|(rank, at)| ranks[at] = rank as u64 + 1);
    for (at, moment) in found.iter().enumerate() {
        for (_, rows) in work.tables() {
            rows.count(moments::number, at as u64 + 1);
            rows.count(moments::rank, ranks[at]);
            put(rows, moment, levels);
        }
        if work.hand_on(sink).is_break() {
            return;
        }
    }
}

/// Moments are not merged here: each has one reason.
fn put(rows: &mut Rows, moment: &Highlight, levels: &[Entered]) {
    let Some(reason) = moment.reasons.first() else { return };
    rows.int(moments::points, Some(moment.points));
    rows.text(moments::kind, Some(reason.what.name()));
    put_player(rows, [moments::slot, moments::name, moments::team], None, reason.player.as_ref());
    rows.int(moments::time_to, Some(reason.until.0));
    rows.int(moments::clip_from, Some(moment.from.0));
    rows.int(moments::clip_to, Some(moment.to.0));
    rows.text(moments::weapon, reason.what.weapon());
    rows.text(moments::means, reason.what.means());
    match &reason.what {
        What::Kills { kills, .. } => rows.count(moments::kills, *kills as u64),
        What::MultiRail { victims, .. } => rows.count(moments::kills, victims.len() as u64),
        What::AirShot { victim, air, .. } => {
            put_victim(rows, victim);
            rows.int(moments::air_time, Some(air.0));
        }
        What::Flick { victim, turn, .. } => {
            put_victim(rows, victim);
            rows.real(moments::turn, Some(*turn));
        }
        What::Capture { team, carried, away } => {
            rows.text(moments::flag, Some(team));
            rows.int(moments::carried, carried.map(|time| time.0));
            rows.int(moments::away, away.map(|time| time.0));
        }
        _ => {}
    }
    let level = levels.partition_point(|entered| entered.time <= reason.time);
    let place = Place {
        level: levels[..level].last().map_or(0, |entered| entered.level),
        time: reason.time,
        server_time: reason.server_time,
        match_time: reason.match_time,
        message: reason.message,
        uncertain: reason.uncertain,
    };
    place.put(rows, reason.evidence);
    rows.end();
}

fn put_victim(rows: &mut Rows, victim: &Player) {
    rows.count(moments::kills, 1);
    rows.int(moments::victim_slot, victim.slot);
    rows.text(moments::victim, Some(&victim.name.clean).filter(|_| !victim.name.raw.is_empty()).map(String::as_str));
}
