//! A player that is as strict as engines are: what of ioquake3's client decides whether a recording plays, from the bits of the
//! file to the states that are drawn, written by its rules and with nothing of the crate's. The code of bytes is made from the table in the
//! format's description.

mod bits;
mod client;
mod delta;
mod fields;
mod huffman;

use std::hash::{DefaultHasher, Hash, Hasher};

use bits::Bits;
use client::Client;
use delta::Rules;

/// What playing showed.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// For each frame: its server time, and the commands executed with it.
    pub frames: Vec<(i32, Vec<Vec<u8>>)>,
    /// For each frame: where the player is, and which entities are where (`pos.trBase`).
    pub places: Vec<(Place, Vec<(u16, Place)>)>,
    /// For each frame: what [`digest`] makes of everything that it shows.
    pub states: Vec<u64>,
}

pub(crate) type Place = [f32; 3];

/// A number made of all fields and arrays of the player and all fields of the entities, which are too many to keep.
pub(crate) fn digest<'s>(player: &[u32], arrays: &[[u32; 16]; 4], entities: impl Iterator<Item = (u16, &'s [u32])>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (player, arrays).hash(&mut hasher);
    entities.for_each(|entity| entity.hash(&mut hasher));
    hasher.finish()
}

/// The longest message.
const MAX_MSGLEN: usize = 16384;

/// Plays a recording; anything that an engine complains about is an error.
pub(crate) fn play(recording: &fragreel_quake3::Recording<'_>) -> Result<Played, String> {
    let (bytes, protocol) = (recording.bytes(), recording.dialect().protocol);
    let rules = Rules::of(protocol).ok_or_else(|| format!("not known to this player: protocol {protocol}"))?;
    let mut client = Client::new(&rules);
    let mut played = Played::default();
    let word = |at: usize| bytes.get(at..at + 4).map(|word| i32::from_le_bytes(word.try_into().expect("four bytes")));
    let (mut at, mirrored) = prologue(bytes).map_or((0, false), |length| (length, true));
    for number in 0.. {
        let (Some(sequence), Some(length)) = (word(at), word(at + 4)) else { break };
        if length == -1 {
            // nobody reads on behind the end
            return Ok(played);
        }
        let place = |what: String| format!("message {number}: {what}");
        let length = usize::try_from(length).ok().filter(|length| *length <= MAX_MSGLEN).ok_or_else(|| place(format!("demoMsglen {length} > MAX_MSGLEN")))?;
        let Some(data) = bytes.get(at + 8..at + 8 + length) else { break };
        client.message(sequence, &mut Bits::new(data, rules.is_coded()), &mut played).map_err(place)?;
        at += 8 + length;
        if mirrored {
            if word(at) != Some(length as i32) {
                return Err(place(String::from("its length is not repeated")));
            }
            at += 4;
        }
    }
    Err(String::from("no end"))
}

/// Urban Terror puts a text before the first message, with its length before and three numbers behind it, and repeats lengths
/// behind messages. The numbers of messages begin higher than a text is long.
fn prologue(bytes: &[u8]) -> Option<usize> {
    let length = *bytes.first()? as usize;
    let is_text = |byte: &u8| *byte == 0 || (b' '..=b'~').contains(byte);
    let text = bytes.get(4..4 + length).filter(|text| !text.is_empty() && text.len() <= 64 && text.iter().all(is_text))?;
    let zeros = bytes.get(4 + text.len() + 4..4 + text.len() + 12)?;
    (bytes[1..4] == [0; 3] && zeros == [0; 8]).then_some(4 + text.len() + 12)
}
