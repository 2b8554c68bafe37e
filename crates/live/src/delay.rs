//! What is passed on later than it came.

use std::collections::VecDeque;

/// Bytes that are held for some seconds.
///
/// ```
/// let mut delay = fragreel_live::Delay::new(10.0);
/// delay.push(0.0, b"first".to_vec());
/// delay.push(4.0, b"second".to_vec());
/// assert_eq!(delay.pop(9.9), None);
/// assert_eq!(delay.pop(10.0).as_deref(), Some(&b"first"[..]));
/// assert_eq!((delay.pop(10.0), delay.is_empty()), (None, false));
/// ```
#[derive(Debug, Clone)]
pub struct Delay {
    seconds: f64,
    held: VecDeque<(f64, Vec<u8>)>,
}

impl Delay {
    /// By this number of seconds.
    pub fn new(seconds: f64) -> Self {
        Delay { seconds, held: VecDeque::new() }
    }

    /// Holds what came.
    pub fn push(&mut self, now: f64, bytes: Vec<u8>) {
        if !bytes.is_empty() {
            self.held.push_back((now, bytes));
        }
    }

    /// What is due next.
    pub fn pop(&mut self, now: f64) -> Option<Vec<u8>> {
        let due = self.held.front().is_some_and(|(at, _)| now - at >= self.seconds);
        due.then(|| self.held.pop_front().map(|(_, bytes)| bytes))?
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}
