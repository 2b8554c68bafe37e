//! The kinds of messages and their numbers.

use super::list::messages;
use crate::dialect::Numbering;

macro_rules! kinds {
    ($($variant:ident $(($inner:ty))? = $name:literal [$($list:ident $number:literal),*] $(|$($code:ident),*| $coder:expr, |$($text:ident),*| $form:expr)?;)*) => {
        /// A kind of message, whatever its number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "named as engines name them")]
        pub enum Op {
            $($variant),*
        }

        impl Op {
            /// Its name in the format document.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$variant => $name),*
                }
            }
        }

        /// Each kind with its numbers and the numberings that begin to use them.
        const NUMBERS: &[(Op, &[(Numbering, u8)])] = &[$((Op::$variant, &[$((Numbering::$list, $number)),*])),*];
    };
}
messages!(kinds);

/// The numbers of a numbering. All but the test release's (known as far as the only recording shows them) begin with the
/// classic ones.
const fn table(of: Numbering) -> [Option<Op>; 64] {
    let mut table = [None; 64];
    let mut at = 0;
    while at < NUMBERS.len() {
        let (op, numbers) = NUMBERS[at];
        let mut which = 0;
        while which < numbers.len() {
            let (list, number) = numbers[which];
            let classic = matches!(list, Numbering::Classic) && !matches!(of, Numbering::TestRelease);
            if classic || list as usize == of as usize {
                table[number as usize] = Some(op);
            }
            which += 1;
        }
        at += 1;
    }
    table
}

static TABLES: [[Option<Op>; 64]; 6] = [
    table(Numbering::Classic),
    table(Numbering::R1q2),
    table(Numbering::Q2pro),
    table(Numbering::Kex),
    table(Numbering::Kmquake2),
    table(Numbering::TestRelease),
];

impl Op {
    /// The kind of message `number` under this numbering.
    #[inline]
    pub fn of(numbering: Numbering, number: u8) -> Option<Op> {
        TABLES[numbering as usize].get(usize::from(number)).copied().flatten()
    }

    /// The names of the messages under this numbering, each at its number.
    pub(crate) fn names(numbering: Numbering) -> fragreel_base::textform::Names {
        fragreel_base::textform::Names::new(TABLES[numbering as usize].iter().map(|op| op.map_or("", Op::name)))
    }

    /// Its number under this numbering.
    pub fn number(self, numbering: Numbering) -> Option<u8> {
        TABLES[numbering as usize].iter().position(|&op| op == Some(self)).map(|at| at as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for numbering in [Numbering::Classic, Numbering::R1q2, Numbering::Q2pro, Numbering::Kex, Numbering::Kmquake2, Numbering::TestRelease] {
            for number in 0..64 {
                if let Some(op) = Op::of(numbering, number) {
                    assert_eq!(op.number(numbering), Some(number), "{op:?}");
                }
            }
        }
        assert_eq!(Op::of(Numbering::Classic, 19), None);
        assert_eq!(Op::of(Numbering::Classic, 255), None);
    }
}
