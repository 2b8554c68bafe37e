//! Numbers that follow a rule from message to message, and those among them that came late, or that damage changed.

use std::collections::BTreeMap;

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

/// The series of a recording: each number with the message that states it.
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
    parts: BTreeMap<(&'static str, Rule), Vec<Numbers>>,
}

/// Messages and the numbers that they state.
type Numbers = Vec<(u32, i64)>;

impl Series {
    /// A message states a number.
    pub fn add(&mut self, what: &'static str, rule: Rule, message: u32, number: i64) {
        let parts = self.parts.entry((what, rule)).or_default();
        if parts.is_empty() {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push((message, number));
        }
    }

    /// All numbers may start again here.
    pub fn restart(&mut self) {
        for parts in self.parts.values_mut() {
            parts.push(Vec::new());
        }
    }

    /// The numbers that their neighbors contradict, by what they number and by their message.
    pub fn doubted(&self) -> BTreeMap<(&'static str, u32), (i64, Doubt)> {
        let mut doubted = BTreeMap::new();
        for ((what, rule), parts) in &self.parts {
            let parts: Vec<&Numbers> = parts.iter().filter(|part| !part.is_empty()).collect();
            for (at, part) in parts.iter().enumerate() {
                doubted.extend(doubted_in(*rule, part).into_iter().map(|(at, doubt)| ((*what, part[at].0), (part[at].1, doubt))));
                if let [(message, number)] = part[..] {
                    let follows = |before: &Numbers, behind: &Numbers| rule.allows(before[before.len() - 1].1, behind[0].1, 1);
                    let before = at.checked_sub(1).map(|before| follows(parts[before], part));
                    let behind = parts.get(at + 1).map(|behind| follows(part, behind));
                    // a part of one number, that neither the part before nor the one behind confirms
                    if [before, behind].contains(&Some(false)) && ![before, behind].contains(&Some(true)) {
                        doubted.insert((*what, message), (number, Doubt::Unconfirmed));
                    }
                }
            }
        }
        doubted
    }
}

/// The places of the numbers that those before and behind contradict.
fn doubted_in(rule: Rule, numbers: &[(u32, i64)]) -> Vec<(usize, Doubt)> {
    let number = |at: usize| numbers[at].1;
    let follows = |before: usize, now: usize| rule.allows(number(before), number(now), now - before);
    // whether what stands there is confirmed by the number behind it, where there is one
    let holds = |at: usize| at + 1 >= numbers.len() || follows(at, at + 1);
    let (mut good, mut doubted) = (Vec::<usize>::new(), Vec::new());
    let mut at = 0;
    'numbers: while at < numbers.len() {
        let Some(&last) = good.last() else {
            good.push(at);
            at += 1;
            continue;
        };
        if follows(last, at) {
            good.push(at);
            at += 1;
            continue;
        }
        for some in 1..=LATE_IN_A_ROW {
            let behind = at + some;
            let is_out = |between: usize| rule.is_out_of_order(number(between), number(last), number(behind));
            if behind < numbers.len() && follows(last, behind) && holds(behind) && (at..behind).any(is_out) {
                let doubts = (at..behind).map(|at| (at, rule.doubt(number(at), number(last))));
                if some <= DAMAGED_IN_A_ROW || doubts.clone().all(|(_, doubt)| doubt == Doubt::Late) {
                    doubted.extend(doubts);
                    at = behind;
                    continue 'numbers;
                }
            }
            if some > DAMAGED_IN_A_ROW {
                continue;
            }
            let before = good.len().checked_sub(some + 1).map(|before| good[before]);
            // the first numbers have nothing before them
            let is_first = good.len() == 1 && some == 1 && (at..at + DAMAGED_IN_A_ROW).all(|at| at + 1 < numbers.len() && follows(at, at + 1));
            let is_out = |before: usize| good[good.len() - some..].iter().any(|&between| rule.is_out_of_order(number(between), number(before), number(at)));
            if before.is_some_and(|before| follows(before, at) && holds(at) && is_out(before)) || is_first {
                let doubt = if is_first { Doubt::Unconfirmed } else { Doubt::Damaged };
                doubted.extend(good.drain(good.len() - some..).map(|at| (at, doubt)));
                good.push(at);
                at += 1;
                continue 'numbers;
            }
        }
        if at + 1 == numbers.len() {
            doubted.push((at, Doubt::Unconfirmed));
            break;
        }
        good.push(at);
        at += 1;
    }
    doubted.sort_unstable_by_key(|(at, _)| *at);
    doubted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damaged(rule: Rule, numbers: &[i64]) -> Vec<usize> {
        let numbers: Vec<(u32, i64)> = numbers.iter().enumerate().map(|(at, number)| (at as u32, *number)).collect();
        doubted_in(rule, &numbers).into_iter().filter(|(_, doubt)| *doubt != Doubt::Late).map(|(at, _)| at).collect()
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
        let late = |numbers: &[i64]| {
            let numbers: Vec<(u32, i64)> = numbers.iter().enumerate().map(|(at, number)| (at as u32, *number)).collect();
            doubted_in(Rule::Rising(100, 64), &numbers)
        };
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
