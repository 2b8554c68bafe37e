//! `convert`: a recording in the network protocol of today's game (`docs/formats/goldsrc.md`, "Converting").

use fragreel_base::wire::{Error, WriteBits};
use fragreel_model::{Action, Edited, Loss, Target};

use crate::container::{Header, MAX_MESSAGE};
use crate::dialect::Dialect;
use crate::message::context::Context;
use crate::message::{self, Message, Pool, ServerInfoTail};
use crate::scalars::Str;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

use super::patch::Patches;

/// The possible targets, for error messages.
const TARGETS: &str = "`dem` or `48` (the network protocol of Half-Life on Steam), from network protocol 45, 46, 47 or 48";
/// The voice quality that servers use by default.
const VOICE_QUALITY: u8 = 5;

pub(crate) fn convert(input: &Input, target: &Target) -> Result<Edited, Error> {
    let old = input.dialect();
    if target.pov.is_some() {
        return Err(Error::unsupported("a Half-Life recording shows the game through one player's eyes, or an HLTV proxy's: no other can be chosen"));
    }
    let Some(new) = old.current() else {
        let text = format!("{} is not described well enough to be converted; possible is {TARGETS}", old.name());
        return Err(Error::unsupported(text));
    };
    let number = new.network_protocol.to_string();
    let format = target.format.as_deref().unwrap_or("dem").trim();
    if !format.split_whitespace().all(|word| word == "dem" || word == number) || format.is_empty() {
        return Err(Error::unsupported(format!("Half-Life recordings are not converted to `{format}`; possible is {TARGETS}")));
    }
    if *old == new {
        return Ok(Edited { bytes: input.container.bytes.to_vec(), extension: String::from("dem"), ..Edited::default() });
    }
    Conversion { old, new }.run(input)
}

struct Conversion<'d> {
    old: &'d Dialect,
    new: Dialect,
}

impl Conversion<'_> {
    fn run(&self, input: &Input) -> Result<Edited, Error> {
        let (Some(_), Some(to)) = (self.old.messages, self.new.messages) else { return Err(Error::unsupported("its messages are not known")) };
        let (mut playback, mut written) = (Playback::new(input), Context::new(to));
        let mut edited = Edited { extension: String::from("dem"), ..Edited::default() };
        let mut patches = Patches::default();
        while let Some(step) = playback.next() {
            let Some(window) = step.found() else { continue };
            let Some((offset, data)) = playback.messages(&window) else { continue };
            let mut writer = WriteBits::default();
            let mut pool = Pool::default();
            let read = playback.read(&window, |_, message, _| {
                let mut message = message.clone();
                for mut message in self.converted(&mut message, &mut edited).into_iter().flatten() {
                    let Ok(()) = message::code(&mut writer, &written, &mut message, &mut pool);
                    // its rule was kept under the old protocol, and is the same in the new one
                    let _ = written.observe(&message);
                }
            });
            if let Err(error) = read {
                return Err(error.inside("convert: repair the recording first", None));
            }
            let bytes = writer.finish();
            if bytes == data {
                continue;
            }
            if bytes.len() > MAX_MESSAGE {
                return Err(Error::limit("a converted data block is longer than the engine reads (65536 bytes)").at_offset(offset as u64));
            }
            patches.replace(offset - 4..offset, (bytes.len() as u32).to_le_bytes().to_vec());
            patches.replace(offset..offset + data.len(), bytes);
        }
        edited.actions.push(Action::Converted { from: self.old.name().to_string(), to: self.new.name().to_string() });
        edited.lose(Loss::UserMessages);
        let header = Header { network_protocol: self.new.network_protocol, ..input.container.header.clone() };
        edited.bytes = patches.apply(&input.container, header)?;
        Ok(edited)
    }

    /// The message in the new protocol, and a second message for what the old protocol put into the first.
    fn converted(&self, message: &mut Message, edited: &mut Edited) -> [Option<Message>; 2] {
        let mut behind = None;
        match message {
            Message::ServerInfo(info) => {
                info.protocol = self.new.network_protocol;
                match &mut info.tail {
                    ServerInfoTail::MapCycle { vac, block, .. } => {
                        if *vac != 0 {
                            edited.lose(Loss::SecurityModule);
                        }
                        (*vac, *block) = (0, Vec::new());
                    }
                    ServerInfoTail::ExtraInfo(extra) => {
                        behind = Some(Message::SendExtraInfo(extra.clone()));
                        info.tail = ServerInfoTail::MapCycle { cycle: Str::default(), vac: 0, block: Vec::new() };
                    }
                }
            }
            Message::Version(version) => version.protocol = self.new.network_protocol,
            Message::VoiceInit(voice) => {
                voice.quality.get_or_insert(VOICE_QUALITY);
            }
            Message::VoiceData(_) => edited.lose(Loss::VoicesOfOldCodec),
            _ => {}
        }
        [Some(std::mem::take(message)), behind]
    }
}
