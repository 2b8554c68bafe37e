//! The `fragreel` command: what is in a game recording, is it whole, what happened in it, and how to make another of it.
//!
//! [`run`] is the whole command. The program `fragreel` calls it, and so does the package for Python, which has the command in it.

#![cfg_attr(not(feature = "live"), allow(dead_code, unused_imports, reason = "`record` and `serve` share parts of other commands"))]

/// Prints to standard error. Where it is closed, nothing more is wanted: the standard library's macro would panic.
macro_rules! eprintln {
    ($($words:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($words)*);
    }};
}

mod address;
mod asked;
mod atomic_file;
mod batch;
mod budget;
mod cells;
mod command;
mod damage;
mod draft_name;
mod edit;
mod failure;
mod file_name;
mod input;
mod inside;
mod interrupt;
mod json;
mod moves;
mod numbers;
mod output;
mod paths;
mod pattern;
#[cfg(feature = "catalogue")]
mod place;
pub mod places;
mod plain;
mod progress;
mod resume;
mod row_output;
mod search;
mod shell;
mod stamp;
mod stream;
mod table;
mod text;
mod topics;
mod usage;

use std::ffi::OsString;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches, Parser};
use fragreel::model::Milliseconds;

use crate::failure::Stop;
use crate::shell::{Outcome, Shell};

/// Read, check, explain, and edit demos of the Quake family
///
/// Quake III (.dm_68 and its relatives), Quake II (.dm2, .mvd2, .rla), Half-Life (.dem), and Quake
/// (.dem, .qwd, .mvd). Gzip is fine. Formats are detected from content, not from the name.
#[derive(Parser)]
#[command(name = "fragreel", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    shell: shell::Options,

    #[command(subcommand)]
    command: command::Command,
}

const EXAMPLES: &str = concat!(
    "\
Examples:
  fragreel info demos/
      list every recording below a folder
  fragreel verify demos/
      check each of them, to the last bit
  fragreel events --kinds kill final.dm_68   kills with time, players, and weapon
  fragreel explain --message 0 final.dm_68   the meaning of every bit of a message
  fragreel state --at 1:30 final.dm_68       players and entities at one moment
  fragreel cut final.dm_68 --around kill:3 -o moment.dm_68   cut a moment out

`fragreel help TOPIC` prints a document: guide, glossary, json, tables,
statistics, moments, text-form, audit, catalogue, site, live, python, scale,
formats/quake1, formats/quake2, formats/quake3, or formats/goldsrc.
All documents: ",
    env!("CARGO_PKG_REPOSITORY"),
    "/tree/main/docs

Exit codes: 0 success; 1 damage or a difference was found; 2 a mistake in the
command line, or a file that cannot be read or is not a recording; 124 --timeout
expired; 130 interrupted; 141 the output was closed before its end."
);

/// Runs the command with the words of a command line. The first is the program's name. Gives the exit code.
///
/// It takes the process over: it prints to standard output, handles Ctrl-C, and may end the process.
#[must_use]
pub fn run(words: Vec<OsString>) -> u8 {
    failure::show_panics_safely();
    let command = Cli::command();
    if let Some(text) = topics::asked(&command, &words) {
        topics::print(text);
        return Outcome::Fine.into();
    }
    let typed = words.clone();
    let words = usage::arranged(&command, words);
    let matches = match command.try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => return usage::refused(&error, &typed).into(),
    };
    if let Some(name) = matches.subcommand_name() {
        json::COMMAND.get_or_init(|| name.to_owned());
    }
    let asked = usage::Asked::of(&matches);
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return usage::refused(&error, &typed).into(),
    };
    let shell = Shell::new(&cli.shell);
    interrupt::listen();
    if let Some(Milliseconds(time)) = cli.shell.timeout
        && let Err(error) = interrupt::end_after(Duration::from_millis(time.unsigned_abs()))
    {
        shell.report(failure::Failure::new("cannot limit the time").because(error).help("Leave out --timeout, or stop other programs."));
        return Outcome::Misuse.into();
    }
    match cli.command.run(&shell) {
        Ok(_) if interrupt::is_late() => {
            interrupt::note();
            interrupt::code()
        }
        Ok(outcome) => outcome.into(),
        // The reader of our output has seen enough; what is not shown was not looked at.
        Err(Stop::PipeClosed) => output::NOT_READ,
        Err(Stop::Failed(failure)) => {
            asked.answer(&failure);
            shell.report(*failure);
            Outcome::Misuse.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory, Parser};

    use super::Cli;
    use super::usage::shown;

    #[test]
    fn files_are_no_commands_and_no_values() {
        let arranged = |line: &str| {
            let words = line.split(' ').map(Into::into).collect();
            let words = super::usage::arranged(&Cli::command(), words);
            words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        for (typed, meant) in [
            ("fragreel a.dm_68", "fragreel info a.dm_68"),
            ("fragreel --jobs 2 a.dm_68 --json", "fragreel info --jobs 2 a.dm_68 --json"),
            ("fragreel src", "fragreel info src"),
            ("fragreel infos", "fragreel infos"),
            ("fragreel info a.dm_68", "fragreel info a.dm_68"),
            ("fragreel -", "fragreel info -"),
            ("fragreel highlights --captures a.dm_68 b.dm_68 --json", "fragreel highlights a.dm_68 b.dm_68 --captures --json"),
            ("fragreel highlights --captures 10 a.dm_68", "fragreel highlights --captures 10 a.dm_68"),
            ("fragreel highlights --flicks src", "fragreel highlights src --flicks"),
            ("fragreel highlights --mid-air --best 3 a.dm_68", "fragreel highlights --mid-air --best 3 a.dm_68"),
        ] {
            assert_eq!(arranged(typed), meant);
        }
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = super::usage::GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let cli = Cli::command();
        let mut known: Vec<&str> = cli.get_subcommands().map(Command::get_name).chain(["help"]).collect();
        grouped.retain(|name| known.contains(name) || cfg!(all(feature = "catalogue", feature = "live")));
        [&mut grouped, &mut known].into_iter().for_each(|names| names.sort_unstable());
        assert_eq!(grouped, known);
        let list = "Usage: x\n\nCommands:\n  info   a\n  join   b\n         goes on\n  audit  c\n\nOptions:\n  -h\n";
        let wanted = "Usage: x\n\nLook:\n  info   a\n\nCheck:\n  audit  c\n\nEdit:\n  join   b\n         goes on\n\nOptions:\n  -h\n";
        assert_eq!(super::usage::grouped(list), wanted);
        assert_eq!(super::usage::grouped("Usage: x\n"), "Usage: x\n");
        let colored = "Commands:\n  \u{1b}[1minfo\u{1b}[0m  a\n\n";
        assert_eq!(super::usage::grouped(colored), colored.replace("Commands", "Look"));
    }

    #[test]
    fn topics_are_documents_and_the_help_names_them() {
        let cli = Cli::command();
        let asked = |topic: &str| super::topics::asked(&cli, &["fragreel", "help", topic].map(Into::into));
        for (topic, _) in super::topics::TOPICS {
            assert!(super::EXAMPLES.contains(topic), "{topic}");
            assert!(asked(&format!("docs/{topic}.md")).is_some_and(|text| text.starts_with("# ")), "{topic}");
        }
        assert!(asked("guide").is_some() && asked("audit").is_none() && asked("nothing").is_none());
    }

    #[test]
    fn definitions_are_sound() {
        Cli::command().debug_assert();
    }

    /// Every example in every help text is a command that this program accepts.
    #[test]
    fn examples_in_help_are_accepted() {
        let mut seen = 0;
        let mut check = |command: &Command| {
            let help = shown(&command.get_after_help().map(ToString::to_string).unwrap_or_default());
            for line in help.lines().filter(|line| line.starts_with("  fragreel ")) {
                // Two spaces or more part the command from what it does.
                let example = line.trim().split("  ").next().unwrap_or_default().split(['|', '>', '<']).next().unwrap_or_default();
                let words = example.split_whitespace().map(|word| word.trim_matches('\''));
                if let Err(error) = Cli::try_parse_from(words) {
                    panic!("`{example}` in the help of `{}`: {error}", command.get_name());
                }
                seen += 1;
            }
        };
        let cli = Cli::command();
        check(&cli);
        for command in cli.get_subcommands() {
            assert!(command.get_after_help().is_some(), "the help of `{}` shows no example", command.get_name());
            check(command);
        }
        assert!(seen > cli.get_subcommands().count(), "only {seen} examples found");
    }
}
