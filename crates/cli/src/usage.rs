//! What the command line says before any command runs: help, mistakes in it, and whether machines listen.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write};
use std::path::Path;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory};
use fragreel::model::Milliseconds;

use crate::failure::{Failure, FailureKind};
use crate::input::{self, STDIN};
use crate::json::{self, NoAnswer};
use crate::output::printable;
use crate::shell::{self, Outcome};

/// Help texts say `{#}` for `{n}`, which clap takes for the end of a line.
pub fn shown(help: &str) -> String {
    help.replace("{#}", "{n}")
}

/// The commands by what they are for. Every command is in one group.
pub const GROUPS: [(&str, &[&str]); 6] = [
    ("Look", &["info", "events", "scores", "runs", "jumps", "aim", "highlights", "frames", "usercmds", "state", "explain", "extract", "diff", "view"]),
    ("Check", &["verify", "audit"]),
    ("Edit", &["cut", "split", "join", "merge", "repair", "convert", "scrub", "strip", "decompile", "compile"]),
    ("Many recordings", &["index", "find", "sql", "export", "site", "pack", "unpack", "rename", "sort"]),
    ("Live", &["record", "serve", "relay", "servers"]),
    ("More", &["schema", "completions", "man", "help"]),
];

/// A help text with its list of commands in groups. Other texts stay as they are.
pub fn grouped(text: &str) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(start) = lines.iter().position(|line| line.contains("Commands:")) else { return text.to_owned() };
    let end = lines[start..].iter().position(|line| line.trim().is_empty()).map_or(lines.len(), |count| start + count);
    // A command's own line, and what goes on below it.
    let is_first = |line: &str| line.strip_prefix("  ").is_some_and(|line| !line.starts_with(' '));
    let mut entries: Vec<&[&str]> = Vec::new();
    let mut rest = &lines[start + 1..end];
    while !rest.is_empty() {
        let length = 1 + rest[1..].iter().take_while(|line| !is_first(line)).count();
        entries.push(&rest[..length]);
        rest = &rest[length..];
    }
    let is_called = |entry: &[&str], name: &str| {
        // On a terminal, names are between control sequences.
        let line = entry[0].trim_start();
        let line = line.strip_prefix('\u{1b}').and_then(|line| line.split_once('m')).map_or(line, |(_, line)| line);
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '\u{1b}', '\n']))
    };
    let mut shown = lines[..start].concat();
    for (at, (heading, names)) in GROUPS.iter().enumerate() {
        let listed: String = names.iter().filter_map(|name| entries.iter().find(|entry| is_called(entry, name))).map(|entry| entry.concat()).collect();
        if !listed.is_empty() {
            let gap = if at > 0 { "\n" } else { "" };
            shown.push_str(&format!("{gap}{}{listed}", lines[start].replacen("Commands", heading, 1)));
        }
    }
    shown + &lines[end..].concat()
}

/// What somebody sees first, who typed no more than the command's name.
pub fn short() -> String {
    let command = crate::Cli::command();
    let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let mut text = String::from("Fragreel reads, checks, edits, and shows demos of Quake, QuakeWorld, Quake II,\nQuake III, and Half-Life.\n\n");
    for (heading, names) in GROUPS.iter().take(GROUPS.len() - 1) {
        let names: Vec<&str> = names.iter().copied().filter(|name| known.contains(name)).collect();
        let mut line = format!("  {:<6}", heading.split(' ').next().unwrap_or_default().to_lowercase());
        for (at, name) in names.iter().enumerate() {
            let end = if at + 1 < names.len() { "," } else { "" };
            if line.rsplit('\n').next().unwrap_or_default().len() + name.len() + 2 > SHORT_WIDTH {
                line.push_str("\n        ");
            }
            line.push_str(&format!(" {name}{end}"));
        }
        text.push_str(&line);
        text.push('\n');
    }
    text + SHORT_EXAMPLES
}

/// No line of [`short`] is longer.
const SHORT_WIDTH: usize = 78;

const SHORT_EXAMPLES: &str = "\nExamples:
  fragreel final.dm_68                       what it is
  fragreel events --kinds kill final.dm_68   who killed whom
  fragreel view final.dm_68                  watch it in the browser

`fragreel --help` lists all commands, and `fragreel COMMAND --help` explains one.
";

/// Shows the help that was asked for, or what is wrong with the command line.
pub fn refused(error: &clap::Error, words: &[OsString]) -> Outcome {
    let is_help = !error.use_stderr();
    let colored = if is_help { shell::wants_color() && std::io::stdout().is_terminal() } else { shell::wants_color() && std::io::stderr().is_terminal() };
    // What was typed is repeated; file names stand among it.
    let typed = words.iter().map(|word| input::name(word.as_ref())).collect::<Vec<_>>();
    let text = if typed.iter().any(|word| printable(word) != **word) {
        error.render().to_string().lines().map(|line| format!("{}\n", printable(line))).collect()
    } else if colored {
        error.render().ansi().to_string()
    } else {
        error.render().to_string()
    };
    let text = if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand { short() } else { grouped(&shown(&text)) };
    if is_help {
        // A reader who has seen enough is none of our concern.
        let _ = std::io::stdout().write_all(text.as_bytes());
        return Outcome::Fine;
    }
    let is_format = |pair: &[String]| pair[0] == "--format" && pair[1] == "json";
    let json = typed.iter().any(|word| word == "--json" || word == "--format=json") || typed.windows(2).any(is_format);
    if json && error.kind() != ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let plain = error.render().to_string();
        let what = plain.lines().next().unwrap_or_default().trim_start_matches("error: ");
        answer(std::io::stdout(), None, what, FailureKind::Misuse);
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
    Outcome::Misuse
}

/// The words of the command line, arranged as the parser needs them. A recording in place of a command is for `info`. A recording
/// behind an option whose value may be left out is no value: it goes before the option.
pub fn arranged(command: &clap::Command, mut words: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = first_word(command, &words) else { return words };
    let name = words[first].to_string_lossy().into_owned();
    let known = command.get_subcommands().find(|known| known.get_name() == name || known.get_all_aliases().any(|alias| alias == name));
    let Some(known) = known else {
        if name != "help" && is_path(&words[first]) {
            words.insert(1, "info".into());
        }
        return words;
    };
    let is_optional = |word: &OsString| {
        let of = |arg: &&clap::Arg| arg.get_long().is_some_and(|long| word.to_str().and_then(|word| word.strip_prefix("--")) == Some(long));
        known.get_arguments().find(of).is_some_and(|arg| arg.get_num_args().is_some_and(|range| range.min_values() == 0 && range.max_values() == 1))
    };
    for at in first + 1..words.len() {
        let mut at = at;
        while is_optional(&words[at]) && words.get(at + 1).is_some_and(|next| is_path(next)) {
            words.swap(at, at + 1);
            at += 1;
        }
    }
    words
}

/// Where the first word stands that is neither an option of all commands nor the value of one.
fn first_word(command: &clap::Command, words: &[OsString]) -> Option<usize> {
    let mut is_value = false;
    for (at, word) in words.iter().enumerate().skip(1) {
        if std::mem::take(&mut is_value) {
            continue;
        }
        let text = word.to_string_lossy();
        let Some(option) = text.strip_prefix('-').filter(|option| !option.is_empty()) else { return Some(at) };
        let of = |arg: &&clap::Arg| {
            let long = arg.get_long().is_some_and(|long| option.strip_prefix('-') == Some(long));
            long || arg.get_short().is_some_and(|short| option.chars().eq([short]))
        };
        is_value = command.get_arguments().find(of).is_some_and(|arg| arg.get_action().takes_values());
    }
    None
}

/// Whether a word names a recording, a file or a folder, and nothing that an option takes.
fn is_path(word: &OsStr) -> bool {
    let text = word.to_string_lossy();
    let is_number = text.starts_with(|c: char| c.is_ascii_digit()) && text.parse::<Milliseconds>().is_ok();
    let path = Path::new(word);
    !is_number && (text == STDIN || fragreel::is_recording_name(&text) || (!text.starts_with('-') && path.exists()))
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
            answer(std::io::stderr(), path, &failure.one_line(), failure.kind_of());
        } else if self.json {
            answer(std::io::stdout(), path, &failure.one_line(), failure.kind_of());
        }
    }
}

fn answer(mut output: impl Write, path: Option<&str>, error: &str, kind: FailureKind) {
    // Where nobody listens any more there is nobody to know.
    let _ = json::line(&mut output, &NoAnswer::new(path, error, kind));
}
