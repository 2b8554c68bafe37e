//! Text and back.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use goldsrc::text_form::{Compiler, Decompiler};
use testkit::Sample;
use textform::{Compile, Decompile, compile, decompile};
use wire::Limits;

fn all() -> Vec<Sample> {
    testkit::samples("goldsrc").into_iter().chain(testkit::corpus("goldsrc")).collect()
}

fn decompiler(bytes: &[u8]) -> Option<Decompiler> {
    Decompiler::new(bytes, Some("dem"), Limits::default()).ok()
}

/// Runs `check` on every sample, on two threads.
fn each(check: impl Fn(&str, &[u8]) + Sync) {
    let (samples, next) = (all(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(sample) = samples.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(&sample.name, &sample.bytes());
                }
            });
        }
    });
}

#[test]
fn every_recording_comes_back_from_its_text() {
    each(|name, bytes| {
        let Some(decompiler) = decompiler(bytes) else { return };
        let text = decompile(decompiler, bytes);
        let back = compile(Compiler::default(), &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(back == bytes, "{name} differs from byte {:?} on", back.iter().zip(bytes).position(|(a, b)| a != b));
        let ratio = text.len() as f64 / bytes.len() as f64;
        if std::env::var_os("SHOW").is_some() {
            println!("{ratio:.2} {} {name}", bytes.len());
        }
        assert!(ratio <= 8.0 || bytes.len() < 4096, "{name}: the text is {ratio:.1} times the recording");
    });
}
