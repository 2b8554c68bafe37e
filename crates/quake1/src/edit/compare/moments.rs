//! Which frames of two recordings show the same moment.

use std::hash::{DefaultHasher, Hash, Hasher};

use fragreel_model::Milliseconds;
use fragreel_model::replay::FrameAt;

use crate::container::Container;
use crate::edit::frame_pairs::{FrameTime, frame_offsets, level_offsets};
use crate::edit::source::Source;
use crate::encode::delays::moment_after;
use crate::walk::blocks::NextBlock;
use crate::walk::playback::Playback;
use crate::walk::timeline::Timeline;

/// The value by which frames of two recordings are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MomentKey {
    /// The packet's sequence number, which edits of a client's recording keep.
    Packet,
    /// The server's clock.
    Server,
    /// The demo clock.
    Demo,
    /// The time since the first frame.
    First,
}

impl MomentKey {
    /// The keys that two recordings may share, likely ones first.
    fn of(source: &Source<'_>, edited: &Source<'_>, timeline: &Timeline) -> &'static [MomentKey] {
        let alike = source.container == edited.container;
        let same_rules = source.dialect.replacement() == edited.dialect.replacement() || source.dialect.is_netquake();
        match source.container {
            Container::QuakeWorld if alike => &[MomentKey::Packet, MomentKey::Server],
            _ if !alike && timeline.server_stands_still() => &[MomentKey::First],
            _ if !alike || same_rules => &[MomentKey::Server, MomentKey::Demo],
            _ => &[MomentKey::Demo, MomentKey::Server],
        }
    }

    /// The keys of frames. `rising` says to make times rise, as a multi-view recording does with a client's clock that was set back.
    fn times(self, frames: &[FrameAt], rising: bool) -> Vec<FrameTime> {
        let first = frames.first().map_or(0, |frame| frame.demo.0);
        let at = |frame: &FrameAt| match self {
            MomentKey::Packet => frame.key,
            MomentKey::Server => frame.server.0,
            MomentKey::Demo => frame.demo.0,
            MomentKey::First => frame.demo.0 - first,
        };
        let mut shown: Option<(i64, i64)> = None;
        let mut when = |at: i64| match shown {
            _ if !rising => at,
            Some((last, when)) if last == at => when,
            _ => {
                let when = shown.map_or(at, |(_, last)| moment_after(Milliseconds(last), Milliseconds(at)).0);
                shown = Some((at, when));
                when
            }
        };
        frames.iter().map(|frame| FrameTime { level: frame.level, at: when(at(frame)) }).collect()
    }
}

/// The frames of two recordings, ready to be matched.
pub(super) struct Moments {
    pub(super) source: Vec<FrameTime>,
    pub(super) edited: Vec<FrameTime>,
    /// The blocks of the frames: the source's, and the edited recording's.
    pub(super) blocks: [Vec<u32>; 2],
    /// The possible numbers of source levels before the edited recording's first.
    pub(super) level_offsets: Vec<i64>,
    /// True if each frame of one is a frame of the other.
    pub(super) alike: bool,
    /// True if the server's clock never moves in the source.
    pub(super) still: bool,
}

impl Moments {
    pub(super) fn of(source: &Source<'_>, edited: &Source<'_>) -> Self {
        let alike = source.container == edited.container;
        let (theirs, ours) = (source.timeline(), edited.timeline());
        // another format ends where engines stop
        let sound = |at: usize| alike || !theirs.closed[at];
        let frames: Vec<FrameAt> = theirs.line.frames.iter().enumerate().filter(|(at, _)| sound(*at)).map(|(_, frame)| *frame).collect();
        let still = theirs.server_stands_still();
        let rising = source.container == Container::QuakeWorld && edited.container == Container::MultiView;
        let mut best: Option<(usize, Moments)> = None;
        for key in MomentKey::of(source, edited, theirs) {
            let (source, edited) = (key.times(&frames, rising), key.times(&ours.line.frames, false));
            let (level_offsets, votes) = level_offsets(&source, &edited);
            if best.as_ref().is_none_or(|(most, _)| votes > *most) {
                let blocks = [&frames, &ours.line.frames].map(|frames| frames.iter().map(|frame| frame.message).collect());
                best = Some((votes, Moments { source, edited, blocks, level_offsets, alike, still }));
            }
        }
        best.map(|(_, moments)| moments).unwrap_or_else(|| unreachable!("there is at least one key"))
    }

    /// The possible numbers of source frames before the edited recording's first, likely ones first. The walks stand at the start of the recordings.
    pub(super) fn frame_offsets(&self, source: Playback<'_>, edited: Playback<'_>) -> Vec<usize> {
        let [theirs, ours] = &self.blocks;
        frame_offsets(&digests(source, theirs), &digests(edited, ours))
    }
}

/// Hashes of the blocks' data.
fn digests(mut playback: Playback<'_>, blocks: &[u32]) -> Vec<u64> {
    let mut digests = Vec::with_capacity(blocks.len());
    while let (Some(wanted), Some(step)) = (blocks.get(digests.len()), playback.next_block()) {
        let NextBlock::Block(block) = step else { continue };
        // which bytes are a block behind damage depends on the dialect
        let _ = playback.play(&block, |_, _| {});
        if block.number == *wanted {
            let mut hasher = DefaultHasher::new();
            block.data.hash(&mut hasher);
            digests.push(hasher.finish());
        }
    }
    digests
}
