//! What lies about and what passes: a cut's opening has it as it would be by then.

use fragreel_goldsrc::container::{MacroKind, Step};
use fragreel_goldsrc::message::{Message, NewUserMessage, ReliableEvent, Resource, ResourceList, SpawnStaticSound, TempEntity, Time, UserMessage};
use fragreel_goldsrc::{Context, Decoder, Padded, Str, encode};
use fragreel_model::{Clock, Milliseconds, Range};

use super::open;

/// A small recording with one more data block before the first frame that is played.
fn with_block(mut messages: Vec<Message>) -> Vec<u8> {
    let mut bytes = fragreel_goldsrc::properties::tiny_recording();
    let recording = open(&bytes);
    let mut context = Context::new(recording.dialect().messages.unwrap());
    let messages = encode(&mut messages, &mut context);
    let mut played = recording.container().macros().filter_map(Step::found).filter(|window| window.kind == MacroKind::Data && window.id.0 == 1);
    let window = played.next().unwrap();
    let (start, _) = fragreel_goldsrc::messages(&window, recording.dialect()).unwrap();
    let mut block = bytes[window.offset..start - 4].to_vec();
    block.extend_from_slice(&(messages.len() as u32).to_le_bytes());
    block.extend_from_slice(&messages);
    let (at, end) = (window.offset, recording.container().header.directory_offset as usize);
    bytes.truncate(end);
    bytes.splice(at..at, block);
    bytes[540..544].fill(0);
    open(&bytes).repair().unwrap().bytes
}

/// What comes before the first frame of the cut, and what else comes between its frames: all of the recording is cut.
fn told(bytes: &[u8]) -> (Vec<Message>, Vec<Message>) {
    let range = Range { clock: Clock::Server, from: Milliseconds(0), to: Milliseconds(1_000_000) };
    let cut = open(bytes).cut(range).unwrap();
    let cut = open(&cut.bytes);
    assert!(cut.verify().is_whole());
    let mut decoder = Decoder::new(Context::new(cut.dialect().messages.unwrap()));
    let (mut opening, mut between) = (Vec::new(), Vec::new());
    for step in cut.container().macros() {
        let Step::Macro { segment, window, .. } = step else { continue };
        let Some((offset, data)) = fragreel_goldsrc::messages(&window, cut.dialect()) else { continue };
        let all = if cut.container().segments[segment].is_playback() { &mut between } else { &mut opening };
        decoder.block(data, offset, |_, message, _| all.push(message.clone())).unwrap();
    }
    (opening, between)
}

fn effect(kind: u8, values: &[u32]) -> Message {
    Message::TempEntity(TempEntity { kind, values: values.to_vec(), text: Str::default() })
}

fn effects(bytes: &[u8]) -> Vec<(u8, Vec<u32>)> {
    let effects = told(bytes).0.into_iter().filter_map(|message| match message {
        Message::TempEntity(effect) => Some((effect.kind, effect.values)),
        _ => None,
    });
    effects.collect()
}

#[test]
fn decals_stay_on_walls() {
    let bytes = with_block(vec![
        effect(116, &[8, 16, 24, 3]),
        // the same once more, a shot's, sprays of one player
        effect(116, &[8, 16, 24, 3]),
        effect(109, &[80, 16, 0xfff8, 0, 4]),
        effect(112, &[1, 8, 8, 8, 0, 5]),
        effect(112, &[1, 16, 16, 16, 0, 5]),
        // on what may move, and what passes
        effect(104, &[8, 16, 24, 3, 60]),
        effect(9, &[8, 16, 24]),
    ]);
    assert_eq!(effects(&bytes), [(116, vec![8, 16, 24, 3]), (104, vec![80, 16, 0xfff8, 4, 0]), (112, vec![1, 16, 16, 16, 0, 5])]);
}

#[test]
fn the_oldest_decals_go() {
    let decals = (0..350).map(|at| effect(116, &[at, 0, 0, 1])).collect();
    let kept = effects(&with_block(decals));
    assert_eq!((kept.len(), kept[0].1[0]), (300, 50));
}

#[test]
fn a_new_round_clears_them_away() {
    let reset = Resource { kind: 5, name: Str(b"events/decal_reset.sc".to_vec()), index: 7, ..Resource::default() };
    let event = |index| Message::EventReliable(ReliableEvent { index, ..ReliableEvent::default() });
    let list = Message::ResourceList(ResourceList { resources: vec![reset], ..ResourceList::default() });
    let mut messages = vec![list, effect(116, &[1, 0, 0, 1]), event(8), effect(116, &[2, 0, 0, 1])];
    assert_eq!(effects(&with_described_events(&messages)).len(), 2);
    messages.extend([event(7), effect(116, &[3, 0, 0, 1])]);
    assert_eq!(effects(&with_described_events(&messages)), [(116, vec![3, 0, 0, 1])]);
}

/// Events are deltas: their description goes before them.
fn with_described_events(messages: &[Message]) -> Vec<u8> {
    let bytes = fragreel_goldsrc::properties::tiny_recording();
    let recording = open(&bytes);
    let mut decoder = Decoder::new(Context::new(recording.dialect().messages.unwrap()));
    let mut all = Vec::new();
    for window in recording.container().macros().filter_map(Step::found) {
        let Some((offset, data)) = fragreel_goldsrc::messages(&window, recording.dialect()) else { continue };
        let event = |message: &Message| matches!(message, Message::DeltaDescription(tree) if tree.name.0 == b"event_t");
        decoder.block(data, offset, |_, message, _| all.extend(event(message).then(|| message.clone()))).unwrap();
    }
    assert_eq!(all.len(), 1);
    all.extend_from_slice(messages);
    with_block(all)
}

fn announced(number: u8, size: i8, name: &str) -> Message {
    let mut field = Padded::<16>::default();
    field.0[..name.len()].copy_from_slice(name.as_bytes());
    Message::NewUserMessage(NewUserMessage { number, size, name: field })
}

#[test]
fn fades_and_corpses_are_as_by_then() {
    let fade = |hold: u16| [&[0, 0x10], &hold.to_le_bytes()[..], &[0, 0, 9, 9, 9, 200]].concat();
    let mut corpse = b"gign\0".to_vec();
    corpse.extend_from_slice(&[5; 18]);
    corpse.extend_from_slice(&300i32.to_le_bytes());
    corpse.extend_from_slice(&[1, 2, 3, 4]);
    let user = |id, data: &[u8]| Message::User(UserMessage { id, data: data.to_vec() });
    let at = |time: f32, hold: u16| {
        let messages =
            vec![announced(68, 10, "ScreenFade"), announced(69, -1, "ClCorpse"), Message::Time(Time { time }), user(68, &fade(hold)), user(69, &corpse)];
        let (opening, between) = told(&with_block(messages));
        let passing = |messages: Vec<Message>| {
            let user = messages.into_iter().filter_map(|message| if let Message::User(user) = message { Some(user) } else { None });
            user.filter(|user| user.id >= 68).map(|user| user.data).collect::<Vec<_>>()
        };
        assert!(passing(opening).is_empty(), "the client's clock does not go yet");
        passing(between)
    };
    // sent with the second frame, which is half a second later: a second of color, and then it goes within another
    let told = at(99.625, 4096);
    assert_eq!(told[0], fade(2048));
    assert_eq!(told[1][23..27], 250i32.to_le_bytes());
    assert_eq!((&told[1][..23], &told[1][27..]), (&corpse[..23], &corpse[27..]));
    // of a fade that is over nothing is left
    assert_eq!(at(97.0, 4096).len(), 1);
}

#[test]
fn ambience_goes_on_and_what_was_said_once_is_not_said_again() {
    let sound = |entity, flags| Message::SpawnStaticSound(SpawnStaticSound { entity, sound: 5, flags, ..SpawnStaticSound::default() });
    let (start, stop, louder) = (0, 1 << 5, 1 << 6);
    let time = |time| Message::Time(Time { time });
    let messages = vec![
        time(90.0),
        sound(1, start),
        sound(2, start),
        // it ends by itself: a caller that starts it stops it first
        sound(3, stop),
        sound(3, start),
        time(91.0),
        sound(1, louder),
        sound(2, louder),
        sound(2, stop),
        sound(3, stop),
        sound(3, start),
    ];
    let sounds = told(&with_block(messages)).0.into_iter().filter_map(|message| match message {
        Message::SpawnStaticSound(sound) => Some((sound.entity, sound.flags)),
        _ => None,
    });
    assert_eq!(sounds.collect::<Vec<_>>(), [(1, start), (1, louder)]);
}
