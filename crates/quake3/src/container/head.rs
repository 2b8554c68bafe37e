//! Heads of messages, and whether those behind agree with them.

use fragreel_model::DamageKind;

/// Bytes of a message's head: sequence and length.
pub const HEAD: usize = 8;

/// Longest message that any known engine reads.
pub const LONGEST: usize = 32768;

/// How messages are framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Sequence, length, data.
    Plain,
    /// Like plain, with the length repeated behind the data (Urban Terror's `.urtdemo`).
    Mirrored,
}

/// The mark that ends a recording.
pub const END_MARK: [u8; HEAD] = [0xff; HEAD];

/// Why bytes are opaque.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The kind of damage.
    pub kind: DamageKind,
    /// The rule that is broken.
    pub rule: &'static str,
}

pub(super) const TRAILING: Fault = Fault { kind: DamageKind::TrailingData, rule: "there is data after the end marker" };
pub(super) const ENDED_BY_LENGTH: Fault =
    Fault { kind: DamageKind::TrailingData, rule: "the length -1 ends the recording for engines; their own mark has the sequence -1, too" };
pub(super) const CUT_HEAD: Fault = Fault { kind: DamageKind::Truncated, rule: "the file ends inside the head of a message" };
pub(super) const CUT_DATA: Fault = Fault { kind: DamageKind::Truncated, rule: "the file ends inside a message" };
pub(super) const BAD_LENGTH: Fault = Fault { kind: DamageKind::Framing, rule: "a message cannot have this length" };
pub(super) const BAD_SEQUENCE: Fault = Fault { kind: DamageKind::Framing, rule: "the neighboring messages contradict this sequence" };
pub(super) const FALSE_END: Fault = Fault { kind: DamageKind::Framing, rule: "the recording continues after these bytes, which look like its end" };
pub(super) const ZEROS: Fault = Fault { kind: DamageKind::Framing, rule: "zeros instead of messages: the disk or the transfer lost them" };
pub(super) const ZEROS_TO_END: Fault = Fault { kind: DamageKind::Truncated, rule: "zeros up to the end of the file: an unfinished download or copy" };
pub(super) const TEXT_MODE: Fault =
    Fault { kind: DamageKind::Framing, rule: "a carriage return precedes every line feed: a transfer in text mode inserted bytes" };

pub(super) enum Head {
    Message { sequence: i32, length: u32, whole: usize },
    End,
    Cut,
    Wrong,
}

#[inline]
pub(super) fn parse_head(window: &[u8], framing: Framing) -> Head {
    let Some(head) = window.first_chunk::<HEAD>() else {
        return Head::Cut;
    };
    if *head == END_MARK {
        return Head::End;
    }
    let sequence = i32::from_le_bytes([head[0], head[1], head[2], head[3]]);
    let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
    if length == 0 || length as usize > LONGEST {
        return Head::Wrong;
    }
    let data = HEAD + length as usize;
    match framing {
        Framing::Plain => Head::Message { sequence, length, whole: data },
        Framing::Mirrored => match window.get(data..data + 4) {
            Some(mirror) if mirror != length.to_le_bytes() => Head::Wrong,
            _ => Head::Message { sequence, length, whole: data + 4 },
        },
    }
}

/// Whether a message may begin here, by the length that its head states: most bytes are passed over by that.
#[inline]
pub(super) fn may_begin(window: &[u8]) -> bool {
    window.first_chunk::<HEAD>().is_none_or(|head| (1..=LONGEST as u32).contains(&u32::from_le_bytes([head[4], head[5], head[6], head[7]])))
}

pub(super) enum Chain {
    Holds,
    Broken,
    Unsure,
}

/// How many messages in a row make a chance hit unlikely.
pub(super) const CONVINCING: usize = 3;
/// The same where their sequences do not continue those before the damage.
pub(super) const CONVINCING_AGAIN: usize = 8;
/// How far sequence numbers may jump within such a row, and how far over the damage.
pub(super) const JUMP: i64 = 500;
const LEAP: i64 = 100_000;

/// Whether `window` begins with `links` messages in a row.
pub(super) fn chain(mut window: &[u8], framing: Framing, before: Option<i32>, links: usize) -> Chain {
    let mut previous = before.map(i64::from);
    let mut reach = LEAP;
    for link in 0..links {
        match parse_head(window, framing) {
            Head::Message { sequence, whole, .. } => {
                let sequence = i64::from(sequence);
                if sequence < 0 || previous.is_some_and(|previous| !(previous..=previous + reach).contains(&sequence)) {
                    return Chain::Broken;
                }
                if window.len() < whole {
                    return Chain::Unsure;
                }
                previous = Some(sequence);
                reach = JUMP;
                window = &window[whole..];
            }
            // the row may be shorter where the recording ends
            Head::End if link > 0 => return Chain::Holds,
            Head::Cut if link > 0 && window.is_empty() => return Chain::Unsure,
            Head::Cut => return Chain::Unsure,
            _ => return Chain::Broken,
        }
    }
    Chain::Holds
}

/// Whether `behind` follows a message of this sequence, which does not follow the one before it.
#[cold]
pub(super) fn confirm(behind: &[u8], framing: Framing, sequence: i32, last: bool) -> Chain {
    match parse_head(behind, framing) {
        Head::End => Chain::Holds,
        Head::Cut if last => Chain::Holds,
        Head::Cut => Chain::Unsure,
        Head::Message { sequence: next, .. } if (0..=JUMP).contains(&(i64::from(next) - i64::from(sequence))) => Chain::Holds,
        _ => Chain::Broken,
    }
}

/// Why these bytes are no messages, where their content says it. `to_end` says that the file ends with them.
pub(super) fn cause(bytes: &[u8], otherwise: Fault, to_end: bool) -> Fault {
    let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
    // the rest of a message may precede the zeros
    if to_end && zeros >= SECTOR && zeros * 2 > bytes.len() {
        return ZEROS_TO_END;
    }
    if bytes.len() >= HEAD && bytes.iter().filter(|&&byte| byte == 0).count() * 10 > bytes.len() * 9 {
        return ZEROS;
    }
    let feeds = bytes.iter().filter(|&&byte| byte == b'\n').count();
    let pairs = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    if feeds >= 16 && pairs == feeds { TEXT_MODE } else { otherwise }
}

/// Bytes of a sector of old disks.
const SECTOR: usize = 512;
