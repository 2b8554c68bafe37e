//! Compares the command with UberDemoTools and mvdparser on the same files, and prints ratios:
//!
//! ```sh
//! cargo run -p fragreel-benches --example peers -- --fragreel target/release/fragreel --udt UDT_json --mvdparser mvdparser FILE...
//! ```
//!
//! It counts instructions with valgrind, or takes the median of alternating runs with `--time`. mvdparser needs `fragfile.dat` and `template.dat` of its
//! sources: name their folder with `--mvdparser-data`. Without a peer, its files are skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs of each program with `--time`.
const RUNS: usize = 9;

#[derive(Default)]
struct Options {
    fragreel: PathBuf,
    udt: Option<PathBuf>,
    mvdparser: Option<PathBuf>,
    mvdparser_data: Option<PathBuf>,
    by_time: bool,
    files: Vec<PathBuf>,
}

impl Options {
    fn read() -> Result<Self, String> {
        let mut options = Options { fragreel: PathBuf::from("fragreel"), ..Options::default() };
        let mut words = std::env::args_os().skip(1);
        let absolute = |path: PathBuf| std::path::absolute(&path).map_err(|error| format!("{}: {error}", path.display()));
        while let Some(word) = words.next() {
            let mut path = || words.next().map(PathBuf::from).ok_or("a path is missing").map_err(String::from).and_then(absolute);
            match word.to_str() {
                Some("--fragreel") => options.fragreel = path()?,
                Some("--udt") => options.udt = Some(path()?),
                Some("--mvdparser") => options.mvdparser = Some(path()?),
                Some("--mvdparser-data") => options.mvdparser_data = Some(path()?),
                Some("--time") => options.by_time = true,
                Some(option) if option.starts_with("--") => return Err(format!("unknown option {option}")),
                _ => options.files.push(absolute(word.into())?),
            }
        }
        if options.files.is_empty() { Err(String::from("name recordings to compare on")) } else { Ok(options) }
    }

    /// The questions about a file that a peer answers.
    fn questions(&self, file: &Path) -> Vec<Question> {
        let extension = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let ours = |words: &[&str]| Program::new(&self.fragreel, words, file);
        match (&self.udt, &self.mvdparser) {
            (Some(udt), _) if extension.starts_with("dm_") => {
                let theirs = |analyzers: &str| Program::new(udt, &["-c", "-q", "-t=1", analyzers], file);
                vec![
                    Question { name: "kills", ours: ours(&["events", "--kinds", "kill", "--json"]), theirs: theirs("-a=d") },
                    Question { name: "all events", ours: ours(&["events", "--json"]), theirs: theirs("-a=gsmrcfd") },
                ]
            }
            (_, Some(mvdparser)) if extension == "mvd" => {
                let data = self.mvdparser_data.clone().unwrap_or_default();
                let [frags, template] = ["fragfile.dat", "template.dat"].map(|name| data.join(name).to_string_lossy().into_owned());
                let theirs = || Program::new(mvdparser, &["-f", &frags, "-t", &template], file);
                vec![
                    Question { name: "scores", ours: ours(&["scores", "--json"]), theirs: theirs() },
                    Question { name: "stated scores", ours: ours(&["scores", "--stated", "--json"]), theirs: theirs() },
                ]
            }
            _ => Vec::new(),
        }
    }
}

struct Question {
    name: &'static str,
    ours: Program,
    theirs: Program,
}

/// A program and its arguments.
struct Program(Vec<std::ffi::OsString>);

impl Program {
    fn new(program: &Path, words: &[&str], file: &Path) -> Self {
        Program([program.into()].into_iter().chain(words.iter().map(Into::into)).chain([file.into()]).collect())
    }

    /// Runs a command line in a folder. Returns what it says on standard error.
    fn run(words: &[std::ffi::OsString], folder: &Path) -> Result<String, String> {
        let output = Command::new(&words[0]).args(&words[1..]).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped()).output();
        let output = output.map_err(|error| format!("{}: {error}", words[0].display()))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(said) } else { Err(format!("{} failed: {said}", words[0].display())) }
    }

    fn milliseconds(&self, folder: &Path) -> Result<f64, String> {
        let start = Instant::now();
        Self::run(&self.0, folder)?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }

    /// Millions of instructions.
    fn instructions(&self, folder: &Path) -> Result<f64, String> {
        let valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"].map(Into::into);
        let said = Self::run(&[&valgrind[..], &self.0].concat(), folder)?;
        let counted = said.lines().find_map(|line| line.split_once("Collected :")?.1.split_whitespace().next()?.parse::<f64>().ok());
        counted.map(|count| count / 1e6).ok_or_else(|| format!("no count in what valgrind says: {said}"))
    }
}

/// The costs of both programs.
fn measure(question: &Question, by_time: bool, folder: &Path) -> Result<[f64; 2], String> {
    let programs = [&question.ours, &question.theirs];
    if !by_time {
        return Ok([programs[0].instructions(folder)?, programs[1].instructions(folder)?]);
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        for (program, times) in programs.iter().zip(&mut times) {
            times.push(program.milliseconds(folder)?);
        }
    }
    Ok(times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    }))
}

fn main() -> Result<(), String> {
    let options = Options::read()?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let unit = if options.by_time { "ms" } else { "M instructions" };
    println!("ratio = peer / fragreel, in {unit}");
    for file in &options.files {
        // mvdparser reads and writes in the folder where it runs
        let name = Path::new(file.file_name().unwrap_or_default());
        std::fs::copy(file, folder.path().join(name)).map_err(|error| format!("{}: {error}", file.display()))?;
        for question in options.questions(name) {
            let [ours, theirs] = measure(&question, options.by_time, folder.path())?;
            println!("{:<14} fragreel {ours:>9.2}  peer {theirs:>9.2}  ratio {:>6.2}  {}", question.name, theirs / ours, name.display());
        }
    }
    Ok(())
}
