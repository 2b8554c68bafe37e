//! The frames of a recording, for a comparison.

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{Chunks, Fed, FrameAt, feed_all};

use crate::container::Step;
use crate::message::Message;
use crate::walk::input::Input;
use crate::walk::playback::{Playback, is_frame};
use crate::walk::time::milliseconds;

/// The frames of the recording in `chunks` that are wanted, those of the loading part included, and those that cannot be rebuilt. `input` says how
/// it is read.
pub(super) fn list_frames<C: Chunks>(input: &Input, wanted: impl Fn(&FrameAt) -> bool, chunks: &mut C) -> Result<Vec<FrameAt>, C::Error> {
    let playback = Playback::new(&input.over(Chunk::none()));
    Ok(feed_all(FrameLister { playback, level: 0, frames: Vec::new(), wanted }, chunks)?.frames)
}

/// The walk that lists frames.
struct FrameLister<W> {
    playback: Playback<'static>,
    level: u32,
    frames: Vec<FrameAt>,
    wanted: W,
}

impl<W: Fn(&FrameAt) -> bool> Fed for FrameLister<W> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let FrameLister { playback, mut level, mut frames, wanted } = self;
        let mut playback = playback.in_chunk(chunk);
        while let Some(step) = playback.next() {
            let Step::Macro { number, window, .. } = step else { continue };
            let mut framed = false;
            // what is damaged shows in `verify`
            let _ = playback.read(&window, |_, message, _| {
                framed |= is_frame(message);
                level += u32::from(matches!(message, Message::ServerInfo(_)));
            });
            if framed {
                let (server, sequence) = (milliseconds(playback.server_time()), playback.sequence(&window));
                frames
                    .extend(Some(FrameAt { message: number, key: sequence.into(), level, demo: playback.now(), server, ..FrameAt::default() }).filter(&wanted));
            }
        }
        FrameLister { playback: playback.in_chunk(Chunk::none()), level, frames, wanted }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.playback.is_over()
    }
}
