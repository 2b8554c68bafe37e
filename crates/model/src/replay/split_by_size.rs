//! Parts of a given size, made in one walk.

use crate::Edited;
use fragreel_base::wire::Error;

/// What came of making parts that aim at a size.
#[derive(Debug)]
pub enum SizedParts {
    /// All of them, none too long.
    Parts(Vec<Edited>),
    /// One came out longer than wanted; no further were made.
    TooLong {
        /// Its bytes.
        bytes: u64,
        /// The fewest that it could have had: its opening, and the frames up to the next that a part can begin with.
        least: u64,
    },
}

/// How often parts are made that aim at less.
const TRIES: usize = 6;
/// Parts repeat their signon; together they take at most this multiple of the recording.
const MOST_REPEATED: u64 = 16;

/// Parts of at most `most` bytes of a recording of `source` bytes. `make` makes all of them in one walk, as the [`SizePlan`] says that it
/// is given: what follows a cut may take more bytes than before it, so that this is tried with a little less where a part comes out too
/// long.
///
/// ```
/// use fragreel_model::Edited;
/// use fragreel_model::replay::{SizedParts, parts_of_size};
///
/// // one part, which takes five bytes more than is aimed at
/// let parts = parts_of_size(1000, 100, &mut |mut sizing| {
///     let mut bytes = 0;
///     while !sizing.ends(bytes, 10) {
///         bytes += 10;
///     }
///     bytes += 5;
///     Ok(sizing.close(bytes)?.unwrap_or_else(|| SizedParts::Parts(vec![Edited { bytes: vec![0; bytes], ..Edited::default() }])))
/// })?;
/// assert_eq!(parts[0].bytes.len(), 95);
/// # Ok::<(), fragreel_base::wire::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) where parts of this size are too small, or would take many times the recording together.
pub fn parts_of_size(source: usize, most: u64, make: &mut dyn FnMut(SizePlan) -> Result<SizedParts, Error>) -> Result<Vec<Edited>, Error> {
    let mut aim = most;
    for _ in 0..TRIES {
        match make(SizePlan { aim, most, left: (source as u64).saturating_mul(MOST_REPEATED).max(most), opening: 0, choice: 0 })? {
            SizedParts::Parts(parts) => return Ok(parts),
            SizedParts::TooLong { bytes, least } => {
                if least > most {
                    return Err(Error::misuse(format!("an opening with the frames after it takes {least} bytes: parts of {most} bytes are too small")));
                }
                aim = aim.saturating_sub(bytes - most).max(least.min(aim.saturating_sub(1)));
            }
        }
    }
    Err(Error::misuse(format!("the recording of {source} bytes cannot be split into parts of {most} bytes: use larger parts")))
}

/// Says where parts end, and watches what they take.
#[derive(Debug, Clone, Copy)]
pub struct SizePlan {
    aim: u64,
    most: u64,
    /// What all parts together may still take.
    left: u64,
    /// Bytes of the part before its first frame, and before the last that another part could begin with.
    opening: usize,
    choice: usize,
}

impl SizePlan {
    /// A part's first frame comes after this number of bytes.
    pub fn open(&mut self, bytes: usize) {
        (self.opening, self.choice) = (bytes, bytes);
    }

    /// A frame that another part could begin with comes behind `bytes` and takes `more`. Returns whether the part ends before it.
    pub fn ends(&mut self, bytes: usize, more: usize) -> bool {
        let ends = (bytes + more) as u64 > self.aim;
        if !ends {
            self.choice = bytes;
        }
        ends
    }

    /// A part is complete. Returns what came of all of them where it is too long.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) where parts repeat so much that they take many times the recording.
    pub fn close(&mut self, bytes: usize) -> Result<Option<SizedParts>, Error> {
        let most = self.most;
        if bytes as u64 > most {
            return Ok(Some(SizedParts::TooLong { bytes: bytes as u64, least: (self.opening + bytes.saturating_sub(self.choice)) as u64 }));
        }
        let left = self.left.checked_sub(bytes as u64);
        self.left = left.ok_or_else(|| {
            Error::misuse(format!("parts of {most} bytes would consist mostly of their openings, over {MOST_REPEATED} times the recording: use larger parts"))
        })?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_cannot_be_short_enough_are_refused_at_once() {
        let mut times = 0;
        let error = parts_of_size(10_000, 100, &mut |mut sizing| {
            times += 1;
            sizing.open(80);
            sizing.close(200).map(Option::unwrap)
        });
        assert!(error.unwrap_err().detail().contains("takes 200 bytes"));
        assert_eq!(times, 1);
        let mut aims = Vec::new();
        let never = parts_of_size(10_000, 100, &mut |mut sizing| {
            aims.push(sizing.aim);
            sizing.open(60);
            sizing.choice = 120;
            sizing.close(150).map(Option::unwrap)
        });
        assert!(never.is_err());
        assert_eq!(aims[..3], [100, 90, 89], "never below what a part needs, but for a last attempt");
    }

    #[test]
    fn a_frame_that_no_part_can_hold_is_found_at_once() {
        let mut times = 0;
        let error = parts_of_size(10_000, 100, &mut |mut sizing| {
            times += 1;
            sizing.open(20);
            let mut part = 20;
            for frame in [30, 40, 90, 10] {
                if part > 20 && sizing.ends(part, frame) {
                    if let Some(too_long) = sizing.close(part)? {
                        return Ok(too_long);
                    }
                    sizing.open(20);
                    part = 20;
                }
                part += frame;
            }
            panic!("the long frame fits nowhere");
        });
        assert!(error.unwrap_err().detail().contains("takes 110 bytes"));
        assert_eq!(times, 1);
    }

    #[test]
    fn parts_do_not_repeat_their_openings_for_ever() {
        let error = parts_of_size(100, 50, &mut |mut sizing| {
            (0..32).for_each(|_| assert!(sizing.close(50).unwrap().is_none()));
            sizing.close(50).map(Option::unwrap)
        });
        assert!(error.unwrap_err().detail().contains("16 times"));
    }
}
