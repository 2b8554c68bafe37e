//! Movement against independent statements: the games' own physics, and the figures that a plug-in prints.

use std::ops::ControlFlow;
use std::path::Path;

use fragreel::Recording;
use fragreel::movement::{Jump, JumpKind, Moved};
use fragreel_testkit::Sample;

/// Steps in the air with one command, those that the physics explains, and those along a surface.
fn explained(samples: &[Sample]) -> (u32, u32, u32) {
    let (mut air, mut explained, mut touched) = (0, 0, 0);
    for sample in samples {
        let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
        let walked = recording.movement(&mut |moved| {
            if let Moved::Step(step) = moved
                && let Some(is_explained) = step.explained
            {
                air += 1;
                explained += u32::from(is_explained);
                touched += u32::from(step.is_touch);
            }
            ControlFlow::Continue(())
        });
        assert!(walked.is_ok(), "{}", sample.name);
    }
    (air, explained, touched)
}

fn named(family: &str, part: &str) -> Vec<Sample> {
    fragreel_testkit::corpus(family).into_iter().filter(|sample| sample.name.contains(part)).collect()
}

/// A velocity that follows from the one before and from the recorded keys cannot be a chance: each part of it must fit.
#[test]
fn the_physics_of_each_game_gives_the_recorded_velocities() {
    for (family, part, least) in
        [("quake3", "dfwc2019", 98), ("quake3", "pornchronostar", 99), ("quake3", "puremotion", 97), ("quake1", "dm2_lowrun", 99), ("goldsrc", "MUHA", 99)]
    {
        let samples = named(family, part);
        let (air, explained, _) = explained(&samples);
        assert!(samples.is_empty() || air > 100, "{part}: {air}");
        assert!(explained * 100 >= air * least, "{part}: {explained} of {air}");
    }
}

/// The plug-in of a server for climbers prints its figures of a jump. It knows places and velocities that the recording rounds.
#[test]
fn a_double_count_jump_is_as_its_plug_in_prints_it() {
    let path = fragreel_testkit::checkout().join("../shared/recordings-2026-11/goldsrc/willard1215__DemoAnalyserRS__test_274_dcj_Desu.dem");
    let Some(jumps) = jumps(&path) else {
        println!("skipped: the recording with a plug-in's figures is not here");
        return;
    };
    let [first, second, jump] = &jumps[..] else { panic!("{} jumps", jumps.len()) };
    assert_eq!([first.kind, second.kind, jump.kind], [JumpKind::DuckTap, JumpKind::DuckTap, JumpKind::DoubleCount]);
    let near = |ours: f32, printed: f32, by: f32| assert!((ours - printed).abs() <= by, "{ours} is not {printed}");
    near(jump.distance_kz.unwrap(), 274.701_66, 0.02);
    // a velocity is rounded by 1/8 on each axis
    for (ours, printed) in [(first.speed_earlier, 272.713), (second.speed_earlier, 287.073), (jump.speed_before, 299.782_7), (jump.speed_max, 366.286_96)] {
        near(ours, printed, 0.18);
    }
    assert_eq!((jump.strafe_count, jump.sync.floor()), (Some(8), 85.0));
    let printed = [(13.637, 83.0), (10.991, 90.0), (9.831, 90.0), (9.165, 90.0), (8.069, 88.0), (8.586, 90.0), (6.223, 80.0), (0.0, 0.0)];
    for (strafe, (gain, sync)) in jump.strafes.iter().zip(printed) {
        assert_eq!(strafe.sync.floor(), sync, "{strafe:?}");
        // the plug-in counts a rise from the highest speed before
        near((strafe.gain - strafe.loss).max(0.0), gain, 0.25);
    }
}

fn jumps(path: &Path) -> Option<Vec<Jump>> {
    let recording = Recording::open(std::fs::read(path).ok()?, "run.dem").ok()?;
    let mut jumps = Vec::new();
    recording
        .movement(&mut |moved| {
            if let Moved::Jump(jump) = moved {
                jumps.push(jump.clone());
            }
            ControlFlow::Continue(())
        })
        .ok()?;
    Some(jumps)
}

/// What rises and falls of speed add up to is the difference of both ends.
#[test]
fn gains_and_losses_add_up() {
    let mut count = 0;
    for family in ["quake3", "quake2", "goldsrc", "quake1"] {
        for sample in fragreel_testkit::samples(family) {
            let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
            drop(recording.movement(&mut |moved| {
                if let Moved::Jump(jump) = moved {
                    count += 1;
                    let sum = jump.gain - jump.loss - (jump.speed_to - jump.speed_before);
                    assert!(sum.abs() < 0.05 + jump.gain * 1e-3, "{}: {jump:?}", sample.name);
                    assert!(jump.speed_max >= jump.speed_to && jump.time_to >= jump.time && jump.air_steps > 0);
                }
                ControlFlow::Continue(())
            }));
        }
    }
    assert!(count > 100, "{count}");
}
