//! The recordings that a command line names.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::pattern::is_pattern;

/// The recordings to work on.
#[derive(clap::Args)]
pub struct Paths {
    /// Files, folders (all recordings below them), patterns in quotes, or `-` for standard input
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
}

impl Paths {
    /// The only recording that they can mean.
    pub fn one(&self) -> Option<&PathBuf> {
        match &self.paths[..] {
            [path] if !path.is_dir() && !is_pattern(path) => Some(path),
            _ => None,
        }
    }

    /// The same, for what is asked about one recording.
    pub fn only(&self) -> Result<&PathBuf, Failure> {
        self.one().ok_or_else(|| Failure::new("this command takes one recording").help("Name one recording. Without --list, several are possible."))
    }

    /// What was named.
    pub fn all(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Whether they can only mean one recording.
    pub fn mean_one(&self) -> bool {
        matches!(&self.paths[..], [path] if path.as_os_str() == crate::input::STDIN || (path.exists() && !path.is_dir()))
    }
}
