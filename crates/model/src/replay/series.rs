//! Numbers that follow a rule from message to message, and those among them that came late, or that damage changed.

use std::collections::{BTreeMap, VecDeque};

/// Most numbers in a row that one damaged place changes. A longer run is another order of the messages.
const DAMAGED_IN_A_ROW: usize = 3;
/// Most late messages in a row.
const LATE_IN_A_ROW: usize = 9;

/// How the numbers of a series follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// They never fall, and rise by at most this from one to the next. A few that are too low, by no more than the second number, came late.
    Rising(i64, i64),
    /// They rise by one, and start again at 0 after this many.
    Counting(i64),
}

impl Rule {
    fn allows(self, before: i64, now: i64, steps: usize) -> bool {
        let (risen, steps) = (now.saturating_sub(before), steps as i64);
        match self {
            Rule::Rising(most, _) => (0..=most.saturating_mul(steps)).contains(&risen),
            Rule::Counting(of) => risen.rem_euclid(of) == steps % of,
        }
    }

    /// Whether a number between these two does not stand in their order.
    fn is_out_of_order(self, number: i64, before: i64, behind: i64) -> bool {
        match self {
            Rule::Rising(..) => !(before..=behind).contains(&number),
            Rule::Counting(_) => true,
        }
    }

    /// What is wrong with a number in whose place `neighbor` would fit.
    fn doubt(self, number: i64, neighbor: i64) -> Doubt {
        match self {
            Rule::Rising(_, late) if number <= neighbor && neighbor.abs_diff(number) <= late as u64 => Doubt::Late,
            _ => Doubt::Damaged,
        }
    }
}

/// Why a number does not fit between those before and behind it, which fit each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Its message came late.
    Late,
    /// Damage changed it.
    Damaged,
    /// It is the first or the last, and nothing confirms it.
    Unconfirmed,
}

/// The series of a recording: the numbers that messages state. It keeps those that may still be doubted.
///
/// ```
/// use fragreel_model::replay::{Doubt, Rule, Series};
///
/// let mut series = Series::default();
/// for (message, number) in [7, 8, 9, 1033, 11, 12, 13].into_iter().enumerate() {
///     series.add("packet", Rule::Rising(100, 0), message as u32, number);
/// }
/// assert_eq!(series.doubted().into_iter().collect::<Vec<_>>(), [(("packet", 3), (1033, Doubt::Damaged))]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Series {
    kinds: BTreeMap<(&'static str, Rule), Parts>,
}

impl Series {
    /// A message states a number.
    pub fn add(&mut self, what: &'static str, rule: Rule, message: u32, number: i64) {
        self.kinds.entry((what, rule)).or_default().add(rule, Numbered { at: 0, message, number });
    }

    /// All numbers may start again here.
    pub fn restart(&mut self) {
        for ((_, rule), parts) in &mut self.kinds {
            parts.end_part(*rule);
        }
    }

    /// The numbers that their neighbors contradict, by what they number and by their message.
    pub fn doubted(self) -> BTreeMap<(&'static str, u32), (i64, Doubt)> {
        let mut doubted = BTreeMap::new();
        for ((what, rule), mut parts) in self.kinds {
            parts.end_part(rule);
            parts.judge_single(None);
            doubted.extend(parts.doubted.into_iter().map(|(message, doubt)| ((what, message), doubt)));
        }
        doubted
    }
}

/// A number and its place.
#[derive(Debug, Clone, Copy)]
struct Numbered {
    /// Its index in its part.
    at: usize,
    message: u32,
    number: i64,
}

/// The numbers of one kind. They start again in every part.
#[derive(Debug, Clone, Default)]
struct Parts {
    part: Part,
    /// The last number of the previous part.
    before: Option<i64>,
    /// The only number of the previous part, if that has just one. The flag says whether the part before that one confirms it.
    single: Option<(Numbered, Option<bool>)>,
    doubted: BTreeMap<u32, (i64, Doubt)>,
}

impl Parts {
    fn add(&mut self, rule: Rule, now: Numbered) {
        if self.part.length == 0 {
            let behind = self.single.map(|(single, _)| rule.allows(single.number, now.number, 1));
            self.judge_single(behind);
        }
        self.part.add(rule, now, &mut self.doubted);
    }

    /// Doubts the only number of the previous part if neither neighbor confirms it.
    fn judge_single(&mut self, behind: Option<bool>) {
        let Some((Numbered { message, number, .. }, before)) = self.single.take() else { return };
        if [before, behind].contains(&Some(false)) && ![before, behind].contains(&Some(true)) {
            self.doubted.insert(message, (number, Doubt::Unconfirmed));
        }
    }

    fn end_part(&mut self, rule: Rule) {
        let mut part = std::mem::take(&mut self.part);
        part.judge(rule, true, &mut self.doubted);
        let Some(last) = part.last else { return };
        if part.length == 1 {
            self.single = Some((last, self.before.map(|before| rule.allows(before, last.number, 1))));
        }
        self.before = Some(last.number);
    }
}

/// Numbers that are judged once later numbers are known.
#[derive(Debug, Clone, Default)]
struct Part {
    /// The last numbers that are not doubted. It keeps as many as later numbers may contradict.
    good: VecDeque<Numbered>,
    /// The number of those that are not doubted.
    good_count: usize,
    /// The numbers that are not judged yet.
    pending: VecDeque<Numbered>,
    /// The number of all numbers.
    length: usize,
    /// The last number.
    last: Option<Numbered>,
}

/// The number of later numbers that may decide about a number.
const LOOKED_AHEAD: usize = LATE_IN_A_ROW + 1;
/// The number of earlier numbers that are kept. A number contradicts far fewer, but damage may follow damage.
const LOOKED_BACK: usize = 64;

impl Part {
    fn add(&mut self, rule: Rule, now: Numbered, doubted: &mut BTreeMap<u32, (i64, Doubt)>) {
        let now = Numbered { at: self.length, ..now };
        self.length += 1;
        self.last = Some(now);
        self.pending.push_back(now);
        self.judge(rule, false, doubted);
    }

    /// Judges all numbers with enough later numbers. `ended` is true if no more numbers come.
    fn judge(&mut self, rule: Rule, ended: bool, doubted: &mut BTreeMap<u32, (i64, Doubt)>) {
        while self.pending.len() > if ended { 0 } else { LOOKED_AHEAD } {
            self.judge_next(rule, doubted);
        }
    }

    fn push_good(&mut self, good: Numbered) {
        self.good_count += 1;
        self.good.push_back(good);
        if self.good.len() > LOOKED_BACK {
            self.good.pop_front();
        }
    }

    /// Judges the next number and the numbers that it contradicts.
    fn judge_next(&mut self, rule: Rule, doubted: &mut BTreeMap<u32, (i64, Doubt)>) {
        let follows = |before: &Numbered, now: &Numbered| rule.allows(before.number, now.number, now.at - before.at);
        let pending = &self.pending;
        let Some(now) = pending.front().copied() else { return };
        let Some(last) = self.good.back().copied().filter(|last| !follows(last, &now)) else {
            self.pending.pop_front();
            self.push_good(now);
            return;
        };
        // true if the next number confirms the one at `at`, or if there is no next number
        let holds = |at: usize| at + 1 >= pending.len() || follows(&pending[at], &pending[at + 1]);
        for some in 1..=LATE_IN_A_ROW {
            if let Some(behind) = pending.get(some)
                && follows(&last, behind)
                && holds(some)
                && pending.range(..some).any(|between| rule.is_out_of_order(between.number, last.number, behind.number))
            {
                let doubt = |number: &Numbered| rule.doubt(number.number, last.number);
                if some <= DAMAGED_IN_A_ROW || pending.range(..some).all(|number| doubt(number) == Doubt::Late) {
                    doubted.extend(pending.range(..some).map(|number| (number.message, (number.number, doubt(number)))));
                    self.pending.drain(..some);
                    return;
                }
            }
            if some > DAMAGED_IN_A_ROW {
                continue;
            }
            let before = self.good.len().checked_sub(some + 1).and_then(|before| self.good.get(before));
            // the first numbers have nothing before them
            let is_first = self.good_count == 1 && some == 1 && (0..DAMAGED_IN_A_ROW).all(|at| at + 1 < pending.len() && holds(at));
            let contradicted = self.good.len().saturating_sub(some);
            let is_out = |before: &Numbered| self.good.range(contradicted..).any(|between| rule.is_out_of_order(between.number, before.number, now.number));
            if before.is_some_and(|before| follows(before, &now) && holds(0) && is_out(before)) || is_first {
                let doubt = if is_first { Doubt::Unconfirmed } else { Doubt::Damaged };
                let before = self.good.drain(contradicted..).map(|number| (number.message, (number.number, doubt)));
                self.good_count -= before.len();
                doubted.extend(before);
                self.pending.pop_front();
                self.push_good(now);
                return;
            }
        }
        self.pending.pop_front();
        if self.pending.is_empty() {
            doubted.insert(now.message, (now.number, Doubt::Unconfirmed));
        } else {
            self.push_good(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubted_in(rule: Rule, numbers: &[i64]) -> Vec<(u32, Doubt)> {
        let mut series = Series::default();
        numbers.iter().zip(0..).for_each(|(number, message)| series.add("packet", rule, message, *number));
        series.doubted().into_iter().map(|((_, message), (_, doubt))| (message, doubt)).collect()
    }

    fn damaged(rule: Rule, numbers: &[i64]) -> Vec<u32> {
        doubted_in(rule, numbers).into_iter().filter(|(_, doubt)| *doubt != Doubt::Late).map(|(at, _)| at).collect()
    }

    #[test]
    fn one_place_is_damaged_and_an_order_is_not() {
        let rising = Rule::Rising(10, 0);
        assert_eq!(damaged(rising, &[1, 2, 3, 4, 900, 6, 7, 8, 9]), [4], "too high");
        assert_eq!(damaged(rising, &[11, 12, 13, 14, 0, 16, 17, 18]), [4], "too low");
        assert_eq!(damaged(rising, &[1, 2, 3, 4, 9, 6, 7, 8, 9]), [4], "a little too high");
        assert_eq!(damaged(rising, &[1, 2, 0, 0, 0, 6, 7, 8, 9]), [2, 3, 4], "three");
        assert_eq!(damaged(rising, &[70, 2, 3, 4, 5, 6, 7, 8, 9]), [0], "the first");
        assert_eq!(damaged(rising, &[1, 2, 3, 4, 5, 6, 7, 8, 900]), [8], "the last");
        let long: Vec<i64> = (1..40).chain(21..60).collect();
        assert_eq!(damaged(rising, &long), [0; 0], "doubled");
        let swapped: Vec<i64> = (1..20).chain(40..60).chain(20..40).chain(60..80).collect();
        assert_eq!(damaged(rising, &swapped), [0; 0], "reordered");
        assert_eq!(damaged(rising, &[]), [0; 0]);
    }

    #[test]
    fn a_part_of_one_number_has_its_neighbors_in_others() {
        let doubted = |parts: &[&[i64]]| {
            let (mut series, mut message) = (Series::default(), 0);
            for part in parts {
                series.restart();
                for number in *part {
                    series.add("packet", Rule::Rising(10, 0), message, *number);
                    message += 1;
                }
            }
            series.doubted().into_keys().map(|(_, message)| message).collect::<Vec<_>>()
        };
        assert_eq!(doubted(&[&[2_097_152_001], &[2, 3, 4, 5]]), [0]);
        assert_eq!(doubted(&[&[1, 2, 3], &[900], &[5, 6, 7]]), [3]);
        assert_eq!(doubted(&[&[1], &[2, 3, 4, 5]]), [0; 0]);
        assert_eq!(doubted(&[&[1, 2, 3], &[4], &[900, 901]]), [0; 0]);
        assert_eq!(doubted(&[&[7]]), [0; 0]);
    }

    #[test]
    fn late_packets_are_not_damaged() {
        let late = |numbers: &[i64]| doubted_in(Rule::Rising(100, 64), numbers);
        assert_eq!(late(&[21, 22, 24, 23, 25, 26, 27]), [(3, Doubt::Late)]);
        assert_eq!(late(&[21, 22, 23, 21, 22, 23, 24, 25]), [(3, Doubt::Late), (4, Doubt::Late)]);
        assert_eq!(late(&[21, 22, 94, 23, 25, 26, 27]), [(2, Doubt::Damaged)]);
        assert_eq!(late(&[921, 922, 923, 0, 925, 926, 927]), [(3, Doubt::Damaged)]);
        let long: Vec<i64> = (1..40).chain(21..60).collect();
        assert_eq!(late(&long), []);
    }

    #[test]
    fn counters_start_again() {
        assert_eq!(damaged(Rule::Counting(256), &[254, 255, 0, 1, 77, 3, 4]), [4]);
        let cut: Vec<i64> = (0..20).chain(40..60).collect();
        assert_eq!(damaged(Rule::Counting(256), &cut), [0; 0]);
    }
}
