//! Opening and asking.

use std::ffi::c_char;
use std::ptr;

use fragreel::model::{Kind, Kinds};

use crate::answer::{Failure, answer, held, string, words};

/// An open recording. Threads may share it.
pub struct Recording(pub(crate) fragreel::Recording);

/// Opens a recording, compressed with gzip or not. The bytes are copied.
///
/// # Safety
/// `bytes` has `length` bytes; `name` and `error` are as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_open(bytes: *const u8, length: usize, name: *const c_char, error: *mut *mut c_char) -> *mut Recording {
    let open = || {
        if bytes.is_null() {
            return Err(String::from("the bytes are null"));
        }
        // SAFETY: the caller says so
        let bytes = unsafe { std::slice::from_raw_parts(bytes, length) }.to_vec();
        // SAFETY: the caller says so
        let name = unsafe { words(name, "the name")? };
        fragreel::Recording::open(bytes, name).map_err(|error| error.to_string())
    };
    // SAFETY: the caller says so
    unsafe { answer(error, open) }.map_or(ptr::null_mut(), |opened| Box::into_raw(Box::new(Recording(opened))))
}

/// Closes a recording. Frames of it go on.
///
/// # Safety
/// It is null, or was opened, and nobody uses it from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_close(recording: *mut Recording) {
    if !recording.is_null() {
        // SAFETY: `fragreel_open` made it
        drop(unsafe { Box::from_raw(recording) });
    }
}

/// What it is: `info --json`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_info(recording: *const Recording, error: *mut *mut c_char) -> *mut c_char {
    // SAFETY: the caller says so
    unsafe { ask(recording, error, |opened| serde_json::to_string(&opened.info()).map_err(|error| error.to_string())) }
}

/// Whether it is whole: `verify --json`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_verify(recording: *const Recording, error: *mut *mut c_char) -> *mut c_char {
    // SAFETY: the caller says so
    unsafe { ask(recording, error, |opened| serde_json::to_string(&opened.verify()).map_err(|error| error.to_string())) }
}

/// The scoreboard of each match: an array of what `scores --json` prints.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_scores(recording: *const Recording, error: *mut *mut c_char) -> *mut c_char {
    // SAFETY: the caller says so
    unsafe { ask(recording, error, |opened| serde_json::to_string(&opened.scores().value).map_err(|error| error.to_string())) }
}

/// What happened: an array of what `events --json` prints, of the kinds that are named, separated by commas, or of all.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_events(recording: *const Recording, kinds: *const c_char, error: *mut *mut c_char) -> *mut c_char {
    let events = |opened: &fragreel::Recording| {
        let kinds = if kinds.is_null() {
            Kinds::ALL
        } else {
            // SAFETY: the caller says so
            wanted(unsafe { words(kinds, "the kinds")? })?
        };
        let found: Vec<_> = opened.events(kinds).collect();
        serde_json::to_string(&found).map_err(|error| error.to_string())
    };
    // SAFETY: the caller says so
    unsafe { ask(recording, error, events) }
}

fn wanted(names: &str) -> Result<Kinds, Failure> {
    let kind = |name: &str| Kind::ALL.iter().copied().find(|kind| kind.name() == name.trim()).ok_or_else(|| format!("there is no kind of event `{name}`"));
    Ok(names.split(',').map(kind).collect::<Result<Vec<_>, _>>()?.into_iter().collect())
}

/// # Safety
/// The pointers are as the header says.
unsafe fn ask(recording: *const Recording, error: *mut *mut c_char, question: impl FnOnce(&fragreel::Recording) -> Result<String, Failure>) -> *mut c_char {
    // SAFETY: the caller says so
    unsafe { answer(error, || question(&held(recording)?.0)) }.map_or(ptr::null_mut(), string)
}

/// Threads share recordings.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Recording>();
};
