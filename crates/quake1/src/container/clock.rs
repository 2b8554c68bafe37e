//! Judges the times that blocks state: by the one before, and by those behind.

use super::framing::Framing;
use super::plausible::IN_A_ROW;
use super::read::ZEROS;
use crate::message::Float;

/// What the blocks behind a jump of the clock say of it.
pub(super) enum Jump {
    /// They go on from the time before it: one time is damaged.
    Contradicted,
    /// They go on from the time before it, which is a little later: the block came late.
    Late,
    /// They go on from the new time: the clock was set, or a level began.
    Set,
    /// They make no sense: it is no block.
    Broken,
}

/// Seconds by which the clock may fall, or go on, from one block to the next without another look.
pub(super) const STEADY: std::ops::Range<f32> = -1.0..5.0;
/// Seconds by which a block of NetQuake may be late.
const LATE: f32 = 10.0;
/// Seconds by which a single time may be ahead of the others.
const LONGEST_PAUSE: f32 = 60.0;
/// Seconds that a hole may take.
pub(super) const LONGEST_HOLE: f32 = 600.0;

/// A time, if it goes on from the one before.
pub(super) fn steady(before: f32, time: f32, most: std::ops::Range<f32>) -> Option<f32> {
    most.contains(&(time - before)).then_some(time)
}

/// The time that a block states: the client's in its framing (`.qwd`), or the server's in its first message (NetQuake).
pub(super) fn stated_time(framing: &Framing, data: &[u8]) -> Option<f32> {
    const SVC_TIME: u8 = 7;
    match framing {
        Framing::NetQuake { .. } => {
            let bytes = data.strip_prefix(&[SVC_TIME])?.first_chunk()?;
            Some(f32::from_le_bytes(*bytes))
        }
        framing => framing.time().map(Float::value),
    }
}

/// The blocks behind one whose time is doubtful.
pub(super) struct Following<T> {
    /// Where the next one starts, and where the file ends.
    pub(super) at: usize,
    pub(super) end: usize,
    /// False while the file may grow.
    pub(super) ends: bool,
    /// Bytes of the longest block, if the file goes on behind `end`.
    pub(super) hidden: Option<usize>,
    /// Whether the answer depends on what comes behind `end`.
    pub(super) is_unknown: bool,
    pub(super) netquake: bool,
    /// The time that the block at a place states, if it states one, and where the next one starts. `None` where there is no block.
    pub(super) time_at: T,
}

impl<T: Fn(usize) -> Option<(Option<f32>, usize)>> Following<T> {
    /// The time that the next block states, and where the one behind it starts.
    fn look(&mut self) -> Option<(Option<f32>, usize)> {
        let found = (self.time_at)(self.at);
        let left = self.end - self.at;
        self.is_unknown |= self.hidden.is_some_and(|longest| left < if found.is_some() { ZEROS } else { longest });
        found
    }

    /// An answer, unless it depends on what comes behind `end`.
    pub(super) fn known<A>(&self, answer: A) -> Option<A> {
        (!self.is_unknown).then_some(answer)
    }

    /// True if the file ends before the next block.
    fn is_at_end(&mut self) -> bool {
        let is_at_end = self.at == self.end;
        self.is_unknown |= is_at_end && self.hidden.is_some();
        is_at_end
    }

    /// Looks behind a block whose time jumps.
    #[cold]
    #[inline(never)]
    pub(super) fn judge(&mut self, before: f32, jumped: f32) -> Jump {
        let (mut last, mut followed) = (jumped, 0);
        for _ in 0..IN_A_ROW {
            if self.is_at_end() {
                break;
            }
            let Some((stated, next)) = self.look() else { break };
            if let Some(time) = stated {
                if steady(before, time, 0.0..STEADY.end).is_some() {
                    let is_late = self.netquake && jumped > 0.0 && (0.0..LATE).contains(&(before - jumped));
                    return if is_late { Jump::Late } else { Jump::Contradicted };
                }
                let Some(time) = steady(last, time, STEADY) else { break };
                (last, followed) = (time, followed + 1);
            }
            self.at = next;
        }
        let (ended, netquake) = (self.is_at_end(), self.netquake);
        match followed {
            _ if !jumped.is_finite() => Jump::Contradicted,
            _ if !self.ends => Jump::Set,
            IN_A_ROW.. => Jump::Set,
            1.. if ended || netquake => Jump::Set,
            0 if (ended || netquake) && jumped - before > LONGEST_PAUSE => Jump::Contradicted,
            // nothing behind it says anything
            0 if ended && jumped - before < LONGEST_HOLE => Jump::Set,
            0 if netquake && !ended => Jump::Set,
            0 if ended => Jump::Contradicted,
            _ => Jump::Broken,
        }
    }

    /// True if the clock falls behind a step ahead that a clock may make, by more than it may fall, and all blocks behind it go on from the time before.
    #[cold]
    #[inline(never)]
    pub(super) fn contradicts_step(&mut self, before: f32, stepped: f32) -> bool {
        let mut fell = false;
        for _ in 0..IN_A_ROW {
            if self.is_at_end() {
                break;
            }
            let Some((stated, next)) = self.look() else { return false };
            if let Some(time) = stated {
                if !(before..stepped + STEADY.start).contains(&time) {
                    return false;
                }
                fell = true;
            }
            self.at = next;
        }
        fell
    }

    /// True if the blocks behind the recording's first time follow each other, and start long after it.
    #[cold]
    #[inline(never)]
    pub(super) fn contradicts_first(&mut self, first: f32) -> bool {
        let mut last = None;
        for _ in 0..IN_A_ROW {
            if self.is_at_end() || !self.ends {
                return false;
            }
            let Some((stated, next)) = self.look() else { return false };
            if let Some(time) = stated {
                if (time - first).abs() <= LONGEST_PAUSE {
                    return false;
                }
                if let Some(last) = last {
                    return !first.is_finite() || steady(last, time, STEADY).is_some();
                }
                last = Some(time);
            }
            self.at = next;
        }
        false
    }
}
