//! Every help text, as it stands on a terminal of 80 columns. `cargo xtask bless` writes what the command says now.

use std::path::PathBuf;

use super::{Ran, fragreel};

const COLUMNS: usize = 80;

fn help(command: &str) -> String {
    let arguments: &[&str] = if command.is_empty() { &["--help"] } else { &[command, "--help"] };
    let ran = Ran::of(fragreel(arguments).env("COLUMNS", COLUMNS.to_string()).output().expect("the command starts"));
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{command}");
    ran.out
}

/// The names in the groups of the first help.
fn commands() -> Vec<String> {
    let help = help("");
    let list = help.lines().skip_while(|line| !line.starts_with("Usage:")).skip(1).take_while(|line| *line != "Options:");
    list.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' '))?.split(' ').next().map(str::to_owned)).collect()
}

#[test]
fn every_help_fits_80_columns_and_is_as_it_was_read_last() {
    let folder = fragreel_testkit::checkout().join("tests/cli/help");
    let overwrite = std::env::var_os("TRYCMD").is_some_and(|wish| wish == "overwrite");
    let commands: Vec<String> = commands().into_iter().filter(|command| command != "help").collect();
    assert!(commands.len() > 20, "{commands:?}");
    let mut wrong = Vec::new();
    for command in std::iter::once(String::new()).chain(commands) {
        let shown = help(&command);
        for line in shown.lines().filter(|line| line.chars().count() > COLUMNS) {
            wrong.push(format!("`{command} --help` is wider than {COLUMNS} columns: {line}"));
        }
        if shown.contains("{#}") || shown.contains("{\n") {
            wrong.push(format!("`{command} --help` lost a placeholder"));
        }
        let file: PathBuf = folder.join(format!("{}.txt", if command.is_empty() { "fragreel" } else { &command }));
        if overwrite {
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &shown)).expect("the transcript can be written");
        } else if !cfg!(feature = "parquet") && ["export", "record"].contains(&command.as_str()) {
            // the transcripts name the formats of that feature, too
        } else if std::fs::read_to_string(&file).unwrap_or_default() != shown {
            wrong.push(format!("`{command} --help` is not what {} says; see `cargo xtask bless`", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
