//! What goes wrong outside of an answer: panics, hangs, memory without end.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps panics off the terminal; [`guarded`] has what they say.
pub fn quiet_panics() {
    std::panic::set_hook(Box::new(|info| PANIC.with_borrow_mut(|panic| *panic = Some(info.to_string().replace('\n', " ")))));
}

/// What `work` gives, or what it panicked with.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| PANIC.with_borrow_mut(Option::take).unwrap_or_else(|| String::from("a panic without a message")))
}
