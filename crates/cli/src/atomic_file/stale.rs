//! Drafts whose makers are gone.

use std::fs::{self, File};
use std::path::Path;

use crate::draft_name::is_draft;

/// Removes the drafts in a folder that nobody holds any more. What cannot be looked at stays.
pub fn clear(folder: &Path) {
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
