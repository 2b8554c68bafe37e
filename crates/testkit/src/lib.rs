//! Shared by tests and benchmarks: `samples/`, which is in the repository, and the corpus of real recordings, which is not.
//!
//! The corpus is in `$FRAGREEL_CORPUS`, by default `../shared/corpus` beside the checkout. Tests that need it and do not find it print that
//! they were skipped, on the terminal and at the end of `cargo xtask ci`. When `$FRAGREEL_CORPUS` is set to a folder without a
//! corpus, they fail.

mod exceptions;
mod random;
mod recordings;
mod sessions;
mod skip;

use std::fmt::Debug;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub use exceptions::{Exceptions, Known};
pub use random::Random;
pub use recordings::{SMALL, on_all_recordings, small};
pub use sessions::sessions;
pub use skip::{SKIPPED, skipped};

/// A recording and what its manifest says of it.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Path below the corpus or `samples/`, with forward slashes.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// `public`, `package`, `made` (manifest); `sample` for our own.
    pub origin: String,
    /// What the manifest says of the dialect.
    pub dialect: String,
    /// What the manifest notes.
    pub notes: String,
    /// Whether the manifest marks it damaged.
    pub damaged: bool,
}

impl Sample {
    /// Its bytes, decompressed when the name ends in `.gz`.
    pub fn bytes(&self) -> Vec<u8> {
        let raw = self.raw();
        if !self.name.ends_with(".gz") {
            return raw;
        }
        let mut bytes = Vec::new();
        flate2::read::MultiGzDecoder::new(&raw[..]).read_to_end(&mut bytes).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        bytes
    }

    /// Its bytes as they are on disk.
    pub fn raw(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap_or_else(|error| panic!("{}: {error}", self.path.display()))
    }

    /// The extension that says what it is: `dm2` for `a.dm2.gz`, in lower case.
    pub fn extension(&self) -> String {
        let name = self.name.strip_suffix(".gz").unwrap_or(&self.name);
        name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase()
    }
}

/// The recordings of one family (`quake3`, `quake2`, `goldsrc`, `quake1`) in the corpus, by name. Empty when there is no
/// corpus, which is [`skipped`].
///
/// # Panics
/// When `$FRAGREEL_CORPUS` names a folder without a corpus.
pub fn corpus(family: &str) -> Vec<Sample> {
    let named = std::env::var_os("FRAGREEL_CORPUS");
    let root = named.as_ref().map_or_else(|| checkout().join("../shared/corpus"), PathBuf::from);
    let manifest = root.join("MANIFEST.tsv");
    let Ok(table) = fs::read_to_string(&manifest) else {
        assert!(named.is_none(), "FRAGREEL_CORPUS names {}, which has no MANIFEST.tsv", root.display());
        skipped(&format!("the tests on real recordings of {family}: set FRAGREEL_CORPUS to the corpus to run them"));
        return Vec::new();
    };
    let mut samples: Vec<Sample> =
        table.lines().skip(1).filter_map(|line| row(&root, line)).filter(|sample| sample.name.starts_with(&format!("{family}/"))).collect();
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    samples.dedup_by(|a, b| a.name == b.name);
    assert!(!samples.is_empty(), "the manifest lists nothing for {family}");
    samples
}

/// Our own recordings of one family, from `samples/`.
pub fn samples(family: &str) -> Vec<Sample> {
    let folder = checkout().join("samples").join(family);
    let mut found: Vec<Sample> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| !matches!(path.extension().and_then(|e| e.to_str()), None | Some("md" | "log" | "txt" | "sh" | "json" | "jsonl")))
        .map(|path| Sample {
            name: format!("{family}/{}", path.file_name().unwrap_or_default().to_string_lossy()),
            path,
            origin: String::from("sample"),
            dialect: String::new(),
            notes: String::new(),
            damaged: false,
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Runs `check` on every sample and its bytes, on two threads.
pub fn two_at_a_time(samples: &[Sample], check: impl Fn(&Sample, &[u8]) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(sample) = samples.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(sample, &sample.bytes());
                }
            });
        }
    });
}

/// The first lines in which two values differ when they are printed.
pub fn first_difference<T: Debug>(a: &T, b: &T) -> String {
    let (a, b) = (format!("{a:#?}"), format!("{b:#?}"));
    let lines: Vec<String> = a.lines().zip(b.lines()).filter(|(a, b)| a != b).map(|(a, b)| format!("{a} / {b}")).take(4).collect();
    lines.join("; ")
}

/// The root of the checkout.
pub fn checkout() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn row(root: &Path, line: &str) -> Option<Sample> {
    let mut columns = line.split('\t');
    let name = columns.next()?.to_owned();
    let (_bytes, _sha256) = (columns.next()?, columns.next()?);
    let mut next = || columns.next().unwrap_or_default().to_owned();
    let (origin, dialect, notes, condition) = (next(), next(), next(), next());
    Some(Sample { path: root.join(&name), name, origin, dialect, notes, damaged: condition.contains("damaged") })
}
