//! New recordings.

use std::ffi::c_char;
use std::ptr;

use fragreel::edit::{Clock, Range, Same};
use fragreel::model::Milliseconds;

use crate::Recording;
use crate::answer::{answer, held, string};

/// A part of a recording as a file that the game plays, opened again and compared with its source.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_cut(
    recording: *const Recording,
    from: i64,
    to: i64,
    length: *mut usize,
    report: *mut *mut c_char,
    error: *mut *mut c_char,
) -> *mut u8 {
    let cut = || {
        // SAFETY: the caller says so
        let source = unsafe { &held(recording)?.0 };
        if length.is_null() {
            return Err(String::from("the length is null"));
        }
        let to = if to < 0 { Milliseconds::END } else { Milliseconds(to) };
        let edited = source.cut(Range { clock: Clock::Demo, from: Milliseconds(from), to }).map_err(|error| error.to_string())?;
        let checked = source.check_edited(&edited, Same::Strings).map_err(|error| error.to_string())?;
        let text = serde_json::json!({
            "extension": edited.extension,
            "actions": edited.actions,
            "losses": edited.losses,
            "whole": checked.verification.is_whole(),
            "frames": checked.comparison.frames,
            "differing": checked.comparison.differing,
            "differences": checked.comparison.differences,
        });
        Ok((edited.bytes.into_boxed_slice(), text.to_string()))
    };
    // SAFETY: the caller says so
    let Some((bytes, text)) = (unsafe { answer(error, cut) }) else { return ptr::null_mut() };
    // SAFETY: it is not null, and the caller says that it is writable
    unsafe { length.write(bytes.len()) };
    if !report.is_null() {
        // SAFETY: the caller says so
        unsafe { report.write(string(text)) };
    }
    Box::into_raw(bytes).cast()
}
