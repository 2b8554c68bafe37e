//! Every recording of the corpus: decoded without a desync, rebuilt, and written back byte for byte.

use fragreel_goldsrc::Recording;
use fragreel_goldsrc::container::Source;
use fragreel_goldsrc::message::munge;
use fragreel_model::{Kinds, Milliseconds, RoundTrip, When};

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap()
}

/// Entity counts are compared with what each message declares on the way, and checksums with the header.
#[test]
fn sound_recordings_are_whole_and_round_trip() {
    let (mut files, mut frames, mut macros) = (0, 0, 0);
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let report = open(&bytes).verify();
        assert_eq!(report.damage, [], "{}", sample.name);
        assert!(report.notes.iter().all(|note| note.detail.contains("which is not decoded")), "{}: {:?}", sample.name, report.notes);
        assert_eq!(report.round_trip, RoundTrip::Identical, "{}", sample.name);
        assert!(report.canonical_attempted == report.snapshots && report.canonical_identical <= report.canonical_attempted);
        assert!(report.messages > 50, "{}", sample.name);
        let five = report.dialect.contains(" 5/");
        assert_eq!(five, report.snapshots > 30, "{}: {} frames", sample.name, report.snapshots);
        assert_eq!(five, report.opaque == 0, "{}", sample.name);
        files += 1;
        frames += report.snapshots;
        macros += report.messages;
    }
    assert!(
        fragreel_testkit::corpus("goldsrc").is_empty() || (files >= 35 && frames > 40_000 && macros > 200_000),
        "{files} files, {frames} frames, {macros} macros"
    );
}

/// The notes count macros of type 1 and take the last end's time as what the directory says; both without a look at
/// the directory.
#[test]
fn walking_finds_what_directories_say() {
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let recording = open(&bytes);
        let container = recording.container();
        assert_eq!(container.source, Source::Directory, "{}", sample.name);
        let walked: Vec<_> = container.walked().iter().map(|stretch| (stretch.from, stretch.to, stretch.playback, stretch.ended)).collect();
        let named: Vec<_> = container.segments.iter().map(|segment| (segment.from, segment.to, segment.is_playback(), true)).collect();
        assert_eq!(walked, named, "{}", sample.name);
    }
}

/// The checksum that the server hides is the one that the recorder wrote into the header.
#[test]
fn map_checksums_agree() {
    let mut compared = 0;
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let recording = open(&bytes);
        let (stated, info) = (recording.container().header.map_crc, recording.info());
        let Some(found) = info.server_settings.get("map_crc") else { continue };
        if stated != 0 {
            assert_eq!(*found, format!("{stated:08x}"), "{}", sample.name);
            compared += 1;
        }
    }
    assert_eq!(munge::munge(munge::unmunge(77, 3), 3), 77);
    assert!(fragreel_testkit::corpus("goldsrc").is_empty() || compared > 20, "{compared}");
}

/// What `info` says agrees with the manifest, which another program wrote.
#[test]
fn info_agrees_with_the_manifest() {
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let info = open(&bytes).info();
        let noted = |key: &str| sample.notes.split_whitespace().find_map(|word| word.strip_prefix(key));
        if let Some(map) = noted("map=") {
            assert_eq!(info.maps, [map], "{}", sample.name);
        }
        if let Some(game) = noted("game=").filter(|_| !sample.dialect.contains("net 35")) {
            assert_eq!(info.game_mod.as_deref(), Some(game), "{}", sample.name);
        }
        // `Playback:5897fr/106s`
        if let Some((frames, seconds)) = noted("Playback:").and_then(|rest| rest.strip_suffix("s]")?.split_once("fr/")) {
            let duration = info.duration.unwrap().seconds();
            assert!((duration - seconds.parse::<f64>().unwrap()).abs() <= 1.0, "{}: {duration} {seconds}", sample.name);
            if sample.dialect.contains("HLDEMO 5") {
                // a frame may come while loading, and a last one may be empty
                assert!(info.snapshots.abs_diff(frames.parse().unwrap()) <= 15, "{}: {} {frames}", sample.name, info.snapshots);
            }
        }
        // only proxies leave the checksum out, but for games without a server that others could join
        let alone = info.server_settings.get("maxclients").is_none_or(|most| most == "1");
        let proxy = open(&bytes).container().header.map_crc == 0 && (!alone || sample.name.contains("hltv-made"));
        let kind = if proxy { "hltv" } else { "client" };
        assert_eq!(info.recording, kind, "{}", sample.name);
        if kind == "client" && sample.dialect.contains("HLDEMO 5") {
            assert!(info.recorder.is_some() && !info.players.is_empty(), "{}", sample.name);
        }
    }
}

/// Questions about any time can be answered, and the frame is the last at or before it.
#[test]
fn states_are_those_of_the_time_asked_for() {
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged && sample.raw().len() < 600_000) {
        let bytes = sample.bytes();
        let recording = open(&bytes);
        if recording.dialect().messages.is_none() {
            assert!(recording.state_at(When::Demo(Milliseconds(0))).is_err());
            continue;
        }
        let first = recording.state_at(When::Demo(Milliseconds(-5))).unwrap();
        let middle = recording.state_at(When::Demo(Milliseconds(1500))).unwrap();
        let same = recording.state_at(When::Server(middle.server_time)).unwrap();
        assert!(first.message < middle.message && middle.time <= Milliseconds(1500), "{}", sample.name);
        assert!(same.message >= middle.message && same.server_time == middle.server_time, "{}", sample.name);
        let entities = middle.sections.iter().find(|section| section.name == "entities").unwrap();
        assert!(!entities.records.is_empty(), "{}", sample.name);
    }
}

/// Commands come from macros, one per data block of type 1, and last about as long as the recording.
#[test]
fn commands_fill_the_time() {
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged && sample.dialect.contains("HLDEMO 5")) {
        let bytes = sample.bytes();
        let recording = open(&bytes);
        let (mut rows, mut last) = (0, f32::MIN);
        for row in recording.usercmds() {
            assert!(row.time >= last && row.yaw.abs() <= 720.0, "{}: {row:?}", sample.name);
            for (bit, name) in [(0x1, "attack"), (0x2, "jump"), (0x4, "duck"), (0x800, "attack2"), (0x2000, "reload")] {
                assert_eq!(row.buttons.contains(&name), row.button_bits & bit != 0, "{}: {name} in {row:?}", sample.name);
            }
            last = row.time;
            rows += 1;
        }
        let info = recording.info();
        if info.recording == "client" {
            let frames: i32 = recording.container().segments.iter().filter(|segment| segment.is_playback()).map(|segment| segment.entry.frames).sum();
            assert_eq!(rows, frames, "{}", sample.name);
        } else {
            assert_eq!(rows, 0, "{}", sample.name);
        }
    }
}

/// Asking for one kind gives what asking for all gives of it.
#[test]
fn kinds_do_not_change_events() {
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| sample.raw().len() < 1_000_000) {
        fragreel_goldsrc::properties::events(&sample.bytes());
    }
}

/// Deaths in the stream count the dead: where scores are sent, too, every frag has its kill.
#[test]
fn kills_are_found_where_scores_change() {
    let mut kills = 0;
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged) {
        let bytes = sample.bytes();
        let mut last_kill = None;
        open(&bytes).events(Kinds::ALL).for_each(|event| match event.kind {
            fragreel_model::EventKind::Kill(kill) => {
                assert!(!kill.means.is_empty() && !kill.victim.name.clean.is_empty(), "{}: {kill:?}", sample.name);
                last_kill = Some(event.server_time);
                kills += 1;
            }
            _ => assert!(last_kill.is_none_or(|time| time <= event.server_time)),
        });
    }
    assert!(fragreel_testkit::corpus("goldsrc").is_empty() || kills > 50, "{kills}");
}
