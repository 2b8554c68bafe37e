//! `verify`: decodes and re-encodes everything, compares, and lists what stock engines reject.

use std::collections::BTreeMap;

use fragreel_base::wire::{ReadBytes, Trace, WriteBytes};
use fragreel_model::replay::{Chunks, Share, Whole, causes, feed_all};
use fragreel_model::{Damage, DamageKind, Family, RoundTrip, Verification};

use crate::container::Window;
use crate::dialect::{Dialect, Line, RecordingKind};
use crate::encode::canonical;
use crate::fields::{entity, player};
use crate::limits;
use crate::limits::HandshakeCommand;
use crate::message::{Body, Context, Message, MvdBody, MvdMessage, Parcel};
use crate::state::{Effect, PlayerState, State};
use crate::walk::findings::Findings;
use crate::walk::repeats::Repeats;
use crate::walk::{At, Input, Visitor, VisitorWalk};

/// How often a finding is listed before further ones are only counted.
const REPEATED: u64 = 3;

/// Verifies a recording in memory. Encodes only the messages of `share` again.
pub(crate) fn verify(input: &Input<'_>, share: Share) -> Verification {
    let Ok(report) = verify_chunks(input, share, &mut Whole(input.bytes));
    report
}

/// Verifies the recording that `chunks` give. `input` says how it is read.
pub(crate) fn verify_chunks<C: Chunks>(input: &Input<'_>, share: Share, chunks: &mut C) -> Result<Verification, C::Error> {
    Ok(verify_and(input, share, chunks, ())?.0)
}

/// Verifies the recording that `chunks` give, and shows `listener` what the walk reads.
pub(super) fn verify_and<C: Chunks, L: Visitor>(input: &Input<'_>, share: Share, chunks: &mut C, listener: L) -> Result<(Verification, L), C::Error> {
    let walk = VisitorWalk::new(input, input.walk_options(), (Verifier::new(input, share), listener));
    let VisitorWalk { playback, visitor: (mut verifier, listener), length } = feed_all(walk, chunks)?;
    let summary = playback.close_at(length, input, &mut verifier);
    verifier.report.bytes = length as u64;
    Ok((verifier.finish(chunks, summary.blocks, &playback.state)?, listener))
}

/// The verifying visitor.
struct Verifier {
    report: Verification,
    /// The blocks that the walk encodes again, whether the current block is one of them, and whether the walk stopped after them.
    share: Share,
    encodes: bool,
    stopped: bool,
    findings: Findings,
    encoder: Context,
    /// The context of canonical encodings.
    canonical: Context,
    out: Vec<u8>,
    /// The engine line, once a player state identified it.
    line: Option<Line>,
    pending_players: Vec<(Option<u8>, Vec<u8>)>,
    found: BTreeMap<&'static str, u64>,
    frame_delta: i32,
    first_level: bool,
    begun: bool,
    repeats: Repeats,
}

impl Verifier {
    fn new(input: &Input<'_>, share: Share) -> Self {
        let mut report = Verification::new(Family::Quake2, input.dialect.name(), 0);
        report.round_trip = RoundTrip::Identical;
        Verifier {
            report,
            share,
            encodes: true,
            stopped: false,
            findings: Findings::new(input.limits.damage_entries),
            encoder: Context::new(input.dialect),
            canonical: Context::new(input.dialect),
            out: Vec::new(),
            line: (input.dialect.kind == RecordingKind::SERVER).then_some(Line::Id),
            pending_players: Vec::new(),
            found: BTreeMap::new(),
            frame_delta: -1,
            first_level: true,
            begun: false,
            repeats: Repeats::new(input),
        }
    }

    fn finish<C: Chunks>(mut self, chunks: &mut C, blocks: u32, state: &State) -> Result<Verification, C::Error> {
        for (rule, count) in &self.found {
            if *count > REPEATED {
                let detail = format!("{rule} ({} more times)", count - REPEATED);
                self.report.notes.push(Damage {
                    offset: 0,
                    bit: None,
                    path: String::from("recording"),
                    kind: DamageKind::Compatibility,
                    detail,
                    skipped: None,
                });
            }
        }
        self.report.damage_omitted = self.findings.omitted;
        self.report.damage = self.findings.finish();
        // A server's recording lacks an end mark, a client's may lack it, and both are whole otherwise.
        if self.report.damage.iter().any(|damage| !matches!(damage.kind, DamageKind::NoEndMarker | DamageKind::Unsupported)) {
            self.report.damage.extend(causes::text_mode_in(chunks)?);
        }
        self.report.dialect = state.dialect.name();
        self.report.messages = blocks.into();
        self.report.snapshots = state.clock.frames();
        Ok(self.report)
    }

    fn note(&mut self, at: At, path: &str, detail: &str) {
        let path = format!("block {} › {path}", at.block);
        self.report.notes.push(Damage { offset: at.offset, bit: None, path, kind: DamageKind::Compatibility, detail: detail.to_owned(), skipped: None });
    }

    /// Adds a note. Lists the first few with their positions, and counts the rest.
    fn add_note(&mut self, at: At, path: &str, rule: &'static str) {
        let count = self.found.entry(rule).or_default();
        *count += 1;
        if *count <= REPEATED {
            self.note(at, path, rule);
        }
    }

    /// True if this message changes how later messages are encoded. Every share encodes such messages.
    fn changes_context(&self, body: &Body) -> bool {
        self.encoder.dialect.floats || !matches!(body, Body::Frame(_) | Body::PlayerInfo(_) | Body::PacketEntities(_))
    }

    /// Re-encodes a message, and compares it if its block is in the walk's share.
    fn compare(
        &mut self,
        at: At,
        bytes: &[u8],
        name: &'static str,
        write: impl FnOnce(&mut WriteBytes, &mut Context),
        trace: impl FnOnce(&mut Trace<ReadBytes<'_>>),
    ) {
        let mut w = WriteBytes::with_buffer(std::mem::take(&mut self.out));
        write(&mut w, &mut self.encoder);
        self.out = w.finish();
        if !self.encodes || self.out == bytes || self.report.first_difference.is_some() {
            return;
        }
        self.report.round_trip = RoundTrip::Differs;
        let first = self.out.iter().zip(bytes).position(|(a, b)| a != b).unwrap_or(self.out.len().min(bytes.len()));
        let mut tracer = Trace::new(ReadBytes::new(bytes));
        trace(&mut tracer);
        let bit = first as u64 * 8;
        let field = tracer.spans().iter().find(|span| (span.from..span.to).contains(&bit)).map_or("?", |span| span.field);
        let path = format!("block {} › {name} › {field}", at.block);
        let detail = String::from("encoding the message again gives a different byte");
        self.report.first_difference =
            Some(Damage { offset: at.offset + first as u64, bit: Some(bit), path, kind: DamageKind::RoundTrip, detail, skipped: None });
    }

    /// Encodes the frame just completed from the states and compares.
    fn encode_frame(&mut self, at: At, message: &Message, bytes: &[u8], state: &State) {
        if !self.encodes {
            return;
        }
        let dialect = state.dialect;
        let Some(frame) = state.ring.current().filter(|_| canonical::known(&dialect)) else { return };
        let base = if self.frame_delta > 0 { state.ring.find(self.frame_delta) } else { None };
        if self.frame_delta > 0 && base.is_none() {
            return;
        }
        let lines = match self.line {
            Some(Line::Id) => &[Line::Id][..],
            Some(Line::Q2pro) => &[Line::Q2pro],
            None => &[Line::Id, Line::Q2pro],
        };
        for (client, bytes) in std::mem::take(&mut self.pending_players) {
            let find = |frame: crate::state::FrameView<'_>| frame.players().find(|(known, _)| *known == client).map(|(_, state)| state.clone());
            let (from, Some(to)) = (base.and_then(find).unwrap_or_default(), find(frame)) else { continue };
            let same = lines.iter().any(|&line| self.reencode_player(&dialect, line, client, &from, &to) == bytes);
            self.report.count_canonical(at.block, at.offset, same);
        }
        let max_clients = state.max_clients();
        let same = lines.iter().any(|&line| {
            let list = canonical::entities(&dialect, line, base, frame, &state.baselines, max_clients);
            self.reencode(message.unicast, Body::PacketEntities(list)) == bytes
        });
        self.report.count_canonical(at.block, at.offset, same);
    }

    fn reencode_player(&mut self, dialect: &Dialect, line: Line, client: Option<u8>, from: &PlayerState, to: &PlayerState) -> Vec<u8> {
        self.reencode(client, Body::PlayerInfo(Box::new(canonical::player(dialect, line, from, to))))
    }

    fn reencode(&mut self, unicast: Option<u8>, body: Body) -> Vec<u8> {
        let mut w = WriteBytes::default();
        let Ok(()) = Message { unicast, body }.write(&mut w, &mut self.canonical);
        w.finish()
    }

    /// Adds damage inside a message.
    fn fatal(&mut self, at: At, name: &'static str, rule: Option<&'static str>) {
        if let Some(rule) = rule {
            let error = fragreel_base::wire::Error::malformed(rule).inside(name, None).inside("block", Some(at.block)).at_offset(at.offset);
            self.findings.add(Damage::of(&error, DamageKind::Message));
        }
    }

    fn check_message(&mut self, at: At, message: &Message, effect: Effect, state: &State) {
        if effect == Effect::LevelUnannounced {
            self.add_note(at, "frame", "the frame number goes back: a new level began without serverdata, and its indices have other meanings");
        }
        if effect == Effect::Frame {
            self.findings.frame(state.is_uncertain());
            // Behind lost frames it is a consequence.
            let stray = !state.ring.stray_removals().is_empty() && !state.is_uncertain();
            self.fatal(at, message.body.kind().name(), stray.then_some("an entity is removed that does not exist: engines remove the next one"));
        }
        self.fatal(at, message.body.kind().name(), limits::fatal(&message.body, &state.dialect));
        match &message.body {
            Body::Frame(frame) => {
                self.frame_delta = if frame.delta > 0 { frame.delta } else { -1 };
                self.begun = true;
                self.pending_players.clear();
                if state.ring.forgotten() {
                    self.add_note(at, "frame", "the delta base is older than the frames that id's client keeps");
                }
            }
            Body::PlayerInfo(delta) => {
                if delta.mask & player::PS_FOV != 0 && delta.row[player::FOV] == 0 {
                    self.add_note(at, "playerinfo › fov", "a field of view of 0: Q2PRO ends playback here");
                }
                if self.line.is_none() && self.frame_delta > 0 {
                    self.line = Some(if delta.mask & player::PS_WEAPONINDEX != 0 { Line::Id } else { Line::Q2pro });
                }
            }
            Body::PacketEntities(list) => self.check_entities(at, list, state),
            Body::ServerData(data) => {
                self.canonical = Context::new(state.dialect);
                if data.kind == RecordingKind::NETWORK.0 {
                    self.add_note(at, "serverdata", "the level is marked as live: playback gives the player control; `repair` marks it as recorded");
                }
                if !self.first_level && self.begun {
                    self.add_note(at, "serverdata", "a further level in one recording: id's engines stop before it");
                }
                self.first_level = false;
            }
            Body::StuffText(text) if text.0.split(|&byte| byte == b'\n').any(|line| HandshakeCommand::of(line).is_some()) => {
                self.add_note(at, "stufftext", "a leftover of the handshake: playback executes it; `repair` removes it");
            }
            Body::Reconnect | Body::Disconnect => {
                self.add_note(at, message.body.kind().name(), "ends playback in id's engines; `repair` removes it, unless nothing follows it");
            }
            Body::Download(_) | Body::ZDownload(_) => {
                self.add_note(at, "download", "an unrequested download: Q2PRO ends playback here; `repair` removes it");
            }
            Body::TempEntity(entity)
                if matches!(entity.kind, 31 | 32) && !state.dialect.floats && state.dialect.numbering != crate::dialect::Numbering::Kmquake2 =>
            {
                self.add_note(at, "temp_entity › kind", "id's engines do not know this temporary entity");
            }
            _ => {}
        }
        if let Body::Print(crate::message::Print { text, .. }) | Body::Layout(text) | Body::CenterPrint(text) = &message.body {
            if text.0.len() > 2047 {
                self.add_note(at, message.body.kind().name(), "a string that id's engines would not read to its end");
            } else if text.0.contains(&0xff) {
                self.add_note(at, message.body.kind().name(), "byte 255 in a string: id's engines stop reading there");
            }
        }
    }

    fn check_entities(&mut self, at: At, list: &crate::message::PacketEntities, state: &State) {
        let mut last = 0;
        for delta in &list.deltas {
            if delta.number <= last {
                self.add_note(at, "packetentities", "the entities are not in order");
            }
            last = delta.number;
            if delta.mask & entity::U_FRAME8 != 0 && delta.mask & entity::U_FRAME16 != 0 && !state.dialect.floats {
                self.add_note(at, "packetentities", "both widths of a frame are sent; the second counts");
            }
        }
    }
}

impl Visitor for Verifier {
    fn block(&mut self, block: u32, window: Window<'_>) {
        self.stopped = self.share.stops_at(window.offset);
        self.encodes = !self.stopped && self.share.encodes(window.offset);
        let at = At { block, offset: window.offset };
        self.findings.block(block, window.data_offset + window.data.len() as u64);
        if self.repeats.take(&window) {
            self.add_note(at, "block", "the block repeats the previous one; `repair` drops it");
        }
        if window.data.is_empty() {
            self.add_note(at, "size", "a block without data: id's engines end playback here; `repair` removes it");
        } else if window.data.len() > self.encoder.dialect.safe_block() {
            self.add_note(at, "size", "a block longer than every engine of this protocol plays; `repair` splits it if possible");
        }
    }

    fn message(&mut self, at: At, message: &mut Message, bytes: &[u8], effect: Effect, state: &State) {
        self.check_message(at, message, effect, state);
        // Messages of a compressed packet were compared with the packet.
        if !bytes.is_empty() && (self.encodes || self.changes_context(&message.body)) {
            let before = message.body.kind().name();
            let dialect = self.encoder.dialect;
            self.compare(
                at,
                bytes,
                before,
                |w, cx| {
                    let Ok(()) = message.write(w, cx);
                },
                |r| {
                    let mut cx = Context::new(dialect);
                    if let Ok(head) = crate::message::head(r, &cx) {
                        let _ = head.op.empty().code(r, &mut cx, head.high);
                    }
                },
            );
        }
        match &message.body {
            Body::PlayerInfo(_) if self.encodes && canonical::known(&state.dialect) => self.pending_players.push((message.unicast, bytes.to_vec())),
            Body::PacketEntities(_) if effect == Effect::Frame => self.encode_frame(at, message, bytes, state),
            _ => {}
        }
    }

    fn mvd_message(&mut self, at: At, message: &mut MvdMessage, bytes: &[u8], effect: Effect, state: &State) {
        if effect == Effect::Frame {
            self.findings.frame(state.is_uncertain());
        }
        self.fatal(at, message.body.name(), limits::fatal_mvd(&message.body, &state.dialect));
        if !self.encodes && matches!(message.body, MvdBody::Frame(_)) {
            return;
        }
        let dialect = self.encoder.dialect;
        self.compare(
            at,
            bytes,
            message.body.name(),
            |w, cx| {
                let Ok(()) = message.write(w, cx);
            },
            |r| {
                let mut cx = Context::new(dialect);
                let mut reencode = MvdMessage { extra: 0, body: MvdBody::Bare(1) };
                let _ = reencode.read(r, &mut cx);
            },
        );
    }

    fn parcel(&mut self, at: At, _: &Parcel, message: &mut Message, bytes: &[u8], _: &State) {
        if !self.encodes {
            return;
        }
        let dialect = self.encoder.dialect;
        let outer = std::mem::replace(&mut self.encoder, Context::new(dialect));
        self.compare(
            at,
            bytes,
            message.body.kind().name(),
            |w, cx| {
                let Ok(()) = message.write(w, cx);
            },
            |_| {},
        );
        self.encoder = outer;
    }

    fn block_end(&mut self, _: u32, _: Window<'_>, rest: &[u8]) {
        if let Some(number) = rest.first() {
            self.report.count_opaque(&format!("message number {number}"));
        }
    }

    fn damage(&mut self, damage: Damage) {
        self.findings.add(damage);
    }

    fn done(&self) -> bool {
        self.stopped
    }
}
