//! Drafts whose makers are gone.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::draft_name::is_draft;

/// The folders that this process has cleared.
static CLEARED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// Removes the drafts in a folder that nobody holds any more, once. What cannot be looked at stays.
pub fn clear(folder: &Path) {
    if !CLEARED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(folder.to_owned()) {
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_draft(&entry.path()) && entry.file_type().is_ok_and(|kind| kind.is_file())) {
        remove(&entry.path());
    }
}

/// Removes a draft unless somebody holds it. Returns whether it is gone.
pub fn remove(draft: &Path) -> bool {
    let Ok(file) = File::open(draft) else { return !draft.exists() };
    file.try_lock().is_ok() && fs::remove_file(draft).is_ok()
}
