//! Runs against the clock: the times that games print, and the routes of their players.

use std::sync::Mutex;

use fragreel::Recording;
use fragreel::model::{Course, EventKind, Kind, Kinds, Run};
use fragreel::movement::{Compared, Source};
use fragreel_testkit::Exceptions;

/// Where a clock is not the one that the game prints, and why (`docs/movement.md`, "Clocks of runs").
#[rustfmt::skip]
const CLOCKS: &[fragreel_testkit::Known] = &[
    ("mega_wood", "start", "the run of the other player began before the recording"),
    ("pornchronostar", "counted", "online: the snapshot that shows the start comes one command of 8 ms after it"),
];

/// The time in a line about a finish, in milliseconds: `16:912`, `0:49:216`, `01:23.45`. Read by other rules than those of the families.
fn printed(line: &str) -> Option<i64> {
    let said = line.to_lowercase();
    if !said.contains("performed") && !said.contains("finish") {
        return None;
    }
    let times = line.split(|letter: char| !letter.is_ascii_digit() && letter != ':' && letter != '.');
    let time = times.map(|time| time.trim_matches(['.', ':'])).rfind(|time| time.contains(':') && time.len() >= 5)?;
    let (whole, fraction) = time.rsplit_once(['.', ':'])?;
    let fraction: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let seconds = whole.split(':').try_fold(0_i64, |sum, part| Some(sum * 60 + part.parse::<i64>().ok()?))?;
    Some(seconds * 1000 + fraction)
}

#[test]
fn lines_about_a_finish_are_read() {
    let lines = [
        ("Time performed by uN-DeaD!WiNTeR : 16:912 (v1.91.16 beta)", Some(16_912)),
        ("*tyaz* reached the finish line in 0:49:216", Some(49_216)),
        ("[KZ] kayne has finished the map in 01:23.45 (CPs: 2 | TPs: 1) with USP", Some(83_450)),
        ("finish the job", None),
        ("the score is 10:12.500", None),
    ];
    lines.iter().for_each(|(line, time)| assert_eq!(printed(line), *time, "{line}"));
}

/// Every line in which a game prints the time of a run has its run with that time, and DeFRaG's runs have their line.
#[test]
fn runs_have_the_times_that_games_print() {
    let exceptions = Exceptions::new(CLOCKS);
    let compared = Mutex::new((0, 0));
    let mut all: Vec<_> = ["quake3", "goldsrc"].into_iter().flat_map(crate::small).chain(crate::recordings("quake3").filter(is_defrag)).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all.dedup_by(|a, b| a.name == b.name);
    fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
        let Ok(recording) = Recording::open(bytes.to_vec(), &sample.name) else { return };
        let kinds: Kinds = [Kind::Print, Kind::CenterPrint, Kind::Chat].into_iter().collect();
        let lines: Vec<(i64, i64, String)> = recording
            .events(kinds)
            .filter_map(|event| match event.kind {
                // a player may say anything
                EventKind::Chat { from: Some(_), .. } => None,
                EventKind::Print { text, .. } | EventKind::CenterPrint { text, .. } | EventKind::Chat { text, .. } => {
                    Some((event.time.0, printed(&text.clean)?, text.clean))
                }
                _ => None,
            })
            .collect();
        let runs: Vec<Run> = recording.runs().value.into_iter().filter(|run| matches!(run.course, Course::Defrag | Course::Climb)).collect();
        let is_of = |run: &Run, time: i64| (run.to.0 - time).abs() <= 1000;
        for (time, stated, line) in &lines {
            if runs.iter().filter(|run| is_of(run, *time) && run.time.stated == Some(*stated)).count() != 1 {
                exceptions.fault(&sample.name, "line", &format!("{line:?} has no run, or several: {runs:?}"));
            }
        }
        for run in &runs {
            if !lines.iter().any(|(time, stated, _)| is_of(run, *time) && run.time.stated == Some(*stated)) {
                exceptions.fault(&sample.name, "run", &format!("no line prints {:?}", run.time));
            }
            match (run.time.counted, run.time.stated) {
                (None, _) => exceptions.fault(&sample.name, "start", "it is not in the recording"),
                (counted, stated) if counted != stated => exceptions.fault(&sample.name, "counted", &format!("{:?}", run.time)),
                _ => {}
            }
        }
        exceptions.seen(&sample.name);
        let mut compared = compared.lock().unwrap();
        (compared.0, compared.1) = (compared.0 + lines.len(), compared.1 + runs.len());
    });
    exceptions.end();
    let (lines, runs) = compared.into_inner().unwrap();
    assert!(all.iter().all(|sample| sample.origin == "sample") || lines >= 6 && runs >= 6, "{lines} lines, {runs} runs");
}

#[test]
#[ignore = "nightly"]
fn all_runs_have_the_times_that_games_print() {
    fragreel_testkit::on_all_recordings(&[runs_have_the_times_that_games_print]);
}

/// The corpus has six runs of DeFRaG, by the names that q3df.org gives to files.
fn is_defrag(sample: &fragreel_testkit::Sample) -> bool {
    ["df.vq3", "df.cpm"].iter().any(|part| sample.name.contains(part)) && sample.origin != "sample"
}

/// A route ends with the run's time, is as long as its places, and loses nothing to itself.
#[test]
fn a_route_is_that_of_its_run() {
    for sample in crate::recordings("quake3").filter(is_defrag) {
        let recording = Recording::open(sample.bytes(), &sample.name).unwrap();
        let runs: Vec<Run> = recording.runs().value.into_iter().filter(|run| run.from.is_some()).collect();
        let routes = recording.routes(&runs).unwrap();
        assert_eq!((routes.len(), runs.is_empty()), (runs.len(), false), "{}", sample.name);
        for (run, route) in runs.iter().zip(&routes) {
            let (first, last) = (route.places.first().expect("the player is shown"), route.places.last().unwrap());
            assert!(first.elapsed < 50.0 && (last.elapsed - run.time.counted.unwrap() as f64).abs() < 0.5, "{}: {first:?} to {last:?}", sample.name);
            let times = route.places.windows(2).all(|pair| pair[0].elapsed <= pair[1].elapsed && pair[0].along <= pair[1].along);
            // a spectator's recording has every second command
            let wanted = if sample.name.contains("mega_wood") { (Some(16.0), Source::Snapshot) } else { (Some(8.0), Source::Command) };
            assert!(times && (route.step, route.source) == wanted, "{}: {:?} {:?}", sample.name, route.step, route.source);
            // at most as far as the greatest speed takes a player, all axes together
            let fastest = route.places.iter().map(|place| f64::from(place.speed)).fold(0.0, f64::max) + 1000.0;
            assert!(route.length() > 1000.0 && route.length() < fastest * last.elapsed / 1000.0, "{}: {}", sample.name, route.length());

            let compared = Compared::of((run, route), (run, route), 10);
            let marks = if run.checkpoints.is_empty() { 10 } else { run.checkpoints.len() + 1 };
            assert_eq!(compared.marks.len(), marks, "{}", sample.name);
            assert!(compared.marks.iter().all(|mark| mark.difference.is_some_and(|time| time.0.abs() <= 8)), "{}: {:?}", sample.name, compared.marks);
            let worst = compared.line.iter().filter_map(|passed| Some(passed.difference()?.abs())).fold(0.0, f64::max);
            assert!(worst <= 8.0 && compared.line.iter().all(|passed| passed.difference().is_some()), "{}: {worst}", sample.name);
        }
    }
}

/// A recording of BunnymodXT's user states the tool, the build of the game, and a timer that did not run.
#[test]
fn a_speedrunners_tool_states_its_timer() {
    let Some(sample) = fragreel_testkit::corpus("goldsrc").into_iter().find(|sample| sample.name.contains("khanghugo__dem__weapon")) else {
        println!("skipped: the recording with BunnymodXT's data is not here");
        return;
    };
    let recording = Recording::open(sample.bytes(), &sample.name).unwrap();
    let timer = recording.info().timer.expect("the tool wrote it");
    assert_eq!((timer.tool, timer.game_build, timer.ended, timer.splits.len()), ("BunnymodXT", Some(8684), false, 0));
    assert!(timer.version.is_some_and(|version| version.starts_with("bb615f85")));
    assert_eq!((timer.time.map(|time| time.0), recording.runs().value.len()), (Some(0), 0));
}
