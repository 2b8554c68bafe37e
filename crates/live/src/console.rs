//! What a recording stuffs into its viewers' consoles.

use std::collections::BTreeMap;

/// Lets through console commands of a few names, and keeps a list of the others.
///
/// ```
/// let mut console = fragreel_live::Console::allowing(&["bf", "v_cshift"]);
/// assert_eq!(console.filter(b"bf\nbind x quit; v_cshift 1 2 3 4\n"), b"bf\nv_cshift 1 2 3 4\n");
/// assert_eq!(console.filter(b"echo \"bf; bf\"\n"), b"");
/// assert_eq!(console.held_back().collect::<Vec<_>>(), [("bind", 1), ("echo", 1)]);
/// ```
#[derive(Debug, Clone)]
pub struct Console {
    allowed: &'static [&'static str],
    held_back: BTreeMap<String, u32>,
}

/// Most names that are listed.
const MOST_NAMES: usize = 256;
/// Characters of a name that are kept.
const LONGEST_NAME: usize = 32;

impl Console {
    /// Nothing but commands of these names.
    pub fn allowing(allowed: &'static [&'static str]) -> Self {
        Self { allowed, held_back: BTreeMap::new() }
    }

    /// What of a text is let through, a command a line.
    pub fn filter(&mut self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for command in commands(text) {
            let end = command.iter().position(|&byte| byte <= b' ' || byte == b'"').unwrap_or(command.len());
            let name = String::from_utf8_lossy(&command[..end]).to_lowercase();
            if self.allowed.contains(&name.as_str()) {
                out.extend_from_slice(command);
                out.push(b'\n');
            } else {
                let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
                if self.held_back.len() < MOST_NAMES || self.held_back.contains_key(&name) {
                    *self.held_back.entry(name).or_default() += 1;
                }
            }
        }
        out
    }

    /// The names of what was not let through, and how often each came.
    pub fn held_back(&self) -> impl Iterator<Item = (&str, u32)> {
        self.held_back.iter().map(|(name, count)| (name.as_str(), *count))
    }
}

/// The commands of a text: at line ends and, outside of quotes, at semicolons.
fn commands(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    let parts = text.split(move |&byte| {
        quoted = match byte {
            b'\n' => false,
            b'"' => !quoted,
            _ => quoted,
        };
        byte == b'\n' || (byte == b';' && !quoted)
    });
    parts.map(<[u8]>::trim_ascii).filter(|command| !command.is_empty())
}
