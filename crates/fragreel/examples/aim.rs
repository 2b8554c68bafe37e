//! Prints how players aimed, and what a speedrunner's tool timed: `cargo run --example aim -- FILE...`

use std::ops::ControlFlow;

use fragreel::{Aim, Recording};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "path\ttime\tkind\tevidence\tsource\tstep\tplayer\tweapon\ttarget\terror\twithin\tdistance\t50\t100\t200\tturn\tbefore\tafter\tsight\toffset\tpress"
    );
    for path in std::env::args().skip(1) {
        let recording = match Recording::open(std::fs::read(&path)?, &path) {
            Ok(recording) => recording,
            Err(error) => {
                eprintln!("{path}: {error}");
                continue;
            }
        };
        if let Some(timer) = recording.info().timer {
            eprintln!("{path}: {timer:?}");
        }
        for run in recording.runs().value {
            eprintln!("{path}: {} on {}: {:?}", run.course.name(), run.map, run.time);
        }
        let walked = recording.aim(&mut |aim| {
            show(&path, aim);
            ControlFlow::Continue(())
        });
        if let Err(error) = walked {
            eprintln!("{path}: {error}");
        }
    }
    Ok(())
}

fn show(path: &str, aim: &Aim) {
    let or = |value: Option<f32>| value.map(|value| format!("{value:.2}")).unwrap_or_default();
    let whole = |value: Option<i64>| value.map(|value| value.to_string()).unwrap_or_default();
    let cells = [
        path.to_owned(),
        aim.time.0.to_string(),
        aim.kind.name().to_owned(),
        format!("{:?}", aim.evidence),
        aim.source.map_or("", fragreel::ViewSource::name).to_owned(),
        or(aim.step),
        aim.player.name.clean.clone(),
        aim.weapon.or(aim.weapon_own.as_deref()).unwrap_or_default().to_owned(),
        aim.target.as_ref().map(|target| target.name.clean.clone()).unwrap_or_default(),
        or(aim.angle_error),
        or(aim.angle_error_within),
        or(aim.distance),
        or(aim.turn_50),
        or(aim.turn_100),
        or(aim.turn_200),
        or(aim.turn_step),
        whole(aim.still_before.map(i64::from)),
        whole(aim.still_after.map(i64::from)),
        whole(aim.since_sight.map(|time| time.0)),
        or(aim.view_offset),
        whole(aim.since_press.map(|time| time.0)),
    ];
    println!("{}", cells.join("\t"));
}
