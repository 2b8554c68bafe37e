//! Recordings that are still written, as the page asks for them: which there are, how long each is, and whether it is complete.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is written, and what the page knows of it. Who writes and who serves are in two threads.
#[derive(Debug, Default)]
pub struct Growing(Mutex<Files>);

#[derive(Debug, Default)]
struct Files {
    files: Vec<File>,
    /// Whether nothing more is written.
    over: bool,
    /// When a page asked last, and whether it has heard that it is over.
    asked: Option<Instant>,
    heard: bool,
}

#[derive(Debug)]
struct File {
    path: PathBuf,
    complete: bool,
}

/// A recording as the page sees it.
#[derive(Debug, serde::Serialize)]
pub struct Shown {
    pub name: String,
    /// Where it is.
    pub src: String,
    pub bytes: u64,
    pub complete: bool,
}

/// A page that asked within that time is still there.
const THERE: Duration = Duration::from_secs(5);
/// How long a page gets for the last bytes.
const FAREWELL: Duration = Duration::from_millis(500);
const LONGEST_FAREWELL: Duration = Duration::from_secs(4);

impl Growing {
    /// A file is written; the one before is complete.
    pub fn write(&self, path: &Path) {
        let files = &mut self.lock().files;
        if files.last().is_none_or(|last| last.complete || last.path != path) {
            if let Some(last) = files.last_mut() {
                last.complete = true;
            }
            files.push(File { path: path.to_owned(), complete: false });
        }
    }

    /// A file is complete: the one that is written, or one that was so short that nobody heard of it.
    pub fn complete(&self, path: &Path) {
        let files = &mut self.lock().files;
        match files.last_mut() {
            Some(last) if !last.complete => last.complete = true,
            _ => files.push(File { path: path.to_owned(), complete: true }),
        }
    }

    /// Nothing more is written: a page that is there gets the last bytes.
    pub fn finish(&self) {
        let mut files = self.lock();
        for file in &mut files.files {
            file.complete = true;
        }
        files.over = true;
        let is_there = files.asked.is_some_and(|asked| asked.elapsed() < THERE);
        drop(files);
        let began = Instant::now();
        while is_there && !self.lock().heard && began.elapsed() < LONGEST_FAREWELL {
            std::thread::sleep(Duration::from_millis(20));
        }
        if is_there {
            std::thread::sleep(FAREWELL);
        }
    }

    /// Where a file is, by its number.
    pub fn path(&self, number: usize) -> Option<PathBuf> {
        self.lock().files.get(number).map(|file| file.path.clone())
    }

    /// What there is, for the page: files, and whether nothing more is written. `address` says where a file is.
    pub fn state(&self, name: impl Fn(&Path) -> String, address: impl Fn(usize, &Path) -> String) -> serde_json::Value {
        let mut files = self.lock();
        files.asked = Some(Instant::now());
        files.heard |= files.over;
        let shown = |(number, file): (usize, &File)| {
            let bytes = std::fs::metadata(&file.path).map_or(0, |found| found.len());
            Shown { name: name(&file.path), src: address(number, &file.path), bytes, complete: file.complete }
        };
        let shown: Vec<_> = files.files.iter().enumerate().map(shown).collect();
        serde_json::json!({ "files": shown, "over": files.over })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_one_after_the_other_and_nobody_waits_for_a_page_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a.qwd"), folder.path().join("a-2.qwd"));
        let growing = Growing::default();
        let state = || growing.state(|path| path.file_name().unwrap().to_string_lossy().into_owned(), |number, _| format!("recording/{number}"));
        assert_eq!(state().to_string(), r#"{"files":[],"over":false}"#);
        std::fs::write(&first, b"123").unwrap();
        growing.write(&first);
        growing.write(&first);
        assert_eq!(state()["files"].to_string(), r#"[{"bytes":3,"complete":false,"name":"a.qwd","src":"recording/0"}]"#);
        growing.complete(&first);
        growing.write(&second);
        assert_eq!((growing.path(0), growing.path(1), growing.path(2)), (Some(first), Some(second.clone()), None));
        growing.complete(&second);
        let files = state()["files"].as_array().unwrap().clone();
        assert!(files.len() == 2 && files.iter().all(|file| file["complete"] == true));
        let (lonely, began) = (Growing::default(), Instant::now());
        lonely.finish();
        assert!(began.elapsed() < FAREWELL);
        // a page that is there hears that it is over
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| growing.finish());
            while state()["over"] == false {
                std::thread::yield_now();
            }
            waiting.join().unwrap();
        });
        assert!(growing.lock().heard);
    }
}
