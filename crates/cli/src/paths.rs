//! The recordings that a command line names.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use fragreel::model::game_text;

use crate::failure::Failure;
use crate::input::{STDIN, path_of};
use crate::pattern::is_pattern;

/// The recordings to work on. There may be more than a command line holds.
#[derive(clap::Args)]
pub struct ManyPaths {
    /// Files, folders (all recordings below them), patterns in quotes, or `-` for standard input
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    paths: Vec<PathBuf>,

    /// Also read paths from FILE, one per line, or from standard input for `-`
    #[arg(long, value_name = "FILE")]
    files_from: Option<PathBuf>,
}

impl ManyPaths {
    /// What was named, here and there.
    pub fn all(&self) -> Result<Vec<PathBuf>, Failure> {
        let listed = self.files_from.as_deref().map(listed).transpose()?;
        Ok(self.paths.iter().cloned().chain(listed.unwrap_or_default()).collect())
    }
}

/// The paths in a file. Empty lines are left out; names are as in answers for machines, so that those can be lists.
fn listed(file: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut text = Vec::new();
    let read =
        if file.as_os_str() == STDIN { std::io::stdin().read_to_end(&mut text) } else { File::open(file).and_then(|mut file| file.read_to_end(&mut text)) };
    read.map_err(|error| Failure::new(format!("cannot read `{}`", file.display())).because(error).help("Name a file with one path on each line."))?;
    let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|line| !line.is_empty());
    Ok(lines.map(|line| path_of(&game_text(line))).collect())
}

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
        matches!(&self.paths[..], [path] if path.as_os_str() == STDIN || (path.exists() && !path.is_dir()))
    }
}
