//! The archives of the command, tried as people have them: unpacked in an empty folder, and started without this machine's settings.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::wine::{self, Wine};
use super::{at, target};
use crate::step::{Failed, checkout, leave_out, target as build_folder, timed};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Tries this machine's command, and the one for Windows under Wine.
pub fn run(archives: &Path) -> Result<(), Failed> {
    let host = target::host()?;
    let here = archives.join(format!("fragreel-{VERSION}-{host}.tar.gz"));
    if here.is_file() {
        let folder = empty(build_folder().join("dist-trial"))?;
        let file = File::open(&here).map_err(|error| at(&here, error))?;
        tar::Archive::new(flate2::read::GzDecoder::new(file)).unpack(&folder).map_err(|error| at(&here, error))?;
        let trial = Trial { folder: only_folder(&folder)?, wine: None };
        timed("trial here", || first_minutes(&trial))?;
    }
    let windows = archives.join(format!("fragreel-{VERSION}-x86_64-pc-windows-gnu.zip"));
    must(here.is_file() || windows.is_file(), || format!("there is nothing to try in {}", archives.display()))?;
    if windows.is_file() {
        match Wine::find()? {
            Some(wine) => {
                let folder = empty(wine.folder())?;
                let file = File::open(&windows).map_err(|error| at(&windows, error))?;
                zip::ZipArchive::new(file).and_then(|mut zip| zip.extract(&folder)).map_err(|error| at(&windows, error))?;
                let trial = Trial { folder: only_folder(&folder)?, wine: Some(wine) };
                timed("trial under Wine", || {
                    wine::prepare(&trial)?;
                    first_minutes(&trial)?;
                    wine::differences(&trial)
                })?;
            }
            None => leave_out("the command for Windows was not tried: Wine is not installed; on Debian, `apt install wine64`"),
        }
    }
    Ok(())
}

/// Makes a folder, or empties it.
pub fn empty(folder: PathBuf) -> Result<PathBuf, Failed> {
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| at(&folder, error))?;
    Ok(folder)
}

/// The folder that an archive has everything in.
fn only_folder(folder: &Path) -> Result<PathBuf, Failed> {
    let mut entries = fs::read_dir(folder).map_err(|error| at(folder, error))?;
    match (entries.next(), entries.next()) {
        (Some(Ok(entry)), None) => Ok(entry.path()),
        _ => Err(Failed(format!("{} has not one folder", folder.display()))),
    }
}

/// An unpacked archive.
pub struct Trial {
    pub folder: PathBuf,
    pub wine: Option<Wine>,
}

impl Trial {
    /// A program of the folder, such as `fragreel`.
    pub fn program(&self, name: &str) -> Command {
        let mut command = match &self.wine {
            Some(wine) => wine.command(&self.folder.join(format!("{name}.exe"))),
            None => {
                let mut command = Command::new(self.folder.join(name));
                command.env_clear();
                command
            }
        };
        command.current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    /// Runs the command, which must end with this exit code. Returns all that it prints.
    pub fn fragreel(&self, words: &[&str], code: i32) -> Result<String, Failed> {
        ends_with(self.program("fragreel").args(words), code)
    }
}

/// Runs a program, which must end with this exit code. Returns all that it prints.
pub fn ends_with(command: &mut Command, code: i32) -> Result<String, Failed> {
    let output = command.output().map_err(|error| Failed(format!("{command:?}: {error}")))?;
    let Output { status, stdout, stderr } = &output;
    let text = format!("{}{}", String::from_utf8_lossy(stdout), String::from_utf8_lossy(stderr));
    if status.code() == Some(code) { Ok(text) } else { Err(Failed(format!("{command:?} ended with {status}, not with {code}:\n{text}"))) }
}

/// A condition of the trial.
pub fn must(holds: bool, what: impl FnOnce() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(Failed(what())) }
}

/// The quick start of README, with what it says there, and the viewer's page.
fn first_minutes(trial: &Trial) -> Result<(), Failed> {
    let readme = checkout().join("README.md");
    let readme = fs::read_to_string(&readme).map_err(|error| at(&readme, error))?;
    let transcripts = transcripts(&readme);
    must(transcripts.len() >= 5, || format!("README.md has {} commands with output", transcripts.len()))?;
    for (words, expected) in transcripts {
        let printed = trial.fragreel(&words, 0)?;
        let lines: Vec<String> = printed.lines().map(|line| line.trim_end().replace('\\', "/")).collect();
        let missing = expected.iter().find(|expected| !lines.iter().any(|line| line == *expected));
        must(missing.is_none(), || format!("`fragreel {}` does not print `{}`, but:\n{printed}", words.join(" "), missing.unwrap_or(&"")))?;
    }
    page(trial)
}

/// The commands of README's transcripts with the lines that they print; `...` stands for others.
fn transcripts(readme: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
    let blocks = readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let runs = blocks.filter_map(|block| block.strip_prefix("$ fragreel ")?.split_once('\n'));
    runs.map(|(words, lines)| {
        let lines = lines.lines().map(str::trim_end).filter(|line| !line.is_empty() && *line != "...");
        (words.split(' ').collect(), lines.collect())
    })
    .collect()
}

/// `fragreel view` serves the page.
fn page(trial: &Trial) -> Result<(), Failed> {
    let mut view = trial.program("fragreel");
    view.args(["view", "--no-browser", "--for", "5", "samples/quake3/dm_bots.dm_71"]).stdout(Stdio::piped());
    let mut view = view.spawn().map_err(|error| Failed(format!("view: {error}")))?;
    let mut address = String::new();
    let read = view.stdout.take().map(|out| BufReader::new(out).read_line(&mut address));
    let answer = read.map_or(Ok(String::new()), |read| read.and_then(|_| get(address.trim())));
    let ended = view.wait();
    let answer = answer.map_err(|error| Failed(format!("the viewer's page at {address}: {error}")))?;
    must(answer.starts_with("HTTP/1.1 200") && answer.contains("<fragreel-viewer"), || format!("{address} answers {answer}"))?;
    must(ended.as_ref().is_ok_and(std::process::ExitStatus::success), || format!("view ended with {ended:?}"))
}

fn get(address: &str) -> std::io::Result<String> {
    let (host, path) = address.trim_start_matches("http://").split_once('/').unwrap_or_default();
    let path = path.split('#').next().unwrap_or_default();
    let mut stream = TcpStream::connect(host)?;
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::transcripts;

    #[test]
    fn commands_of_readme_are_found_with_what_they_print() {
        let readme = "Say\n\n```console\n$ fragreel info a.dm_68\nfile   a\n...\nmap    b  \n\n```\n\n```sh\nfragreel view a\n```\n";
        assert_eq!(transcripts(readme), [(vec!["info", "a.dm_68"], vec!["file   a", "map    b"])]);
    }
}
