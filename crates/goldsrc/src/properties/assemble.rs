//! Small recordings put together by hand: what tests, samples and seeds are made of.

use crate::container::{Entry, Header, directory};
use crate::dialect::Dialect;
use crate::fields::description::{DeltaDescription, FieldDescription};
use crate::message::context::Context;
use crate::message::decoder::encode;
use crate::message::munge::munge;
use crate::message::*;
use crate::scalars::{Padded, Str};

const BYTE: u32 = 1;
const FLOAT: u32 = 1 << 2;
const INTEGER: u32 = 1 << 3;
const ANGLE: u32 = 1 << 4;
const WINDOW: u32 = 1 << 5;
const BIG_WINDOW: u32 = 1 << 6;
const STRING: u32 = 1 << 7;
const SIGNED: u32 = 1 << 31;

/// Writes a file one macro after another.
#[derive(Debug)]
pub struct Assembler {
    dialect: Dialect,
    out: Vec<u8>,
    entries: Vec<Entry>,
}

impl Assembler {
    /// A file that has its header so far.
    pub fn new(demo_protocol: i32, network_protocol: i32, map: &str, game: &str, map_crc: u32) -> Self {
        let dialect = Dialect::new(demo_protocol, network_protocol).unwrap_or_else(|| panic!("no dialect {demo_protocol}/{network_protocol}"));
        let field = |text: &str| {
            let mut field = text.as_bytes().to_vec();
            field.resize(dialect.header_string, 0);
            field
        };
        let header =
            Header { magic: b"HLDEMO\0\0".to_vec(), demo_protocol, network_protocol, map: field(map), game: field(game), map_crc, directory_offset: 0 };
        Self { dialect, out: header.bytes(&dialect), entries: Vec::new() }
    }

    /// A new entry of the directory begins here.
    pub fn segment(&mut self, kind: i32, title: &str) -> &mut Self {
        self.end_segment();
        self.entries.push(Entry { offset: self.out.len() as i32, ..Entry::new(kind, title) });
        self
    }

    /// A macro with this body.
    pub fn macro_with(&mut self, id: u8, time: f32, frame: i32, body: &[u8]) -> &mut Self {
        self.out.push(id);
        self.out.extend_from_slice(&time.to_le_bytes());
        self.out.extend_from_slice(&frame.to_le_bytes());
        self.out.extend_from_slice(body);
        if let Some(entry) = self.entries.last_mut()
            && entry.kind == directory::PLAYBACK
        {
            entry.frames += i32::from(id == 1);
            entry.time = time;
        }
        self
    }

    /// A data block with these messages. The demo information holds recognizable values where users look.
    pub fn data(&mut self, id: u8, time: f32, frame: i32, messages: &[u8]) -> &mut Self {
        let mut body = vec![0; self.dialect.info_bytes()];
        if body.len() == 436 {
            body[220..224].copy_from_slice(&640u32.to_le_bytes());
            body[224..228].copy_from_slice(&480u32.to_le_bytes());
            body[238] = 10;
            body[240..244].copy_from_slice(&(-5.0f32).to_le_bytes());
            body[266] = 0b1001;
        }
        for word in [frame, frame - 1, 0, 0, frame + 1, 0, 0] {
            body.extend_from_slice(&word.to_le_bytes());
        }
        body.extend_from_slice(&(messages.len() as u32).to_le_bytes());
        body.extend_from_slice(messages);
        self.macro_with(id, time, frame, &body)
    }

    /// The file without a directory, as a crash leaves it.
    pub fn without_directory(&self) -> Vec<u8> {
        self.out.clone()
    }

    /// The whole file.
    pub fn finish(&mut self) -> Vec<u8> {
        self.end_segment();
        let offset = self.out.len() as i32;
        let at = self.dialect.header_bytes() - 4;
        let mut bytes = self.out.clone();
        bytes[at..at + 4].copy_from_slice(&offset.to_le_bytes());
        bytes.extend_from_slice(&directory::bytes(&self.entries));
        bytes
    }

    fn end_segment(&mut self) {
        let end = self.out.len() as i32;
        if let Some(entry) = self.entries.last_mut() {
            entry.length = end - entry.offset;
        }
    }
}

/// What a small recording shows.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// The network protocol.
    pub network: i32,
    /// Entities that start from instanced baselines, as Team Fortress Classic has them.
    pub instanced: bool,
    /// Through an HLTV proxy.
    pub hltv: bool,
    /// A player is killed with these bytes of a `DeathMsg`.
    pub death: &'static [u8],
}

impl Default for Plan {
    fn default() -> Self {
        Plan { network: 48, instanced: false, hltv: false, death: b"\x01\x02\x01awp\0" }
    }
}

/// A recording of two frames with two players and a beam.
pub fn recording(plan: Plan) -> Vec<u8> {
    assembled(plan).finish()
}

/// The same, not finished yet.
pub fn assembled(plan: Plan) -> Assembler {
    let (mut file, _) = played(plan);
    file.macro_with(5, 0.125, 13, &[]);
    file
}

/// The recording of [`Plan`] and this number of frames more, an eighth of a second apart, each a delta against the one before it: the
/// first player walks along the x axis by a unit a frame.
pub fn long(plan: Plan, frames: u32) -> Assembler {
    let (mut file, mut context) = played(plan);
    let mut last = (0.125, 13);
    for step in 1..=frames {
        last = (0.125 * (step + 1) as f32, 13 + step as i32);
        let mut values = Values::default();
        let delta = Some(values.push(1, 0b100, &row(&[(2, 808 + 16 * step)])));
        let updates = vec![EntityUpdate { number: 1, delta, ..EntityUpdate::default() }];
        let before = (last.1 - 1) as u8;
        let mut messages = vec![
            Message::Time(Time { time: 100.0 + last.0 }),
            client_data(plan, Some(before)),
            Message::DeltaPacketEntities(DeltaPacketEntities { count: 3, delta_sequence: before, updates, values, padding: 0 }),
        ];
        file.data(1, last.0, last.1, &encode(&mut messages, &mut context));
    }
    file.macro_with(5, last.0, last.1, &[]);
    file
}

/// The recording of [`Plan`] but for its end.
fn played(plan: Plan) -> (Assembler, Context) {
    let dialect = Dialect::new(5, plan.network).unwrap_or_else(|| panic!("no dialect 5/{}", plan.network));
    let Some(rules) = dialect.messages else { panic!("no rules for {}", plan.network) };
    let mut context = Context::new(rules);
    let crc = 0x2e5e_0e13;
    let mut file = Assembler::new(5, plan.network, "hand_made", "cstrike", if plan.hltv { 0 } else { crc });
    file.segment(directory::LOADING, "LOADING");
    let signon = encode(&mut signon(plan, crc, rules.voice_quality), &mut context);
    file.data(0, 1.0, 10, &signon);
    file.macro_with(5, 2.0, 11, &[]);
    file.segment(directory::PLAYBACK, "Playback");
    file.macro_with(2, 0.0, 0, &[]);
    let mut command = [0; 64];
    command[..6].copy_from_slice(b"say hi");
    file.macro_with(3, 0.0, 0, &command);
    file.macro_with(4, 0.0, 0, &[0; 32]);
    let first = encode(&mut full_frame(plan), &mut context);
    file.data(1, 0.0, 12, &first);
    file.macro_with(9, 0.125, 1, &[8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0xb4, 0x42]);
    let second = encode(&mut delta_frame(plan), &mut context);
    file.data(1, 0.125, 13, &second);
    (file, context)
}

fn string(text: &str) -> Str {
    Str(text.as_bytes().to_vec())
}

fn field(name: &str, field_type: u32, bits: u32, premultiply: f64, postmultiply: f64) -> FieldDescription {
    FieldDescription {
        mask_bytes: 1,
        mask: 0x7f,
        field_type,
        field_name: string(name),
        field_offset: 4,
        field_size: 4,
        significant_bits: bits,
        premultiply: (premultiply * 4000.0) as u32,
        postmultiply: (postmultiply * 4000.0) as u32,
    }
}

fn description(name: &str, fields: Vec<FieldDescription>) -> Message {
    Message::DeltaDescription(DeltaDescription { name: string(name), fields, padding: 0 })
}

fn entity_fields() -> Vec<FieldDescription> {
    vec![
        field("animtime", WINDOW | SIGNED, 8, 1.0, 1.0),
        field("frame", FLOAT, 10, 4.0, 1.0),
        field("origin[0]", FLOAT | SIGNED, 16, 8.0, 1.0),
        field("origin[1]", FLOAT | SIGNED, 16, 8.0, 1.0),
        field("angles[1]", ANGLE, 16, 1.0, 1.0),
        field("modelindex", INTEGER, 10, 1.0, 1.0),
        field("impacttime", BIG_WINDOW | SIGNED, 13, 100.0, 1.0),
    ]
}

fn signon(plan: Plan, crc: u32, quality: bool) -> Vec<Message> {
    let mut messages = Vec::new();
    if plan.hltv {
        messages.push(Message::Hltv(Hltv::default()));
    }
    let player_number = 0;
    let old = plan.network <= 43;
    messages.push(Message::Print(Print { text: string("\x02\nBUILD 6153 SERVER (0 CRC)\n") }));
    messages.push(Message::ServerInfo(ServerInfo {
        protocol: plan.network,
        spawn_count: 3,
        munged_crc: munge(crc, player_number),
        max_clients: 4,
        player_number,
        deathmatch: 1,
        game: string("cstrike"),
        host_name: (!old).then(|| string("a made-up server")),
        map: string("maps/hand_made.bsp"),
        tail: ServerInfoTail::MapCycle { cycle: string("hand_made\n"), vac: 0, block: Vec::new() },
        ..ServerInfo::default()
    }));
    messages.push(Message::SendExtraInfo(SendExtraInfo { fallback_dir: string("valve"), cheats: 0 }));
    messages.push(description("event_t", vec![field("entindex", INTEGER, 10, 1.0, 1.0), field("fparam1", FLOAT | SIGNED, 20, 100.0, 1.0)]));
    messages.push(description("weapon_data_t", vec![field("m_iClip", INTEGER | SIGNED, 10, 1.0, 1.0)]));
    messages.push(description("entity_state_t", entity_fields()));
    messages.push(description("entity_state_player_t", entity_fields()));
    messages.push(description("custom_entity_state_t", vec![field("rendermode", INTEGER, 8, 1.0, 1.0), field("scale", FLOAT, 8, 1.0, 0.1)]));
    messages.push(description(
        "clientdata_t",
        vec![field("health", FLOAT | SIGNED, 10, 1.0, 1.0), field("physinfo", STRING, 1, 1.0, 1.0), field("fov", BYTE, 8, 1.0, 1.0)],
    ));
    for (number, size, name) in [(64, -1, "DeathMsg"), (65, -1, "SayText"), (66, 5, "Money"), (67, -1, "TeamInfo")] {
        let mut field = Padded::<16>::default();
        field.0[..name.len()].copy_from_slice(name.as_bytes());
        messages.push(Message::NewUserMessage(NewUserMessage { number, size, name: field }));
    }
    for (slot, name, team) in [(0, "Gordon", "CT"), (1, "Barney", "TERRORIST")] {
        let info = string(&format!("\\name\\{name}\\model\\gordon"));
        messages.push(Message::UpdateUserInfo(UpdateUserInfo { slot, user_id: 40 + i32::from(slot), info, key_hash: (!old).then_some([7; 16]) }));
        let mut data = vec![slot + 1];
        data.extend_from_slice(team.as_bytes());
        data.push(0);
        messages.push(Message::User(UserMessage { id: 67, data }));
    }
    messages.push(Message::ResourceList(ResourceList {
        resources: vec![
            Resource { kind: 2, name: string("maps/hand_made.bsp"), index: 1, size: 77, flags: 1, ..Resource::default() },
            Resource { kind: 3, name: string("spray"), index: 9, flags: 4, md5: Some([9; 16]), reserved: Some([3; 32]), ..Resource::default() },
        ],
        consistency: Some(vec![Proof::After(3), Proof::At(700)]),
        padding: 0,
    }));
    messages.push(baselines(plan));
    messages.push(Message::VoiceInit(VoiceInit { codec: string("voice_speex"), quality: quality.then_some(5) }));
    messages.push(Message::SignonNum(SignonNum { number: 1 }));
    messages
}

fn row(words: &[(usize, u32)]) -> [u32; 64] {
    let mut row = [0; 64];
    for &(at, word) in words {
        row[at] = word;
    }
    row
}

fn baselines(plan: Plan) -> Message {
    let mut values = Values::default();
    let mut baselines = Vec::new();
    for (number, entity_type) in [(1, 1), (2, 1), (70, 2)] {
        let delta = if entity_type == 2 { values.push(1, 0b11, &row(&[(0, 5), (1, 30)])) } else { values.push(1, 0b10_0000, &row(&[(5, 77)])) };
        baselines.push(Baseline { number, entity_type, delta });
    }
    let instanced = if plan.instanced { vec![values.push(1, 0b100, &row(&[(2, 16)])), values.push(0, 0, &row(&[]))] } else { Vec::new() };
    Message::SpawnBaseline(SpawnBaseline { baselines, instanced, values, padding: 0 })
}

fn client_data(plan: Plan, sequence: Option<u8>) -> Message {
    if plan.hltv {
        return Message::ClientData(ClientDataMessage::default());
    }
    let mut values = Values::default();
    let client = if sequence.is_none() {
        values.text.extend_from_slice(b"\\slj\\0\0");
        values.push(1, 0b111, &row(&[(0, 200), (1, 0), (2, 90)]))
    } else {
        values.push(1, 0b1, &row(&[(0, 120)]))
    };
    let weapons = vec![WeaponUpdate { index: 4, delta: values.push(1, 1, &row(&[(0, 60)])) }];
    Message::ClientData(ClientDataMessage { body: Some(ClientDataBody { delta_sequence: sequence, client, weapons, values, padding: 0 }) })
}

fn full_frame(plan: Plan) -> Vec<Message> {
    let mut values = Values::default();
    let mut update = |number, spelling, custom, base, mask, words: &[(usize, u32)]| EntityUpdate {
        number,
        spelling,
        custom,
        base,
        delta: Some(values.push(mask_bytes(mask), mask, &row(words))),
    };
    let back = if plan.network <= 43 { Base::Baseline } else { Base::Back(1) };
    let fresh = if plan.instanced { Base::Instanced(0) } else { Base::Baseline };
    let updates = vec![
        update(1, NumberSpelling::Next, false, Base::Baseline, 0b1100, &[(2, 800), (3, 801)]),
        update(2, NumberSpelling::Next, false, back, 0, &[]),
        update(50, NumberSpelling::Offset, false, fresh, 0b100_0001, &[(0, 100), (6, 21)]),
        update(70, NumberSpelling::Absolute, true, Base::Baseline, 0b10, &[(1, 25)]),
    ];
    vec![
        Message::Time(Time { time: 100.0 }),
        client_data(plan, None),
        Message::Sound(Sound {
            flags: 1 | 4 | 8,
            volume: Some(200),
            channel: 2,
            entity: 1,
            sound: 300,
            origin: [Some(BitCoord { whole: Some(100), fraction: Some(4), negative: true }), None, Some(BitCoord::default())],
            pitch: Some(95),
            ..Sound::default()
        }),
        Message::PacketEntities(PacketEntities { count: 4, updates, values, padding: 0 }),
        Message::User(UserMessage { id: 66, data: vec![32, 3, 0, 0, 0] }),
    ]
}

fn delta_frame(plan: Plan) -> Vec<Message> {
    let mut values = Values::default();
    let moved = values.push(1, 0b1100, &row(&[(2, 808), (3, 801)]));
    let still = values.push(0, 0, &row(&[]));
    let updates = vec![
        EntityUpdate { number: 1, delta: Some(moved), ..EntityUpdate::default() },
        EntityUpdate { number: 2, delta: Some(still), ..EntityUpdate::default() },
        EntityUpdate { number: 70, spelling: NumberSpelling::Absolute, delta: None, ..EntityUpdate::default() },
    ];
    let mut arguments = Values::default();
    let event = QueuedEvent { index: 12, packet_index: Some(0), arguments: Some(arguments.push(1, 0b11, &row(&[(0, 1), (1, 50)]))), fire_time: Some(10) };
    vec![
        Message::Choke(Choke {}),
        Message::Time(Time { time: 100.125 }),
        client_data(plan, Some(12)),
        Message::Event(Events { events: vec![event], values: arguments, padding: 0 }),
        Message::Pings(Pings { pings: vec![Ping { slot: 1, ping: 45, loss: 3 }], padding: 0 }),
        Message::TempEntity(TempEntity { kind: 123, values: vec![1, 2, 3, 4, 5, 6, 7, 8], text: Str::default() }),
        Message::DeltaPacketEntities(DeltaPacketEntities { count: 3, delta_sequence: 12, updates, values, padding: 0 }),
        Message::User(UserMessage { id: 64, data: plan.death.to_vec() }),
        Message::User(UserMessage { id: 65, data: b"\x02#Cstrike_Chat_All\0\0hello\0".to_vec() }),
    ]
}
