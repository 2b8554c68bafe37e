//! Splitting and joining.

use fragreel_goldsrc::Recording;
use fragreel_goldsrc::message::Message;
use fragreel_goldsrc::properties::assemble::{Plan, long};
use fragreel_model::{Action, Clock, Edited, Fate, Milliseconds, Range, Split};
use fragreel_testkit::Random;

use super::{assert_same, assert_whole, frames, open, sound};

fn joined(parts: &[Edited]) -> Edited {
    let opened: Vec<_> = parts.iter().map(|part| open(&part.bytes)).collect();
    Recording::join(&opened.iter().collect::<Vec<_>>()).unwrap()
}

#[test]
fn what_was_split_by_size_joins_again() {
    let (mut files, mut random) = (0, Random::new(77));
    for (name, bytes) in sound().filter(|(_, bytes)| bytes.len() < 1_500_000) {
        let source = open(&bytes);
        let most = if bytes.len() < 10_000 { bytes.len() as u64 + 2000 } else { (bytes.len() * 2 / 5 + random.below(20_000)) as u64 };
        let parts = match source.split(Split::Size(most)) {
            Ok(parts) => parts,
            // a loading part takes most of a short recording
            Err(error) => {
                assert_eq!(error.kind(), fragreel_base::wire::ErrorKind::Misuse, "{name}: {error}");
                continue;
            }
        };
        let mut sum = 0;
        for part in &parts {
            assert_whole(&name, part);
            assert!(part.bytes.len() as u64 <= most, "{name}: {} of {most}", part.bytes.len());
            sum += frames(&open(&part.bytes)).len();
        }
        let all = frames(&source).len();
        assert_eq!(sum, all, "{name}: {} parts", parts.len());
        let edited = joined(&parts);
        assert_whole(&name, &edited);
        assert_same(&name, &source, &open(&edited.bytes), source.info().snapshots);
        let (before, after) = (source.info().duration.unwrap(), open(&edited.bytes).info().duration.unwrap());
        // of several played segments each counts its own time
        let one = source.container().segments.iter().filter(|segment| segment.is_playback()).count() == 1;
        assert!(!one || (before.0 - after.0).abs() < 100 + 50 * parts.len() as i64, "{name}: {before} {after} in {} parts", parts.len());
        files += 1;
    }
    assert!(files >= 5, "{files}");
}

#[test]
fn parts_that_overlap_join_without_repeating() {
    for (name, bytes) in sound().filter(|(_, bytes)| (200_000..1_000_000).contains(&bytes.len())) {
        let source = open(&bytes);
        let all = frames(&source);
        let at = |share: usize| all[(all.len() - 1) * share / 10].1;
        let cut = |from, to| source.cut(Range { clock: Clock::Server, from, to }).unwrap();
        let parts = [cut(at(1), at(6)), cut(at(4), at(9))];
        let edited = joined(&parts);
        assert_whole(&name, &edited);
        let recording = open(&edited.bytes);
        let shown = frames(&recording);
        assert!(shown.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{name}");
        assert!(edited.actions.iter().any(|action| matches!(action, Action::RepeatedFramesOfPartLeftOut { .. })), "{name}: {:?}", edited.actions);
        let wanted = all.iter().filter(|frame| (at(1)..=at(9)).contains(&frame.1)).count();
        assert!(shown.len().abs_diff(wanted) <= 4, "{name}: {} of {wanted}", shown.len());
        assert_same(&name, &source, &recording, shown.len() as u64 + source.info().snapshots - all.len() as u64);
    }
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[what_was_split_by_size_joins_again, parts_that_overlap_join_without_repeating]);
}

/// The same recording, said to be of another spawn of another map.
pub(super) fn another_level() -> Vec<u8> {
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    let edited = open(&bytes).map_messages(&mut |_, message| {
        if let Message::ServerInfo(info) = message {
            info.spawn_count += 1;
            info.map.0 = b"maps/another.bsp".to_vec();
        }
        Fate::Keep
    });
    edited.unwrap().bytes
}

#[test]
fn levels_load_one_after_another() {
    let (first, second) = (fragreel_goldsrc::properties::tiny_recording(), another_level());
    let edited = Recording::join(&[&open(&first), &open(&second)]).unwrap();
    assert_whole("two levels", &edited);
    let recording = open(&edited.bytes);
    assert_eq!(recording.info().maps, ["hand_made", "another"]);
    assert_eq!(frames(&recording).len(), 4);
    assert_eq!(recording.split(Split::Match).unwrap_err().kind(), fragreel_base::wire::ErrorKind::Misuse, "no match is known to begin");
    for by in [Split::Level, Split::Gamestate] {
        let parts = recording.split(by).unwrap();
        assert_eq!(parts.len(), 2, "{by:?}");
        for (part, source) in parts.iter().zip([&first, &second]) {
            assert_whole("part", part);
            let (part, source) = (open(&part.bytes), open(source));
            assert_same("part", &source, &part, 2);
            assert_eq!(part.info().maps, source.info().maps);
        }
        assert_eq!(open(&parts[1].bytes).container().header.map_name(), b"another");
        assert_whole("again", &joined(&parts));
    }
    // the same map loaded again is one level, but two gamestates
    let twice = open(&second).map_messages(&mut |_, message| {
        if let Message::ServerInfo(info) = message {
            info.map.0 = b"maps/hand_made.bsp".to_vec();
        }
        Fate::Keep
    });
    let twice = Recording::join(&[&open(&first), &open(&twice.unwrap().bytes)]).unwrap();
    let twice = open(&twice.bytes);
    assert_eq!((twice.split(Split::Level).unwrap().len(), twice.split(Split::Gamestate).unwrap().len()), (1, 2));
}

/// A server's clock that is set back within a level: the packets' numbers say what comes later.
#[test]
fn clocks_may_be_set_back_between_parts() {
    let mut bytes = std::fs::read(fragreel_testkit::checkout().join("samples/goldsrc/net-43.dem")).unwrap();
    // the second frame's time
    bytes[3563] ^= 2;
    let source = open(&bytes);
    let all = frames(&source);
    assert!(all.len() == 2 && all[1].1 < all[0].1, "{all:?}");
    let cut = |from, to| source.cut(Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }).unwrap();
    let edited = joined(&[cut(0, 0), cut(125, 125)]);
    assert_whole("set back", &edited);
    assert_same("set back", &source, &open(&edited.bytes), 2);
}

#[test]
fn what_is_of_no_session_is_not_joined() {
    let first = fragreel_goldsrc::properties::tiny_recording();
    let other = open(&first).map_messages(&mut |_, message| {
        if let Message::ServerInfo(info) = message {
            info.host_name = Some(fragreel_goldsrc::Str(b"elsewhere".to_vec()));
        }
        Fate::Keep
    });
    let other = other.unwrap().bytes;
    let error = Recording::join(&[&open(&first), &open(&other)]).unwrap_err();
    assert_eq!(
        (error.kind(), error.detail()),
        (fragreel_base::wire::ErrorKind::Misuse, "part 2 is of another server: `elsewhere` instead of `a made-up server`")
    );
    let old = fragreel_goldsrc::properties::assemble::recording(Plan { network: 47, ..Plan::default() });
    assert!(Recording::join(&[&open(&first), &open(&old)]).unwrap_err().detail().contains("convert them"));
    assert!(Recording::join(&[]).is_err());
    assert!(open(&first).split(Split::Size(1000)).unwrap_err().detail().contains("too small"));
    // twice the same shows nothing new
    let same = Recording::join(&[&open(&first), &open(&first)]).unwrap();
    assert_eq!(frames(&open(&same.bytes)).len(), 2);
    let range = Range { clock: Clock::Demo, from: Milliseconds(5000), to: Milliseconds(6000) };
    assert_eq!(open(&first).cut(range).unwrap_err().kind(), fragreel_base::wire::ErrorKind::Misuse);
}

/// Parts begin behind damage, too: the last known state is sent there in full.
#[test]
fn parts_of_a_size_begin_behind_damage() {
    let Some((name, mut bytes)) = sound().find(|(_, bytes)| (500_000..1_500_000).contains(&bytes.len())) else { return };
    let recording = open(&bytes);
    let middle = recording
        .container()
        .macros()
        .filter_map(fragreel_goldsrc::container::Step::found)
        .find(|window| window.offset > bytes.len() / 2 && window.body.len() > 600)
        .unwrap();
    let (offset, _) = fragreel_goldsrc::messages(&middle, recording.dialect()).unwrap();
    // a message that nobody knows, and what follows is delta against it
    let (from, to) = (offset, middle.end());
    bytes[from..to].fill(0);
    let most = bytes.len() as u64 / 4;
    let parts = open(&bytes).split(Split::Size(most)).unwrap();
    assert!(parts.len() > 3 && parts.iter().all(|part| part.bytes.len() as u64 <= most), "{name}");
}

/// Two files one behind the other: the first is played, and both are found.
#[test]
fn a_second_recording_is_a_part_of_its_own() {
    let (first, second) = (fragreel_goldsrc::properties::tiny_recording(), long(Plan::default(), 20).finish());
    let directory = i32::from_le_bytes(first[540..544].try_into().unwrap()) as usize;
    let mut crashed = first[..directory].to_vec();
    crashed[540..544].fill(0);
    for first in [first, crashed] {
        let bytes = [&first[..], &second[..]].concat();
        let recording = open(&bytes);
        let report = recording.verify();
        let here = report.notes.iter().filter(|note| note.detail.starts_with("a second recording begins here") && note.offset == first.len() as u64);
        assert_eq!(here.count(), 1, "{:?}", report.notes);
        assert_eq!(report.damage, open(&first).verify().damage);
        assert_eq!(recording.info().snapshots, open(&first).info().snapshots);
        for by in [Split::Gamestate, Split::Level, Split::Match] {
            let parts: Vec<_> = recording.split(by).unwrap().into_iter().map(|part| part.bytes).collect();
            assert!(parts == [first.clone(), second.clone()], "{by:?}: {}", parts.len());
        }
    }
}
