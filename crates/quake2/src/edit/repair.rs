//! `repair`: a file that plays, made of what is whole.

use std::collections::BTreeMap;

use model::{Action, Edited, Fate, Loss};
use wire::Error;

use super::copy::{Copier, Hook, Manner, Spot, is_handshake};
use super::copy_mvd::MvdCopier;
use super::timeline::Run;
use crate::Recording;
use crate::container::End;
use crate::dialect::RecordingKind;
use crate::identify::Framing;
use crate::message::{Body, Message};
use crate::playback;
use crate::state::State;

pub(crate) fn repair(recording: &Recording) -> Result<Edited, Error> {
    let frames = recording.timeline().all()?.last;
    let manner = Manner { runs: vec![Run { first: 1, last: frames }], frames, sizing: None, mend: true };
    let dialect = recording.identified().dialect;
    let (mut edited, end) = match recording.identified().framing {
        Framing::Dm2 => mend(recording, manner)?,
        Framing::Mvd2 => {
            let mut copier = MvdCopier::new(dialect, manner, None);
            let (walked, _) = recording.walk(playback::Manner { parcels: false, ..recording.manner() }, &mut copier);
            copier.finish(walked.end, recording.bytes());
            (copier.done.pop().unwrap_or_default(), walked.end)
        }
    };
    let again = Recording::open(&edited.bytes, Some(&edited.extension), recording.limits())?;
    if again.timeline().count() == 0 {
        return Err(Error::malformed("no frame of the recording can be rebuilt"));
    }
    // what states the level may be among what was left out
    again.editable("repaired")?;
    if edited.bytes == recording.bytes() {
        edited.actions.clear();
    } else if !matches!(end, End::Mark { .. }) && (dialect.ends_with_mark() || recording.identified().framing == Framing::Mvd2) {
        edited.actions.push(Action::EndMarkWritten);
    }
    Ok(edited)
}

fn mend(recording: &Recording, manner: Manner) -> Result<(Edited, End), Error> {
    let strict = !recording.manner().lenient && !lacks_bases(recording);
    let mut mender = Mender { frames: manner.frames, actions: BTreeMap::new() };
    let mut copier = Copier::new(recording.identified().dialect, recording.bytes(), manner, Some(&mut mender));
    let (walked, state) = recording.walk(playback::Manner { lenient: !strict, ..recording.manner() }, &mut copier);
    copier.finish(walked.end);
    let mut edited = copier.done.pop().ok_or_else(|| Error::malformed("nothing of the recording can be rebuilt"))?;
    // What the mender did is told by kind.
    edited.actions.retain(|action| !matches!(action, Action::MessagesChangedOrLeftOut { .. }));
    edited.actions.extend(mender.actions.iter().map(|(what, &count)| what.action(count)));
    let recovered = state.ring.recovered();
    if recovered > 0 {
        edited.actions.push(Action::FramesReencodedAgainstLast { frames: recovered });
        edited.lose(Loss::ChangesInMissingFrames { frames: recovered });
    }
    Ok((edited, walked.end))
}

/// Whether some frame's base is missing.
fn lacks_bases(recording: &Recording) -> bool {
    #[derive(Default)]
    struct Look(bool);
    impl playback::Visitor for Look {
        fn damage(&mut self, damage: model::Damage) {
            self.0 |= damage.kind == model::DamageKind::MissingBase;
        }

        fn done(&self) -> bool {
            self.0
        }
    }
    let mut look = Look::default();
    recording.walk(recording.manner(), &mut look);
    look.0
}

/// What is left of the handshake between server and client in the text that a server has its client execute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leftover {
    /// Loads the level, and would ask the server for its data: the number behind it says which.
    Precache,
    /// A command that playback must not execute.
    Command,
}

impl Leftover {
    /// What a line is. `changing` only shows the loading screen, and `precache` alone only loads.
    pub fn of(line: &[u8]) -> Option<Self> {
        match line {
            b"changing" => None,
            _ if line.starts_with(b"precache ") => Some(Leftover::Precache),
            _ if is_handshake(line) && !line.starts_with(b"precache") => Some(Leftover::Command),
            _ => None,
        }
    }
}

/// Takes out what keeps engines from playing on.
struct Mender {
    frames: u64,
    actions: BTreeMap<Mended, u64>,
}

/// What it did, in the order in which it is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mended {
    Handshake,
    Download,
    Disconnect,
    Precache,
    Live,
}

impl Mended {
    fn action(self, count: u64) -> Action {
        match self {
            Mended::Handshake => Action::HandshakeLeftOut { count },
            Mended::Download => Action::DownloadLeftOut { count },
            Mended::Disconnect => Action::DisconnectLeftOut { count },
            Mended::Precache => Action::PrecacheMadeLocal { count },
            Mended::Live => Action::LevelMarkedRecorded { count },
        }
    }
}

impl Mender {
    fn did(&mut self, what: Mended) -> Fate {
        *self.actions.entry(what).or_default() += 1;
        Fate::Drop
    }

    fn stufftext(&mut self, text: &mut Vec<u8>) -> Fate {
        let mut out = Vec::new();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            match Leftover::of(body) {
                Some(Leftover::Precache) => {
                    self.did(Mended::Precache);
                    out.extend_from_slice(b"precache\n");
                }
                Some(Leftover::Command) => drop(self.did(Mended::Handshake)),
                None => out.extend_from_slice(line),
            }
        }
        let dropped = out.is_empty() && !text.is_empty();
        *text = out;
        if dropped { Fate::Drop } else { Fate::Keep }
    }
}

impl Hook for Mender {
    fn message(&mut self, _: Spot, message: &mut Message, state: &State) -> Fate {
        match &mut message.body {
            Body::ServerData(data) if data.kind == RecordingKind::NETWORK.0 => {
                data.kind = RecordingKind::CLIENT.0;
                self.did(Mended::Live);
                Fate::Keep
            }
            Body::StuffText(text) => self.stufftext(&mut text.0),
            Body::Reconnect | Body::Disconnect if state.clock.frames() < self.frames => self.did(Mended::Disconnect),
            Body::Download(_) | Body::ZDownload(_) => self.did(Mended::Download),
            _ => Fate::Keep,
        }
    }
}
