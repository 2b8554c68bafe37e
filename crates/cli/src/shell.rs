//! What surrounds the command: terminal or pipe, colors, how many threads, and its exit code.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};

use anstyle::{AnsiColor, Style};

use fragreel::code_page::{self, CodePage};
use fragreel::model::Milliseconds;
use fragreel::{Limits, PhraseFile};
use textwrap::core::Word;

use crate::budget::Budget;
use crate::failure::Failure;

/// The heading that these options stand under in help texts.
const GLOBAL: &str = "Options of every command";

/// Options that every subcommand takes.
#[derive(clap::Args)]
pub struct Options {
    /// Files worked on at the same time [default: one per processor]
    #[arg(long, short, global = true, help_heading = GLOBAL, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Scripts may still give it
    #[arg(long, global = true, hide = true)]
    lenient: bool,

    /// Of several recordings with the same content, unpacked, answer only for the first
    #[arg(long, global = true, help_heading = GLOBAL, hide_short_help = true)]
    distinct: bool,

    /// Code page for names and chat that are not UTF-8: windows-1251, koi8-r, latin1, ... The `raw`
    /// text in JSON does not change
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "NAME", value_parser = code_page, hide_short_help = true)]
    encoding: Option<CodePage>,

    /// Read kills of Quake recordings by these phrases first: a file in the
    /// format of ezQuake's `fragfile.dat`
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "FILE", value_parser = phrase_file, hide_short_help = true)]
    phrases: Option<Arc<PhraseFile>>,

    /// Refuse recordings that are larger than this when unpacked
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "SIZE", default_value = "1GB", value_parser = size, hide_short_help = true)]
    max_size: u64,

    /// Memory for all recordings that are read at the same time
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "SIZE", default_value = "2GB", value_parser = size, hide_short_help = true)]
    max_memory: u64,

    /// Stop after this time with exit code 124: seconds such as 90.5, or m:ss such as 1:30
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "TIME", hide_short_help = true)]
    pub timeout: Option<Milliseconds>,
}

fn code_page(name: &str) -> Result<CodePage, String> {
    CodePage::named(name).ok_or_else(|| format!("write one of {}", CodePage::names().collect::<Vec<_>>().join(", ")))
}

fn phrase_file(path: &str) -> Result<Arc<PhraseFile>, String> {
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    PhraseFile::parse(&bytes).map(Arc::new).map_err(|error| error.to_string())
}

/// Whether colors are wanted, where there is a terminal.
pub fn wants_color() -> bool {
    // https://no-color.org: present and not empty, whatever it says.
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// How wide diagnostics are where there is no terminal.
const PIPE_WIDTH: usize = 80;

/// Reads a number of bytes, with a unit or without.
pub fn size(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let units = [("kb", 1000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("k", 1000), ("m", 1_000_000), ("g", 1_000_000_000), ("b", 1)];
    let (digits, unit) = units.iter().find_map(|(name, unit)| Some((lower.strip_suffix(name)?, *unit))).unwrap_or((&lower, 1));
    let bytes = digits.trim().parse::<u64>().ok().and_then(|count| count.checked_mul(unit)).filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| String::from("write a number of bytes, such as 500000, 500kB or 10MB"))
}

/// How a command ended. The worst of many is what counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// All is well.
    Fine,
    /// Some recording is damaged.
    Damage,
    /// Some file could not be read or is no recording, or the command line makes no sense.
    Misuse,
}

impl Outcome {
    /// Damage, if there is any.
    pub fn damaged(damaged: bool) -> Self {
        if damaged { Outcome::Damage } else { Outcome::Fine }
    }
}

/// The exit code.
impl From<Outcome> for u8 {
    fn from(outcome: Outcome) -> Self {
        outcome as u8
    }
}

/// What emphasis is for.
#[derive(Debug, Clone, Copy)]
pub enum Ink {
    /// All is well.
    Good,
    /// Something is broken.
    Bad,
    /// A heading.
    Strong,
    /// Less important.
    Faint,
}

/// The surroundings.
pub struct Shell {
    /// How many files to work on at the same time.
    pub jobs: usize,
    /// Whether standard output is a terminal.
    pub output_is_terminal: bool,
    /// Whether standard error is a terminal: only then there is a progress bar.
    pub errors_are_terminal: bool,
    /// What decoders may do.
    pub limits: Limits,
    /// What all recordings that are worked on share.
    pub budget: Budget,
    /// Whether copies of a recording are passed over.
    pub distinct: bool,
    /// Phrases by which kills are read first.
    pub phrases: Option<Arc<PhraseFile>>,
    color: bool,
    /// Advice that was given.
    given: Mutex<HashSet<String>>,
}

impl Shell {
    /// Looks around.
    pub fn new(options: &Options) -> Self {
        let output_is_terminal = std::io::stdout().is_terminal();
        let errors_are_terminal = std::io::stderr().is_terminal();
        let jobs = options.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get), usize::from);
        let wanted = wants_color();
        let colored_errors = wanted && errors_are_terminal;
        // Fails only when a hook is set already, and then that one serves.
        let _ = miette::set_hook(Box::new(move |_| {
            let style = miette::MietteHandlerOpts::new().color(colored_errors).unicode(true);
            let style = style.break_words(false).word_separator(textwrap::WordSeparator::Custom(words));
            // A terminal has a width of its own.
            let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
            let width = asked.or((!errors_are_terminal).then_some(PIPE_WIDTH));
            Box::new(if let Some(width) = width { style.width(width) } else { style }.build())
        }));
        code_page::choose(options.encoding);
        if options.lenient {
            eprintln!("`--lenient` is not needed anymore: a lost delta base is reported, and reading continues");
        }
        let mut limits = Limits::default();
        limits.recording_bytes = options.max_size;
        let color = wanted && output_is_terminal;
        let distinct = options.distinct;
        Shell {
            jobs,
            distinct,
            output_is_terminal,
            errors_are_terminal,
            limits,
            budget: Budget::new(options.max_memory),
            phrases: options.phrases.clone(),
            color,
            given: Mutex::default(),
        }
    }

    /// `text` with emphasis where the terminal can show it.
    pub fn paint(&self, ink: Ink, text: impl std::fmt::Display) -> String {
        if !self.color {
            return text.to_string();
        }
        let style = match ink {
            Ink::Good => AnsiColor::Green.on_default(),
            Ink::Bad => AnsiColor::Red.on_default().bold(),
            Ink::Strong => Style::new().bold(),
            Ink::Faint => Style::new().dimmed(),
        };
        format!("{style}{text}{style:#}")
    }

    /// Threads for as many files as are worked on at the same time.
    pub fn pool(&self) -> Result<rayon::ThreadPool, Failure> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.jobs).build();
        pool.map_err(|error| Failure::new("cannot start that many threads").because(error).help("Use a smaller number with `--jobs`."))
    }

    /// Whether emphasis shows.
    pub fn has_color(&self) -> bool {
        self.color
    }

    /// Shows the person at the keyboard what went wrong. Advice that was given already is not repeated.
    pub fn report(&self, failure: Failure) {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let failure = failure.without_help_if(|help| !given.insert(help.to_owned()));
        eprintln!("{:?}", miette::Report::new(failure));
    }
}

/// The words between which a message is wrapped. What stands between backticks is one word, so that a path can be copied.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let mut rest = line;
    Box::new(std::iter::from_fn(move || {
        let (mut is_quoted, mut is_after_blank) = (false, false);
        let next = rest.char_indices().find(|&(_, c)| {
            let begins = is_after_blank && c != ' ';
            is_quoted ^= c == '`';
            is_after_blank = c == ' ' && !is_quoted;
            begins
        });
        let (word, more) = rest.split_at(next.map_or(rest.len(), |(at, _)| at));
        rest = more;
        (!word.is_empty()).then(|| Word::from(word))
    }))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_quoted_is_one_word() {
        let words = |line| super::words(line).map(|word| format!("{}{}", word.word, word.whitespace)).collect::<Vec<_>>();
        assert_eq!(words("cannot  read `/a b/c-d.dm_68`: it's gone "), ["cannot  ", "read ", "`/a b/c-d.dm_68`: ", "it's ", "gone "]);
        assert_eq!(words("  in a `b c"), ["  ", "in ", "a ", "`b c"]);
        assert!(words("").is_empty());
    }
}
