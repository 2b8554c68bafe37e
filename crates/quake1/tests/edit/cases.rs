//! Recordings that were once edited wrongly, where they are at hand: they lie beside the corpus.

use fragreel_base::wire::Limits;
use fragreel_model::{Clock, Edited, Milliseconds, Range, Split, Target};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Framing, Stamp};

use super::{agrees, opened};
use crate::made::with;

/// A recording from the review's cases; `None` without them, which is said.
fn case(name: &str) -> Option<Vec<u8>> {
    let corpus = std::env::var_os("FRAGREEL_CORPUS").map_or_else(|| fragreel_testkit::checkout().join("../shared/corpus"), std::path::PathBuf::from);
    let bytes = std::fs::read(corpus.join("../review/cases").join(name)).ok();
    if bytes.is_none() {
        fragreel_testkit::skipped("edits of the review's cases, which lie beside the corpus");
    }
    bytes
}

fn range(from: i64, to: i64) -> Range {
    Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }
}

/// What an edit makes of a case is whole and says what it says.
fn check(name: &str, edit: impl FnOnce(&Recording<'_>) -> Vec<Edited>) {
    let Some(bytes) = case(name) else { return };
    let source = Recording::open(&bytes, name.rsplit('.').next(), Limits::default()).unwrap();
    for edited in edit(&source) {
        agrees(&source, &opened(&edited, name), name);
    }
}

#[test]
fn stats_before_the_view_count() {
    let ranges = [(9_022, 18_043), (26_000, i64::MAX), (28_000, i64::MAX), (30_073, i64::MAX)];
    check("stats-before-setview.dem", |source| ranges.map(|(from, to)| source.cut(range(from, to)).unwrap()).into());
}

#[test]
fn views_that_move_between_players() {
    check("view-moves-between-players.dem", |source| {
        let target = Target { format: Some(String::from("dem 666")), pov: None };
        vec![source.cut(range(77_574, 155_149)).unwrap(), source.convert(&target).unwrap()]
    });
}

#[test]
fn parts_by_size_across_levels() {
    check("split-at-level-change.dem", |source| source.split(Split::Size(294_911)).unwrap());
}

#[test]
fn the_last_frame_of_a_point_of_view() {
    check("pov-last-frame.mvd", |source| vec![source.convert(&Target { format: Some(String::from("qwd")), pov: Some(String::from("0")) }).unwrap()]);
}

#[test]
fn dropped_blocks_leave_their_time() {
    check("repair-mvd-1byte.mvd", |source| vec![source.repair().unwrap()]);
}

#[test]
fn openings_of_damaged_signons_can_be_read() {
    check("panic-baseline.dem", |source| {
        let repaired = source.repair().unwrap();
        let whole = opened(&repaired, "panic-baseline.dem");
        whole.cut(range(100, 200)).map(|cut| assert!(opened(&cut, "a cut").verify().is_whole())).unwrap();
        vec![source.cut(range(100, 200)).unwrap()]
    });
}

/// Repairing twice is repairing once, and what is repaired was named as damage or remark.
#[test]
fn repairs_are_named_and_final() {
    for name in ["panic-baseline.dem", "compare-slow.dem", "compare-slow.mvd", "cut-slot110.qwd", "cut-whole-not-openable.qwd", "cut-not-openable.qwd"] {
        let Some(bytes) = case(name) else { continue };
        let source = Recording::open(&bytes, name.rsplit('.').next(), Limits::default()).unwrap();
        let report = source.verify();
        let repaired = source.repair().unwrap();
        assert_eq!(repaired.bytes == bytes, report.damage.is_empty() && report.notes.is_empty(), "{name}: {:?}", repaired.actions);
        let whole = opened(&repaired, name);
        let again = whole.repair().unwrap();
        assert!(again.bytes == repaired.bytes && again.actions.is_empty(), "{name}: {:?}", again.actions);
    }
}

#[test]
fn what_no_engine_takes_is_damage() {
    for (name, what) in [("cut-slot110.qwd", "slot 110"), ("cut-whole-not-openable.qwd", "time is not a number")] {
        let Some(bytes) = case(name) else { continue };
        let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
        let report = source.verify();
        assert!(report.damage.iter().any(|damage| damage.detail.contains(what)), "{name}: {:?}", report.damage);
    }
}

/// A list of sounds whose end was lost, and the lists behind it: which names stay does not depend on the order in which a part states them.
#[test]
fn lists_out_of_order_are_cut() {
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("quakeworld_plain_dm3.qwd")).unwrap();
    let mut bytes = sample.bytes();
    bytes[957..961].copy_from_slice(&0x80u32.to_le_bytes());
    let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    assert!(source.verify().is_whole());
    let cut = source.cut(range(4000, 9000)).unwrap();
    agrees(&source, &opened(&cut, "cut"), "cut");
}

/// A list of files that comes again and is shorter leaves the names behind its end, in a part that begins after it, too.
#[test]
fn shorter_lists_leave_the_rest() {
    let lists: &[u8] = b"\x2e\x00a.wav\0b.wav\0\0\0\x2d\x00maps/a.bsp\0\0\0";
    let bytes = with("quakeworld_plain_dm3.qwd", &[(100, lists)]);
    let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    let [first, second] = [range(0, 9000), range(9000, 12_000)].map(|range| source.cut(range).unwrap());
    let [first, second] = [&first, &second].map(|part| opened(part, "a part"));
    let joined = Recording::join(&[&first, &second]).unwrap();
    let joined = opened(&joined, "joined");
    for part in [&first, &second] {
        agrees(&source, part, "a part");
        agrees(&joined, part, "joined");
    }
}

/// A list of entities that does not rise has one of them twice, and so has what is made of it.
#[test]
fn an_entity_may_stand_in_a_list_twice() {
    let Some(sample) = fragreel_testkit::corpus("quake1").into_iter().find(|sample| sample.name.ends_with("accel-5.mvd")) else { return };
    let mut bytes = sample.bytes();
    bytes[7871] = 0;
    let source = Recording::open(&bytes, Some("mvd"), Limits::default()).unwrap();
    assert!(source.verify().is_whole());
    let seen = source.convert(&Target { format: Some(String::from("qwd")), pov: Some(String::from("0")) }).unwrap();
    agrees(&source, &opened(&seen, "a view"), "a view");
}

/// What commands say of players in the game holds in parts that begin later, until a message or another command says otherwise.
#[test]
fn players_whom_commands_state_are_in_later_parts() {
    let said: [(usize, &[u8]); 6] = [
        (60, b"\x09//fui 1 \"\\name\\bob\\team\\red\\topcolor\\4\"\n\0"),
        (70, b"\x09//svi \"coop\" \"1\"\n//ui 1 \"name\" \"rob\"\n\0"),
        (80, b"\x0d\x01joe\0"),
        (90, b"\x09//fullserverinfo \"\\coop\\0\\hostname\\x\"\n\0"),
        (100, b"\x09//ui 1 \"team\" \"blue\"\n//ui 2 \"name\" \"eve\"\n\0"),
        (110, b"\x09//fui 1 \"\"\n\0"),
    ];
    let name = "netquake15_deltas_dm3.dem";
    let bytes = with(name, &said);
    let source = Recording::open(&bytes, Some("dem"), Limits::default()).unwrap();
    assert!(source.verify().is_whole());
    let mut times = Vec::new();
    let mut frames = source.frames(Default::default());
    let mut frame = fragreel_model::Frame::default();
    while frames.next_into(&mut frame) {
        times.push((frame.message, frame.time));
    }
    for (block, _) in said {
        let (_, time) = *times.iter().find(|(message, _)| *message as usize > block).unwrap();
        let cut = source.cut(range(time.0, i64::MAX)).unwrap();
        agrees(&source, &opened(&cut, name), name);
    }
}

/// Comparing takes as long where all frames are of one moment as where each has its own.
#[test]
fn comparing_takes_no_longer_where_time_stands() {
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("match_e1m1.mvd")).unwrap().bytes();
    let source = Recording::open(&sample, Some("mvd"), Limits::default()).unwrap();
    let mut still = Vec::new();
    for block in source.blocks().map(Result::unwrap) {
        let mut framing = block.framing;
        if let Framing::Packet { time, .. } = &mut framing {
            *time = Stamp::After(0);
        }
        fragreel_quake1::unstable::container::write_block(&mut still, source.container(), &framing, block.data);
    }
    let still = Recording::open(&still, Some("mvd"), Limits::default()).unwrap();
    let time = |recording: &Recording<'_>| {
        let started = std::time::Instant::now();
        let comparison = recording.compare(recording);
        assert!(comparison.frames > 0 && comparison.differing == 0, "{comparison:?}");
        started.elapsed()
    };
    let (usual, slow) = (time(&source), time(&still));
    assert!(slow < usual * 4 + std::time::Duration::from_millis(500), "{slow:?} where a sound recording takes {usual:?}");
}

/// KTX states its version alone: it is the mod, too.
#[test]
fn the_version_of_ktx_says_which_mod_runs() {
    let bytes = with("quakeworld_plain_dm3.qwd", &[(100, b"\x34ktxver\x001.42\0\x34*gamedir\0qw\0")]);
    let info = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap().info();
    assert_eq!((info.game_mod.as_deref(), info.mod_version.as_deref()), (Some("ktx"), Some("KTX 1.42")));
}
