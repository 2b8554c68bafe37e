//! Lists of names that the bits of a number have.

use std::fmt::Write as _;

use crate::wire::Vocabulary;

/// Bits with their names, as an engine names them. Bits without a name stay a number.
///
/// ```
/// use fragreel_base::textform::Flags;
/// use fragreel_base::wire::Vocabulary;
///
/// const EFFECTS: Flags = Flags(&[(1, "EF_ROTATE"), (2, "EF_GIB")]);
/// assert_eq!((EFFECTS.show(3), EFFECTS.show(0x11), EFFECTS.show(0)), ("EF_ROTATE EF_GIB".into(), "EF_ROTATE 0x10".into(), "0".into()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags(pub &'static [(u32, &'static str)]);

impl Flags {
    /// The places of the names that a number has.
    pub fn places(self, number: u32) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().filter(move |(_, (bit, _))| number & bit == *bit).map(|(at, _)| at)
    }

    /// The bits of a number that have no name.
    pub fn nameless(self, number: u32) -> u32 {
        self.0.iter().fold(number, |left, (bit, _)| if number & bit == *bit { left & !bit } else { left })
    }
}

/// A name stands for its bit.
impl Vocabulary for Flags {
    fn name(&self, number: u32) -> Option<&str> {
        self.0.iter().find(|(bit, _)| *bit == number).map(|(_, name)| *name)
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.0.iter().find(|(_, known)| *known == name).map(|(bit, _)| *bit)
    }

    /// The names, and the other bits as a hexadecimal number; 0 for none.
    fn show(&self, number: u32) -> String {
        let mut shown = self.places(number).map(|at| self.0[at].1).collect::<Vec<_>>().join(" ");
        match self.nameless(number) {
            0 if !shown.is_empty() => {}
            left if shown.is_empty() => shown = left.to_string(),
            left => {
                let _ = write!(shown, " {left:#x}");
            }
        }
        shown
    }
}
