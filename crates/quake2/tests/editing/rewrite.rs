//! Rewriting: messages and texts changed or left out.

use fragreel_model::{EventKind, Fate, Kinds, Place, Rewrite, Role, Target};
use fragreel_quake2::container::dm2::Blocks;
use fragreel_quake2::detect::identify;
use fragreel_quake2::message::{Body, Reader};
use fragreel_quake2::state::{Detail, Effect, State};
use fragreel_testkit::Random;

use super::{Identity, check, open, recordings};

#[test]
fn a_rewrite_that_changes_nothing_changes_nothing() {
    for (sample, bytes) in recordings() {
        let edited = open(&bytes, &sample.extension()).rewrite(&mut Identity).unwrap();
        assert!(edited.bytes == bytes, "{}: {} and {} bytes", sample.name, edited.bytes.len(), bytes.len());
        assert!(edited.actions.is_empty(), "{}: {:?}", sample.name, edited.actions);
    }
}

/// Takes chat away, and everybody's name.
#[derive(Default)]
struct Scrub {
    names: usize,
    lines: usize,
}

impl Rewrite for Scrub {
    fn message(&mut self, _: Place, kind: &str) -> Fate {
        if kind == "svc_sound" || kind == "svc_frame" { Fate::Drop } else { Fate::Keep }
    }

    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Chat | Role::Print => {
                self.lines += 1;
                return Fate::Drop;
            }
            Role::Name => {
                self.names += 1;
                *text = b"somebody with a longer name".to_vec();
            }
            _ => {}
        }
        Fate::Keep
    }
}

/// The stat that says which string names what was picked up.
const PICKUP_STRING: usize = 8;

#[test]
fn stats_that_are_numbers_of_strings_move_with_the_strings() {
    let mut seen = 0;
    for (sample, bytes) in recordings() {
        let Ok(edited) = open(&bytes, &sample.extension()).convert(&Target { format: None, pov: None }) else { continue };
        let found = identify(&edited.bytes, Some("dm2")).unwrap();
        let mut state = State::new(found.dialect, Detail::Full, false);
        let mut reader = Reader::new(found.dialect);
        for block in Blocks::new(&edited.bytes) {
            let read = reader.block(block.data, |message, _, _| {
                if state.apply(message) == Effect::Frame
                    && let Some((_, player)) = state.players().next()
                    && player.stats[PICKUP_STRING] > 0
                {
                    let named = state.strings.get(player.stats[PICKUP_STRING] as u16);
                    assert!(!named.is_empty(), "{}: {} in frame {}", sample.name, player.stats[PICKUP_STRING], state.clock.number());
                    seen += 1;
                }
                true
            });
            assert!(read.is_ok() || sample.damaged, "{}", sample.name);
        }
    }
    assert!(seen > 100 || fragreel_testkit::corpus("quake2").is_empty(), "{seen} names of items");
}

struct Grow;

impl Rewrite for Grow {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        if role == Role::Name {
            *text = vec![b'n'; 80];
        }
        Fate::Keep
    }
}

#[test]
fn a_name_that_engines_have_no_room_for_is_refused() {
    for sample in
        fragreel_testkit::samples("quake2").into_iter().filter(|sample| sample.name.ends_with("yq2dm_Alice.dm2") || sample.name.ends_with("multi.mvd2"))
    {
        let error = open(&sample.bytes(), &sample.extension()).rewrite(&mut Grow).map(drop).unwrap_err();
        assert!(error.to_string().contains("engines have room for 63"), "{}: {error}", sample.name);
    }
}

#[test]
fn chat_and_names_go_away_and_states_stay() {
    let (mut names, mut lines) = (0, 0);
    for (sample, bytes) in recordings().into_iter().filter(|(sample, _)| !sample.damaged) {
        let source = open(&bytes, &sample.extension());
        let mut scrub = Scrub::default();
        let edited = source.rewrite(&mut scrub).unwrap();
        let comparison = check(&sample.name, &source, &edited);
        assert_eq!(comparison.frames, source.info().snapshots, "{}", sample.name);
        let again = open(&edited.bytes, &edited.extension);
        again.events(Kinds::ALL).for_each(|event| {
            let gone = !matches!(event.kind, EventKind::Chat { .. } | EventKind::Print { .. } | EventKind::CenterPrint { .. });
            assert!(gone, "{}: {:?}", sample.name, event);
        });
        for player in again.info().players {
            assert_eq!(player.name.clean, "somebody with a longer name", "{}", sample.name);
        }
        (names, lines) = (names + scrub.names, lines + scrub.lines);
    }
    assert!(names > 20 && lines > 50, "{names} names, {lines} lines");
}

#[test]
fn frames_may_be_dropped_and_the_others_stay() {
    let mut random = Random::new(0xd20b);
    let mut kept = 0;
    for (sample, bytes) in recordings().into_iter().filter(|(sample, _)| sample.extension() != "mvd2" && !sample.damaged) {
        let source = open(&bytes, &sample.extension());
        let mut dropped = 0;
        let kind = random.below(20);
        let edited = source
            .map_messages(&mut |_, message| {
                let frame = matches!(message.body, Body::Frame(_)) && random.below(7) == 0;
                let other = random.below(9) == 0 && !matches!(message.body, Body::ConfigString(_) | Body::Frame(_)) && message.body.kind() as usize == kind;
                dropped += u64::from(frame);
                if frame || other { Fate::Drop } else { Fate::Keep }
            })
            .unwrap();
        let comparison = check(&sample.name, &source, &edited);
        assert_eq!(comparison.frames + dropped, source.info().snapshots, "{}", sample.name);
        kept += comparison.frames;
    }
    assert!(kept > 1000, "{kept} frames kept");
}
