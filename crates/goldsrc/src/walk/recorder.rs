//! Finds out whether a client or an HLTV proxy recorded.

use fragreel_base::wire::Chunk;
use fragreel_model::replay::{Chunks, Fed, Whole, feed_all};

use super::input::Input;
use super::playback::{Playback, states_recorder};
use crate::container::Step;

/// True if an HLTV proxy recorded. Its messages say so before the server information.
pub(crate) fn is_hltv(input: &Input) -> bool {
    let Ok(is_hltv) = is_hltv_chunks(input, &mut Whole(input.container.bytes));
    is_hltv
}

/// Like `is_hltv`, for the recording in `chunks`. `input` says how to read it.
pub(crate) fn is_hltv_chunks<C: Chunks>(input: &Input, chunks: &mut C) -> Result<bool, C::Error> {
    let playback = Playback::new(&input.over(Chunk::none()));
    let walk = feed_all(RecorderWalk { playback, decided: false }, chunks)?;
    Ok(walk.playback.context().is_some_and(|context| context.hltv))
}

/// A walk up to the message that identifies the recorder.
struct RecorderWalk {
    playback: Playback<'static>,
    decided: bool,
}

impl Fed for RecorderWalk {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let RecorderWalk { playback, mut decided } = self;
        let mut playback = playback.in_chunk(chunk);
        while let Some(step) = (!decided).then(|| playback.next()).flatten() {
            let Step::Macro { window, .. } = step else { continue };
            let read = playback.read(&window, |_, message, _| decided |= states_recorder(message));
            decided |= read.is_err();
        }
        RecorderWalk { playback: playback.in_chunk(Chunk::none()), decided }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    /// Also true without a context, because the walk then cannot decode messages.
    fn is_over(&self) -> bool {
        self.decided || self.playback.context().is_none() || self.playback.is_over()
    }
}
