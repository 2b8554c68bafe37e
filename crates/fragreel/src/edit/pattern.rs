//! Names with wildcards.

/// A name without colors, in any case, in which `*` stands for any characters and `?` for one.
///
/// ```
/// use fragreel::edit::Pattern;
///
/// assert!(Pattern::new("[ab]*").matches("[AB]Sarge"));
/// assert!(!Pattern::new("sarge").matches("[AB]Sarge"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Vec<char>);

impl Pattern {
    /// The pattern that is written so.
    pub fn new(text: &str) -> Self {
        Pattern(text.to_lowercase().chars().collect())
    }

    /// Whether the whole name is of this kind.
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.to_lowercase().chars().collect();
        let (mut pattern, mut at) = (0, 0);
        // Where the last star stands, and where in the name to go on if it stands for one character more.
        let mut star: Option<(usize, usize)> = None;
        while at < name.len() {
            match self.0.get(pattern) {
                Some('*') => {
                    star = Some((pattern, at));
                    pattern += 1;
                }
                Some(&c) if c == '?' || c == name[at] => (pattern, at) = (pattern + 1, at + 1),
                _ => match &mut star {
                    Some((before, from)) => {
                        *from += 1;
                        (pattern, at) = (*before + 1, *from);
                    }
                    None => return false,
                },
            }
        }
        self.0[pattern..].iter().all(|&c| c == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stand_for_what_they_should() {
        for (pattern, name, expected) in [
            ("", "", true),
            ("*", "", true),
            ("a*b*c", "aXbXbXc", true),
            ("a*b*c", "aXbXbX", false),
            ("?ö?", "xÖx", true),
            ("??", "x", false),
            ("*aab", "aaaab", true),
            ("[x]", "x", false),
        ] {
            assert_eq!(Pattern::new(pattern).matches(name), expected, "{pattern} {name}");
        }
    }
}
