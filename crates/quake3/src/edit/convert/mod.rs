//! A recording in another protocol (`docs/formats/quake3.md`, "Converting").

mod fields;
mod strings;

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited, Fate, Loss, Target};

use super::recording_writer::RecordingWriter;
use super::source::Source;
use crate::Recording;
use crate::container::{Frame, Piece};
use crate::dialect::Dialect;
use crate::encode::canonical;
use crate::fields::find;
use crate::limits::Sizes;
use crate::message::{Gamestate, GamestateItem, Message, Operation, Snapshot, Voice, op};
use crate::state::{Effect, Outcome, SnapshotState, State};

pub(super) use fields::FieldConverter;
use strings::StringConverter;

/// The dialect that `target` names.
fn target_dialect(recording: &Recording<'_>, target: &Target) -> Result<&'static Dialect, Error> {
    let from = recording.dialect();
    if target.pov.is_some() {
        return Err(Error::misuse("a Quake III recording has one viewpoint only: leave the player out"));
    }
    let targets = from.targets;
    let protocol = match target.format.as_deref() {
        None => targets.first().copied(),
        Some(name) => name.parse().ok().or_else(|| Dialect::hinted(name.trim_start_matches('.'))),
    };
    let found = protocol.filter(|protocol| targets.contains(protocol)).and_then(Dialect::of);
    found.ok_or_else(|| {
        let list: Vec<String> = targets.iter().map(|protocol| format!("dm_{protocol}")).collect();
        let name = target.format.as_deref().unwrap_or_default();
        Error::unsupported(format!("protocol {} cannot be converted to `{name}`: possible are {}", from.protocol, list.join(", ")))
    })
}

pub(super) fn convert(recording: &Recording<'_>, target: &Target) -> Result<Edited, Error> {
    let (from, to) = (recording.dialect(), target_dialect(recording, target)?);
    let mut conversion = Conversion {
        from,
        to,
        fields: FieldConverter::new(from, to),
        strings: StringConverter::new(from, to),
        state: State::new(to),
        acknowledged: 0,
        recorders: if from.identifies_client { Vec::new() } else { recorders(recording) },
        level: 0,
        voices: 0,
    };
    let mut source = Source::new(recording);
    let mut writer = RecordingWriter::for_source(recording);
    writer.set_dialect(to);
    while let Some(piece) = source.next() {
        let Piece::Message(frame) = piece else { continue };
        conversion.message(&mut source, &frame, &mut writer)?;
    }
    let Conversion { fields, strings, voices, .. } = conversion;
    let mut actions = Vec::new();
    if from.protocol != to.protocol {
        actions.push(Action::Converted { from: format!("protocol {}", from.protocol), to: format!("protocol {}", to.protocol) });
    }
    let mut edited = writer.finish(recording, actions);
    edited.extension = to.extension();
    if voices > 0 {
        edited.lose(Loss::Voices { pieces: u64::from(voices), protocol: u32::from(to.protocol) });
    }
    if !from.identifies_client {
        edited.lose(Loss::RecorderNumber);
    }
    for lost in fields.lost.sorted().into_iter().chain(strings.lost.sorted()) {
        edited.lose(lost);
    }
    Ok(edited)
}

/// The player of the first view of each level.
fn recorders(recording: &Recording<'_>) -> Vec<i32> {
    let mut source = Source::new(recording);
    let mut found: Vec<i32> = Vec::new();
    let at = find(recording.dialect().player, "clientNum");
    while let Some(piece) = source.next() {
        let Piece::Message(frame) = piece else { continue };
        source.apply(&frame);
        if let Some(snapshot) = source.playback.state.snapshot() {
            while found.len() < source.signon.levels as usize {
                found.push(snapshot.player.row.get(at).map_or(0, |&client| client as i32));
            }
        }
    }
    found
}

struct Conversion {
    from: &'static Dialect,
    to: &'static Dialect,
    fields: FieldConverter,
    strings: StringConverter,
    /// The state of a client of the converted recording.
    state: State,
    acknowledged: u32,
    recorders: Vec<i32>,
    level: usize,
    voices: u32,
}

impl Conversion {
    fn message(&mut self, source: &mut Source<'_>, frame: &Frame, writer: &mut RecordingWriter) -> Result<(), Error> {
        let broken = source.playback.error.is_some();
        let begins = source.begins_level();
        let mut changed = !self.fields.same;
        let (mut command, mut without_base, mut as_sent) = (None, 0, true);
        source.apply_with(frame, &mut |state, snapshot, outcome| {
            command = Some(snapshot.client_command);
            if outcome.is_shown() {
                as_sent = state.snapshot().is_some_and(SnapshotState::is_as_sent);
                return Fate::Keep;
            }
            without_base += 1;
            Fate::Drop
        });
        if broken || !(begins || source.signon.gamestate.is_some()) {
            let count = if broken { &mut writer.left_out.broken } else { &mut writer.left_out.without_level };
            *count += 1;
            return Ok(());
        }
        writer.left_out.without_base += without_base;
        changed |= without_base > 0;
        let message = &mut source.playback.message;
        if self.from.snapshot_command {
            self.acknowledged = command.unwrap_or(self.acknowledged);
            message.acknowledged = self.acknowledged;
        }
        changed |= self.voice(message);
        for operation in &mut message.operations {
            let before = Sizes::of(operation);
            changed |= match operation {
                Operation::Gamestate(gamestate) => self.gamestate(gamestate),
                Operation::ServerCommand(command) => self.strings.command(&mut command.text),
                Operation::Snapshot(snapshot) => {
                    self.snapshot_fields(snapshot);
                    false
                }
                _ => false,
            };
            Sizes::of(operation).check(before)?;
            if (self.state.apply(frame.sequence, operation) != Effect::Snapshot(Outcome::Applied) || !as_sent)
                && let Operation::Snapshot(snapshot) = operation
                && self.whole_snapshot(&source.playback.state, snapshot)
            {
                writer.frames.reencoded += 1;
                self.state.apply(frame.sequence, operation);
                changed = true;
            }
        }
        changed |= writer.renumber_commands(message);
        if !changed {
            writer.write_bytes(frame.sequence, source.playback.data(frame));
            return Ok(());
        }
        if self.from.layout != self.to.layout {
            message.rest.clear();
            message.end = Some(op::EOF);
        }
        if message.operations.is_empty() && message.late_voice.is_empty() && message.rest.len() < 2 {
            return Ok(());
        }
        writer.write_numbered(frame.sequence, message)
    }

    fn gamestate(&mut self, gamestate: &mut Gamestate) -> bool {
        let mut changed = false;
        gamestate.items.retain_mut(|item| match item {
            GamestateItem::ConfigString(string) => {
                let kept = self.strings.string(string);
                changed |= kept != Some(false);
                kept.is_some()
            }
            GamestateItem::Baseline(_) if self.fields.same => true,
            GamestateItem::Baseline(baseline) => {
                **baseline = self.fields.entity(baseline);
                changed = true;
                true
            }
        });
        if !self.from.identifies_client {
            gamestate.client = self.recorders.get(self.level).copied().unwrap_or(0);
            gamestate.end = op::EOF;
        }
        self.level += 1;
        changed
    }

    /// Replaces a snapshot by a full one: clients of the target keep fewer entities than those of the source. Returns whether it could.
    fn whole_snapshot(&mut self, source: &State, snapshot: &mut Snapshot) -> bool {
        let Some(whole) = canonical::against(source, None) else { return false };
        *snapshot = Snapshot { client_command: snapshot.client_command, ..whole };
        self.snapshot_fields(snapshot);
        true
    }

    /// Converts the fields of a snapshot.
    fn snapshot_fields(&mut self, snapshot: &mut Snapshot) {
        if self.fields.same {
            return;
        }
        snapshot.player = self.fields.player(&snapshot.player);
        let entities: Vec<_> = snapshot.entities.iter().map(|delta| self.fields.entity(delta)).collect();
        snapshot.entities = entities.into();
    }

    /// Removes voice that clients of the target cannot decode, and converts the rest.
    fn voice(&mut self, message: &mut Message) -> bool {
        let mut changed = false;
        let (voice_since, voices) = (self.to.voice, &mut self.voices);
        let (from_flags, to_flags) = (self.from.voice_flags, self.to.voice_flags);
        message.operations.retain_mut(|operation| {
            let is_speex = matches!(operation, Operation::VoiceSpeex(_));
            let (Operation::VoiceSpeex(voice) | Operation::VoiceOpus(voice)) = operation else { return true };
            let known = voice_since && (to_flags || is_speex);
            *voices += u32::from(!known);
            changed |= !known || from_flags != to_flags;
            if to_flags && !from_flags {
                *voice = Voice { flags: DIRECT, ..std::mem::take(voice) };
            }
            known
        });
        changed
    }
}

/// The flag of voice that everybody receives. Before there were flags, that was all voice.
const DIRECT: u8 = 2;
