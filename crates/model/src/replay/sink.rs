//! Answers one at a time, until the caller has had enough.

use std::ops::ControlFlow;

/// What a sink may return: nothing, or whether to go on.
pub trait Flow: sealed::Sealed {
    /// Whether to go on.
    fn flow(self) -> ControlFlow<()>;
}

impl Flow for () {
    fn flow(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Flow for ControlFlow<()> {
    fn flow(self) -> ControlFlow<()> {
        self
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl Sealed for std::ops::ControlFlow<()> {}
}
