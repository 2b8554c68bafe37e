//! Recordings that were once edited wrongly, where they are at hand: they lie beside the corpus.

use model::{Clock, Edited, Milliseconds, Range, Split, Target};
use quake1::Recording;
use wire::Limits;

use super::{agrees, opened};

/// A recording from the review's cases; `None` without them.
fn case(name: &str) -> Option<Vec<u8>> {
    let corpus = std::env::var_os("FRAGREEL_CORPUS").map_or_else(|| testkit::checkout().join("../shared/corpus"), std::path::PathBuf::from);
    std::fs::read(corpus.join("../review/cases").join(name)).ok()
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
    check("stats-before-setview.dem", |source| vec![source.cut(range(9_022, 18_043)).unwrap()]);
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
    for (name, what) in [("cut-slot110.qwd", "slot 110"), ("cut-whole-not-openable.qwd", "no time")] {
        let Some(bytes) = case(name) else { continue };
        let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
        let report = source.verify();
        assert!(report.damage.iter().any(|damage| damage.detail.contains(what)), "{name}: {:?}", report.damage);
    }
}

/// A list of sounds whose end was lost, and the lists behind it: which names stay does not depend on the order in which a part states them.
#[test]
fn lists_out_of_order_are_cut() {
    let sample = testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("quakeworld_plain_dm3.qwd")).unwrap();
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
    let sample = testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("quakeworld_plain_dm3.qwd")).unwrap().bytes();
    let source = Recording::open(&sample, Some("qwd"), Limits::default()).unwrap();
    let mut bytes = Vec::new();
    for (at, block) in source.blocks().map(Result::unwrap).enumerate() {
        let lists: &[u8] = if at == 100 { b"\x2e\x00a.wav\0b.wav\0\0\0\x2d\x00maps/a.bsp\0\0\0" } else { b"" };
        quake1::container::write_block(&mut bytes, source.container(), &block.framing, &[block.data, lists].concat());
    }
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
    let Some(sample) = testkit::corpus("quake1").into_iter().find(|sample| sample.name.ends_with("accel-5.mvd")) else { return };
    let mut bytes = sample.bytes();
    bytes[7871] = 0;
    let source = Recording::open(&bytes, Some("mvd"), Limits::default()).unwrap();
    assert!(source.verify().is_whole());
    let seen = source.convert(&Target { format: Some(String::from("qwd")), pov: Some(String::from("0")) }).unwrap();
    agrees(&source, &opened(&seen, "a view"), "a view");
}
