//! The numbers of the kinds of messages.

use super::MessageKind;
use crate::dialect::Numbering;

/// The numbers of a numbering. All but the test release's (known as far as the only recording shows them) begin with the
/// classic ones.
const fn table(of: Numbering) -> [Option<MessageKind>; 64] {
    let mut table = [None; 64];
    let mut at = 0;
    while at < MessageKind::ALL.len() {
        let kind = MessageKind::ALL[at];
        let numbers = kind.numbers();
        let mut which = 0;
        while which < numbers.len() {
            let (list, number) = numbers[which];
            let classic = matches!(list, Numbering::Classic) && !matches!(of, Numbering::TestRelease);
            if classic || list as usize == of as usize {
                table[number as usize] = Some(kind);
            }
            which += 1;
        }
        at += 1;
    }
    table
}

static TABLES: [[Option<MessageKind>; 64]; 6] = [
    table(Numbering::Classic),
    table(Numbering::R1q2),
    table(Numbering::Q2pro),
    table(Numbering::Kex),
    table(Numbering::Kmquake2),
    table(Numbering::TestRelease),
];

impl MessageKind {
    /// The kind of message `number` under this numbering.
    #[inline]
    pub fn of(numbering: Numbering, number: u8) -> Option<MessageKind> {
        TABLES[numbering as usize].get(usize::from(number)).copied().flatten()
    }

    /// The names of the messages under this numbering, each at its number.
    pub(crate) fn names(numbering: Numbering) -> fragreel_base::textform::Names {
        fragreel_base::textform::Names::new(TABLES[numbering as usize].iter().map(|op| op.map_or("", MessageKind::name)))
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
                if let Some(op) = MessageKind::of(numbering, number) {
                    assert_eq!(op.number(numbering), Some(number), "{op:?}");
                }
            }
        }
        assert_eq!(MessageKind::of(Numbering::Classic, 19), None);
        assert_eq!(MessageKind::of(Numbering::Classic, 255), None);
    }
}
