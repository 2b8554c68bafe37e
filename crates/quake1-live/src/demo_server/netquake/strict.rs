//! A client with replacement deltas that reads each message to its last byte as QuakeSpasm-Spiked does, and shares no code with the decoder. What
//! it knows of each frame is compared with the plain recording that is served.

use std::collections::BTreeMap;

use fragreel_live::PlaybackServer as _;
use fragreel_live::network::Network;
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::decoded_blocks::{DecodedBlocks, NextDecoded};
use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::fields::netquake::{client_bits, client_slot, slot};
use fragreel_quake1::unstable::message::{ClientData, Message};
use fragreel_quake1::unstable::state::{Game, NqRow};

use crate::demo_server::netquake::NetQuakeDemoServer;
use crate::netchan::netquake::{Arrived, Channel};
use crate::netquake_frames::sample;

/// Bytes of a message, read in order.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (first, rest) = self.0.split_first_chunk().expect("the message is too short");
        self.0 = rest;
        *first
    }

    fn u8(&mut self) -> u32 {
        u32::from(self.bytes::<1>()[0])
    }

    fn u16(&mut self) -> u32 {
        u32::from(u16::from_le_bytes(self.bytes()))
    }

    fn i16(&mut self) -> i32 {
        i32::from(i16::from_le_bytes(self.bytes()))
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    fn text(&mut self) -> String {
        let end = self.0.iter().position(|byte| *byte == 0).expect("a text without an end");
        let text = String::from_utf8_lossy(&self.0[..end]).into_owned();
        self.0 = &self.0[end + 1..];
        text
    }

    fn skip(&mut self, count: usize) {
        self.0 = self.0.get(count..).expect("the message is too short");
    }
}

/// An entity: model, frame, skin, color map, effects, place in eighths, angles in 256ths, opacity, size, speed in eighths.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    looks: [u32; 5],
    origin: [i32; 3],
    angles: [u32; 3],
    alpha: u32,
    scale: u32,
    velocity: [i32; 3],
    flags: u32,
}

const NOTHING: Known = Known { looks: [0; 5], origin: [0; 3], angles: [0; 3], alpha: 255, scale: 16, velocity: [0; 3], flags: 0 };

#[derive(Default)]
struct Client {
    extensions: u32,
    predinfo: bool,
    baselines: BTreeMap<u32, Known>,
    entities: BTreeMap<u32, Known>,
    stats: [i32; 32],
    data: Option<[u32; 2]>,
    view: u32,
    input: u32,
    stuffed: String,
    signon: u32,
    models: usize,
    acknowledge: Vec<u32>,
    /// Each frame: time, entities, stats.
    frames: Vec<(u32, BTreeMap<u32, Known>, [i32; 32])>,
    said: Vec<String>,
    bytes: usize,
    /// Whether the last datagram may have had a part of a frame.
    continues: bool,
}

impl Client {
    /// An update (`docs/formats/quake1-replacement-deltas.md`, *Update*), without lerp time and new sizes.
    fn update(&mut self, r: &mut Reader<'_>, from: Option<Known>, baseline: &Known) -> Known {
        let mut bits = r.u8();
        for (at, bit) in [(8, 1 << 7), (16, 1 << 15), (24, 1 << 23)] {
            if bits & bit != 0 {
                bits |= r.u8() << at;
            }
        }
        let has = |bit: u32| bits & 1 << bit != 0;
        assert!(!has(30) && !has(31));
        let wide = has(9);
        let sized = |r: &mut Reader<'_>| if wide { r.u16() } else { r.u8() };
        let mut known = if has(8) { baseline.clone() } else { from.unwrap_or(NOTHING) };
        if has(0) {
            known.looks[1] = sized(r);
        }
        if has(1) {
            (known.origin[0], known.origin[1]) = (r.i16(), r.i16());
        }
        if has(2) {
            known.origin[2] = r.i16();
        }
        // with 16 bits where the entity is predicted and predinfo was not agreed on
        let short = has(6) && !self.predinfo;
        let angle = |r: &mut Reader<'_>| if short { r.u16() >> 8 } else { r.u8() };
        if has(3) {
            (known.angles[0], known.angles[2]) = (angle(r), angle(r));
        }
        if has(4) {
            known.angles[1] = angle(r);
        }
        match (has(5), has(29)) {
            (true, true) => known.looks[4] = r.u32(),
            (false, true) => known.looks[4] = r.u16(),
            (true, false) => known.looks[4] = r.u8(),
            _ => {}
        }
        known.velocity = [0; 3];
        if has(6) {
            let prediction = r.u8();
            (0..3).filter(|bit| prediction & 1 << bit != 0).for_each(|_| r.skip(2));
            if prediction & 8 != 0 {
                r.skip(1);
            }
            if prediction & 0x10 != 0 {
                (known.velocity[0], known.velocity[1]) = (r.i16(), r.i16());
            }
            if prediction & 0x20 != 0 {
                known.velocity[2] = r.i16();
            }
            assert_eq!(prediction & 0xc0, 0, "neither age nor view angles are sent to a player");
        }
        if has(10) {
            known.looks[0] = sized(r);
        }
        if has(11) {
            known.looks[2] = sized(r);
        }
        if has(12) {
            known.looks[3] = r.u8();
        }
        if has(13) {
            r.skip(2);
        }
        if has(14) {
            known.flags = r.u8();
        }
        if has(16) {
            known.alpha = r.u8();
        }
        if has(17) {
            known.scale = r.u8();
        }
        assert_eq!(bits >> 18 & !(1 << 5 | 1 << 11), 0, "fields that the plain recording does not have: {bits:#x}");
        known
    }

    fn updates(&mut self, r: &mut Reader<'_>, sequence: u32) {
        self.acknowledge.push(sequence);
        if self.predinfo {
            self.input = r.u16();
        }
        let (time, mut last) = (r.u32(), 0);
        loop {
            let word = r.u16();
            let number = if word & 0x4000 != 0 { word & 0x3fff | r.u8() << 14 } else { word & 0x7fff };
            match (word & 0x8000 != 0, number) {
                (true, 0) => self.entities.clear(),
                (true, _) => drop(self.entities.remove(&number)),
                (false, 0) => break,
                (false, _) => {
                    assert!(number > last, "FTE needs rising numbers");
                    let baseline = self.baselines.get(&number).cloned().unwrap_or(NOTHING);
                    let from = self.entities.get(&number).cloned();
                    let known = self.update(r, from, &baseline);
                    self.entities.insert(number, known);
                }
            }
            last = number;
        }
        // the datagrams of a frame have one time
        if std::mem::take(&mut self.continues) && self.frames.last().is_some_and(|(at, ..)| *at == time) {
            self.frames.pop();
        }
        self.frames.push((time, self.entities.clone(), self.stats));
    }

    fn server_info(&mut self, r: &mut Reader<'_>) {
        (self.baselines, self.entities, self.stats) = (BTreeMap::new(), BTreeMap::new(), [0; 32]);
        let protocol = loop {
            match r.u32() {
                0x3245_5446 => self.extensions = r.u32(),
                protocol => break protocol,
            }
        };
        assert!(protocol == 666, "{protocol}");
        self.predinfo = self.extensions & 0x20 != 0;
        if self.predinfo {
            r.text();
        }
        r.skip(2);
        r.text();
        for list in 0..2 {
            while !r.text().is_empty() {
                self.models += 1 - list;
            }
        }
    }

    /// A message of protocol 666 as far as the samples have such.
    fn message(&mut self, bytes: &[u8], sequence: Option<u32>) {
        let mut r = Reader(bytes);
        while !r.0.is_empty() {
            match r.u8() {
                1 => {}
                5 => self.view = r.u16(),
                6 => {
                    let mask = r.u8();
                    r.skip((mask & 1) as usize + (mask >> 1 & 1) as usize);
                    r.skip(if mask & 8 != 0 { 3 } else { 2 });
                    r.skip(if mask & 16 != 0 { 2 } else { 1 } + 6);
                }
                8 | 26 => drop(r.text()),
                9 => self.stuffed += &r.text(),
                10 => r.skip(3),
                11 => self.server_info(&mut r),
                12 | 13 => {
                    r.skip(1);
                    r.text();
                }
                14 => r.skip(3),
                15 => {
                    assert!(!self.predinfo, "stats replace client data");
                    let mut bits = r.u16();
                    if bits & 1 << 15 != 0 {
                        bits |= r.u8() << 16;
                        assert_eq!(bits & 1 << 23, 0);
                    }
                    r.skip((bits & 0xff).count_ones() as usize);
                    let items = r.u32();
                    r.skip((bits >> 12 & 7).count_ones() as usize);
                    let health = r.u16();
                    r.skip(6 + (bits >> 16 & 0x7f).count_ones() as usize);
                    self.data = Some([items, health]);
                }
                16 | 17 => r.skip(2),
                18 => r.skip(11),
                19 => r.skip(8),
                20 => r.skip(13),
                23 => match r.u8() {
                    0..=4 | 7 | 8 | 10 | 11 => r.skip(6),
                    5 | 6 | 9 | 13 => r.skip(14),
                    12 => r.skip(8),
                    kind => panic!("kind {kind}"),
                },
                24 => r.skip(1),
                25 => self.signon = r.u8(),
                27 | 28 => {}
                29 => r.skip(9),
                32 => r.skip(2),
                43 => {
                    let bits = r.u8();
                    r.skip(if bits & 1 != 0 { 2 } else { 1 } + if bits & 2 != 0 { 2 } else { 1 } + 2 + 9 + (bits >> 2 & 1) as usize);
                }
                51 => {
                    let stat = r.u8() as usize;
                    self.stats[stat] = r.u8() as i32;
                }
                3 => {
                    let stat = r.u8() as usize;
                    self.stats[stat] = r.u32() as i32;
                }
                66 => {
                    let number = r.u16();
                    let known = self.update(&mut r, None, &NOTHING);
                    self.baselines.insert(number, known);
                }
                86 => self.updates(&mut r, sequence.expect("updates are not reliable")),
                number => panic!("message {number} before {:?}", &r.0[..r.0.len().min(16)]),
            }
        }
    }

    /// Answers what is stuffed, and each step of the signon once.
    fn answers(&mut self, pext: &str) -> Vec<String> {
        let mut answers = Vec::new();
        for line in std::mem::take(&mut self.stuffed).lines() {
            match line {
                "cmd pext" => answers.push(pext.to_owned()),
                "reconnect" => self.signon = 0,
                _ => {}
            }
        }
        match std::mem::take(&mut self.signon) {
            1 => answers.push(String::from("prespawn")),
            2 => answers.extend(["name \"x\"\n", "color 0 0\n", "spawn "].map(String::from)),
            3 => answers.push(String::from("begin")),
            _ => {}
        }
        self.said.extend(answers.clone());
        answers
    }
}

/// Watches a sample. `loss` packets of 100 are lost until `calm`.
fn watch(source: &[u8], pext: &str, loss: u32, calm: f64, seconds: f64) -> Client {
    let recording = Recording::open(source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let mut show = NetQuakeDemoServer::<u8>::new(&recording, "test", []).unwrap();
    show.listens(26_000);
    let [mut to, mut from] = [1, 2].map(|seed| {
        let mut network: Network<Vec<u8>> = Network::new(seed);
        (network.loss, network.duplication, network.delay, network.jitter) = (loss, loss / 2, 0.01, 0.01);
        network
    });
    let (mut channel, mut client, mut moves) = (Channel::new(), Client::default(), 0u16);
    let (mut accepted, mut sent, mut plays) = (false, 0.0, false);
    channel.queue(&[1]);
    for step in 0..(seconds * 100.0) as u32 {
        let now = f64::from(step) * 0.01;
        if now >= calm {
            (to.loss, from.loss, to.duplication, from.duplication) = (0, 0, 0, 0);
        }
        if !accepted && step % 50 == 0 {
            to.send(now, b"\x80\x00\x00\x0c\x01QUAKE\0\x03".to_vec());
        }
        let part = if now - sent > 0.5 { channel.repeat_part() } else { channel.next_part() };
        if let Some(part) = part.filter(|_| accepted) {
            sent = now;
            to.send(now, part);
        }
        if plays && step % 5 == 0 {
            // acknowledgements, then a move, as QuakeSpasm-Spiked orders them
            let mut packet: Vec<u8> = client.acknowledge.drain(..).flat_map(|frame| [&[50][..], &frame.to_le_bytes()].concat()).collect();
            packet.push(3);
            if client.predinfo {
                moves = moves.wrapping_add(1);
                packet.extend(moves.to_le_bytes());
            }
            packet.extend([0; 4 + 6 + 6 + 2]);
            to.send(now, channel.unreliable(&packet));
        }
        to.arrive(now).iter().for_each(|datagram| show.receive(1, datagram, true));
        show.tick(now);
        while let Some((_, datagram)) = show.next_datagram() {
            from.send(now, datagram);
        }
        for datagram in from.arrive(now) {
            if datagram[0] & 0x80 != 0 {
                accepted = true;
                continue;
            }
            let mut answer = None;
            match channel.receive(&datagram, &mut answer) {
                Arrived::Reliable(payload) => client.message(&payload, None),
                Arrived::Unreliable { payload, sequence } => {
                    assert!(payload.len() <= 1400);
                    client.bytes += payload.len();
                    client.message(&payload, Some(sequence));
                    client.continues = payload.len() > 1200;
                }
                _ => {}
            }
            answer.into_iter().for_each(|answer| to.send(now, answer));
            for text in client.answers(pext) {
                plays |= text == "begin";
                channel.queue(&[&[4][..], text.as_bytes(), &[0]].concat());
            }
        }
    }
    client
}

/// A frame of the plain recording: time, rows, client data, entity of the view.
type Plain = (u32, Vec<(u32, NqRow)>, ClientData, u32);

/// The frames of the plain recording.
fn truth(source: &[u8]) -> Vec<Plain> {
    let recording = Recording::open(source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    let (mut reading, mut game, mut frames) = (DecodedBlocks::new(recording.input()), Game::default(), Vec::new());
    while let Some(next) = reading.next(|d: &Dialect, message, delivery| game.apply(d, message, delivery.target, delivery.sequence)) {
        let NextDecoded::Block(unit) = next else { panic!("a broken block") };
        let (mut time, mut own) = (None, ClientData::default());
        for message in &unit.messages {
            match message {
                Message::NqTime(m) => time = Some(m.time.0),
                Message::ClientData(m) => own = m.clone(),
                _ => {}
            }
        }
        if let Some(time) = time {
            let mut rows = game.world.nq_frame().to_vec();
            rows.sort_by_key(|(number, _)| *number);
            frames.push((time, rows, own, game.view_entity.unwrap_or_default()));
        }
    }
    frames
}

fn expected(rows: &[(u32, NqRow)], own: &ClientData, view: u32, predinfo: bool) -> BTreeMap<u32, Known> {
    let known = |(number, row): &(u32, NqRow)| {
        let signed = |at: usize| row[at] as i32;
        let own = (predinfo && *number == view).then_some(own);
        let grounded = own.is_some_and(|own| u64::from(own.mask) & client_bits::ONGROUND != 0);
        Known {
            looks: [
                row[slot::MODEL] | row[slot::MODEL2] << 8,
                row[slot::FRAME] | row[slot::FRAME2] << 8,
                row[slot::SKIN],
                row[slot::COLORMAP],
                row[slot::EFFECTS],
            ],
            origin: [0, 1, 2].map(|axis| signed(slot::ORIGIN + axis)),
            angles: [0, 1, 2].map(|axis| row[slot::ANGLES + axis]),
            alpha: row[slot::ALPHA].checked_sub(1).unwrap_or(255),
            scale: if row[slot::SCALE] == 0 { 16 } else { row[slot::SCALE] },
            velocity: [0, 1, 2].map(|axis| own.map_or(0, |own| own.row[client_slot::VELOCITY + axis] as i32 * 128)),
            flags: if grounded { 128 } else { 0 },
        }
    };
    rows.iter().map(|row| (row.0, known(row))).collect()
}

/// Frames that equal one of the source, and those that do not.
fn compare(client: &Client, source: &[u8], after: f32) -> (usize, usize) {
    let truth = truth(source);
    let (mut equal, mut different) = (0, 0);
    for (time, entities, stats) in client.frames.iter().filter(|frame| f32::from_bits(frame.0) >= after) {
        let same = truth.iter().any(|(at, rows, own, view)| {
            let mut expected = expected(rows, own, *view, client.predinfo);
            // an entity that stands still has the speed of its last update
            for (number, known) in &mut expected {
                if let Some(other) = entities.get(number) {
                    known.flags = known.flags & 128 | other.flags & 1;
                }
            }
            let stated = [(0, own.row[client_slot::HEALTH]), (15, own.row[client_slot::ITEMS]), (6, own.row[client_slot::SHELLS])];
            at == time && expected == *entities && (!client.predinfo || stated.iter().all(|(stat, value)| stats[*stat] == *value as i32))
        });
        (equal, different) = if same { (equal + 1, different) } else { (equal, different + 1) };
    }
    (equal, different)
}

const PREDINFO: &str = "pext 0x58455446 0x1234 0x32455446 0x2b";
const DELTAS: &str = "pext 0x32455446 0x8";

#[test]
fn a_strict_client_knows_what_the_plain_recording_shows() {
    for name in ["netquake666_deltas_e1m1.dem", "netquake666_deltas_dm6.dem"] {
        let source = sample(name, "dem 666");
        for (pext, extensions) in [(PREDINFO, 0x28), (DELTAS, 8)] {
            let client = watch(&source, pext, 0, 0.0, 9.0);
            assert_eq!((client.extensions, client.said.len()), (extensions, 6), "{:?}", client.said);
            let (equal, different) = compare(&client, &source, 0.0);
            // the samples have ten frames a second, and signing on takes less than two of the nine seconds
            assert!(equal > 70 && different == 0, "{name} {pext}: {equal} equal, {different} different");
            assert!(client.view > 0 && client.models > 10 && !client.baselines.is_empty());
            // the server answers with the number of a move that it has
            assert_eq!(client.input > 100, extensions == 0x28, "{}", client.input);
            assert_eq!(client.data.is_some(), extensions == 8);
        }
    }
}

#[test]
fn changes_cost_less_than_full_frames() {
    let source = sample("netquake666_deltas_dm6.dem", "dem 666");
    let client = watch(&source, PREDINFO, 0, 0.0, 9.0);
    let plain: usize = Recording::open(&source, Some("dem"), fragreel_base::wire::Limits::default())
        .unwrap()
        .blocks()
        .map_while(Result::ok)
        .skip(3)
        .take(client.frames.len())
        .map(|block| block.data.len())
        .sum();
    assert!(client.bytes < plain, "{} of {plain} bytes", client.bytes);
}

#[test]
fn what_is_lost_is_sent_again() {
    let source = sample("netquake666_deltas_dm6.dem", "dem 666");
    let start = f32::from_bits(truth(&source)[0].0);
    let length = f32::from_bits(truth(&source).last().unwrap().0) - start;
    for loss in [10, 20, 30] {
        let calm = 0.6 * f64::from(length);
        let client = watch(&source, PREDINFO, loss, calm, f64::from(length) + 2.0);
        // half a second after the last loss, both ends agree
        let (equal, different) = compare(&client, &source, start + calm as f32 + 0.5);
        assert!(equal > 20 && different == 0, "at {loss} %: {equal} equal, {different} different");
    }
}

#[test]
fn who_does_not_answer_gets_the_plain_protocol() {
    let source = sample("netquake666_deltas_dm6.dem", "dem 666");
    let recording = Recording::open(&source, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    for answer in [&b"\x04pext\0"[..], b"\x04pext 0x32455446 0x20\0", b"\x01"] {
        let mut show = NetQuakeDemoServer::<u8>::new(&recording, "test", []).unwrap();
        let (mut channel, mut info) = (Channel::new(), None);
        show.receive(1, b"\x80\x00\x00\x0c\x01QUAKE\0\x03", true);
        channel.queue(answer);
        for step in 0..80 {
            show.tick(f64::from(step) * 0.1);
            while let Some((_, datagram)) = show.next_datagram() {
                let mut reply = None;
                if let Arrived::Reliable(payload) = channel.receive(&datagram, &mut reply) {
                    info = info.or_else(|| payload.windows(5).position(|window| window == [11, 0x9a, 2, 0, 0]).map(|_| step));
                }
                reply.into_iter().for_each(|reply| show.receive(1, &reply, true));
            }
            channel.next_part().into_iter().for_each(|part| show.receive(1, &part, true));
        }
        let at_once = answer.len() > 1;
        assert!(info.is_some_and(|step| (step < 10) == at_once), "{answer:?}: {info:?}");
    }
}
