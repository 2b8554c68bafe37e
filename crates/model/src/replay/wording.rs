//! Phrases that no list has: what stands between the names of two players, and behind the second.

/// What a mod writes around the name of a killer. Without high bits, which make colors.
///
/// ```
/// use fragreel_model::replay::wording;
///
/// let found = wording::second_names(b" was toasted by beta", &[], [&b"beta"[..]].into_iter());
/// assert_eq!(found[0].0, b"beta");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    text: Vec<u8>,
    tail: Vec<u8>,
}

/// The most wordings that are kept.
const MOST: usize = 256;

/// Wordings that scores have shown to be about kills.
#[derive(Debug, Clone, Default)]
pub struct Learned(Vec<Wording>);

impl Learned {
    /// Keeps a wording.
    pub fn add(&mut self, wording: Wording) {
        if self.0.len() < MOST && !self.has(&wording) {
            self.0.push(wording);
        }
    }

    /// Whether a wording is kept.
    pub fn has(&self, wording: &Wording) -> bool {
        self.0.contains(wording)
    }
}

/// How lines continue after a player's name that name another one and are not deaths.
const NOT_DEATHS: &[&[u8]] = &[b" defends ", b" gets an assist", b" entered ", b" joined ", b" left ", b" changed ", b" is now "];

/// The names in the rest of a line, from its first name on, each with the wording around it. `pieces` says where pieces of the rest begin:
/// names that are pieces come without others.
pub fn second_names<'n>(rest: &[u8], pieces: &[usize], names: impl Iterator<Item = &'n [u8]>) -> Vec<(&'n [u8], Wording)> {
    let plain = |bytes: &[u8]| bytes.iter().map(|byte| byte & 127).collect::<Vec<_>>();
    let text = plain(rest);
    if text.first() != Some(&b' ') || NOT_DEATHS.iter().any(|start| text.starts_with(start)) {
        return Vec::new();
    }
    let mut found: Vec<(usize, &[u8])> = within(rest, names).filter(|(at, _)| text[..*at].iter().any(u8::is_ascii_alphabetic)).collect();
    let ends = |at: usize| at == rest.len() || pieces.contains(&at);
    if found.iter().any(|(at, name)| pieces.contains(at) && ends(at + name.len())) {
        found.retain(|(at, name)| pieces.contains(at) && ends(at + name.len()));
    }
    // of names that begin at the same place, the longest
    let longest = |(at, name): &(usize, &[u8])| !found.iter().any(|(other, longer)| other == at && longer.len() > name.len());
    let found = found.iter().filter(|one| longest(one));
    found.map(|(at, name)| (*name, Wording { text: text[..*at].to_vec(), tail: text[at + name.len()..].to_vec() })).collect()
}

/// Names in a text that stand as words in it, behind its start.
pub fn within<'n>(text: &[u8], names: impl Iterator<Item = &'n [u8]>) -> impl Iterator<Item = (usize, &'n [u8])> {
    let starts: Vec<usize> = (1..text.len()).filter(|&at| text[at - 1] & 127 == b' ').collect();
    let stands = move |at: usize, name: &[u8]| {
        let after = text[at..].strip_prefix(name).map(|rest| rest.first().map(|byte| byte & 127));
        after.is_some_and(|after| !after.is_some_and(|after| after.is_ascii_alphanumeric()))
    };
    names.filter(|name| !name.is_empty()).flat_map(move |name| {
        let places: Vec<usize> = starts.iter().copied().filter(|&at| stands(at, name)).collect();
        places.into_iter().map(move |at| (at, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_name_stands_as_a_word_or_a_piece() {
        let names: [&[u8]; 3] = [b"by", b"beta", b"beta two"];
        let of = |rest: &str, pieces: &[usize]| -> Vec<(String, String)> {
            let found = second_names(rest.as_bytes(), pieces, names.into_iter());
            found.into_iter().map(|(name, wording)| (String::from_utf8_lossy(name).into(), String::from_utf8_lossy(&wording.tail).into())).collect()
        };
        let is = |name: &str, tail: &str| (name.to_owned(), tail.to_owned());
        assert_eq!(of(" was toasted by beta's laser", &[]), [is("by", " beta's laser"), is("beta", "'s laser")]);
        assert_eq!(of(" was toasted by beta's laser", &[16, 20]), [is("beta", "'s laser")], "a piece is the name");
        assert_eq!(of(" ate beta two's pie", &[]), [is("beta two", "'s pie")]);
        assert_eq!(of(" ate alphabetas", &[]), []);
        assert_eq!(of(": beta is here", &[]), [], "chat");
        assert_eq!(of(" defends beta's flag carrier", &[]), []);
    }
}
