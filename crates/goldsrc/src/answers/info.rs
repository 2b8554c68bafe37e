//! `info`: the game, the server, the maps, the players, the duration.

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{Chunks, Fed, Whole, feed_all};
use fragreel_model::{Family, Info, Kinds, Milliseconds, PlayerInfo};

use crate::container::{Macro, MacroKind, Step};
use crate::events::{EventBuilder, map_name};
use crate::game_text::{clean, text};
use crate::message::munge::unmunge;
use crate::message::{Message, ServerInfo};
use crate::walk::findings::Findings;
use crate::walk::input::Input;
use crate::walk::playback::{Playback, states_recorder};
use crate::walk::run_timer::RunTimer;

/// Games by their directory.
const GAMES: &[(&str, &str)] = &[
    ("valve", "Half-Life"),
    ("gearbox", "Opposing Force"),
    ("bshift", "Blue Shift"),
    ("cstrike", "Counter-Strike"),
    ("czero", "Counter-Strike: Condition Zero"),
    ("tfc", "Team Fortress Classic"),
    ("dod", "Day of Defeat"),
    ("dmc", "Deathmatch Classic"),
    ("ricochet", "Ricochet"),
];

/// A longer step of the server's clock, in seconds, is a jump.
const LONGEST_STEP: f64 = 60.0;

/// The game, the server, the maps, the players, the duration of a recording in memory.
pub(crate) fn info(input: &Input<'_>) -> Info {
    let Ok(info) = info_chunks(input, &mut Whole(input.container.bytes));
    info
}

/// The same of the recording that `chunks` give. `input` says how it is read.
pub(crate) fn info_chunks<C: Chunks>(input: &Input<'_>, chunks: &mut C) -> Result<Info, C::Error> {
    let InfoWalk { playback, mut progress } = feed_all(InfoWalk::new(input), chunks)?;
    let (container, info) = (&input.container, &mut progress.info);
    let header = match &container.foreign {
        Some(foreign) => Some(&foreign.header),
        None => Some(&container.header).filter(|_| !container.header_lost),
    };
    if let Some(header) = header.filter(|_| info.maps.is_empty()) {
        info.maps.extend(Some(map_name(header.map_name())).filter(|map| !map.is_empty()));
    }
    let Progress { mut info, findings, builder, last_frame, last_macro, played, server_seconds, hltv, mut timer, .. } = progress;
    let hltv = hltv.or_else(|| Some(playback.context()?.hltv)).unwrap_or(false);
    info.recording = String::from(if hltv { "hltv" } else { "client" });
    info.duration = last_frame.or(last_macro);
    info.server_duration = (info.snapshots > 0 && !hltv).then_some(Milliseconds((server_seconds * 1000.0_f64).round() as i64));
    info.snapshot_rate = Info::rate(played, info.duration);
    info.players = builder.roster.everybody();
    info.recorder = builder.pov.filter(|&slot| builder.roster.member(slot).present).map(|slot| {
        let member = builder.roster.member(slot);
        PlayerInfo { slot: u16::from(slot), name: member.name.clone(), team: member.side().map(str::to_owned) }
    });
    timer.end(playback.now());
    info.timer = timer.timer();
    info.damage = findings.finish();
    Ok(info)
}

/// The walk that summarizes.
struct InfoWalk {
    playback: Playback<'static>,
    progress: Progress,
}

/// What it knows so far.
struct Progress {
    info: Info,
    findings: Findings,
    builder: EventBuilder,
    /// A recorder that stopped late or crashed gives its last macro another time than its last frame.
    last_frame: Option<Milliseconds>,
    last_macro: Option<Milliseconds>,
    played: u64,
    server_clock: Option<f64>,
    server_seconds: f64,
    /// Absent until a message or an error decides it.
    hltv: Option<bool>,
    timer: RunTimer,
}

impl InfoWalk {
    fn new(input: &Input<'_>) -> Self {
        let container = &input.container;
        let mut info = Info::new(Family::GoldSrc, input.dialect().name(), container.length as u64);
        let game = clean(container.header.game_name());
        info.game = GAMES.iter().find(|(directory, _)| *directory == game).map_or("Half-Life", |(_, name)| name).to_owned();
        info.game_mod = Some(game).filter(|game| !game.is_empty());
        info.engine = Some(input.dialect().build().to_owned());
        let progress = Progress {
            info,
            findings: Findings::new(container.damage.clone(), input.limits.damage_entries),
            builder: EventBuilder::new(Kinds::NONE),
            last_frame: None,
            last_macro: None,
            played: 0,
            server_clock: None,
            server_seconds: 0.0,
            hltv: None,
            timer: RunTimer::default(),
        };
        InfoWalk { playback: Playback::new(&input.over(Chunk::none())), progress }
    }
}

impl Fed for InfoWalk {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let InfoWalk { playback, mut progress } = self;
        let mut playback = playback.in_chunk(chunk);
        progress.play(&mut playback);
        InfoWalk { playback: playback.in_chunk(Chunk::none()), progress }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.playback.is_over()
    }
}

impl Progress {
    fn play(&mut self, playback: &mut Playback<'_>) {
        while let Some(step) = playback.next() {
            match step {
                Step::Damage(damage) => self.findings.add(damage),
                Step::Macro { number, segment, window } => self.take(playback, number, segment, &window),
            }
        }
    }

    fn take<'a>(&mut self, playback: &mut Playback<'a>, number: u32, segment: usize, window: &Macro<'a>) {
        let Progress { info, findings, builder, server_clock, .. } = self;
        info.messages += 1;
        let playing = playback.is_played(segment);
        self.timer.take(window, playback.now());
        builder.start_macro(number, playing, playback.now());
        let frames = info.snapshots;
        let mut decided = false;
        let read = playback.read(window, |context, message, _| {
            builder.message(context, message);
            decided |= states_recorder(message);
            // each level has a clock of its own
            if matches!(message, Message::ServerInfo(_)) {
                *server_clock = None;
            }
            add_message(info, message);
        });
        if self.hltv.is_none() && (decided || read.is_err()) {
            self.hltv = playback.context().map(|context| context.hltv);
        }
        if playing {
            let time = Some(playback.now());
            self.last_macro = self.last_macro.max(time);
            if window.kind == MacroKind::Data && !playback.time_contradicted() {
                let now = f64::from(playback.server_time());
                let passed = server_clock.replace(now).map_or(0.0, |before| now - before);
                self.server_seconds += if passed > 0.0 && passed < LONGEST_STEP { passed } else { 0.0 };
            }
            if let Some(now) = builder.match_time().filter(|_| info.snapshots > frames) {
                info.match_clock = Some((info.match_clock.map_or(now, |(first, _)| first), now));
            }
            if info.snapshots > frames {
                self.last_frame = self.last_frame.max(time);
                self.played += 1;
            }
        }
        if let Err(error) = read {
            findings.add_unreadable(playback, &error, number, window);
        }
    }
}

fn add_message(info: &mut Info, message: &Message) {
    match message {
        Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => info.snapshots += 1,
        Message::ServerInfo(server) => server_info(info, server),
        Message::SendExtraInfo(extra) => {
            info.server_settings.insert(String::from("cheats"), extra.cheats.to_string());
        }
        Message::Print(print) => {
            let lines = print.text.0.split(|&byte| byte == b'\n').map(clean);
            if let Some(line) = lines.into_iter().find(|line| line.starts_with("BUILD ") && line.contains(" SERVER")) {
                info.engine = Some(line);
            }
        }
        Message::VoiceInit(voice) if !voice.codec.0.is_empty() => {
            info.server_settings.insert(String::from("voice_codec"), clean(&voice.codec.0));
        }
        _ => {}
    }
}

fn server_info(info: &mut Info, server: &ServerInfo) {
    let map = map_name(&server.map.0);
    if info.maps.last() != Some(&map) {
        info.maps.push(map);
    }
    if let Some(name) = &server.host_name {
        info.server = Some(text(&name.0));
    }
    let mut set = |key: &str, value: String| info.server_settings.insert(key.to_owned(), value);
    set("maxclients", server.max_clients.to_string());
    set("deathmatch", server.deathmatch.to_string());
    set("map_crc", format!("{:08x}", unmunge(server.munged_crc, server.player_number)));
}
