//! What a NetQuake client says. Document: *The client's messages*.

use crate::command::CLC_ACK_FRAME;
use crate::demo_server::netquake::deltas::Deltas;

pub(super) const CLC_NOP: u8 = 1;
pub(super) const CLC_DISCONNECT: u8 = 2;
pub(super) const CLC_MOVE: u8 = 3;
pub(super) const CLC_STRING: u8 = 4;

/// A message of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// A console command.
    Command(Vec<u8>),
    /// A frame of replacement deltas arrived; all ones: start again.
    Acknowledged(u32),
    /// A move with its number.
    Moved(u16),
    /// It leaves.
    Left,
}

/// Reads the messages of a client up to the first that is not known. Without replacement deltas, a move ends them: its length depends on the engine.
pub(super) fn read_messages(mut payload: &[u8], deltas: Option<&Deltas>) -> Vec<Said> {
    let mut said = Vec::new();
    while let Some((&kind, rest)) = payload.split_first() {
        payload = match kind {
            CLC_NOP => rest,
            CLC_STRING => {
                let end = rest.iter().position(|&byte| byte == 0).unwrap_or(rest.len());
                said.push(Said::Command(rest[..end].trim_ascii().to_vec()));
                rest.get(end + 1..).unwrap_or_default()
            }
            CLC_DISCONNECT => {
                said.push(Said::Left);
                break;
            }
            CLC_ACK_FRAME => {
                let Some((frame, rest)) = rest.split_first_chunk() else { break };
                said.push(Said::Acknowledged(u32::from_le_bytes(*frame)));
                rest
            }
            CLC_MOVE => {
                let Some(deltas) = deltas else { break };
                let Some(rest) = (if deltas.dialect().predinfo() { numbered(rest, &mut said) } else { Some(rest) }) else { break };
                rest.get(deltas.length_of_move()..).unwrap_or_default()
            }
            _ => break,
        };
    }
    said
}

/// With predinfo, a move has a number.
fn numbered<'b>(bytes: &'b [u8], said: &mut Vec<Said>) -> Option<&'b [u8]> {
    let (number, rest) = bytes.split_first_chunk()?;
    said.push(Said::Moved(u16::from_le_bytes(*number)));
    Some(rest)
}
