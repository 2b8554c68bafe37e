//! Messages that are too long for engines are sent as several.

use fragreel_base::wire::Error;
use fragreel_model::Fate;
use fragreel_quake3::Recording;
use fragreel_quake3::container::{Frames, Piece};
use fragreel_quake3::dialect::LONGEST_MESSAGE;
use fragreel_quake3::message::{ConfigString, GamestateItem, Operation, ServerCommand};
use fragreel_quake3::walk::{Visitor, visit};
use fragreel_testkit::Random;

use super::engine::play;
use super::{open, whole};

/// Text of letters with long codes.
fn noise(random: &mut Random, length: usize) -> Vec<u8> {
    (0..length).map(|_| b"+-?CIKMU"[random.below(8)]).collect()
}

fn longest(recording: &Recording<'_>) -> usize {
    let length = |piece| if let Piece::Message(frame) = piece { frame.length as usize } else { 0 };
    Frames::new(recording.bytes()).map(length).max().unwrap_or_default()
}

#[test]
fn commands_go_ahead_of_the_snapshot_that_they_came_with() {
    const ADDED: i32 = 25;
    for sample in fragreel_testkit::samples("quake3") {
        let bytes = sample.bytes();
        let recording = open(&sample.name, &bytes, &sample.extension());
        let played = play(&recording).unwrap();
        let mut random = Random::named(&sample.name);
        let texts: Vec<Vec<u8>> = (0..ADDED).map(|_| [b"print \"", &*noise(&mut random, 990), b"\""].concat()).collect();
        let (mut last, mut added_behind) = (0, None);
        let edited = recording.map_messages(&mut |place, message| {
            for operation in &mut message.operations {
                match operation {
                    Operation::Gamestate(gamestate) => last = gamestate.command_sequence,
                    Operation::ServerCommand(command) => {
                        last = last.max(command.sequence);
                        if added_behind.is_some_and(|behind| command.sequence > behind) {
                            command.sequence += ADDED;
                        }
                    }
                    _ => {}
                }
            }
            if place.message == 20 {
                added_behind = Some(last);
                let commands = (1..).zip(&texts).map(|(number, text)| Operation::ServerCommand(ServerCommand { sequence: last + number, text: text.clone() }));
                let at = message.operations.iter().position(|operation| matches!(operation, Operation::Snapshot(_))).unwrap();
                message.operations.splice(at..at, commands);
            }
            Fate::Keep
        });
        let edited = edited.unwrap();
        assert!(edited.actions.iter().any(|action| action.to_string().starts_with("split 1 message")), "{:?}", edited.actions);
        let edited = whole(&sample.name, &edited);
        assert!(longest(&edited) <= LONGEST_MESSAGE);
        let again = play(&edited).unwrap();
        let mut wanted = played.frames;
        wanted[19].1.extend(texts);
        assert!(again.frames == wanted, "{}: the same commands with the same frames", sample.name);
    }
}

struct Idle;
impl Visitor for Idle {}

/// The recording with `count` strings of 900 bytes that begin with `start`, which make its gamestate too long.
fn with_long_strings(recording: &Recording<'_>, start: &[u8], count: usize) -> (Vec<Vec<u8>>, Result<fragreel_model::Edited, Error>) {
    let mut random = Random::new(5);
    let texts: Vec<Vec<u8>> = (0..count).map(|_| [start, &*noise(&mut random, 900 - start.len())].concat()).collect();
    let edited = recording.map_messages(&mut |_, message| {
        for operation in &mut message.operations {
            if let Operation::Gamestate(gamestate) = operation {
                let strings = (700..).zip(&texts).map(|(index, text)| GamestateItem::ConfigString(ConfigString { index, text: text.clone() }));
                gamestate.items.splice(0..0, strings);
            }
        }
        Fate::Keep
    });
    (texts, edited)
}

#[test]
fn strings_go_behind_a_gamestate_that_would_be_too_long() {
    let samples = fragreel_testkit::samples("quake3");
    let sample = samples.iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("our sample");
    let bytes = sample.bytes();
    let recording = open(&sample.name, &bytes, "dm_71");
    let (texts, edited) = with_long_strings(&recording, b"", 13);
    let edited = edited.unwrap();
    assert!(edited.actions.iter().any(|action| action.to_string().starts_with("split 1 message")), "{:?}", edited.actions);
    let edited = whole(&sample.name, &edited);
    assert!(longest(&edited) <= LONGEST_MESSAGE);
    let (before, after) = (play(&recording).unwrap(), play(&edited).unwrap());
    assert_eq!(after.frames.len(), before.frames.len());
    let told = after.frames[0].1.iter().filter(|command| command.starts_with(b"cs 7")).count();
    assert!((1..=8).contains(&told), "{told} strings come with the first frame");
    assert!(after.frames[1..] == before.frames[1..]);
    let state = visit(edited.bytes(), edited.dialect(), &mut Idle);
    for (index, text) in (700..).zip(&texts) {
        assert_eq!(state.string(index), text.as_slice(), "{index}");
    }
}

#[test]
fn strings_that_commands_cannot_tell_are_refused() {
    let samples = fragreel_testkit::samples("quake3");
    let sample = samples.iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("our sample");
    let bytes = sample.bytes();
    let (_, refused) = with_long_strings(&open(&sample.name, &bytes, "dm_71"), b"\"", 20);
    assert!(refused.unwrap_err().detail().contains("use shorter ones"));
}
