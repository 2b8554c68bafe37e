//! What surrounds the command: terminal or pipe, colours, how many threads, and its exit code.

use std::io::IsTerminal;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

use crate::failure::Failure;

/// Options that every subcommand takes.
#[derive(clap::Args)]
pub struct Options {
    /// Files worked on at the same time [default: one per processor]
    #[arg(long, short, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Go on from the last frame where a Quake II delta's base is missing, as modern engines do, instead of calling it damage
    #[arg(long, global = true)]
    lenient: bool,
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

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(outcome as u8)
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
    /// Whether to go on from the last frame where a delta's base is missing.
    pub lenient: bool,
    /// Whether standard output is a terminal.
    pub output_is_terminal: bool,
    /// Whether standard error is a terminal: only then there is a progress bar.
    pub errors_are_terminal: bool,
    color: bool,
}

impl Shell {
    /// Looks around.
    pub fn new(options: &Options) -> Self {
        let output_is_terminal = std::io::stdout().is_terminal();
        let errors_are_terminal = std::io::stderr().is_terminal();
        let jobs = options.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get), usize::from);
        // https://no-color.org: present and not empty, whatever it says.
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let colored_errors = wanted && errors_are_terminal;
        // Fails only when a hook is set already, and then that one serves.
        let _ = miette::set_hook(Box::new(move |_| Box::new(miette::MietteHandlerOpts::new().color(colored_errors).unicode(true).width(100).build())));
        Shell { jobs, lenient: options.lenient, output_is_terminal, errors_are_terminal, color: wanted && output_is_terminal }
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

    /// Whether emphasis shows.
    pub fn has_color(&self) -> bool {
        self.color
    }

    /// Tells the person at the keyboard what went wrong.
    pub fn report(&self, failure: Failure) {
        eprintln!("{:?}", miette::Report::new(failure));
    }
}
