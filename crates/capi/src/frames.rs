//! Frame by frame.

use std::ffi::c_char;
use std::ptr;

use fragreel::model::{Frame, FrameOptions};

use crate::Recording;
use crate::answer::{answer, held, string};

/// A walk over the frames of a recording, for one thread at a time.
pub struct Frames {
    walk: fragreel::Frames,
    frame: Frame,
}

/// Begins a walk: every frame, or with `hz` above zero this number of frames a second.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_frames(recording: *const Recording, hz: f64, error: *mut *mut c_char) -> *mut Frames {
    let begin = || {
        // SAFETY: the caller says so
        let recording = unsafe { held(recording)? };
        let options = if hz.is_finite() && hz > 0.0 { FrameOptions::default().hz(hz) } else { FrameOptions::default() };
        let walk = recording.0.frames(options).map_err(|error| error.to_string())?;
        Ok(Frames { walk, frame: Frame::default() })
    };
    // SAFETY: the caller says so
    unsafe { answer(error, begin) }.map_or(ptr::null_mut(), |frames| Box::into_raw(Box::new(frames)))
}

/// The next frame: a line of `frames --json`. Null at the end, without an error.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_next_frame(frames: *mut Frames, error: *mut *mut c_char) -> *mut c_char {
    let next = || {
        // SAFETY: the caller says so, and one thread at a time has it
        let Some(frames) = (unsafe { frames.as_mut() }) else { return Err(String::from("the frames are null")) };
        if !frames.walk.next_into(&mut frames.frame) {
            return Ok(None);
        }
        serde_json::to_string(&frames.frame).map(Some).map_err(|error| error.to_string())
    };
    // SAFETY: the caller says so
    unsafe { answer(error, next) }.flatten().map_or(ptr::null_mut(), string)
}

/// Ends a walk.
///
/// # Safety
/// It is null, or was begun, and nobody uses it from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_close_frames(frames: *mut Frames) {
    if !frames.is_null() {
        // SAFETY: `fragreel_frames` made it
        drop(unsafe { Box::from_raw(frames) });
    }
}

/// Frames go to other threads.
const _: () = {
    const fn is_sent<T: Send>() {}
    is_sent::<Frames>();
};
