//! A recording that has its bytes with it.

use std::borrow::Cow;
use std::sync::Arc;

use fragreel_base::wire::{Error, Limits};
use fragreel_model::{Damage, Frame, FrameOptions, Milliseconds, Subject, Value, When};
use self_cell::self_cell;

use crate::{Demo, Frames, Recording};

self_cell!(
    struct Opened {
        owner: Demo<'static>,
        #[covariant]
        dependent: Recording,
    }
);

self_cell!(
    struct Walking {
        owner: Arc<Opened>,
        #[covariant]
        dependent: Frames,
    }
);

/// An open recording that owns its bytes: no lifetime is in the way of keeping it, of sending it to another thread, or of handing it to
/// another language. A clone shares the bytes.
///
/// ```
/// use fragreel::OwnedRecording;
/// use fragreel::model::FrameOptions;
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let owned = OwnedRecording::open(bytes, "dm_bots.dm_71")?;
/// // every question and every edit
/// assert_eq!(owned.recording().info().maps, ["oa_minia"]);
/// // frames that outlive the function that opened it
/// let frames = owned.frames(FrameOptions::default().hz(1.0))?;
/// drop(owned);
/// let counted = std::thread::spawn(move || frames.count()).join().unwrap();
/// assert_eq!(counted, 57);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct OwnedRecording {
    opened: Arc<Opened>,
}

impl OwnedRecording {
    /// [`Demo::new`] and [`Demo::open`] at once.
    ///
    /// # Errors
    /// As theirs.
    pub fn open(bytes: impl Into<Cow<'static, [u8]>>, name: &str) -> Result<Self, Error> {
        Self::open_with_limits(bytes, name, Limits::default())
    }

    /// [`open`](Self::open) under other limits.
    pub fn open_with_limits(bytes: impl Into<Cow<'static, [u8]>>, name: &str, limits: Limits) -> Result<Self, Error> {
        Demo::with_limits(bytes, name, limits)?.into_recording()
    }

    /// The recording: for all questions and edits.
    pub fn recording(&self) -> &Recording<'_> {
        self.opened.borrow_dependent()
    }

    /// The bytes that it was opened from.
    pub fn demo(&self) -> &Demo<'static> {
        self.opened.borrow_owner()
    }

    /// [`Recording::frames`] that own the recording, too.
    ///
    /// # Errors
    /// As [`Recording::frames`].
    pub fn frames(&self, options: FrameOptions) -> Result<OwnedFrames, Error> {
        let walking = Walking::try_new(self.opened.clone(), |opened| opened.borrow_dependent().frames(options))?;
        Ok(OwnedFrames { walking })
    }
}

impl Demo<'static> {
    /// The recording of these bytes, which it owns from now on.
    ///
    /// # Errors
    /// As [`open`](Demo::open).
    pub fn into_recording(self) -> Result<OwnedRecording, Error> {
        Ok(OwnedRecording { opened: Arc::new(Opened::try_new(self, Demo::open)?) })
    }
}

impl std::fmt::Debug for OwnedRecording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OwnedRecording").field("family", &self.recording().family()).field("bytes", &self.demo().bytes().len()).finish()
    }
}

/// [`Frames`] that own the recording they walk over.
pub struct OwnedFrames {
    walking: Walking,
}

impl OwnedFrames {
    /// As [`Frames::next_into`].
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        self.with(|frames| frames.next_into(frame))
    }

    /// As [`Frames::seek`].
    pub fn seek(&mut self, when: When) -> bool {
        self.with(|frames| frames.seek(when))
    }

    /// As [`Frames::rewind`].
    pub fn rewind(&mut self) {
        self.walking.with_dependent_mut(|_, frames| frames.rewind());
    }

    /// As [`Frames::at`].
    pub fn at(&mut self, time: Milliseconds, frame: &mut Frame) -> bool {
        self.with(|frames| frames.at(time, frame))
    }

    /// As [`Frames::raw`].
    pub fn raw(&self, subject: Subject, field: &str) -> Option<Value> {
        self.frames().raw(subject, field)
    }

    /// As [`Frames::damage`].
    pub fn damage(&self) -> &[Damage] {
        self.frames().damage()
    }

    /// The walk as it stands. A clone of it borrows the recording from here.
    pub fn frames(&self) -> &Frames<'_> {
        self.walking.borrow_dependent()
    }

    /// The recording that it walks over.
    pub fn recording(&self) -> OwnedRecording {
        OwnedRecording { opened: self.walking.borrow_owner().clone() }
    }

    fn with<T>(&mut self, f: impl FnOnce(&mut Frames<'_>) -> T) -> T {
        self.walking.with_dependent_mut(|_, frames| f(frames))
    }
}

impl Iterator for OwnedFrames {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let mut frame = Frame::default();
        self.next_into(&mut frame).then_some(frame)
    }
}

impl std::fmt::Debug for OwnedFrames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.frames().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_go_anywhere() {
        fn anywhere<T: Send + Sync + 'static>() {}
        anywhere::<OwnedRecording>();
        anywhere::<OwnedFrames>();
    }
}
