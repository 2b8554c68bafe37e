//! Recordings with a hole, or with a damaged clock.

use fragreel_base::wire::Limits;
use fragreel_model::{Fields, FrameOptions};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Container, Framing, Stamp, write_block};
use fragreel_quake1::unstable::message::Float;

use super::made::{client_data, netquake, sample, time};

fn open<'b>(bytes: &'b [u8], extension: &str) -> Recording<'b> {
    Recording::open(bytes, Some(extension), Limits::default()).expect("a recording")
}

fn frames(recording: &Recording<'_>) -> Vec<u32> {
    recording.frames(FrameOptions::default().fields(Fields::NONE)).map(|frame| frame.message).collect()
}

fn duration(recording: &Recording<'_>) -> f64 {
    recording.info().duration.map_or(0.0, |duration| duration.0 as f64)
}

/// One hole of zeros, ones or noise: what lies outside of it is there, before and after repair.
#[test]
fn a_hole_costs_what_was_in_it() {
    let mut random = fragreel_testkit::Random::new(3);
    let mut wrong = Vec::new();
    for name in ["match_e1m1.qwd", "match_e1m1.mvd", "quakeworld_plain_dm3.qwd", "netquake15_deltas_dm3.dem", "netquake666_deltas_e1m1.dem"] {
        let extension = name.rsplit('.').next().unwrap();
        let whole = sample(name);
        let source = open(&whole, extension);
        let offsets: Vec<(u64, u64)> = source.blocks().map(Result::unwrap).map(|block| (block.offset, block.end())).collect();
        let (shown, length) = (frames(&source), duration(&source));
        for size in [512, 4096, 65_536].into_iter().filter(|size| size * 4 <= whole.len()) {
            for place in 1..10 {
                let from = (whole.len() - size) * place / 10;
                let to = from + size;
                let fill = place % 3;
                let mut bytes = whole.clone();
                bytes[from..to].iter_mut().for_each(|byte| {
                    *byte = if fill == 0 {
                        0
                    } else if fill == 1 {
                        0xff
                    } else {
                        random.below(256) as u8
                    }
                });
                let what = format!("{name}: {size} bytes at {from}, filled in way {fill}");
                let outside = shown.iter().filter(|&&at| offsets[at as usize].1 <= from as u64 || offsets[at as usize].0 >= to as u64).count();
                let damaged = open(&bytes, extension);
                let repaired = damaged.repair().unwrap();
                let repaired = open(&repaired.bytes, extension);
                for (recording, which) in [(&damaged, "damaged"), (&repaired, "repaired")] {
                    let delivered = frames(recording).len();
                    if delivered * 10 < outside * 9 {
                        wrong.push(format!("{what}, {which}: {delivered} of {outside} frames"));
                    }
                    let now = duration(recording);
                    if (now - length).abs() > length / 10.0 + size as f64 / whole.len() as f64 * length {
                        wrong.push(format!("{what}, {which}: {now} ms instead of {length}"));
                    }
                }
                let found = damaged.verify();
                // a hole within a text leaves no trace
                if found.damage.len() >= 20 {
                    wrong.push(format!("{what}: {} findings", found.damage.len()));
                }
                if !repaired.verify().damage.is_empty() {
                    wrong.push(format!("{what}: the repaired recording is damaged: {:?}", repaired.verify().damage[0]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// What damage makes uncertain is marked until the game is stated in full.
#[test]
fn frames_behind_a_hole_are_uncertain() {
    let whole = sample("match_e1m1.mvd");
    let mut bytes = whole.clone();
    let from = whole.len() / 2;
    bytes[from..from + 512].fill(0xff);
    let marked = |bytes: &[u8]| open(bytes, "mvd").frames(FrameOptions::default()).filter(|frame| frame.uncertain).count();
    assert_eq!(marked(&whole), 0);
    assert!(marked(&bytes) > 10);
}

/// A time that its neighbors contradict is damage. Nothing lasts as long as it says.
#[test]
fn one_damaged_time_takes_no_time() {
    let frames: Vec<Vec<u8>> = (0..40).map(|at| [time(if at == 20 { 40_796_392.0 } else { at as f32 / 10.0 }), client_data(100)].concat()).collect();
    let bytes = netquake(1, &frames.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let recording = open(&bytes, "dem");
    assert!((3800.0..4000.0).contains(&duration(&recording)), "{}", duration(&recording));
    assert_eq!(recording.verify().damage.len(), 1, "{:?}", recording.verify().damage);
    let repaired = recording.repair().unwrap();
    let repaired = open(&repaired.bytes, "dem");
    assert!(repaired.verify().damage.is_empty());
    assert_eq!((duration(&repaired), repaired.info().snapshots), (duration(&recording), recording.info().snapshots));

    let whole = sample("quakeworld_plain_dm3.qwd");
    let source = open(&whole, "qwd");
    let mut bytes = Vec::new();
    let middle = source.blocks().count() / 2;
    for (at, block) in source.blocks().map(Result::unwrap).enumerate() {
        let mut framing = block.framing;
        if let (true, Framing::Packet { time: Stamp::At(time), .. } | Framing::Command { time: Stamp::At(time), .. }) = (at == middle, &mut framing) {
            *time = Float::from(4100.0);
        }
        write_block(&mut bytes, Container::QuakeWorld, &framing, block.data);
    }
    let recording = open(&bytes, "qwd");
    assert_eq!(recording.verify().damage.len(), 1);
    assert_eq!((duration(&recording), recording.info().snapshots), (duration(&source), source.info().snapshots));
    let repaired = recording.repair().unwrap();
    assert!(open(&repaired.bytes, "qwd").verify().damage.is_empty());
}

/// A clock that was set goes on from there, and a level may begin with another.
#[test]
fn a_clock_may_be_set() {
    let frames: Vec<Vec<u8>> = (0..40).map(|at| [time(if at < 20 { 900.0 } else { 1.0 } + at as f32 / 10.0), client_data(100)].concat()).collect();
    let bytes = netquake(1, &frames.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let recording = open(&bytes, "dem");
    assert!(recording.verify().damage.is_empty(), "{:?}", recording.verify().damage);
    assert!((3700.0..4000.0).contains(&duration(&recording)));
}

fn stated(times: &[f32]) -> Vec<u8> {
    let frames: Vec<Vec<u8>> = times.iter().map(|&at| [time(at), client_data(100)].concat()).collect();
    netquake(1, &frames.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// A block that came late is no damage, takes no time, and stays as it is.
#[test]
fn late_blocks_are_late() {
    let times: Vec<f32> = (0..40)
        .map(|at| match at {
            20 => 1.75,
            30 => 0.6,
            at => at as f32 / 10.0,
        })
        .collect();
    let bytes = stated(&times);
    let recording = open(&bytes, "dem");
    assert!(recording.verify().is_whole(), "{:?}", recording.verify().damage);
    let audit = recording.audit();
    let found: Vec<_> = audit.findings.iter().map(|finding| (finding.grade.name(), finding.kind.name(), finding.evidence.as_str())).collect();
    assert!(found.contains(&("normal", "sequence_fall", "2 packets arrived late or twice, and clients drop them")), "{found:?}");
    assert!(audit.findings.iter().all(|finding| finding.grade < fragreel_model::Grade::Damaged), "{found:?}");
    assert!((3800.0..4000.0).contains(&duration(&recording)), "{}", duration(&recording));
    let repaired = recording.repair().unwrap();
    assert!(repaired.bytes.starts_with(&bytes), "{:?}", repaired.actions);
}

/// The first and the last clock of a level are believed only as far as another confirms them.
#[test]
fn a_clock_that_no_other_confirms_is_damage() {
    let times = |wrong: usize, value: f32| -> Vec<f32> { (0..40).map(|at| if at == wrong { value } else { 4000.0 + at as f32 / 10.0 }).collect() };
    for (wrong, value) in [(0, 0.5), (39, 9000.0), (38, 9000.0)] {
        let bytes = stated(&times(wrong, value));
        let recording = open(&bytes, "dem");
        assert!((3700.0..4000.0).contains(&duration(&recording)), "{wrong}: {}", duration(&recording));
        assert_eq!(recording.verify().damage.len(), 1, "{wrong}: {:?}", recording.verify().damage);
        assert!(recording.audit().grade == fragreel_model::Grade::Damaged, "{wrong}: {:?}", recording.audit().findings);
    }
}

/// A step that a clock may make is damage if the clock falls behind it, back to where it was.
#[test]
fn a_short_jump_that_no_other_clock_confirms_is_damage() {
    let whole = sample("ktx_countdown.qwd");
    let source = open(&whole, "qwd");
    let frame = source.blocks().count() / 2;
    let ahead = |blocks: std::ops::Range<usize>| {
        let mut bytes = Vec::new();
        for (at, block) in source.blocks().map(Result::unwrap).enumerate() {
            let mut framing = block.framing;
            if let (true, Framing::Packet { time: Stamp::At(time), .. } | Framing::Command { time: Stamp::At(time), .. }) = (blocks.contains(&at), &mut framing)
            {
                *time = Float::from(time.value() + 4.1);
            }
            write_block(&mut bytes, Container::QuakeWorld, &framing, block.data);
        }
        bytes
    };
    let bytes = ahead(frame..frame + 1);
    let recording = open(&bytes, "qwd");
    assert_eq!((recording.verify().damage.len(), duration(&recording)), (1, duration(&source)));
    assert_eq!(recording.audit().grade, fragreel_model::Grade::Damaged);
    // a server that stood still
    let bytes = ahead(frame..usize::MAX);
    let recording = open(&bytes, "qwd");
    assert!(recording.verify().is_whole(), "{:?}", recording.verify().damage);
    assert!((duration(&recording) - duration(&source) - 4100.0).abs() < 2.0, "{} {}", duration(&recording), duration(&source));

    // NetQuake; and a block that came more than a second late contradicts no other
    let times = |wrong: &[(usize, f32)]| {
        let mut times: Vec<f32> = (0..40).map(|at| if at < 20 { 0.0 } else { 1.5 } + at as f32 / 10.0).collect();
        wrong.iter().for_each(|&(at, time)| times[at] = time);
        stated(&times)
    };
    let (whole, damaged, late) = (times(&[]), times(&[(10, 4.0)]), times(&[(21, 1.95)]));
    let recording = open(&damaged, "dem");
    assert_eq!((recording.verify().damage.len(), duration(&recording)), (1, duration(&open(&whole, "dem"))));
    let recording = open(&late, "dem");
    assert!(recording.verify().is_whole(), "{:?}", recording.verify().damage);
}

/// Bytes that another program put before a recording cost nothing of it.
#[test]
fn what_precedes_a_recording_is_left_out() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n";
    for (name, extension) in [("netquake15_deltas_dm3.dem", "dem"), ("quakeworld_plain_dm3.qwd", "qwd"), ("match_e1m1.mvd", "mvd")] {
        let whole = sample(name);
        let bytes = [answer, &whole[..]].concat();
        let (source, recording) = (open(&whole, extension), open(&bytes, extension));
        assert_eq!((recording.info().dialect, recording.info().snapshots), (source.info().dialect, source.info().snapshots), "{name}");
        let damage = recording.verify().damage;
        let line = if extension == "dem" { 3 } else { 0 };
        assert_eq!(damage[0].skipped.map(|skipped| (skipped.from, skipped.to)), Some((0, (answer.len() + line) as u64)), "{name}: {damage:?}");
        assert_eq!((damage.len(), recording.audit().grade), (1, fragreel_model::Grade::Damaged), "{name}");
        // as if it had not been there
        let (repaired, other) = (recording.repair().unwrap(), source.repair().unwrap());
        assert!(repaired.bytes == other.bytes, "{name}: {:?}", repaired.actions);
        assert_eq!(repaired.actions[0].to_string(), format!("dropped {} bytes at offset 0: the start of the recording is damaged", answer.len() + line));
    }
    // where the opening itself is lost, its frames cannot be played
    let mut headless = sample("quakeworld_plain_dm3.qwd");
    headless[..512].fill(0);
    assert!(open(&headless, "qwd").repair().is_err());
}

/// No engine of protocol 15 has entity 65535.
#[test]
fn numbers_beyond_the_limits_are_damage() {
    // a long update of an entity without fields, and a frame's own
    let update = [&[0x81, 0x40, 0xff, 0xff][..], &[0x80, 5]].concat();
    let frames: Vec<Vec<u8>> =
        (0..10).map(|at| [time(at as f32 / 10.0 + 1.0), client_data(100), if at == 5 { update.clone() } else { vec![0x80, 5] }].concat()).collect();
    let bytes = netquake(1, &frames.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let recording = open(&bytes, "dem");
    let damage = recording.verify().damage;
    assert!(damage.iter().any(|damage| damage.detail == "there is no entity 65535: engines have 8192"), "{damage:?}");
    let repaired = recording.repair().unwrap();
    assert!(open(&repaired.bytes, "dem").verify().is_whole());
    assert!(!repaired.bytes.windows(2).any(|pair| pair == [0xff, 0xff]));
}
