//! Several parts of a recording, in as few walks over it as they allow.

use std::ops::Range;

use crate::{Comparison, Edited};
use fragreel_base::wire::Error;

/// A part that was cut out of a recording that is not in memory as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedCut {
    /// The part.
    pub edited: Edited,
    /// How its frames compare with those of the recording.
    pub comparison: Comparison,
}

/// What makes some parts in one walk.
type Make<'m> = dyn FnMut(&[Range<usize>]) -> Result<Vec<Edited>, Error> + 'm;

/// Makes parts of a recording out of the frames that each consists of; a part that has no frames says why. `make` makes some of them in one walk:
/// they come in rising order and neither overlap nor touch. Where it cannot make all of them, each is made by itself, so that one does not
/// take the others with it.
///
/// ```
/// use fragreel_model::Edited;
/// use fragreel_model::replay::cut_all;
///
/// let mut walks = 0;
/// let parts = cut_all(vec![Ok(50..60), Ok(0..10), Ok(5..20)], &mut |frames| {
///     walks += 1;
///     Ok(frames.iter().map(|frames| Edited { bytes: vec![0; frames.len()], ..Edited::default() }).collect())
/// });
/// assert_eq!(parts.iter().map(|part| part.as_ref().unwrap().bytes.len()).collect::<Vec<_>>(), [10, 10, 15]);
/// // the third overlaps the second
/// assert_eq!(walks, 2);
/// ```
pub fn cut_all(frames: Vec<Result<Range<usize>, Error>>, make: &mut Make<'_>) -> Vec<Result<Edited, Error>> {
    let mut parts: Vec<Option<Result<Edited, Error>>> = frames.iter().map(|frames| frames.as_ref().err().map(|error| Err(error.clone()))).collect();
    for walk in walks(&frames) {
        let of = |(_, frames): &(usize, Range<usize>)| frames.clone();
        match make(&walk.iter().map(of).collect::<Vec<_>>()) {
            Ok(made) if made.len() == walk.len() => walk.iter().zip(made).for_each(|((at, _), made)| parts[*at] = Some(Ok(made))),
            Err(error) if walk.len() == 1 => parts[walk[0].0] = Some(Err(error)),
            _ => walk.iter().for_each(|one| parts[one.0] = Some(make(&[of(one)]).and_then(|made| made.into_iter().next().ok_or_else(nothing)))),
        }
    }
    parts.into_iter().map(|part| part.unwrap_or_else(|| Err(nothing()))).collect()
}

fn nothing() -> Error {
    Error::malformed("no frame of the range can be decoded: their delta bases are missing")
}

/// The parts of each walk, by their numbers.
fn walks(frames: &[Result<Range<usize>, Error>]) -> Vec<Vec<(usize, Range<usize>)>> {
    let mut parts: Vec<(usize, Range<usize>)> = frames.iter().enumerate().filter_map(|(at, frames)| Some((at, frames.as_ref().ok()?.clone()))).collect();
    parts.sort_by_key(|(_, frames)| frames.start);
    let mut walks: Vec<Vec<(usize, Range<usize>)>> = Vec::new();
    for part in parts {
        match walks.iter_mut().find(|walk| walk.last().is_some_and(|(_, last)| last.end < part.1.start)) {
            Some(walk) => walk.push(part),
            None => walks.push(vec![part]),
        }
    }
    walks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_touch_are_of_different_walks() {
        let frames = [Ok(0..10), Ok(10..20), Ok(11..12), Err(Error::misuse("no")), Ok(21..30)];
        let numbers: Vec<Vec<usize>> = walks(&frames).iter().map(|walk| walk.iter().map(|(at, _)| *at).collect()).collect();
        assert_eq!(numbers, [vec![0, 2, 4], vec![1]]);
    }

    #[test]
    fn one_that_cannot_be_made_does_not_take_the_others_with_it() {
        let parts = cut_all(vec![Ok(0..1), Ok(2..3), Ok(4..5), Err(Error::misuse("empty"))], &mut |frames| match frames {
            [frames] if frames.start == 2 => Err(Error::malformed("broken")),
            frames if frames.len() > 1 => Err(Error::malformed("one is broken")),
            frames => Ok(frames.iter().map(|frames| Edited { bytes: vec![frames.start as u8], ..Edited::default() }).collect()),
        });
        let shown: Vec<_> = parts.iter().map(|part| part.as_ref().map(|part| part.bytes.clone()).map_err(ToString::to_string)).collect();
        assert_eq!(shown, [Ok(vec![0]), Err(String::from("broken")), Ok(vec![4]), Err(String::from("empty"))]);
    }
}
