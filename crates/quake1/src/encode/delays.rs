//! How time passes between the blocks of a multi-view recording, whose delays have one byte.

use fragreel_model::Milliseconds;

use crate::container::{Framing, Stamp, Target, kind};
use crate::encode::block_writer::BlockWriter;
use crate::message::Message;

/// The longest time between two blocks, in milliseconds. A clock that jumps further is wrong.
pub(crate) const LONGEST_WAIT: i64 = 600_000;

/// The time in a multi-view recording of a client's frame at `time`. It always rises, by at most [`LONGEST_WAIT`] at once.
pub(crate) fn moment_after(last: Milliseconds, time: Milliseconds) -> Milliseconds {
    time.clamp(last + Milliseconds(1), last + Milliseconds(LONGEST_WAIT))
}

/// Writes blocks until the rest of `delay` fits into the one byte of the next block, and returns that byte. `keepalive_frame` makes
/// the contents of these blocks: for ezQuake, a delta is against the last block at which time passed.
pub(crate) fn wait(out: &mut BlockWriter, delay: &mut u32, mut keepalive_frame: impl FnMut() -> Vec<Message>) -> u8 {
    while *delay > 255 {
        let framing = Framing::Packet { time: Stamp::After(255), target: Target { kind: kind::ALL, ..Target::default() } };
        out.write_packet(&framing, None, &keepalive_frame());
        *delay -= 255;
    }
    std::mem::take(delay) as u8
}
