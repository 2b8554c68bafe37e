//! What crosses the border: text, bytes, errors.

use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// What a function fails with: words for a person.
pub type Failure = String;

/// Does the work of a function. Returns `None` after a failure, with its text in `*error` unless `error` is null.
///
/// # Safety
/// `error` is null, or writable.
pub unsafe fn answer<T>(error: *mut *mut c_char, work: impl FnOnce() -> Result<T, Failure>) -> Option<T> {
    // a panic must not unwind into C
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(String::from("there is a bug in the library: please report it with the recording")));
    let (value, text) = match done {
        Ok(value) => (Some(value), ptr::null_mut()),
        Err(failure) => (None, string(failure)),
    };
    if error.is_null() {
        // SAFETY: it was made above, and nobody else has it
        unsafe { fragreel_free_string(text) };
    } else {
        // SAFETY: the caller says so
        unsafe { error.write(text) };
    }
    value
}

/// Text for C. JSON escapes zeros; in an error, one would end the text early.
pub fn string(text: String) -> *mut c_char {
    CString::new(text.replace('\0', "\u{fffd}")).map_or(ptr::null_mut(), CString::into_raw)
}

/// Text from C.
///
/// # Safety
/// `text` is null, or ends with a zero.
pub unsafe fn words<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(format!("{what} is null"));
    }
    // SAFETY: the caller says so
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| format!("{what} is not UTF-8"))
}

/// Something that C holds.
///
/// # Safety
/// `pointer` is null, or points to a value that lives on.
pub unsafe fn held<'a, T>(pointer: *const T) -> Result<&'a T, Failure> {
    // SAFETY: the caller says so
    unsafe { pointer.as_ref() }.ok_or_else(|| String::from("the recording or the frames are null"))
}

/// The version of the library. Nobody frees it.
#[unsafe(no_mangle)]
pub extern "C" fn fragreel_version() -> *const c_char {
    const VERSION: &[u8] = concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes();
    VERSION.as_ptr().cast()
}

/// Frees text that a function returned.
///
/// # Safety
/// It is null, or was returned, and nobody uses it from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_free_string(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: `string` made it
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Frees bytes that a function returned.
///
/// # Safety
/// They are null, or were returned with this length, and nobody uses them from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fragreel_free_bytes(bytes: *mut u8, length: usize) {
    if !bytes.is_null() {
        // SAFETY: `fragreel_cut` made them of a boxed slice of this length
        drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(bytes, length)) });
    }
}
