//! `fragreel runs --compare`

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use fragreel::model::Milliseconds;
use fragreel::movement::{Compared, Mark, Stretch};
use serde::Serialize;

use super::pair::{Pair, signed};
use super::picture;
use super::side::{self, Facts, Segment};
use crate::atomic_file::{Draft, Inputs, Target};
use crate::failure::{Failure, Stop};
use crate::output::{self, printable};
use crate::shell::{Outcome, Shell};
use crate::{json, table};

/// The numbers of the runs, in A and in B.
pub type Numbers = (usize, usize);

/// What is wanted.
pub struct Wanted<'a> {
    pub runs: Option<Numbers>,
    pub parts: u32,
    pub svg: Option<&'a Path>,
    pub force: bool,
}

/// `2` or `2,1`.
pub fn numbers(text: &str) -> Result<Numbers, String> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|number| *number > 0);
    let (first, second) = text.split_once(',').unwrap_or((text, text));
    number(first).zip(number(second)).ok_or_else(|| String::from("expected a number from 1, or two as in `2,1`"))
}

pub fn run(shell: &Shell, paths: &[PathBuf], wanted: &Wanted<'_>, json: bool) -> Result<Outcome, Stop> {
    let [first, second] = paths else {
        let failure = Failure::new("--compare takes two paths");
        return Err(failure.help("Put the recordings of a run in several segments into a folder, or name them by a pattern in quotes.").into());
    };
    let target = wanted.svg.map(|svg| Target::of(svg, &Inputs::of(paths), wanted.force)).transpose()?;
    let a = side::segments(shell, first, wanted.runs.map(|numbers| numbers.0))?;
    let b = side::segments(shell, second, wanted.runs.map(|numbers| numbers.1))?;
    let compared = compare(&a, &b, wanted.parts)?;
    let mut output = output::stdout();
    if json {
        json::line(&mut output, &answer(&compared))?;
    } else {
        show(shell, &mut output, &compared)?;
    }
    output::finish(output)?;
    for segment in a.iter().chain(&b).filter(|segment| segment.route.places.is_empty()) {
        eprintln!("{}: the recording does not show the player of the run", printable(&segment.name));
    }
    if let Some(target) = target {
        Draft::put(target, picture::svg(&compared).as_bytes())?;
    }
    Ok(Outcome::Fine)
}

fn compare<'s>(a: &'s [Segment], b: &'s [Segment], parts: u32) -> Result<Vec<Pair<'s>>, Failure> {
    if a.len() != b.len() {
        let failure = Failure::new(format!("the runs have {} and {} segments", a.len(), b.len()));
        return Err(failure.help("Segments are compared one by one: name as many on either side."));
    }
    let pair = |(a, b): (&'s Segment, &'s Segment)| {
        if !a.run.map.eq_ignore_ascii_case(&b.run.map) || a.run.course != b.run.course {
            let what = |segment: &Segment| format!("{} on {}", segment.run.course.name(), printable(&segment.run.map));
            let failure = Failure::new(format!("the runs are not on one course: {}, and {}", what(a), what(b)));
            return Err(failure.help("`fragreel runs` lists the runs of recordings. --run chooses one of several."));
        }
        Ok(Pair { a, b, compared: Compared::of((&a.run, &a.route), (&b.run, &b.route), parts) })
    };
    a.iter().zip(b).map(pair).collect()
}

/// What `--json` writes.
#[derive(Serialize)]
struct Answer<'s> {
    segments: Vec<Part<'s>>,
    total: Total,
}

#[derive(Serialize)]
struct Part<'s> {
    course: &'static str,
    map: &'s str,
    a: Facts<'s>,
    b: Facts<'s>,
    marks: &'s [Mark],
    #[serde(skip_serializing_if = "Option::is_none")]
    most_lost: Option<Stretch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most_gained: Option<Stretch>,
}

/// All segments together. Unknown if the time of one is.
#[derive(Serialize)]
struct Total {
    #[serde(skip_serializing_if = "Option::is_none")]
    time_a: Option<Milliseconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_b: Option<Milliseconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<Milliseconds>,
}

fn total(pairs: &[Pair<'_>]) -> Total {
    let sum = |of: &dyn Fn(&Pair<'_>) -> Option<i64>| pairs.iter().map(of).sum::<Option<i64>>().map(Milliseconds);
    let (time_a, time_b) = (sum(&|pair| pair.a.run.time.value()), sum(&|pair| pair.b.run.time.value()));
    Total { time_a, time_b, difference: time_a.zip(time_b).map(|(a, b)| a - b) }
}

fn answer<'s>(pairs: &'s [Pair<'s>]) -> Answer<'s> {
    let part = |pair: &'s Pair<'s>| Part {
        course: pair.a.run.course.name(),
        map: &pair.a.run.map,
        a: pair.a.facts(),
        b: pair.b.facts(),
        marks: &pair.compared.marks,
        most_lost: pair.compared.most_lost,
        most_gained: pair.compared.most_gained,
    };
    Answer { segments: pairs.iter().map(part).collect(), total: total(pairs) }
}

/// A mark in words.
pub fn words(mark: &Mark) -> String {
    match (mark.place, mark.number) {
        ("share", Some(number)) => format!("{number} %"),
        (place, Some(number)) => format!("{place} {number}"),
        (place, None) => place.to_owned(),
    }
}

fn show(shell: &Shell, output: &mut impl Write, pairs: &[Pair<'_>]) -> Result<(), Stop> {
    for (number, pair) in pairs.iter().enumerate() {
        if number > 0 {
            writeln!(output)?;
        }
        writeln!(output, "{} on {}", pair.a.run.course.name(), printable(&pair.a.run.map))?;
        let mut facts = table::Rows::new(&["FACT", "A", "B"]);
        let or = |text: &str| if text.is_empty() { String::from("-") } else { printable(text).to_string() };
        for ((name, a), (_, b)) in pair.a.lines().into_iter().zip(pair.b.lines()) {
            if !a.is_empty() || !b.is_empty() {
                facts.push(shell, output, vec![name.to_owned(), or(&a), or(&b)])?;
            }
        }
        let settings = [&pair.a.run.settings, &pair.b.run.settings];
        for name in settings.into_iter().flat_map(BTreeMap::keys).collect::<BTreeSet<_>>() {
            let [a, b] = settings.map(|settings| or(settings.get(name).map(String::as_str).unwrap_or_default()));
            facts.push(shell, output, vec![printable(name).to_string(), a, b])?;
        }
        facts.flush(shell, output)?;
        writeln!(output)?;
        let mut rows = table::Rows::new(&["PLACE", "TIME A", "TIME B", "DIFFERENCE", "LOST", "SPEED A", "SPEED B"]);
        for mark in &pair.compared.marks {
            rows.push(shell, output, row(mark))?;
        }
        rows.flush(shell, output)?;
        writeln!(output)?;
        for (stretch, verb) in [(pair.compared.most_lost, "lost"), (pair.compared.most_gained, "gained")] {
            if let Some(stretch) = stretch {
                writeln!(output, "{}", sentence(&pair.compared, stretch, verb))?;
            }
        }
    }
    if let (Total { time_a: Some(a), time_b: Some(b), difference: Some(difference) }, true) = (total(pairs), pairs.len() > 1) {
        writeln!(output, "total: {a} and {b}, difference {}", signed(difference))?;
    }
    Ok(())
}

fn row(mark: &Mark) -> Vec<String> {
    let or = |text: Option<String>| text.unwrap_or_else(|| String::from("-"));
    let speed = |speed: Option<f32>| or(speed.map(|speed| format!("{speed:.0}")));
    vec![
        words(mark),
        or(mark.time_a.map(|time| time.to_string())),
        or(mark.time_b.map(|time| time.to_string())),
        or(mark.difference.map(signed)),
        or(mark.lost.map(signed)),
        speed(mark.speed_a),
        speed(mark.speed_b),
    ]
}

/// Where the most was lost or gained.
fn sentence(compared: &Compared, stretch: Stretch, verb: &str) -> String {
    let name = |at: usize| match compared.marks.get(at) {
        Some(mark) if mark.number.is_none() => format!("the {}", mark.place),
        mark => mark.map(words).unwrap_or_default(),
    };
    let time = stretch.lost.0.unsigned_abs();
    let from = stretch.from.map_or_else(|| String::from("the start"), name);
    format!("A {verb} the most from {from} to {}: {}.{:03} s", name(stretch.to), time / 1000, time % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_chosen_by_one_number_or_two() {
        assert_eq!([numbers("2"), numbers("3, 1")], [Ok((2, 2)), Ok((3, 1))]);
        assert!(numbers("0").is_err() && numbers("1,").is_err() && numbers("a").is_err());
    }
}
