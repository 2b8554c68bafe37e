//! How fast somebody is sent things.

/// Bytes per second that a client takes, as servers of these games count them: a packet may go as long as those before it are, but for a little,
/// through the line that the client says it has. What may not go is left out, and nothing waits.
///
/// ```
/// let mut allowance = fragreel_live::RateLimiter::new(Some(10_000), 2500);
/// assert!(allowance.is_clear(0.0));
/// allowance.sent(0.0, 4000); // 0.4 seconds of such a line
/// assert!(!allowance.is_clear(0.1) && allowance.is_clear(0.25));
/// allowance.leave_out();
/// assert_eq!((allowance.take_left_out(), allowance.take_left_out()), (1, 0));
/// ```
#[derive(Debug, Clone)]
pub struct RateLimiter {
    per_second: f64,
    /// When all that was sent is through.
    clear: f64,
    left_out: u8,
}

/// The slowest and the fastest line that is believed.
const SLOWEST: i32 = 500;
const FASTEST: i32 = 100_000;
/// Seconds of it that may be underway.
const UNDERWAY: f64 = 0.2;
/// Bytes that networks add to a packet.
const HEADER: usize = 48;

impl RateLimiter {
    /// For a client that asks for this number of bytes per second; `usual` where it says nothing that can be read.
    pub fn new(said: Option<i32>, usual: i32) -> Self {
        let mut allowance = RateLimiter { per_second: f64::from(usual), clear: f64::NEG_INFINITY, left_out: 0 };
        allowance.set(said);
        allowance
    }

    /// The client says something else now.
    pub fn set(&mut self, said: Option<i32>) {
        if let Some(bytes) = said {
            self.per_second = f64::from(bytes.clamp(SLOWEST, FASTEST));
        }
    }

    /// Whether a packet may go now.
    pub fn is_clear(&self, now: f64) -> bool {
        self.clear <= now + UNDERWAY
    }

    /// A packet does not go, as it may not.
    pub fn leave_out(&mut self) {
        self.left_out = self.left_out.saturating_add(1);
    }

    /// Counts what was sent.
    pub fn sent(&mut self, now: f64, bytes: usize) {
        self.clear = self.clear.max(now) + (bytes + HEADER) as f64 / self.per_second;
    }

    /// How many packets were left out since this was asked last.
    pub fn take_left_out(&mut self) -> u8 {
        std::mem::take(&mut self.left_out)
    }
}
