//! The crates `hldemo` and `dem` on the same files. Where they disagree with us, the reason is known and tested.

use std::panic::catch_unwind;

use dem::types::{FrameData, MessageDataParseMode};
use fragreel_goldsrc::container::Step;
use fragreel_goldsrc::message::{Message, TempEntity};
use fragreel_goldsrc::properties::assemble::{Plan, recording};
use fragreel_goldsrc::{Body, Context, Decoder, Info, Recording};
use fragreel_model::{Clock, Fields, FrameOptions, Milliseconds, Range, Target};
use fragreel_testkit::Random;

fn sound_files() -> impl Iterator<Item = fragreel_testkit::Sample> {
    fragreel_testkit::corpus("goldsrc")
        .into_iter()
        .filter(|sample| !sample.damaged && (sample.dialect.contains("HLDEMO 5") || sample.name.contains("hltv-made")))
}

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, None, fragreel_base::wire::Limits::default()).unwrap()
}

/// Every macro at the same time and frame, and in data blocks the same user command, sequence numbers and messages.
/// `hldemo` stops at the first end macro of an entry, so that it misses those that follow at once.
#[test]
fn hldemo_sees_the_same_macros() {
    let mut beyond = 0;
    for sample in sound_files() {
        let bytes = sample.bytes();
        let recording = open(&bytes);
        let peer = hldemo::Demo::parse(&bytes).unwrap();
        assert_eq!(peer.header.map_crc as u32, recording.container().header.map_crc);
        for (entry, theirs) in peer.directory.entries.iter().enumerate() {
            let mut ours = recording.container().macros().filter_map(|step| match step {
                Step::Macro { segment, window, .. } if segment == entry => Some(window),
                _ => None,
            });
            for frame in &theirs.frames {
                let window = ours.next().unwrap();
                assert_eq!((window.time.to_bits(), window.frame), (frame.time.to_bits(), frame.frame), "{}", sample.name);
                let hldemo::FrameData::NetMsg(data) = &frame.data else { continue };
                let Ok(Body::Data(Info::Known(info), sequence, length)) = Body::read(&window, recording.dialect()) else { panic!("{}", sample.name) };
                assert_eq!(sequence.words[..2], [data.incoming_sequence, data.incoming_acknowledged]);
                assert_eq!((length as usize, fragreel_goldsrc::messages(&window, recording.dialect()).unwrap().1), (data.msg.len(), data.msg));
                let (own, other) = (&info.user_command, &data.info.usercmd);
                assert_eq!((own.msec, own.buttons, own.view_angles), (other.msec, other.buttons, other.viewangles), "{}", sample.name);
                assert_eq!(info.view_model, data.info.viewmodel);
                assert_eq!(info.ref_params.viewport[..], data.info.ref_params.viewport[..]);
            }
            let rest: Vec<_> = ours.map(|window| window.kind).collect();
            assert!(rest.iter().all(|kind| *kind == fragreel_goldsrc::container::MacroKind::End), "{}", sample.name);
            beyond += rest.len();
        }
    }
    assert!(fragreel_testkit::corpus("goldsrc").is_empty() || beyond > 0, "no file shows why the first end macro is not the last");
}

/// As many messages in as many blocks, unless the recording has a `TE_FIREFIELD`: `dem` takes four bytes too few for
/// it and gets out of step.
#[test]
fn dem_counts_the_same_messages() {
    let (mut same, mut fires) = (0, 0);
    for sample in sound_files() {
        let bytes = sample.bytes();
        let (ours, fire) = count(&bytes);
        let theirs = catch_unwind(|| dem::types::Demo::parse_from_bytes(&bytes, MessageDataParseMode::Parse).ok().map(|demo| theirs(&demo))).ok().flatten();
        if fire {
            assert_ne!(theirs, Some(ours), "{}: dem has learned the length of TE_FIREFIELD", sample.name);
            fires += 1;
        } else {
            assert_eq!(theirs, Some(ours), "{}", sample.name);
            same += 1;
        }
    }
    assert!(fragreel_testkit::corpus("goldsrc").is_empty() || (same > 20 && fires >= 2), "{same} the same, {fires} with fire");
}

fn count(bytes: &[u8]) -> (Vec<usize>, bool) {
    let recording = open(bytes);
    let mut decoder = Decoder::new(Context::new(recording.dialect().messages.unwrap()));
    let (mut counts, mut fire) = (Vec::new(), false);
    for window in recording.container().macros().filter_map(Step::found) {
        let Some((offset, data)) = fragreel_goldsrc::messages(&window, recording.dialect()) else { continue };
        let mut messages = 0;
        let one = |_: &Context, message: &mut Message, _| {
            messages += 1;
            fire |= matches!(message, Message::TempEntity(TempEntity { kind: 123, .. }));
        };
        decoder.block(data, offset, one).unwrap();
        counts.push(messages);
    }
    (counts, fire)
}

fn theirs(demo: &dem::types::Demo) -> Vec<usize> {
    let frames = demo.directory.entries.iter().flat_map(|entry| &entry.frames);
    frames
        .filter_map(|frame| match &frame.frame_data {
            FrameData::NetworkMessage(data) => data.1.messages.get_parsed_messages().map(Vec::len),
            _ => None,
        })
        .collect()
}

/// Nothing else writes a recording back as it was; should `dem` learn it, the document is to be corrected.
#[test]
fn dem_does_not_write_what_it_read() {
    let Some(sample) = sound_files().find(|sample| sample.name.ends_with("__weapon_usp_awp.dem")) else { return };
    let bytes = sample.bytes();
    let demo = dem::types::Demo::parse_from_bytes(&bytes, MessageDataParseMode::Parse).unwrap();
    assert_ne!(demo.write_to_bytes(), bytes);
    assert!(open(&bytes).verify().is_whole());
}

/// Both read cuts as they read what recorders write.
#[test]
fn cuts_are_read() {
    let (mut files, mut parsed, mut random) = (0, 0, Random::new(99));
    for sample in sound_files().filter(|sample| !sample.name.contains("net-4")) {
        let (name, bytes) = (&sample.name, sample.bytes());
        let source = open(&bytes);
        if !(40_000..1_500_000).contains(&bytes.len()) || !source.verify().is_whole() {
            continue;
        }
        let times: Vec<Milliseconds> = source.frames(FrameOptions::default().fields(Fields::NONE)).map(|frame| frame.time).collect();
        let (a, b) = (random.below(times.len()), random.below(times.len()));
        let edited = source.cut(Range { clock: Clock::Demo, from: times[a.min(b)], to: times[a.max(b)] }).unwrap();
        let cut = open(&edited.bytes);
        let peer = hldemo::Demo::parse(&edited.bytes).unwrap();
        let ours = cut.container().segments.iter().map(|segment| segment.entry.frames);
        assert!(peer.directory.entries.iter().map(|entry| entry.frame_count).eq(ours), "{name}");
        let data = |entry: usize| peer.directory.entries[entry].frames.iter().filter(|frame| matches!(frame.data, hldemo::FrameData::NetMsg(_))).count();
        assert_eq!(data(1) as i32, peer.directory.entries[1].frame_count, "{name}");
        assert!(peer.directory.entries[1].frames.first().is_some_and(|frame| frame.time == 0.0 && frame.frame == 0), "{name}");
        files += 1;
        // what `dem` cannot read of the source, it need not read of the cut
        let reads = |bytes: &[u8]| catch_unwind(|| dem::types::Demo::parse_from_bytes(bytes, MessageDataParseMode::Parse).is_ok()).unwrap_or(false);
        if reads(&bytes) {
            assert!(reads(&edited.bytes), "{name}");
            parsed += 1;
        }
    }
    assert!(parsed > 5 || fragreel_testkit::corpus("goldsrc").is_empty(), "{parsed} of {files}");
}

/// `hldemo` takes what older network protocols become for what it says it is.
#[test]
fn what_older_protocols_become_is_read() {
    for network in [45, 46, 47] {
        for (instanced, hltv) in [(false, false), (true, false), (false, true)] {
            let bytes = recording(Plan { network, instanced, hltv, ..Plan::default() });
            let edited = open(&bytes).convert(&Target::default()).unwrap();
            let peer = hldemo::Demo::parse(&edited.bytes).unwrap();
            assert_eq!((peer.header.net_protocol, peer.directory.entries.len()), (48, 2));
        }
    }
}
