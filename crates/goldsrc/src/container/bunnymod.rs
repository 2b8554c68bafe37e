//! The data of BunnymodXT (`docs/formats/goldsrc.md`, "BunnymodXT"): what it wrote about the game, its timer and its splits.
//!
//! Settings and commands are skipped: passwords are among them.

/// A key of four words.
const KEY: [u32; 4] = [0x1337_face, 0x1234_5678, 0xdead_beef, 0xfeed_abcd];
/// What each of the 32 rounds adds.
const DELTA: u32 = 0x9e37_79b9;
const ROUNDS: u32 = 32;
/// Begins two bytes that stand for one.
const ESCAPE: u8 = 0xff;
/// The commands that steer the timer.
const TIMER: &[u8] = b"bxt_timer_";

/// What a blob states.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fact {
    /// The tool's version, and the game's build.
    Version { build: i32, version: Vec<u8> },
    /// The timer, in milliseconds.
    Time(i64),
    /// A command of the timer: `start`, `stop`, `reset`.
    Timer(Vec<u8>),
    /// The game ended.
    End,
    /// A split was reached: its name and its map. Both may be empty.
    Split { name: Vec<u8>, map: Vec<u8> },
}

/// The facts of a blob, up to its end or to what is not known. `escaped` are the bytes after the tags of consecutive commands.
pub(crate) fn read(escaped: &[u8]) -> Vec<Fact> {
    let plain = decipher(&unescape(escaped));
    let mut reader = Reader(&plain);
    let mut facts = Vec::new();
    let Some(count) = reader.word() else { return facts };
    for _ in 0..count {
        // a new version adds kinds, whose lengths are not known
        let Some(fact) = reader.fact() else { break };
        facts.extend(fact);
    }
    facts
}

fn unescape(escaped: &[u8]) -> Vec<u8> {
    let mut bytes = escaped.iter().copied();
    std::iter::from_fn(|| match bytes.next()? {
        ESCAPE => match bytes.next()? {
            1 => Some(0),
            2 => Some(b'"'),
            3 => Some(b'\n'),
            4 => Some(b';'),
            other => Some(other),
        },
        byte => Some(byte),
    })
    .collect()
}

/// Undoes the cipher (TEA) in blocks of eight bytes. A last block that is not whole is left out.
fn decipher(bytes: &[u8]) -> Vec<u8> {
    let (blocks, _) = bytes.as_chunks::<8>();
    let mut plain = Vec::with_capacity(bytes.len());
    for block in blocks {
        let [a, b, c, d, e, f, g, h] = *block;
        let (mut left, mut right) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        let mut sum = DELTA.wrapping_mul(ROUNDS);
        for _ in 0..ROUNDS {
            right = right.wrapping_sub(mix(left, sum, [KEY[2], KEY[3]]));
            left = left.wrapping_sub(mix(right, sum, [KEY[0], KEY[1]]));
            sum = sum.wrapping_sub(DELTA);
        }
        plain.extend_from_slice(&left.to_le_bytes());
        plain.extend_from_slice(&right.to_le_bytes());
    }
    plain
}

fn mix(half: u32, sum: u32, [low, high]: [u32; 2]) -> u32 {
    (half << 4).wrapping_add(low) ^ half.wrapping_add(sum) ^ (half >> 5).wrapping_add(high)
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn word(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn text(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.word()?).ok()?;
        self.take(length)
    }

    fn texts(&mut self, count: u32) -> Option<()> {
        (0..count).try_for_each(|_| self.text().map(drop))
    }

    /// `None` where the blob ends or cannot be read on; `Some(None)` for what is skipped.
    fn fact(&mut self) -> Option<Option<Fact>> {
        /// Two corners of a box.
        const CORNERS: usize = 24;
        let [kind] = self.array()?;
        match kind {
            1 => {
                let build = self.array().map(i32::from_le_bytes)?;
                return Some(Some(Fact::Version { build, version: self.text()?.to_vec() }));
            }
            3 => return Some(self.time()?.map(Fact::Time)),
            7 => {
                let command = self.text()?;
                return Some(command.strip_prefix(TIMER).map(|command| Fact::Timer(command.trim_ascii().to_vec())));
            }
            8 => return Some(Some(Fact::End)),
            13 => {
                self.take(CORNERS)?;
                let name = self.text()?.to_vec();
                return Some(Some(Fact::Split { name, map: self.text()?.to_vec() }));
            }
            // settings: names with values
            2 => {
                let count = self.word()?;
                self.texts(count)?;
                self.texts(count)?;
            }
            4 => self.texts(1)?,
            5 | 6 => self.texts(2)?,
            9 => {
                let count = self.word()?;
                self.texts(count)?;
            }
            10 => {
                self.take(CORNERS)?;
                self.texts(1)?;
            }
            11 | 12 | 14 => drop(self.take(4)?),
            _ => return None,
        }
        Some(None)
    }

    /// Hours, minutes, seconds, and the part of a second; `Some(None)` if that is no part of a second.
    fn time(&mut self) -> Option<Option<i64>> {
        let hours = self.word()?;
        let [minutes, seconds] = self.array()?;
        let rest = self.array().map(f64::from_le_bytes)?;
        let whole = i64::from(hours) * 3600 + i64::from(minutes) * 60 + i64::from(seconds);
        Some((0.0..=1.0).contains(&rest).then(|| whole * 1000 + (rest * 1000.0) as i64))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Makes a blob as the tool's public source describes it: records, ciphered in blocks that 0xFE fills, escaped.
    pub(crate) fn blob(records: &[&[u8]]) -> Vec<u8> {
        let mut plain = (records.len() as u32).to_le_bytes().to_vec();
        records.iter().for_each(|record| plain.extend_from_slice(record));
        plain.resize(plain.len().next_multiple_of(8), 0xfe);
        let mut escaped = Vec::new();
        for block in plain.chunks(8) {
            let word = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap());
            let (mut left, mut right, mut sum) = (word(0), word(4), 0_u32);
            for _ in 0..32 {
                sum = sum.wrapping_add(DELTA);
                left = left.wrapping_add(mix(right, sum, [KEY[0], KEY[1]]));
                right = right.wrapping_add(mix(left, sum, [KEY[2], KEY[3]]));
            }
            for byte in left.to_le_bytes().into_iter().chain(right.to_le_bytes()) {
                match byte {
                    0 => escaped.extend([0xff, 1]),
                    b'"' => escaped.extend([0xff, 2]),
                    b'\n' => escaped.extend([0xff, 3]),
                    b';' => escaped.extend([0xff, 4]),
                    0xff => escaped.extend([0xff, 0xff]),
                    byte => escaped.push(byte),
                }
            }
        }
        escaped
    }

    pub(crate) fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
    }

    pub(crate) fn time(minutes: u8, seconds: u8, rest: f64) -> Vec<u8> {
        [&[3, 0, 0, 0, 0, minutes, seconds][..], &rest.to_le_bytes()].concat()
    }

    pub(crate) fn split(name: &str, map: &str) -> Vec<u8> {
        [&[13][..], &[0; 24], &text(name), &text(map)].concat()
    }

    #[test]
    fn facts_are_read_and_settings_skipped() {
        let version = [&[1][..], &8684_i32.to_le_bytes(), &text("bb615f8")].concat();
        let settings = [&[2][..], &1_u32.to_le_bytes(), &text("rcon_password"), &text("sesame")].concat();
        let command = [&[7][..], &text("bxt_timer_start\n")].concat();
        let other = [&[7][..], &text("+forward 119")].concat();
        let records = [version, settings, time(61, 5, 0.25), command, other, split("top", "c1a0"), vec![8], vec![12, 1, 0, 0, 0], vec![99], vec![8]];
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let wanted = [
            Fact::Version { build: 8684, version: b"bb615f8".to_vec() },
            Fact::Time(3_665_250),
            Fact::Timer(b"start".to_vec()),
            Fact::Split { name: b"top".to_vec(), map: b"c1a0".to_vec() },
            Fact::End,
        ];
        assert_eq!(read(&blob(&records)), wanted, "an unknown kind ends the blob");
    }

    #[test]
    fn damaged_blobs_give_what_they_have() {
        let whole = blob(&[&time(0, 1, 0.5), &split("name", "map")]);
        assert_eq!(read(&whole).len(), 2);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).len() <= 2);
        }
        assert!(read(&[0xff; 9]).is_empty() && read(b"").is_empty());
        assert_eq!(read(&blob(&[&time(0, 0, f64::NAN), &[8]])), [Fact::End]);
    }
}
