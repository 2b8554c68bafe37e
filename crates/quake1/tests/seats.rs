//! Recordings of split screens: what is said to one player is not what is said to another.

use fragreel_base::wire::Limits;
use fragreel_model::{Clock, EventKind, Kinds, Milliseconds, Range};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Container, Framing, Stamp, Target, kind, write_block};
use fragreel_quake1::unstable::dialect::{Dialect, Stream, pext1};
use fragreel_quake1::unstable::message::{
    ChooseSeat, Disconnect, Extension, Float, KilledMonster, Message, Packet, PacketEntities, PacketHeader, QwPrint, Rest, Seats, ServerData, StatByte,
    StatLong, StuffText, Text, UpdateUserInfo,
};
use fragreel_quake1::unstable::state::{Game, stat};

use super::edit::{agrees, opened};

const HEALTH: u8 = stat::HEALTH as u8;
const WEAPON: u8 = stat::ACTIVE_WEAPON as u8;

/// A `.qwd` as FTE's client writes it, packet by packet.
struct RecordingStream {
    bytes: Vec<u8>,
    dialect: Dialect,
    sequence: u32,
}

impl RecordingStream {
    fn new() -> Self {
        RecordingStream { bytes: Vec::new(), dialect: Dialect::new(Stream::QuakeWorld), sequence: 0 }
    }

    fn packet(&mut self, messages: &[Message]) {
        self.sequence += 1;
        self.numbered(self.sequence, messages);
    }

    fn numbered(&mut self, number: u32, messages: &[Message]) {
        let header = PacketHeader { sequence: number, acknowledged: number };
        let data = Packet { header: Some(header), messages: messages.to_vec(), ..Packet::default() }.write(&mut self.dialect);
        let time = Stamp::At(Float::from(self.sequence as f32 * 0.1));
        let framing = Framing::Packet { time, target: Target { kind: kind::READ, ..Target::default() } };
        write_block(&mut self.bytes, Container::QuakeWorld, &framing, &data);
    }

    /// What is said to seat 0 and to seat 1, and a frame.
    fn moment(&mut self, first: &[Message], second: &[Message]) {
        let mut messages = first.to_vec();
        messages.extend(second.iter().flat_map(|message| [Message::ChooseSeat(ChooseSeat { seat: 1 }), message.clone()]));
        messages.push(Message::PacketEntities(PacketEntities::default()));
        self.packet(&messages);
    }

    fn end(mut self) -> Vec<u8> {
        self.numbered(PacketHeader::CONNECTIONLESS, &[Message::Disconnect(Disconnect { text: Rest(b"EndOfDemo\0".to_vec()) })]);
        self.bytes
    }
}

fn byte(stat: u8, value: u8) -> Message {
    Message::StatByte(StatByte { stat, value })
}

fn stuffed(text: &str) -> Message {
    Message::StuffText(StuffText { text: Text(text.as_bytes().to_vec()) })
}

fn printed(level: u8, text: &str) -> Message {
    Message::QwPrint(QwPrint { level, text: Text(text.as_bytes().to_vec()) })
}

/// Player three and, at the second seat from the fourth frame on, player nought. Both have health, a weapon and pick-ups.
fn recording() -> Vec<u8> {
    let mut stream = RecordingStream::new();
    let extensions = vec![Extension { key: Extension::FTE1, value: pext1::SPLITSCREEN, ..Extension::default() }];
    let level = Text(b"two at a table".to_vec());
    let data = ServerData { extensions, protocol: 28, server_count: 1, gamedir: Text(b"qw".to_vec()), players: vec![3], level, ..ServerData::default() };
    stream.packet(&[Message::ServerData(data), stuffed("fullserverinfo \"\\hostname\\x\"\n")]);
    stream.packet(&[stuffed("cmd spawn 1 0\n")]);
    let user = |slot: u8, info: &str| {
        let userinfo = Text(info.as_bytes().to_vec());
        Message::UpdateUserInfo(UpdateUserInfo { slot, user_id: i32::from(slot) + 10, userinfo })
    };
    stream.packet(&[user(3, "\\name\\three"), user(0, "\\name\\nought"), stuffed("skins\n")]);
    write_block(&mut stream.bytes, Container::QuakeWorld, &Framing::Sequences { time: Stamp::At(Float::from(0.3)), outgoing: 3, incoming: 3 }, &[]);
    for _ in 0..3 {
        stream.moment(&[byte(HEALTH, 100), byte(WEAPON, 1)], &[]);
    }
    stream.packet(&[Message::SplitScreenConfig(Seats { players: vec![3, 0] })]);
    let mega = Message::StatLong(StatLong { stat: HEALTH, value: 300 });
    stream.moment(&[byte(HEALTH, 90)], &[byte(HEALTH, 40), byte(WEAPON, 32), printed(0, "You got the rocket launcher\n")]);
    stream.moment(&[printed(0, "You got the nailgun\n")], &[mega, Message::KilledMonster(KilledMonster {})]);
    // to a seat where nobody sits, and to the first by a number that FTE takes for it
    stream.packet(&[Message::ChooseSeat(ChooseSeat { seat: 3 }), byte(HEALTH, 7), Message::ChooseSeat(ChooseSeat { seat: 4 }), byte(HEALTH, 80)]);
    stream.moment(&[], &[]);
    // chosen last of a packet: it says nothing of the next one
    stream.packet(&[Message::ChooseSeat(ChooseSeat { seat: 1 })]);
    stream.moment(&[byte(stat::ARMOR as u8, 50)], &[byte(stat::ARMOR as u8, 20)]);
    for _ in 0..30 {
        stream.moment(&[], &[]);
    }
    stream.end()
}

fn last(bytes: &[u8]) -> Game {
    let recording = Recording::open(bytes, Some("qwd"), Limits::default()).unwrap();
    assert_eq!(recording.verify().damage, []);
    let mut playback = recording.playback(true);
    while playback.next().is_some() {}
    playback.game
}

fn stats(game: &Game, slot: u8) -> [i32; 4] {
    let stats = game.stats_of(slot).unwrap();
    [stat::HEALTH, stat::ACTIVE_WEAPON, stat::ARMOR, stat::MONSTERS].map(|at| stats[at])
}

#[test]
fn stats_are_of_the_seat_that_they_are_sent_to() {
    let bytes = recording();
    let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    assert!(source.verify().is_whole() && source.verify().damage.is_empty());
    let game = last(&bytes);
    assert_eq!((game.own, game.seats.slots()), (Some(3), &[3, 0][..]));
    assert_eq!((stats(&game, 3), stats(&game, 0)), ([80, 1, 50, 0], [300, 32, 20, 1]));
    // the frames say the same
    let frames = source.frames(fragreel_model::FrameOptions::default());
    let health = |frame: &fragreel_model::Frame, slot: u16| frame.players.iter().find(|player| player.slot == slot).and_then(|player| player.health);
    let seen: Vec<_> = frames.map(|frame| (health(&frame, 3), health(&frame, 0))).collect();
    assert!(seen.contains(&(Some(100), None)) && seen.contains(&(Some(90), Some(40))) && seen.contains(&(Some(80), Some(300))), "{seen:?}");
}

#[test]
fn events_are_of_the_seat_that_they_are_sent_to() {
    let bytes = recording();
    let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    let mut seen = Vec::new();
    source.events(Kinds::ALL).for_each(|event| match event.kind {
        EventKind::Item { player, item, .. } => seen.push((player.slot, item.into_owned())),
        EventKind::Weapon { player, weapon } => seen.push((player.slot, format!("now {weapon}"))),
        _ => {}
    });
    let expected = [(0, "now rocket launcher"), (0, "rocket launcher"), (3, "nailgun")];
    assert_eq!(seen, expected.map(|(slot, what)| (Some(slot), String::from(what))));
}

/// Who watches at a seat is sent the stats of whom he follows: that is no weapon of his.
#[test]
fn spectators_have_no_weapons() {
    let bytes = recording();
    let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    let watching = source.map_messages(&mut |_, message| {
        if let Message::UpdateUserInfo(user) = message {
            user.userinfo.0.extend_from_slice(b"\\*spectator\\1");
        }
        fragreel_model::Fate::Keep
    });
    let mut seen = 0;
    let watching = Recording::open(&watching.bytes, Some("qwd"), Limits::default()).unwrap();
    watching.events(Kinds::ALL).for_each(|event| seen += u32::from(matches!(event.kind, EventKind::Weapon { .. } | EventKind::Item { .. })));
    assert_eq!(seen, 0);
}

/// A part has both seats, and an edit drops a message with what says for whom it is.
#[test]
fn edits_keep_the_seats() {
    let bytes = recording();
    let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    let length = source.info().duration.unwrap().0;
    let range = Range { clock: Clock::Demo, from: Milliseconds(length / 2), to: Milliseconds(length) };
    let part = source.cut(range).unwrap();
    let cut = opened(&part, "cut");
    assert!(agrees(&source, &cut, "cut") > 5);
    let (before, after) = (last(&bytes), last(&part.bytes));
    for slot in [0, 3] {
        assert_eq!(stats(&before, slot), stats(&after, slot));
    }
    assert_eq!(after.seats, before.seats);
    let ends = Recording::join(&[&source, &cut]).unwrap();
    assert_eq!(stats(&last(&ends.bytes), 0), stats(&before, 0));
    // without the second one's prints, what follows each is still for whom it was
    let edited =
        source.map_messages(&mut |_, message| if matches!(message, Message::QwPrint(_)) { fragreel_model::Fate::Drop } else { fragreel_model::Fate::Keep });
    let game = last(&edited.bytes);
    assert_eq!((stats(&game, 3), stats(&game, 0)), (stats(&before, 3), stats(&before, 0)));
    assert!(edited.bytes.len() < bytes.len());
}

/// Where the server data has no room for who sits where, a part says so before it says what they have.
#[test]
fn parts_say_first_whose_stats_they_are() {
    let mut stream = RecordingStream::new();
    let data = ServerData { protocol: 28, server_count: 1, gamedir: Text(b"qw".to_vec()), players: vec![0], ..ServerData::default() };
    stream.packet(&[Message::ServerData(data), stuffed("cmd spawn 1 0\n")]);
    stream.packet(&[Message::SplitScreenConfig(Seats { players: vec![9, 5] }), stuffed("skins\n")]);
    for health in 0..20 {
        stream.moment(&[byte(HEALTH, 100 - health)], &[byte(HEALTH, 40 + health)]);
    }
    let bytes = stream.end();
    let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    let part = source.cut(Range { clock: Clock::Demo, from: Milliseconds(1000), to: Milliseconds(1500) }).unwrap();
    let cut = opened(&part, "cut");
    assert!(agrees(&source, &cut, "cut") > 3);
    assert_eq!(last(&part.bytes).own, Some(9));
}

/// Without extensions there is one seat; a server's recording has everybody's stats.
#[test]
fn conversions_know_whose_stats_they_are() {
    let bytes = recording();
    let source = Recording::open(&bytes, Some("qwd"), Limits::default()).unwrap();
    let before = last(&bytes);
    let plain = source.convert(&fragreel_model::Target::default()).unwrap();
    opened(&plain, "plain");
    let alone = last(&plain.bytes);
    assert_eq!((stats(&alone, 3), alone.stats_of(0)), (stats(&before, 3), None));
    assert!(!plain.losses.is_empty(), "that a seat is lost is listed");
    let server = source.convert(&fragreel_model::Target { format: Some(String::from("mvd")), pov: None }).unwrap();
    let all = opened(&server, "server's");
    let mut playback = all.playback(true);
    while playback.next().is_some() {}
    for slot in [0, 3] {
        assert_eq!(stats(&playback.game, slot), stats(&before, slot), "{slot}");
    }
}
