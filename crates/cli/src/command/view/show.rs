//! What the page and a show that games watch say to each other: where it is, and what the page's timeline wants of it.

use std::sync::{Mutex, PoisonError};

/// The page's side and the show's, which are in two threads.
#[derive(Debug, Default)]
pub struct Show(Mutex<(State, Vec<String>)>);

/// Where a show is.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct State {
    /// Milliseconds since the first frame.
    pub position: i64,
    pub speed: f64,
    pub paused: bool,
    /// How many games watch.
    pub watching: usize,
}

impl Default for State {
    fn default() -> Self {
        State { position: 0, speed: 1.0, paused: false, watching: 0 }
    }
}

/// Orders that wait. A page sends one at a time.
const MOST_ORDERS: usize = 32;
/// No order is longer.
pub const LONGEST_ORDER: usize = 64;
/// What a page may ask for, each with at most one argument.
const ORDERS: &[&str] = &["pause", "play", "seek", "speed"];

impl Show {
    /// The show says where it is, and gets what is wanted of it.
    pub fn exchange(&self, state: State) -> Vec<String> {
        let mut both = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        both.0 = state;
        std::mem::take(&mut both.1)
    }

    /// Where it is.
    pub fn state(&self) -> State {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Passes an order on: `pause`, `play`, `seek SECONDS` or `speed FACTOR`. Returns whether it is one.
    pub fn order(&self, text: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        let mut words = text.split_ascii_whitespace();
        let is_order = words.next().is_some_and(|word| ORDERS.contains(&word)) && words.all(|word| word.parse::<f64>().is_ok_and(f64::is_finite));
        if !is_order || text.len() > LONGEST_ORDER {
            return false;
        }
        let orders = &mut self.0.lock().unwrap_or_else(PoisonError::into_inner).1;
        if orders.len() < MOST_ORDERS {
            orders.push(text.to_owned());
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_orders_are_passed_on_and_no_more_than_are_taken() {
        let show = Show::default();
        for text in [&b"pause"[..], b"seek 12.5", b"speed 0.5"] {
            assert!(show.order(text));
        }
        for text in [&b""[..], b"quit", b"seek 1; quit", b"say !seek 1", b"\xff", b"seek nan", &[b'1'; 200]] {
            assert!(!show.order(text), "{text:?}");
        }
        let state = State { position: 7, speed: 2.0, paused: true, watching: 1 };
        assert_eq!(show.exchange(state), ["pause", "seek 12.5", "speed 0.5"]);
        assert_eq!((show.state(), show.exchange(state).len()), (state, 0));
        for _ in 0..100 {
            show.order(b"play");
        }
        assert_eq!(show.exchange(state).len(), MOST_ORDERS);
    }
}
