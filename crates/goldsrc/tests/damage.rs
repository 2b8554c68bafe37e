//! Damaged files: what is whole is found, what is not is named, and repair makes a file that is whole.

use fragreel_goldsrc::Recording;
use fragreel_goldsrc::container::Source;
use fragreel_goldsrc::properties::assemble::{Plan, assembled, long, recording};
use fragreel_goldsrc::properties::tiny_recording;
use fragreel_model::DamageKind;

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, None, fragreel_base::wire::Limits::default()).unwrap()
}

fn set(bytes: &mut [u8], at: usize, value: i32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn directory(bytes: &[u8]) -> usize {
    i32::from_le_bytes(bytes[540..544].try_into().unwrap()) as usize
}

fn macros(recording: &Recording) -> usize {
    recording.container().macros().filter_map(fragreel_goldsrc::container::Step::found).count()
}

/// Small and real files to be damaged.
fn victims() -> Vec<Vec<u8>> {
    let real =
        fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged && sample.dialect.contains("HLDEMO 5") && sample.raw().len() < 200_000);
    real.map(|sample| sample.bytes()).chain([tiny_recording(), recording(Plan { network: 43, ..Plan::default() })]).collect()
}

/// Damages a copy; the result of repair must be whole and hold every macro.
fn mend(bytes: &[u8], what: &str, damage: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    damage(&mut damaged);
    let opened = open(&damaged);
    assert!(!opened.verify().damage.is_empty(), "{what} goes unnoticed");
    let repaired = opened.repair().unwrap();
    assert!(!repaired.actions.is_empty(), "{what}");
    let again = open(&repaired.bytes);
    let report = again.verify();
    assert_eq!(report.damage, [], "{what}: {:?}", repaired.actions);
    assert_eq!(macros(&again), macros(&open(bytes)), "{what}");
    assert_eq!(again.container().source, Source::Directory);
    repaired.bytes
}

#[test]
fn lost_directories_are_rebuilt() {
    for bytes in victims() {
        let at = directory(&bytes);
        // the directory itself is still there: the file becomes what it was
        assert!(mend(&bytes, "offset 0", |file| set(file, 540, 0)) == bytes);
        assert!(mend(&bytes, "offset outside", |file| set(file, 540, i32::MAX)) == bytes);
        assert!(mend(&bytes, "negative offset", |file| set(file, 540, -7)) == bytes);
        // it is not: titles, frames, times and places are what they were, tracks the recorder's usual ones
        for (what, mut file) in [
            ("count 0", mend(&bytes, "count 0", |file| set(file, at, 0))),
            ("wild count", mend(&bytes, "wild count", |file| set(file, at, 65_535))),
            ("cut", mend(&bytes, "cut", |file| file.truncate(at + 40))),
            ("cut at the macros' end", mend(&bytes, "cut", |file| file.truncate(at))),
            ("overwritten", mend(&bytes, "overwritten", |file| file[at..].fill(0xee))),
            ("entry outside", mend(&bytes, "entry outside", |file| set(file, at + 4 + 84, i32::MAX))),
            ("overlap", mend(&bytes, "overlap", |file| set(file, at + 4 + 92 + 84, 544))),
        ] {
            assert_eq!(directory(&file), at, "{what}");
            for entry in 0..2 {
                let track = at + 4 + 92 * entry + 72;
                let old = i32::from_le_bytes(bytes[track..track + 4].try_into().unwrap());
                set(&mut file, track, old);
            }
            assert!(file == bytes, "{what}");
        }
    }
}

#[test]
fn wrong_lengths_are_noticed_and_repaired() {
    for bytes in victims() {
        let at = directory(&bytes);
        let length = at + 4 + 92 + 88;
        let right = i32::from_le_bytes(bytes[length..length + 4].try_into().unwrap());
        for wrong in [right - 9, right - 12] {
            assert!(mend(&bytes, "short length", |file| set(file, length, wrong)) == bytes, "{wrong} for {right}");
        }
        // the recorder's count of frames is only a note
        let frames = at + 4 + 92 + 80;
        let mut file = bytes.clone();
        set(&mut file, frames, 9999);
        let report = open(&file).verify();
        let told = report.notes.iter().filter(|note| note.detail.contains("9999 frames")).count();
        assert!(report.is_whole() && told == 1, "{:?}", report.notes);
        let repaired = open(&file).repair().unwrap();
        assert!(repaired.bytes == bytes && repaired.actions.len() == 1, "{:?}", repaired.actions);
    }
}

#[test]
fn files_cut_anywhere_give_what_came_before() {
    let whole = tiny_recording();
    let at = directory(&whole);
    let all = macros(&open(&whole));
    let mut last = 0;
    for length in 544..at {
        let opened = open(&whole[..length]);
        let count = macros(&opened);
        assert!(count >= last && count <= all, "{length}: {count} macros after {last}");
        last = count;
        let report = opened.verify();
        assert!(!report.damage.is_empty(), "a file cut at {length} passes");
        match opened.repair() {
            Ok(repaired) => assert_eq!(open(&repaired.bytes).verify().damage, [], "{length}"),
            Err(_) => assert_eq!(count, 0, "{length}"),
        }
    }
    assert!(last >= all - 1);
    for length in 0..544 {
        assert!(Recording::open(&whole[..length], None, fragreel_base::wire::Limits::default()).is_err());
    }
}

#[test]
fn garbage_between_macros_is_passed_over() {
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| !sample.damaged && sample.dialect.contains("HLDEMO 5")).take(6) {
        let bytes = sample.bytes();
        let recording = open(&bytes);
        let windows: Vec<_> = recording.container().macros().filter_map(fragreel_goldsrc::container::Step::found).collect();
        let target = windows[windows.len() / 2];
        let mut file = bytes.clone();
        file[target.offset] = 77;
        let damaged = open(&file);
        let report = damaged.verify();
        let [first, ..] = &report.damage[..] else { panic!("{}: unnoticed", sample.name) };
        assert_eq!((first.offset, first.kind), (target.offset as u64, DamageKind::Framing), "{}", sample.name);
        let skipped = first.skipped.unwrap();
        assert!(skipped.to - skipped.from < 5000, "{}: {skipped:?}", sample.name);
        assert!(macros(&damaged) + 8 > windows.len(), "{}", sample.name);
        let repaired = damaged.repair().unwrap();
        assert_eq!(open(&repaired.bytes).container().damage, []);
    }
}

#[test]
fn bad_messages_are_named_with_their_surroundings() {
    let mut file = assembled(Plan::default());
    file.segment(1, "Broken");
    file.macro_with(2, 0.0, 0, &[]);
    file.data(1, 0.25, 20, &[7, 0, 0, 0x80, 0x3f, 0, 0xaa, 0xbb]);
    file.macro_with(5, 0.5, 21, &[]);
    let bytes = file.finish();
    let report = open(&bytes).verify();
    let [damage] = &report.damage[..] else { panic!("{:?}", report.damage) };
    let at = damage.offset as usize;
    assert_eq!(bytes[at - 1..at + 2], [0, 0xaa, 0xbb], "the byte behind the number");
    assert_eq!((damage.kind, damage.path.as_str()), (DamageKind::Message, "macro 10 › svc_bad"));
    for said in ["svc_bad", "[aa bb", "the last good message was svc_time at offset"] {
        assert!(damage.detail.contains(said), "{}", damage.detail);
    }
    assert_eq!(damage.skipped.unwrap().to - damage.skipped.unwrap().from, 2);
    let repaired = open(&bytes).repair().unwrap();
    assert_eq!(repaired.bytes.len() + 3, bytes.len(), "{:?}", repaired.actions);
    assert_eq!(open(&repaired.bytes).verify().damage, []);
}

#[test]
fn deltas_without_their_base_are_told_once() {
    let bytes = tiny_recording();
    let mut file = bytes.clone();
    // the first frame's sequence number: the second refers to it
    let recording = open(&bytes);
    let data = recording.container().macros().filter_map(fragreel_goldsrc::container::Step::found).find(|window| window.id.0 == 1).unwrap();
    set(&mut file, data.body_offset() + 436, 99);
    let report = open(&file).verify();
    let kinds: Vec<_> = report.damage.iter().map(|damage| damage.kind).collect();
    assert_eq!(kinds, [DamageKind::MissingBase], "client data and entities have one cause: {:?}", report.damage);
}

#[test]
fn fixtures_of_the_corpus_are_explained() {
    for sample in fragreel_testkit::corpus("goldsrc").into_iter().filter(|sample| sample.damaged) {
        let bytes = sample.bytes();
        if sample.name.ends_with("magic.dem") {
            // games refuse it, and its directory shows what it is
            assert_eq!(fragreel_goldsrc::detect(&bytes, Some("dem")), fragreel_model::Certainty::Likely);
            let without = &bytes[..bytes.len() - 1];
            assert_eq!(fragreel_goldsrc::detect(without, Some("dem")), fragreel_model::Certainty::No);
            assert!(Recording::open(without, None, fragreel_base::wire::Limits::default()).is_err());
        }
        let opened = open(&bytes);
        assert!(!opened.verify().damage.is_empty(), "{}", sample.name);
        let repaired = opened.repair().unwrap();
        assert!(!repaired.actions.is_empty(), "{}", sample.name);
        assert_eq!(open(&repaired.bytes).container().damage, [], "{}", sample.name);
    }
}

/// Entries that hold nothing, or that leave a segment out, hide no macro.
#[test]
fn nonsense_directories_hide_nothing() {
    for bytes in victims() {
        let at = directory(&bytes);
        let all = macros(&open(&bytes));
        for (what, damage) in [
            ("all entries zeroed", &(|file: &mut Vec<u8>| file[at + 4..].fill(0)) as &dyn Fn(&mut Vec<u8>)),
            ("the first zeroed", &|file| file[at + 4..at + 96].fill(0)),
            ("the second zeroed", &|file| file[at + 96..].fill(0)),
            ("no length", &|file| (0..2).for_each(|entry| set(file, at + 4 + 92 * entry + 88, 0))),
            ("only the first named", &|file| set(file, at, 1)),
            ("only the second named", &|file| {
                file.copy_within(at + 96.., at + 4);
                set(file, at, 1);
            }),
        ] {
            let mut file = bytes.clone();
            damage(&mut file);
            let opened = open(&file);
            assert_eq!((macros(&opened), opened.info().messages), (all, all as u64), "{what}");
            assert_eq!(opened.info().snapshots, open(&bytes).info().snapshots, "{what}");
            let report = opened.verify();
            assert_eq!(report.damage.len(), 1, "{what}: {:?}", report.damage);
            assert!(report.damage[0].path.starts_with("directory"), "{what}: {:?}", report.damage);
            let repaired = mend(&bytes, what, damage);
            assert_eq!(repaired[544..at], bytes[544..at], "{what}");
        }
    }
}

/// What a hole takes with it is the hole's finding, not hundreds of its own.
#[test]
fn one_cause_is_one_finding() {
    let file = long(Plan::default(), 500).finish();
    let recording = open(&file);
    let blocks: Vec<_> = recording.container().macros().filter_map(fragreel_goldsrc::container::Step::found).filter(|window| window.id.0 == 1).collect();
    // a block that is no macro any more
    let mut hole = file.clone();
    hole[blocks[100].offset] = 77;
    // a message that cannot be read
    let mut unread = file.clone();
    unread[blocks[100].body_offset() + 468] = 0;
    // the frame that all later ones go back to
    let mut renumbered = file.clone();
    set(&mut renumbered, blocks[100].body_offset() + 436, 9999);
    // 256 frames are missing: what the next one goes back to has the low byte of one that is there
    let mut gap = file.clone();
    for block in &blocks[100..] {
        let at = block.body_offset() + 436;
        let sequence = i32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        set(&mut gap, at, sequence + 256);
    }
    let cases = [
        ("hole", hole, DamageKind::Framing, 401),
        ("unread", unread, DamageKind::Message, 401),
        ("base", renumbered, DamageKind::MissingBase, 402),
        ("gap", gap, DamageKind::MissingBase, 402),
    ];
    for (what, bytes, kind, lost) in cases {
        let report = open(&bytes).verify();
        let [damage] = &report.damage[..] else { panic!("{what}: {} findings, {:?}", report.damage.len(), report.damage.first()) };
        assert_eq!(damage.kind, kind, "{what}");
        assert!(damage.detail.contains(&format!("{lost} data blocks up to macro")), "{what}: {}", damage.detail);
        assert!(damage.skipped.is_some(), "{what}");
        let repaired = open(&bytes).repair().unwrap();
        assert_eq!(open(&repaired.bytes).verify().damage, [], "{what}: {:?}", repaired.actions);
        assert_eq!(open(&repaired.bytes).repair().unwrap().actions, [], "{what}");
    }
}

/// Without the announcement of a user message, every block that has one fails: once.
#[test]
fn what_is_not_announced_is_one_finding() {
    let mut file = assembled(Plan::default());
    file.segment(1, "Encore");
    file.macro_with(2, 0.0, 0, &[]);
    for frame in 0..300 {
        file.data(1, 0.25 + frame as f32, 20 + frame, &[200, 1, 2, 3]);
    }
    file.macro_with(5, 301.0, 321, &[]);
    let bytes = file.finish();
    let recording = open(&bytes);
    let report = recording.verify();
    let [damage] = &report.damage[..] else { panic!("{} findings", report.damage.len()) };
    assert!(damage.detail.contains("has not announced") && damage.detail.contains("299 more data blocks up to macro 309"), "{}", damage.detail);
    assert_eq!(recording.info().damage.len(), 1);
    assert_eq!(recording.events(fragreel_model::Kinds::ALL).into_damage().len(), 1);
}

/// A time that is no number stops a game: it is damage, and repair gives the macro a time.
#[test]
fn times_that_are_no_numbers_are_repaired() {
    let bytes = long(Plan::default(), 20).finish();
    let recording = open(&bytes);
    let block = recording.container().macros().filter_map(fragreel_goldsrc::container::Step::found).filter(|window| window.id.0 == 1).nth(9).unwrap();
    for time in [f32::NAN, f32::INFINITY] {
        for at in [block.offset + 1, block.body_offset() + 468 + 1] {
            let mut file = bytes.clone();
            file[at..at + 4].copy_from_slice(&time.to_le_bytes());
            let damaged = open(&file);
            assert_eq!(damaged.verify().damage.len(), 1, "{:?}", damaged.verify().damage);
            damaged.events(fragreel_model::Kinds::ALL).for_each(|event| assert!(event.time.0 >= 0));
            let repaired = damaged.repair().unwrap();
            assert_eq!(open(&repaired.bytes).verify().damage, [], "{:?}", repaired.actions);
            assert_eq!(repaired.actions.len(), 1, "{:?}", repaired.actions);
        }
    }
}

/// A time that its neighbors contradict is damage: it moves no clock, and repair corrects it.
#[test]
fn times_that_their_neighbors_contradict_move_no_clock() {
    let bytes = long(Plan::default(), 200).finish();
    let clean = open(&bytes);
    let blocks: Vec<_> = clean.container().macros().filter_map(fragreel_goldsrc::container::Step::found).filter(|window| window.id.0 == 1).collect();
    for (what, at, time) in [("ahead", 99, 1e6f32), ("a little ahead", 99, blocks[99].time + 30.0), ("back", 99, 0.5), ("the last", blocks.len() - 1, 4e7)] {
        let mut file = bytes.clone();
        let place = blocks[at].offset + 1;
        file[place..place + 4].copy_from_slice(&time.to_le_bytes());
        let damaged = open(&file);
        let report = damaged.verify();
        let [damage] = &report.damage[..] else { panic!("{what}: {:?}", report.damage) };
        assert_eq!((damage.offset, damage.kind), (place as u64, DamageKind::Framing), "{what}");
        let last = blocks.last().unwrap().time;
        let duration = damaged.info().duration.unwrap().0 as f32 / 1000.0;
        assert!((last - duration).abs() < 0.2, "{what}: {duration} of {last}");
        assert!(damaged.audit().grade < fragreel_model::Grade::Edited, "{what}: {:?}", damaged.audit().findings);
        let repaired = damaged.repair().unwrap();
        assert!(matches!(repaired.actions[..], [fragreel_model::Action::TimeGiven { .. }]), "{what}: {:?}", repaired.actions);
        assert_eq!(open(&repaired.bytes).verify().damage, [], "{what}");
    }
}

/// Numbers of a packet that a hole lies over accuse nobody.
#[test]
fn damaged_packet_numbers_are_no_edit() {
    let bytes = long(Plan::default(), 200).finish();
    let clean = open(&bytes);
    let block = clean.container().macros().filter_map(fragreel_goldsrc::container::Step::found).filter(|window| window.id.0 == 1).nth(99).unwrap();
    for number in [0, -1, 1_000_000_000, 5] {
        let mut file = bytes.clone();
        set(&mut file, block.body_offset() + 436, number);
        let audit = open(&file).audit();
        assert_eq!(audit.grade, fragreel_model::Grade::Damaged, "{number}: {:?}", audit.findings);
    }
}

/// What `repair` would leave out, `verify` mentions.
#[test]
fn repeated_macros_are_mentioned() {
    let bytes = tiny_recording();
    let recording = open(&bytes);
    let data = recording.container().macros().filter_map(fragreel_goldsrc::container::Step::found).filter(|window| window.id.0 == 1).last().unwrap();
    let mut file = assembled(Plan::default());
    file.segment(1, "Again");
    file.macro_with(2, 0.0, 0, &[]);
    for _ in 0..2 {
        file.macro_with(1, 0.5, 30, data.body);
    }
    file.macro_with(5, 0.5, 30, &[]);
    let file = file.finish();
    let twice = open(&file);
    assert!(twice.verify().notes.iter().any(|note| note.detail.contains("repeats the previous one")), "{:?}", twice.verify().notes);
    assert_eq!(twice.repair().unwrap().actions.len(), 2, "{:?}", twice.repair().unwrap().actions);
}

/// A file of nothing but starts and ends, far more than a directory can name.
#[test]
fn segments_without_number_are_cut_off() {
    let mut file = tiny_recording()[..544].to_vec();
    set(&mut file, 540, 0);
    for _ in 0..20_000 {
        file.extend([2, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    let opened = open(&file);
    assert_eq!(opened.container().segments.len(), 1024);
    assert!(opened.verify().damage.iter().any(|damage| damage.kind == DamageKind::TrailingData));
    let repaired = opened.repair().unwrap();
    assert_eq!(open(&repaired.bytes).container().damage, []);
}

/// From the middle on every mask has a byte more than it needs: another program wrote that.
#[test]
fn a_change_of_encoder_is_found() {
    use fragreel_goldsrc::message::Message;
    use fragreel_model::{Fate, FindingKind, Grade};
    let bytes = long(Plan::default(), 500).finish();
    let source = open(&bytes);
    let half = source.verify().messages as u32 / 2;
    let edited = source.map_messages(&mut |place, message| {
        if let (Message::DeltaPacketEntities(update), true) = (message, place.message >= half) {
            update.updates.iter_mut().filter_map(|entity| entity.delta.as_mut()).for_each(|delta| delta.mask_bytes += 1);
        }
        Fate::Keep
    });
    let falls = |bytes: &[u8]| -> Vec<(Grade, u32)> {
        let audit = open(bytes).audit();
        audit.findings.iter().filter(|finding| finding.kind == FindingKind::NotCanonical).map(|finding| (finding.grade, finding.message)).collect()
    };
    assert_eq!(falls(&bytes), []);
    let changed = falls(&edited.unwrap().bytes);
    assert!(matches!(changed[..], [(Grade::Suspicious, at)] if (half..half + 20).contains(&at)), "{changed:?} {half}");
}

/// The first sector holds nearly all of the header. The directory and the server say what it said.
#[test]
fn a_lost_header_is_read_around() {
    let whole = fragreel_testkit::samples("goldsrc").into_iter().find(|sample| sample.name.ends_with("net-48.dem")).expect("a sample").bytes();
    let (source, mut bytes) = (open(&whole), whole.clone());
    bytes[..512].fill(0);
    let damaged = open(&bytes);
    assert_eq!((macros(&damaged), damaged.info().snapshots), (macros(&source), source.info().snapshots));
    assert_eq!(damaged.info().maps, source.info().maps);
    assert!(damaged.verify().damage[0].detail.contains("does not start with HLDEMO"), "{:?}", damaged.verify().damage);
    let repaired = mend(&bytes, "the rest of the header", |_| {});
    assert_eq!(repaired[..16], whole[..16]);
    assert_eq!(open(&repaired).container().header.map_name(), source.container().header.map_name());
}

/// A message of the signon that cannot be read costs itself, and no description behind it.
#[test]
fn what_is_behind_a_hole_in_the_signon_is_read() {
    let whole = fragreel_testkit::samples("goldsrc").into_iter().find(|sample| sample.name.ends_with("net-48.dem")).expect("a sample").bytes();
    // the message before the descriptions, which no frame needs
    let at = whole.windows(7).position(|window| window == b"\x36valve\0").expect("svc_sendextrainfo");
    let mut bytes = whole.clone();
    bytes[at..at + 8].fill(0xff);
    let (source, damaged) = (open(&whole), open(&bytes));
    let frames = |recording: &Recording<'_>| recording.verify().snapshots;
    assert_eq!(frames(&damaged), frames(&source), "{:?}", damaged.verify().damage);
    assert_eq!(damaged.verify().damage.len(), 1, "{:?}", damaged.verify().damage);
    let repaired = damaged.repair().unwrap();
    let again = open(&repaired.bytes);
    assert_eq!((frames(&again), again.verify().damage), (frames(&source), Vec::new()));
}

/// Games refuse a server information of a protocol that nobody knows.
#[test]
fn the_server_states_the_protocol_of_the_header() {
    let whole = fragreel_testkit::samples("goldsrc").into_iter().find(|sample| sample.name.ends_with("net-48.dem")).expect("a sample").bytes();
    let at = whole.windows(5).position(|window| window == [11, 48, 0, 0, 0]).expect("a server information");
    let mut bytes = whole.clone();
    set(&mut bytes, at + 1, 1_074_004_032);
    assert!(mend(&bytes, "another protocol", |_| {}) == whole);
}
