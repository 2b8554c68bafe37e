//! What goes wrong outside of an answer: panics, hangs, memory without end.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Keeps the panics of [`guarded`] work off the terminal: its error has what they say.
pub fn quiet_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| match GUARDED.get() {
        true => PANIC.with_borrow_mut(|panic| *panic = Some(info.to_string().replace('\n', " "))),
        false => usual(info),
    }));
}

/// What `work` gives, or what it panicked with.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    result.map_err(|_| PANIC.with_borrow_mut(Option::take).unwrap_or_else(|| String::from("a panic without a message")))
}
