//! How time passes between the blocks of a multi-view recording, whose delays have one byte.

use model::Milliseconds;

use crate::container::{Framing, Stamp, Target, kind};
use crate::encode::block_writer::BlockWriter;
use crate::message::Message;

/// No two blocks are further apart, in milliseconds: a clock that jumps further is wrong.
pub const LONGEST_WAIT: i64 = 600_000;

/// When a multi-view recording shows what a client's shows at `time`: its time always goes on, and no further than [`LONGEST_WAIT`] at once.
pub fn moment_after(last: Milliseconds, time: Milliseconds) -> Milliseconds {
    time.clamp(last + Milliseconds(1), last + Milliseconds(LONGEST_WAIT))
}

/// Lets time pass in a multi-view recording, as far as it does not fit into the next block's byte, which is returned. `keepalive_frame` is what is
/// said meanwhile: to ezQuake each change starts from what was said when time passed last.
pub fn wait(out: &mut BlockWriter, delay: &mut u32, mut keepalive_frame: impl FnMut() -> Vec<Message>) -> u8 {
    while *delay > 255 {
        let framing = Framing::Packet { time: Stamp::After(255), target: Target { kind: kind::ALL, ..Target::default() } };
        out.write_packet(&framing, None, &keepalive_frame());
        *delay -= 255;
    }
    std::mem::take(delay) as u8
}
