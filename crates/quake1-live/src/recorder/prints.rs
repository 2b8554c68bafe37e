//! The last prints of the server, which may explain a disconnect.

use std::collections::VecDeque;

use fragreel_quake1::unstable::characters::clean;
use fragreel_quake1::unstable::message::Message;

/// The last lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Prints {
    lines: VecDeque<(f64, Vec<u8>)>,
    /// An unfinished line.
    open: Vec<u8>,
    at: f64,
}

const CHAT: u8 = 3;
const MOST_LINES: usize = 3;
const LONGEST_LINE: usize = 400;
/// Seconds within which lines belong together, and within which they explain a disconnect.
const TOGETHER: f64 = 2.0;

impl Prints {
    /// Follows a message.
    pub(super) fn receive(&mut self, now: f64, message: &Message) {
        let Message::QwPrint(print) = message else { return };
        if print.level != CHAT {
            self.add(now, &print.text.0);
        }
    }

    /// Follows a datagram outside of the connection. Servers refuse clients with a print there.
    pub(super) fn outside(&mut self, now: f64, datagram: &[u8]) {
        let Some(text) = datagram.get(4..).and_then(|text| text.strip_prefix(b"n")) else { return };
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        self.close();
        self.add(now, text);
        self.close();
    }

    fn add(&mut self, now: f64, text: &[u8]) {
        for &byte in text {
            if byte == b'\n' {
                self.close();
            } else if self.open.len() < LONGEST_LINE {
                self.open.push(byte);
                self.at = now;
            }
        }
    }

    fn close(&mut self) {
        let line = std::mem::take(&mut self.open);
        if clean(&line).trim().is_empty() {
            return;
        }
        self.lines.push_back((self.at, line));
        if self.lines.len() > MOST_LINES {
            self.lines.pop_front();
        }
    }

    /// The last lines that belong together.
    pub(super) fn last(&self) -> String {
        let mut all = self.clone();
        all.close();
        let Some(&(newest, _)) = all.lines.back() else { return String::new() };
        let lines = all.lines.iter().filter(|(at, _)| newest - at <= TOGETHER);
        lines.map(|(_, line)| clean(line).trim().to_owned()).collect::<Vec<_>>().join(" ")
    }

    /// The same, if they are recent.
    pub(super) fn recent(&self, now: f64) -> String {
        if now - self.at <= TOGETHER { self.last() } else { String::new() }
    }
}

/// The checksum of its map that a server's refusal names: `Map model file does not match (maps/dm3.bsp), 0 != -409106372/583035346.`; FTE writes
/// it as `0X22C069D2`.
pub(super) fn wanted_map(refusal: &str) -> Option<u32> {
    let rest = refusal.split_once("Map model file does not match")?.1.split_once(')')?.1.split_once("!=")?.1.trim_start();
    let word: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    match word.to_ascii_lowercase().strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => word.parse::<i64>().ok().and_then(|number| i32::try_from(number).map(|number| number as u32).or_else(|_| u32::try_from(number)).ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_quake1::unstable::message::{QwPrint, Text};

    #[test]
    fn lines_that_come_together_are_one_reason() {
        let mut prints = Prints::default();
        let mut hear = |now, level, text: &[u8]| {
            prints.receive(now, &Message::QwPrint(QwPrint { level, text: Text(text.to_vec()) }));
            (prints.last(), prints.recent(now + 3.0))
        };
        hear(1.0, 2, b"welcome\n");
        assert_eq!(hear(9.0, 2, b"Map model file does ").0, "Map model file does");
        hear(9.1, 3, b"hello: chat\n");
        assert_eq!(hear(9.2, 2, b"not match\n\nGet another.\n"), ("Map model file does not match Get another.".into(), String::new()));
    }

    #[test]
    fn refusals_name_the_map_that_is_wanted() {
        let wanted = |text: &str| wanted_map(text).map(|number| number as i32);
        assert_eq!(wanted("Map model file does not match (maps/dm3.bsp), 0 != -409106372/583035346. You may need a new version"), Some(-409_106_372));
        assert_eq!(wanted("Map model file does not match (maps/dm3.bsp), 0x0 != 0X22C069D2."), Some(0x22c0_69d2));
        assert_eq!(wanted("Map model file does not match (maps/a!=7.bsp)"), None);
        assert_eq!(wanted("Map model file does not match (x), 0 != 99999999999"), None);
        assert_eq!(wanted("0 != 7"), None);
    }

    #[test]
    fn a_print_outside_of_the_connection_explains_it() {
        let mut prints = Prints::default();
        prints.outside(1.0, b"\xff\xff\xff\xffnYour address does not match\n\0");
        prints.outside(1.0, b"\xff\xff\xff\xffk\n");
        assert_eq!(prints.recent(1.5), "Your address does not match");
        assert_eq!(prints.recent(9.0), "");
    }
}
