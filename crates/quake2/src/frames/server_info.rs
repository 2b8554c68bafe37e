//! Facts in frames that only the server's texts state: the match clock and pings.

use fragreel_model::Milliseconds;

use crate::walk::match_clock::MatchClock;
use crate::walk::scoreboard;

/// The facts so far.
#[derive(Debug, Clone, Default)]
pub(super) struct ServerInfo {
    clock: MatchClock,
    /// The pings on the last scoreboards, by slot.
    pings: Vec<Option<i32>>,
}

impl ServerInfo {
    /// Starts a level.
    pub(super) fn level(&mut self) {
        *self = ServerInfo::default();
    }

    /// Its heap size in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.pings[..])
    }

    /// Reads a printed line.
    pub(super) fn print(&mut self, text: &[u8], now: Milliseconds) {
        let _ = self.clock.print(text, now);
    }

    /// Reads a layout, which may be a scoreboard.
    pub(super) fn layout(&mut self, text: &[u8]) {
        for line in scoreboard::read(text).iter().filter(|line| line.client < 256) {
            let slot = usize::from(line.client);
            if self.pings.len() <= slot {
                self.pings.resize(slot + 1, None);
            }
            self.pings[slot] = line.ping;
        }
    }

    /// The match time, while a match runs that started within the recording.
    pub(super) fn match_time(&self, now: Milliseconds) -> Option<Milliseconds> {
        self.clock.at(now)
    }

    /// The ping of a player, from the last scoreboard.
    pub(super) fn ping(&self, slot: u16) -> Option<i32> {
        self.pings.get(usize::from(slot)).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_runs_from_its_start_to_its_end_and_boards_have_pings() {
        let mut server_info = ServerInfo::default();
        let at = Milliseconds;
        server_info.print(b"Alice entered the game\n", at(100));
        assert_eq!(server_info.match_time(at(200)), None);
        server_info.print(b"Fight!\n", at(1000));
        assert_eq!(server_info.match_time(at(1700)), Some(at(700)));
        server_info.layout(b"client 0 32 1 5 18 0 client 0 64 0 -3 20 7");
        assert_eq!([server_info.ping(0), server_info.ping(1), server_info.ping(2)], [Some(20), Some(18), None]);
        server_info.print(b"Alice called a time out.\n", at(2000));
        assert_eq!(server_info.match_time(at(2500)), Some(at(1000)));
        server_info.print(b"Fight!\n", at(4000));
        assert_eq!(server_info.match_time(at(4100)), Some(at(1100)), "it goes on");
        server_info.print(b"Fraglimit hit.\n", at(5000));
        assert_eq!((server_info.match_time(at(5100)), server_info.ping(0)), (None, Some(20)));
        server_info.level();
        assert_eq!(server_info.ping(0), None);
    }
}
