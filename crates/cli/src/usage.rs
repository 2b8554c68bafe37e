//! What the command line says before any command runs: help, mistakes in it, and whether machines listen.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::ArgMatches;
use clap::error::ErrorKind;

use crate::failure::Failure;
use crate::input::{self, STDIN};
use crate::json::{self, NoAnswer};
use crate::output::printable;
use crate::shell::{self, Outcome};

/// Help texts say `{#}` for `{n}`, which clap takes for the end of a line.
pub fn shown(help: &str) -> String {
    help.replace("{#}", "{n}")
}

/// Shows the help that was asked for, or what is wrong with the command line.
pub fn refused(error: &clap::Error) -> ExitCode {
    let is_help = !error.use_stderr();
    let colored = if is_help { shell::wants_color() && std::io::stdout().is_terminal() } else { shell::wants_color() && std::io::stderr().is_terminal() };
    // What was typed is repeated; file names stand among it.
    let typed = std::env::args_os().map(|word| input::name(word.as_ref())).collect::<Vec<_>>();
    let text = if typed.iter().any(|word| printable(word) != **word) {
        error.render().to_string().lines().map(|line| format!("{}\n", printable(line))).collect()
    } else if colored {
        error.render().ansi().to_string()
    } else {
        error.render().to_string()
    };
    let text = shown(&text);
    if is_help {
        // A reader who has seen enough is none of our concern.
        let _ = std::io::stdout().write_all(text.as_bytes());
        return ExitCode::SUCCESS;
    }
    let is_format = |pair: &[String]| pair[0] == "--format" && pair[1] == "json";
    let json = typed.iter().any(|word| word == "--json" || word == "--format=json") || typed.windows(2).any(is_format);
    if json && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let plain = error.render().to_string();
        let what = plain.lines().next().unwrap_or_default().trim_start_matches("error: ");
        answer(std::io::stdout(), None, what);
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
    Outcome::Misuse.into()
}

/// What is asked, as far as a failure needs it.
pub struct Asked {
    json: bool,
    path: Option<String>,
    /// Whether standard output is for a recording.
    elsewhere: bool,
}

impl Asked {
    /// Looks at the options, whatever the command.
    pub fn of(matches: &ArgMatches) -> Self {
        let matches = matches.subcommand().map_or(matches, |(_, matches)| matches);
        let flag = |name| matches.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or_default();
        let words =
            |name| matches.try_get_raw(name).ok().flatten().map(|words| words.map(|word| input::name(word.as_ref())).collect::<Vec<_>>()).unwrap_or_default();
        let mut paths = [words("path"), words("paths")].concat();
        let path = (paths.len() == 1).then(|| paths.remove(0));
        let json = flag("json") || words("format").last().is_some_and(|format| format == "json");
        Asked { json, path, elsewhere: words("output").iter().any(|word| word == STDIN) }
    }

    /// Lets machines know that there is no answer.
    pub fn answer(&self, failure: &Failure) {
        let path = self.path.as_deref().or(failure.file());
        if self.json && self.elsewhere {
            answer(std::io::stderr(), path, &failure.one_line());
        } else if self.json {
            answer(std::io::stdout(), path, &failure.one_line());
        }
    }
}

fn answer(mut output: impl Write, path: Option<&str>, error: &str) {
    // Where nobody listens any more there is nobody to know.
    let _ = json::line(&mut output, &NoAnswer::new(path, error));
}
