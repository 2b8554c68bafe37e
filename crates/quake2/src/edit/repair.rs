//! `repair`: makes a file that plays from everything readable.

use std::collections::BTreeMap;

use fragreel_base::wire::Error;
use fragreel_model::{Action, DeltaBase, Edited, Fate, Loss};

use super::EditSource;
use super::copy::copy;
use super::dm2_writer::Dm2Writer;
use super::part_writer::{CopyOptions, Hook, Location};
use crate::container::End;
use crate::container::dm2::Blocks;
use crate::detect::Framing;
use crate::dialect::RecordingKind;
use crate::limits::HandshakeCommand;
use crate::message::{Body, Message};
use crate::state::State;
use crate::walk::repeats::Repeats;

pub(crate) fn repair(source: &EditSource<'_>) -> Result<Edited, Error> {
    let (bytes, repeated) = without_repeated(source);
    if repeated.is_empty() {
        return repair_unrepeated(source);
    }
    let mut edited = repair_unrepeated(&source.over(&bytes))?;
    edited.actions.splice(0..0, repeated);
    Ok(edited)
}

/// The bytes without blocks that repeat the one before them, and what was left out.
fn without_repeated(source: &EditSource<'_>) -> (Vec<u8>, Vec<Action>) {
    let (mut bytes, mut at, mut actions, mut repeats) = (Vec::new(), 0, Vec::new(), Repeats::new(&source.input));
    if source.input.container == Framing::Dm2 {
        for window in Blocks::recovering(source.input.bytes, source.input.dialect) {
            if repeats.take(&window) {
                let (from, to) = (window.offset as usize, window.data_offset as usize + window.data.len());
                bytes.extend_from_slice(&source.input.bytes[at..from]);
                at = to;
                let why = String::from("the block repeats the previous one");
                actions.push(Action::BytesLeftOut { bytes: Some((to - from) as u64), offset: from as u64, why });
            }
        }
    }
    if !actions.is_empty() {
        bytes.extend_from_slice(&source.input.bytes[at..]);
    }
    (bytes, actions)
}

fn repair_unrepeated(source: &EditSource<'_>) -> Result<Edited, Error> {
    source.check_editable("repaired")?;
    let options = CopyOptions::all(source.timeline().all()?.last, true);
    let dialect = source.input.dialect;
    let (mut edited, end) = match source.input.container {
        Framing::Dm2 => repair_blocks(source, options)?,
        Framing::Mvd2 => {
            let (parts, end) = copy(source, options, None);
            (parts.into_file().unwrap_or_default(), end)
        }
    };
    let again = EditSource::open(&edited.bytes, &edited.extension, source.input.limits)?;
    if again.timeline().count() == 0 {
        return Err(Error::malformed("no frame of the recording can be decoded"));
    }
    // The dropped parts may have contained the signon.
    again.check_editable("repaired")?;
    if edited.bytes == source.input.bytes {
        edited.actions.clear();
    } else if !matches!(end, End::Mark { .. }) && (dialect.ends_with_mark() || source.input.container == Framing::Mvd2) {
        edited.actions.push(Action::EndMarkAdded);
    }
    Ok(edited)
}

fn repair_blocks(source: &EditSource<'_>, options: CopyOptions) -> Result<(Edited, End), Error> {
    let mut repairer = Repairer { frames: options.frames, actions: BTreeMap::new() };
    let mut writer = Dm2Writer::new(source.input.dialect, source.input.bytes, options, Some(&mut repairer));
    let (summary, state) = source.input.walk(source.input.walk_options(), &mut writer);
    writer.finish(summary.end);
    let mut edited = writer.parts.into_file().ok_or_else(|| Error::malformed("nothing in the recording can be decoded"))?;
    // The repairer reports its changes by kind.
    edited.actions.retain(|action| !matches!(action, Action::MessagesChangedOrDropped { .. }));
    edited.actions.extend(repairer.actions.iter().map(|(what, &count)| what.action(count)));
    let recovered = state.ring.recovered();
    if recovered > 0 {
        edited.actions.push(Action::FramesReencoded { frames: recovered, base: DeltaBase::Missing });
        edited.lose(Loss::ChangesInMissingFrames { frames: recovered });
    }
    Ok((edited, summary.end))
}

/// Removes messages that stop engines.
struct Repairer {
    frames: u64,
    actions: BTreeMap<Fix, u64>,
}

/// The kinds of changes, in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fix {
    Handshake,
    Download,
    Disconnect,
    Precache,
    Live,
}

impl Fix {
    fn action(self, count: u64) -> Action {
        match self {
            Fix::Handshake => Action::HandshakeLeftOut { count },
            Fix::Download => Action::DownloadLeftOut { count },
            Fix::Disconnect => Action::DisconnectLeftOut { count },
            Fix::Precache => Action::PrecacheMadeLocal { count },
            Fix::Live => Action::LevelMarkedRecorded { count },
        }
    }
}

impl Repairer {
    fn count_fix(&mut self, what: Fix) -> Fate {
        *self.actions.entry(what).or_default() += 1;
        Fate::Drop
    }

    fn stufftext(&mut self, text: &mut Vec<u8>) -> Fate {
        let mut out = Vec::new();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            match HandshakeCommand::of(body) {
                Some(HandshakeCommand::Precache) => {
                    self.count_fix(Fix::Precache);
                    out.extend_from_slice(b"precache\n");
                }
                Some(HandshakeCommand::Command) => drop(self.count_fix(Fix::Handshake)),
                None => out.extend_from_slice(line),
            }
        }
        let dropped = out.is_empty() && !text.is_empty();
        *text = out;
        if dropped { Fate::Drop } else { Fate::Keep }
    }
}

impl Hook for Repairer {
    fn message(&mut self, _: Location, message: &mut Message, state: &State) -> Fate {
        match &mut message.body {
            Body::ServerData(data) if data.kind == RecordingKind::NETWORK.0 => {
                data.kind = RecordingKind::CLIENT.0;
                self.count_fix(Fix::Live);
                Fate::Keep
            }
            Body::StuffText(text) => self.stufftext(&mut text.0),
            Body::Reconnect | Body::Disconnect if state.clock.frames() < self.frames => self.count_fix(Fix::Disconnect),
            Body::Download(_) | Body::ZDownload(_) => self.count_fix(Fix::Download),
            _ => Fate::Keep,
        }
    }
}
