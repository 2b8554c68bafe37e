//! What an operation may cost: twice the time that it takes on the clean recording, and a fixed amount of memory beyond the file.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cpu_time::ThreadTime;
use peak_alloc::PeakAlloc;

use crate::case::Case;
use crate::clean::Clean;
use crate::operation::{Operation, Outcome};
use crate::watch::guarded;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is counted for the whole process: one operation at a time.
static COUNTING: Mutex<()> = Mutex::new(());

/// No operation is too slow below this.
const FLOOR: Duration = Duration::from_millis(200);

/// Bytes that an operation may hold beyond the size of the file.
const SPARE: usize = 64 << 20;

/// How often what took too long is run again, to judge it by its fastest run: other programs share the processor and its caches.
const AGAIN: u32 = 4;

/// How long the operation takes on the clean recording.
fn time_on(clean: &mut Clean, operation: &Operation, seed: u64) -> Duration {
    let key = (operation.name, if operation.seeded { seed } else { 0 });
    if let Some(time) = clean.times.get(&key) {
        return *time;
    }
    let case = Case { whole: clean.whole.clone(), ..Case::plain(clean.name.clone(), clean.bytes.clone()) };
    case.is_whole();
    clean.whole.clone_from(&case.whole);
    clean.events();
    let start = ThreadTime::now();
    // Whether it fails is judged where it is asked.
    let _ = guarded(|| (operation.run)(&case, clean, seed));
    let time = start.elapsed();
    clean.times.insert(key, time);
    time
}

/// Runs an operation and judges what it gave and what it cost.
pub fn judged(operation: &Operation, case: &Case, clean: &mut Clean, seed: u64) -> Outcome {
    if operation.needs_clean {
        clean.events();
        case.first.and_then(|first| clean.sound(first));
    }
    case.is_whole();
    let counting = COUNTING.lock().unwrap_or_else(PoisonError::into_inner);
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = ThreadTime::now();
    let outcome = guarded(|| (operation.run)(case, clean, seed));
    let mut time = start.elapsed();
    let memory = MEMORY.peak_usage().saturating_sub(before);
    drop(counting);
    outcome.map_err(|panic| format!("panic: {panic}"))??;
    let most = case.bytes.len() + SPARE;
    if memory > most {
        return Err(format!("too much memory: {memory} bytes for a file of {}", case.bytes.len()));
    }
    if time > FLOOR {
        let grown = (case.bytes.len() as f64 / clean.bytes.len().max(1) as f64).max(1.0);
        let mut most = time_on(clean, operation, seed).mul_f64(2.0 * grown).max(FLOOR);
        if let Some((name, bytes)) = case.other.as_ref().filter(|_| time > most) {
            // Of two recordings the one that takes longer by the byte counts.
            let share = case.bytes.len() as f64 / bytes.len().max(1) as f64;
            most = most.max(time_on(&mut Clean::of(bytes, name), operation, seed).mul_f64(2.0 * share));
        }
        for _ in 0..AGAIN {
            if time <= most {
                break;
            }
            let start = ThreadTime::now();
            let _ = guarded(|| (operation.run)(case, clean, seed));
            time = time.min(start.elapsed());
        }
        if time > most {
            return Err(format!("too slow: {time:.1?} where {most:.1?} are allowed"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(run: fn(&Case, &mut Clean, u64) -> Outcome) -> Outcome {
        let case = Case::plain(String::from("x"), vec![1; 10]);
        let operation = Operation::plain("x", run);
        judged(&operation, &case, &mut Clean::of(&[0; 10], "x"), 0)
    }

    #[test]
    fn what_breaks_a_rule_is_found() {
        crate::watch::quiet_panics();
        let found = |run, words: &str| assert!(outcome(run).unwrap_err().contains(words), "{words}");
        assert_eq!(outcome(|_, _, _| Ok(())), Ok(()));
        found(|_, _, _| Err(String::from("wrong")), "wrong");
        found(|_, _, _| panic!("gone"), "gone");
        found(|_, _, _| (vec![1u8; 2 * SPARE].len() > 5).then_some(()).ok_or_else(String::new), "too much memory");
        // Slow on the mutated recording alone.
        let slow = |case: &Case, _: &mut Clean, _: u64| {
            let start = ThreadTime::now();
            while case.bytes[0] == 1 && start.elapsed() < FLOOR * 2 {}
            Ok(())
        };
        found(slow, "too slow");
    }

    /// A recording that is damaged already, and goes on behind that: what is cut off soon after it leaves nothing by which it is found to go on.
    #[test]
    fn what_is_found_again_needs_what_follows() {
        const LOADING: usize = 544;
        const LENGTH: usize = LOADING + 9 + 464;
        let sample = fragreel_testkit::samples("goldsrc").into_iter().find(|sample| sample.name.ends_with("net-48.dem")).unwrap();
        let mut bytes = sample.bytes();
        let whole = Clean::of(&bytes, &sample.name);
        bytes[LENGTH..LENGTH + 4].fill(0xff);
        let mut damaged = Clean::of(&bytes, &sample.name);
        let first =
            |clean: &Clean, number: u32| (LOADING..bytes.len()).find(|&at| clean.message_at(at).is_some_and(|message| message.number == number)).unwrap();
        for (spoiled, expected) in [(0, 0), (1, 0), (2, 0), (3, 3), (5, 5)] {
            let at = first(&damaged, spoiled);
            assert_eq!(damaged.sound(at).unwrap().message, expected);
            let (at, mut whole) = (first(&whole, spoiled), Clean::of(&whole.bytes, &sample.name));
            assert_eq!(whole.sound(at).unwrap().message, spoiled);
        }
    }

    /// Parts by size take longer than by level: the clean recording does what the mutated one did.
    #[test]
    fn what_a_seed_chooses_is_timed_with_that_seed() {
        let slow = |_: &Case, _: &mut Clean, seed: u64| {
            let start = ThreadTime::now();
            while start.elapsed() < FLOOR.mul_f64(0.6 + 0.6 * seed as f64) {}
            Ok(())
        };
        let operation = Operation { seeded: true, ..Operation::plain("x", slow) };
        let (case, mut clean) = (Case::plain(String::from("x"), vec![1; 10]), Clean::of(&[0; 10], "x"));
        assert!([1, 4].iter().all(|&seed| judged(&operation, &case, &mut clean, seed).is_ok()));
    }
}
