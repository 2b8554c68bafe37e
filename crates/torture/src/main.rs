//! `cargo xtask torture`: whole recordings of the corpus and the samples, mutated, are put to every question and every edit.
//! What must hold is in `operations.rs`, what it may cost in `cost.rs`. A case that fails is written as a file, with the
//! command that shows it again.

mod case;
mod clean;
mod cost;
mod failures;
mod mutation;
mod operation;
mod operations;
mod seeks;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use fragreel_testkit::{Random, Sample};

use case::Case;
use clean::Clean;
use failures::Failures;
use operations::OPERATIONS;

/// The game families, by the names of their folders.
const FAMILIES: [&str; 4] = ["quake3", "quake2", "goldsrc", "quake1"];

/// Cases in a row that are made of the same recording: what is known of the clean one serves them all.
const CASES_PER_RECORDING: u64 = 8;

/// Puts mutated recordings to every question and every edit.
#[derive(Parser)]
struct Arguments {
    /// How many mutated recordings
    #[arg(long, default_value_t = 200)]
    cases: u64,

    /// The number of the first, to look at some of a longer run again
    #[arg(long, default_value_t = 0)]
    first: u64,

    /// Which ones: the same number gives the same cases; of files, what is done to them
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The family to take recordings from (quake3, quake2, goldsrc, quake1); may be repeated [default: all]
    #[arg(long)]
    family: Vec<String>,

    /// The operation to try (verify, events, cut, ...); may be repeated [default: all]
    #[arg(long)]
    operation: Vec<String>,

    /// Tries only this number of operations on each case, chosen at random
    #[arg(long)]
    quick: Option<usize>,

    /// Recordings larger than that are left out
    #[arg(long, default_value_t = u64::MAX)]
    largest: u64,

    /// The samples alone, without the corpus
    #[arg(long)]
    samples: bool,

    /// Judges these files as they are, instead of mutated recordings
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Where failing cases are written
    #[arg(long, default_value = "target/torture")]
    output: PathBuf,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    for family in &arguments.family {
        if !FAMILIES.contains(&family.as_str()) {
            eprintln!("there is no family `{family}`; there are {}", FAMILIES.join(", "));
            return ExitCode::from(2);
        }
    }
    for name in &arguments.operation {
        if !OPERATIONS.iter().any(|operation| operation.name == name) {
            let names: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
            eprintln!("there is no operation `{name}`; there are {}", names.join(", "));
            return ExitCode::from(2);
        }
    }
    watch::quiet_panics();
    let mut failures = Failures::new(&arguments.output);
    failures.previous_crash();
    if arguments.files.is_empty() {
        mutated(&arguments, &mut failures);
    } else {
        as_they_are(&arguments, &mut failures);
    }
    failures.summary()
}

/// Judges files as they are.
fn as_they_are(arguments: &Arguments, failures: &mut Failures) {
    for path in &arguments.files {
        let sample = Sample {
            name: path.to_string_lossy().into_owned(),
            path: path.clone(),
            origin: String::new(),
            dialect: String::new(),
            notes: String::new(),
            damaged: true,
        };
        let case = Case::plain(sample.name.clone(), sample.bytes());
        judge(arguments, &mut Clean::of(&case.bytes, &case.name), &case, &|_| arguments.seed, failures);
    }
}

/// Judges mutated recordings.
fn mutated(arguments: &Arguments, failures: &mut Failures) {
    let recordings = recordings(arguments);
    let Some(first) = recordings.first() else {
        eprintln!("there are no such recordings");
        return;
    };
    let (mut current, mut clean) = (first.name.clone(), Clean::of(&first.bytes(), &first.name));
    for number in arguments.first..arguments.first.saturating_add(arguments.cases) {
        // The number alone decides what a case is, so any stretch of cases can be run by itself.
        let mut random = Random::new(arguments.seed.wrapping_mul(0x1_0000_0001).wrapping_add(number / CASES_PER_RECORDING));
        let Some(source) = random.choose(&recordings) else { return };
        let other = random.choose(&recordings).unwrap_or(source);
        let mut random = Random::new(arguments.seed.wrapping_mul(0x1_0000_0001).wrapping_add(number).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        if source.name != current {
            (current, clean) = (source.name.clone(), Clean::of(&source.bytes(), &source.name));
        }
        let case = mutation::mutated_case(number, source, other, &mut clean, &mut random);
        // What is done depends on the case and the operation alone, so that each can be tried by itself.
        let seed = random.number();
        judge(arguments, &mut clean, &case, &|operation| seed ^ Random::named(operation).number(), failures);
        if (number + 1 - arguments.first).is_multiple_of(100) {
            println!("{} cases, {} runs, {} kinds of failure", number + 1 - arguments.first, failures.runs(), failures.kinds());
        }
    }
}

/// Tries the operations on a case.
fn judge(arguments: &Arguments, clean: &mut Clean, case: &Case, seed: &dyn Fn(&str) -> u64, failures: &mut Failures) {
    let mut wanted: Vec<_> =
        OPERATIONS.iter().filter(|operation| arguments.operation.is_empty() || arguments.operation.iter().any(|name| name == operation.name)).collect();
    let mut random = Random::new(seed("quick"));
    while arguments.quick.is_some_and(|most| wanted.len() > most.max(1)) {
        wanted.swap_remove(random.below(wanted.len()));
    }
    for operation in wanted {
        let seed = seed(operation.name);
        failures.begin(case, operation.name);
        let outcome = cost::judged(operation, case, clean, seed);
        failures.end(case, operation.name, seed, outcome);
    }
}

/// The recordings to mutate.
fn recordings(arguments: &Arguments) -> Vec<Sample> {
    let families = FAMILIES.iter().filter(|family| arguments.family.is_empty() || arguments.family.iter().any(|wanted| wanted == *family));
    let all = families
        .flat_map(|family| fragreel_testkit::samples(family).into_iter().chain(if arguments.samples { Vec::new() } else { fragreel_testkit::corpus(family) }));
    let small = |sample: &Sample| std::fs::metadata(&sample.path).is_ok_and(|metadata| metadata.len() <= arguments.largest);
    all.filter(|sample| fragreel::is_recording_name(&sample.name) && small(sample)).collect()
}
