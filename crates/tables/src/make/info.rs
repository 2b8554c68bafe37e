//! Rows of what `info` answers.

use fragreel::model::Damage;

use super::{Sink, Work};
use crate::declared::recordings as at;
use crate::source::Source;

pub(super) fn make(source: &Source<'_>, work: &mut Work, _: &mut Sink<'_>) -> Vec<Damage> {
    let info = source.info();
    for (_, rows) in work.tables() {
        rows.text(at::evidence, Some("stated"));
        rows.text(at::path, Some(source.path()));
        rows.text(at::dialect, Some(&info.dialect));
        rows.text(at::kind, Some(&info.recording));
        rows.text(at::game, Some(&info.game));
        rows.text(at::game_mod, info.game_mod.as_deref());
        rows.text(at::mod_version, info.mod_version.as_deref());
        rows.text(at::engine, info.engine.as_deref());
        rows.text(at::date, info.date.as_deref());
        rows.text(at::map, info.maps.first().map(String::as_str));
        rows.text(at::maps, (!info.maps.is_empty()).then(|| info.maps.join(" ")).as_deref());
        rows.text(at::game_type, info.game_type.as_deref());
        rows.text(at::server, info.server.as_ref().map(|server| server.clean.as_str()));
        rows.text(at::server_raw, info.server.as_ref().map(|server| server.raw.as_str()));
        rows.int(at::duration, info.duration.map(|time| time.0));
        rows.int(at::match_from, info.match_clock.map(|(from, _)| from.0));
        rows.int(at::match_to, info.match_clock.map(|(_, to)| to.0));
        rows.text(at::recorder, info.recorder.as_ref().map(|player| player.name.clean.as_str()));
        rows.int(at::recorder_slot, info.recorder.as_ref().map(|player| player.slot));
        rows.count(at::players, info.players.len() as u64);
        if let Some(rate) = info.snapshot_rate {
            rows.put(at::snapshot_rate, crate::Value::Double(rate));
        }
        rows.count(at::snapshots, info.snapshots);
        rows.count(at::messages, info.messages);
        rows.count(at::bytes, info.bytes);
        rows.count(at::damage, info.damage.len() as u64);
        rows.text(at::damage_text, info.damage.first().map(|damage| damage.detail.as_str()));
        rows.end();
    }
    info.damage.clone()
}
