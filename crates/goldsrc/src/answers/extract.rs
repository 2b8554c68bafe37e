//! What a recording holds beside the game: voice, data of tools, and the names of sprays.

use std::borrow::Cow;

use fragreel_model::{ExtractKind, Extracted, Voices};

use crate::container::{MacroKind, Step, body, bunnymod_data, tool_of};
use crate::game_text::clean;
use crate::message::Message;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// Everything, in the order in which it begins; voices last.
pub(crate) fn extract(input: &Input) -> Vec<Extracted> {
    let mut found: Vec<Extracted> = Vec::new();
    let mut voices = Voices::default();
    let mut codec: Cow<'static, str> = Cow::Borrowed("");
    let mut blobs = 0;
    // whether the last command was data of the same tool
    let mut open = false;
    let mut playback = Playback::new(input);
    while let Some(step) = playback.next() {
        let Step::Macro { number, window, .. } = step else { continue };
        match window.kind {
            MacroKind::Command => {
                let command = body::command_text(&window);
                let Some(tool) = tool_of(&command.0) else {
                    open = false;
                    continue;
                };
                match found.last_mut().filter(|last| open && last.detail.as_deref() == Some(tool)) {
                    Some(last) => {
                        last.bytes.get_or_insert_default().extend_from_slice(blob(&command.0));
                        last.last_message = number;
                    }
                    None => {
                        blobs += 1;
                        let bare = Extracted::new(ExtractKind::ToolData, format!("tool_data_{blobs}.bin"), number, blob(&command.0).to_vec());
                        found.push(Extracted { detail: Some(tool.into()), complete: None, ..bare });
                    }
                }
                open = true;
            }
            MacroKind::Data | MacroKind::Packet => {
                // what comes before an error counts
                let _ = playback.read(&window, |_, message, _| match message {
                    Message::VoiceInit(init) => {
                        codec = Cow::Owned(
                            init.codec.0.iter().filter(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').map(|byte| char::from(*byte)).collect(),
                        );
                    }
                    Message::VoiceData(voice) => {
                        let codec = if is_steam_voice(&voice.data) { Cow::Borrowed(STEAM_VOICE) } else { codec.clone() };
                        voices.packet(number, voice.slot.into(), codec, &[], &voice.data);
                    }
                    Message::Customization(spray) => {
                        let hash = spray.md5.map(|md5| Cow::Owned(fragreel_base::wire::hex(&md5)));
                        let name = clean(&spray.name.0);
                        let made_name = format!("spray_{}.wad", spray.slot);
                        let bare = Extracted::new(ExtractKind::Spray, made_name, number, Vec::new());
                        let stated = Extracted {
                            stated_name: Some(name),
                            stated_bytes: Some(spray.size.into()),
                            complete: Some(false),
                            detail: hash,
                            bytes: None,
                            ..bare
                        };
                        let known = found.iter().any(|known| known.stated_name == stated.stated_name && known.made_name == stated.made_name);
                        if !known {
                            found.push(stated);
                            open = false;
                        }
                    }
                    _ => {}
                });
            }
            _ => {}
        }
    }
    found.extend(voices.finish());
    found
}

/// The name of the codec of clients that talk through Steam, whatever the server stated.
const STEAM_VOICE: &str = "steam";

/// Whether a packet of voice is Steam's: the number of an account, then data, then the checksum of both.
fn is_steam_voice(data: &[u8]) -> bool {
    /// The upper half of the number of a person's account.
    const ACCOUNT: [u8; 4] = [1, 0, 0x10, 1];
    let Some((all, sum)) = data.split_last_chunk::<4>() else { return false };
    all.get(4..8) == Some(&ACCOUNT) && crc32fast::hash(all) == u32::from_le_bytes(*sum)
}

/// The data of a tool in a command: what follows its tag, as it is escaped.
fn blob(command: &[u8]) -> &[u8] {
    bunnymod_data(command).or_else(|| command.strip_prefix(b"//")).unwrap_or(command)
}
