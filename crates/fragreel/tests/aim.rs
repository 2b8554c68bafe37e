//! Aim: figures that agree with each other, and bots that look at their enemies.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fragreel::model::{Evidence, Milliseconds};
use fragreel::{Aim, AimKind, Recording, ViewSource};

fn aims(recording: &Recording) -> Vec<Aim> {
    let mut aims = Vec::new();
    let walked = recording.aim(&mut |aim| {
        aims.push(aim.clone());
        ControlFlow::Continue(())
    });
    drop(walked);
    aims
}

/// Figures are in their ranges, a longer time has no narrower turn, and what is not recorded is absent.
#[test]
fn figures_agree_with_each_other() {
    let mut found: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
    for family in crate::FAMILIES {
        for sample in crate::small(family) {
            let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
            for aim in aims(&recording) {
                let name = &sample.name;
                let counts = found.entry(family).or_default();
                counts[0] += 1;
                counts[1] += u32::from(aim.angle_error.is_some());
                counts[2] += u32::from(aim.turn_100.is_some());
                let angles = [aim.turn_50, aim.turn_100, aim.turn_200, aim.turn_step, aim.angle_error, aim.angle_error_within, aim.view_offset];
                assert!(angles.into_iter().flatten().all(|angle| (0.0..=180.0).contains(&angle)), "{name}: {aim:?}");
                let widens = |short: Option<f32>, long: Option<f32>| short.zip(long).is_none_or(|(short, long)| short <= long);
                assert!(widens(aim.turn_50, aim.turn_100) && widens(aim.turn_100, aim.turn_200), "{name}: {aim:?}");
                assert_eq!(aim.angle_error.is_some(), aim.distance.is_some(), "{name}: {aim:?}");
                assert!(aim.angle_error.is_none() || aim.target.is_some(), "{name}: {aim:?}");
                assert!(aim.target.as_ref().is_none_or(|target| target.slot != aim.player.slot), "{name}: {aim:?}");
                assert!(aim.since_sight.is_none_or(|time| time >= Milliseconds(0)), "{name}: {aim:?}");
                assert!(aim.evidence != Evidence::Stated || aim.kind == AimKind::Shot && aim.source != Some(ViewSource::Entity), "{name}: {aim:?}");
                assert!(aim.still_after.is_none() || aim.source != Some(ViewSource::Entity), "{name}: {aim:?}");
            }
        }
    }
    for family in crate::FAMILIES {
        let [shots, aimed, turned] = found.get(family).copied().unwrap_or_default();
        println!("{family}: {shots} rows, {aimed} with a target, {turned} with a turn");
        assert!(shots > 0 && aimed > 0 && (turned > 0 || family == "goldsrc"), "{family}: {found:?}");
    }
}

/// Bots aim at enemies: a third of their shots hit the box of one. A wrong height of eyes, sign of pitch or box would leave few of them.
#[test]
fn bots_aim_at_boxes() {
    let Some(sample) = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.contains("dm_bots")) else { return };
    let aims = aims(&Recording::open(sample.bytes(), &sample.name).unwrap());
    let of_bots: Vec<&Aim> = aims.iter().filter(|aim| aim.source == Some(ViewSource::Entity) && aim.angle_error.is_some()).collect();
    let on_target = of_bots.iter().filter(|aim| aim.angle_error == Some(0.0)).count();
    assert!(of_bots.len() > 40 && on_target * 3 > of_bots.len(), "{on_target} of {}", of_bots.len());
    assert!(aims.iter().any(|aim| aim.source == Some(ViewSource::View) && aim.since_sight.is_some()));
}
