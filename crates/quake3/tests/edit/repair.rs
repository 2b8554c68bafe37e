//! Repairing.

use fragreel_model::{Clock, Milliseconds, Range};
use fragreel_quake3::container::{self, END_MARK, Frames, Piece};
use fragreel_quake3::message::{Download, Message, Operation};

use super::engine::play;
use super::{Random, agree, each, everything, open, whole};

#[test]
fn what_is_whole_stays_and_what_is_not_plays() {
    each(|sample, recording| {
        if !sample.damaged && recording.bytes().len() > 1_000_000 {
            return;
        }
        let report = recording.verify();
        let repaired = match recording.repair() {
            Ok(repaired) => repaired,
            Err(error) => {
                assert!(sample.damaged, "{}: {error}", sample.name);
                return;
            }
        };
        assert_eq!(repaired.bytes == recording.bytes(), repaired.actions.is_empty(), "{}", sample.name);
        assert_eq!(report.damage.is_empty(), repaired.actions.is_empty(), "{}: {:?} {:?}", sample.name, report.damage.first(), repaired.actions);
        let again = whole(&sample.name, &repaired);
        play(&again).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        // After a damaged gamestate, all frames may be uncertain.
        let lacks_gamestate = repaired.actions.iter().any(|action| matches!(action, fragreel_model::Action::GamestatePartlyKept { .. }));
        assert!(agree(&sample.name, &recording.compare_with_strings(&again)) > 0 || lacks_gamestate, "{}", sample.name);
        assert!(again.repair().is_ok_and(|twice| twice.actions.is_empty()), "{}: once is enough", sample.name);
    });
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[what_is_whole_stays_and_what_is_not_plays]);
}

#[test]
fn what_engines_read_wrongly_is_put_right() {
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("the sample");
    let bytes = sample.bytes();
    let source = open(&sample.name, &bytes, "dm_71");
    let (mut out, mut message, mut swapped) = (Vec::new(), Message::default(), false);
    for piece in Frames::new(&bytes) {
        let Piece::Message(frame) = piece else { continue };
        message.read(container::data(&bytes, &frame), source.dialect()).expect("a whole sample");
        if frame.number == 40 {
            message.operations.insert(0, Operation::Download(Download { file_size: 3, data: vec![1, 2, 3], ..Download::default() }));
        }
        for operation in &mut message.operations {
            let Operation::Snapshot(snapshot) = operation else { continue };
            if frame.number > 40 && !swapped && snapshot.entities.len() > 1 {
                snapshot.entities.swap(0, 1);
                swapped = true;
            }
        }
        frame.write(&message.write_anew(source.dialect()), &mut out);
    }
    out.extend(END_MARK);
    assert!(swapped);
    let wrong = open(&sample.name, &out, "dm_71");
    assert!(wrong.verify().is_whole());
    let repaired = wrong.repair().expect("a whole recording");
    let kinds: Vec<_> = repaired.actions.iter().map(fragreel_model::Action::kind).collect();
    assert_eq!(kinds, ["download_left_out", "entities_sorted"]);
    let again = whole(&sample.name, &repaired);
    play(&again).expect("engines play it");
    assert!(agree(&sample.name, &source.compare_with_strings(&again)) > 0);
    assert!(again.repair().is_ok_and(|twice| twice.actions.is_empty()));
}

#[test]
fn damage_costs_no_more_than_it_must() {
    let mut repaired_once = 0;
    for sample in everything().into_iter().filter(|sample| !sample.damaged).step_by(9) {
        let mut random = Random::named(&sample.name);
        let bytes = sample.bytes();
        let recording = open(&sample.name, &bytes, &sample.extension());
        let Ok(played) = play(&recording) else { continue };
        let all = played.frames.len();
        let messages: Vec<_> = Frames::new(&bytes).filter_map(|piece| if let Piece::Message(frame) = piece { Some(frame) } else { None }).collect();
        let hit = messages[messages.len() / 2 + random.below(messages.len() / 4)];
        let mut broken = bytes.clone();
        let zeroed = hit.data_offset() as usize..hit.end() as usize;
        broken[zeroed].fill(0xff);
        // a lost block, a second mark, and no end
        let lost = messages[messages.len() / 4];
        broken.drain(lost.offset as usize..lost.offset as usize + 5);
        let third = messages[messages.len() / 8].offset as usize;
        broken.splice(third..third, END_MARK);
        broken.truncate(broken.len() - END_MARK.len() - 3);
        let damaged = open(&sample.name, &broken, &sample.extension());
        let repaired = damaged.repair().unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        assert!(repaired.actions.len() >= 4, "{}: {:?}", sample.name, repaired.actions);
        let again = whole(&sample.name, &repaired);
        let frames = agree(&sample.name, &damaged.compare(&again));
        play(&again).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        assert!(frames as usize * 10 > all, "{}: {frames} of {all}", sample.name);
        repaired_once += 1;
    }
    assert!(repaired_once > 0);
}

#[test]
fn recordings_without_an_end_or_with_two_get_one() {
    let sample = &fragreel_testkit::samples("quake3")[0];
    let bytes = sample.bytes();
    let (body, _) = bytes.split_at(bytes.len() - END_MARK.len());
    // a seal behind the end belongs to the recording
    for tail in [[END_MARK, END_MARK].concat(), [&END_MARK[..], &[7; 88]].concat()] {
        let sealed = [body, &tail].concat();
        let recording = open("sealed", &sealed, "dm_71");
        let report = recording.verify();
        assert!(report.is_whole() && report.notes.len() == 1, "{:?} {:?}", report.damage, report.notes);
        assert!(recording.audit().findings.iter().all(|finding| finding.grade < fragreel_model::Grade::Damaged), "{:?}", recording.audit().findings);
        let repaired = recording.repair().unwrap();
        assert!(repaired.actions.is_empty() && repaired.bytes == sealed, "{:?}", repaired.actions);
    }
    for tail in [&b""[..], &b"\x01\x02"[..]] {
        let broken = [body, tail].concat();
        let repaired = open("broken", &broken, "dm_71").repair().unwrap();
        assert!(repaired.bytes == bytes && repaired.actions.len() == 1 + usize::from(tail.len() == 2), "{:?}", repaired.actions);
    }
    let cut = open("whole", &bytes, "dm_71").cut(Range { clock: Clock::Demo, from: Milliseconds(5000), to: Milliseconds(6000) }).unwrap();
    let headless = &cut.bytes[Frames::new(&cut.bytes).nth(1).map_or(0, |piece| if let Piece::Message(frame) = piece { frame.offset as usize } else { 0 })..];
    assert!(open("headless", headless, "dm_71").repair().unwrap_err().detail().contains("gamestate"));
}

/// What `repair` puts in where a command's number is missing, `verify` mentions.
#[test]
fn missing_commands_are_mentioned() {
    use fragreel_quake3::message::{Message, Operation};
    let sample = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("our sample");
    let bytes = sample.bytes();
    let source = open(&sample.name, &bytes, "dm_71");
    assert!(source.verify().notes.is_empty());
    let (mut out, mut message, mut gone) = (Vec::new(), Message::default(), Vec::new());
    for piece in Frames::new(&bytes) {
        let Piece::Message(frame) = piece else { continue };
        message.read(container::data(&bytes, &frame), source.dialect()).unwrap();
        message.operations.retain(|operation| match operation {
            Operation::ServerCommand(command) if frame.number > 50 && command.sequence % 5 == 0 => {
                gone.push(command.sequence);
                false
            }
            _ => true,
        });
        frame.write(&message.write_anew(source.dialect()), &mut out);
    }
    out.extend(END_MARK);
    // behind the last one left none is missed
    let (gone, recording) = (gone.len() - 1, open("without some", &out, "dm_71"));
    let report = recording.verify();
    assert!(report.is_whole() && gone > 3);
    let [note] = &report.notes[..] else { panic!("{:?}", report.notes) };
    let repaired = recording.repair().unwrap();
    let Some(fragreel_model::Action::CommandsFilled { commands }) = repaired.actions.first() else { panic!("{:?}", repaired.actions) };
    assert!(note.detail.contains(&format!("the first of {commands} that are missing")), "{}", note.detail);
    assert!(*commands == gone as u64 || *commands == gone as u64 + 1, "{commands} of {gone}");
    assert!(whole("filled", &repaired).verify().notes.is_empty());
}
