//! Rows of movement.

use fragreel::model::{Damage, Evidence};
use fragreel::movement::{Jump, Moved, Step, Strafe};

use super::{Place, Sink, Work, put_player};
use crate::batch::Rows;
use crate::declared::{jumps, steps, strafes};
use crate::source::Source;

pub(super) fn make(source: &Source<'_>, work: &mut Work, sink: &mut Sink<'_>) -> Vec<Damage> {
    // A recording whose frames are not understood has no movement.
    let walked = source.recording().movement(&mut |moved| {
        for (table, rows) in work.tables() {
            match (table, &moved) {
                ("steps", Moved::Step(step)) => put_step(rows, step),
                ("jumps", Moved::Jump(jump)) => put_jump(rows, jump),
                ("strafes", Moved::Jump(jump)) => jump.strafes.iter().for_each(|strafe| put_strafe(rows, jump, strafe)),
                _ => {}
            }
        }
        work.hand_on(sink)
    });
    walked.unwrap_or_default()
}

fn evidence(is_stated: bool) -> Evidence {
    if is_stated { Evidence::Stated } else { Evidence::Inferred }
}

fn put_step(rows: &mut Rows, step: &Step) {
    let state = &step.state;
    rows.int(steps::slot, Some(state.slot));
    rows.text(steps::name, state.name.as_ref().map(|name| name.clean.as_str()));
    rows.text(steps::team, state.team.as_deref());
    rows.text(steps::source, Some(state.source.name()));
    rows.int(steps::commands, state.input.and_then(|input| input.commands));
    rows.real(steps::msec, Some(state.msec));
    rows.flag(steps::on_ground, state.on_ground);
    rows.text(steps::phase, Some(state.phase.name()));
    rows.flag(steps::ducked, state.ducked);
    rows.vector(steps::x, Some(state.origin));
    rows.vector(steps::vx, Some(state.velocity));
    rows.real(steps::speed_before, Some(step.speed_before));
    rows.real(steps::speed, Some(step.speed));
    rows.real(steps::gain, Some(step.gain()));
    rows.real(steps::best_gain, step.best_gain);
    rows.real(steps::efficiency, step.efficiency());
    rows.real(steps::wish_speed, step.wish_speed);
    rows.real(steps::wish_angle, step.wish_angle);
    rows.real(steps::best_angle, step.best_angle);
    rows.flag(steps::explained, step.explained);
    rows.flag(steps::touch, step.explained.map(|_| step.is_touch));
    rows.real(steps::miss, step.miss);
    if let Some(input) = state.input {
        rows.real(steps::pitch, Some(input.pitch));
        rows.real(steps::yaw, Some(input.yaw));
        if step.wish_speed.is_some() || input.commands.is_some() {
            rows.vector(steps::forward, Some(input.moves));
        }
        rows.text(steps::keys, Some(&input.keys.letters()));
        rows.text(steps::keys_source, Some(input.source.name()));
    }
    rows.real(steps::turn, step.turn);
    rows.real(steps::stamina, state.stamina);
    let place = Place {
        level: state.level,
        time: state.time,
        server_time: state.server_time,
        match_time: state.match_time,
        message: state.message,
        uncertain: state.uncertain,
    };
    place.put(rows, evidence(state.is_velocity_stated && state.is_ground_stated));
    rows.end();
}

fn put_jump(rows: &mut Rows, jump: &Jump) {
    put_player(rows, [jumps::slot, jumps::name, jumps::team], None, Some(&jump.player));
    rows.int(jumps::number, Some(jump.number));
    rows.int(jumps::chain, Some(jump.chain));
    rows.text(jumps::source, Some(jump.source.name()));
    rows.text(jumps::kind, Some(jump.kind.name()));
    rows.text(jumps::end, Some(jump.end.name()));
    rows.int(jumps::time_to, Some(jump.time_to.0));
    rows.vector(jumps::x, Some(jump.from));
    rows.vector(jumps::to_x, Some(jump.to));
    let flags = [(jumps::standup, jump.standup), (jumps::jumped, Some(jump.jumped)), (jumps::capped, jump.capped)];
    flags.into_iter().for_each(|(column, value)| rows.flag(column, value));
    let counts = [
        (jumps::air_steps, Some(jump.air_steps)),
        (jumps::ground_steps, jump.ground_steps),
        (jumps::strafes, jump.strafe_count),
        (jumps::overlap_steps, jump.overlap_steps),
        (jumps::idle_steps, jump.idle_steps),
        (jumps::jump_held, jump.jump_held),
        (jumps::jump_presses, jump.jump_presses),
        (jumps::duck_steps, jump.duck_steps),
    ];
    counts.into_iter().for_each(|(column, value)| rows.int(column, value));
    let figures = [
        (jumps::step, Some(jump.step)),
        (jumps::air_time, Some(jump.air_time)),
        (jumps::ground_time, jump.ground_time),
        (jumps::distance, Some(jump.distance)),
        (jumps::distance_kz, jump.distance_kz),
        (jumps::offset, Some(jump.offset)),
        (jumps::height, Some(jump.height)),
        (jumps::speed_landed, jump.speed_landed),
        (jumps::speed_earlier, Some(jump.speed_earlier)),
        (jumps::speed_before, Some(jump.speed_before)),
        (jumps::speed_takeoff, Some(jump.speed_takeoff)),
        (jumps::speed_max, Some(jump.speed_max)),
        (jumps::speed_to, Some(jump.speed_to)),
        (jumps::vz, Some(jump.vz)),
        (jumps::gain, Some(jump.gain)),
        (jumps::loss, Some(jump.loss)),
        (jumps::sync, Some(jump.sync)),
        (jumps::sync_keys, jump.sync_keys),
        (jumps::sync_turn, jump.sync_turn),
        (jumps::efficiency, jump.efficiency),
        (jumps::angle_error, jump.angle_error),
        (jumps::explained, jump.explained),
        (jumps::turn, jump.turn),
        (jumps::stamina, jump.stamina),
        (jumps::kick, jump.kick),
    ];
    figures.into_iter().for_each(|(column, value)| rows.real(column, value));
    place_of(jump).put(rows, jump.evidence);
    rows.end();
}

fn place_of(jump: &Jump) -> Place {
    Place { level: jump.level, time: jump.time, server_time: jump.server_time, match_time: jump.match_time, message: jump.message, uncertain: jump.uncertain }
}

fn put_strafe(rows: &mut Rows, jump: &Jump, strafe: &Strafe) {
    put_player(rows, [strafes::slot, strafes::name, strafes::team], None, Some(&jump.player));
    rows.int(strafes::jump, Some(jump.number));
    rows.int(strafes::strafe, Some(strafe.strafe));
    rows.text(strafes::side, Some(strafe.side.name()));
    rows.text(strafes::keys, Some(&strafe.keys));
    rows.int(strafes::steps, Some(strafe.steps));
    rows.int(strafes::overlap_steps, Some(strafe.overlap_steps));
    rows.int(strafes::idle_steps, Some(strafe.idle_steps));
    let figures = [
        (strafes::duration, Some(strafe.duration)),
        (strafes::share, Some(strafe.share)),
        (strafes::speed_from, Some(strafe.speed_from)),
        (strafes::speed_to, Some(strafe.speed_to)),
        (strafes::gain, Some(strafe.gain)),
        (strafes::loss, Some(strafe.loss)),
        (strafes::best_gain, strafe.best_gain),
        (strafes::efficiency, strafe.efficiency),
        (strafes::sync, Some(strafe.sync)),
        (strafes::angle_error, strafe.angle_error),
        (strafes::turn, Some(strafe.turn)),
        (strafes::turn_peak, Some(strafe.turn_peak)),
    ];
    figures.into_iter().for_each(|(column, value)| rows.real(column, value));
    let server_time = jump.server_time + (strafe.time - jump.time);
    let match_time = jump.match_time.map(|time| time + (strafe.time - jump.time));
    let place = Place { time: strafe.time, message: strafe.message, server_time, match_time, ..place_of(jump) };
    place.put(rows, jump.evidence);
    rows.end();
}
