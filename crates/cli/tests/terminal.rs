//! What is shown on a real terminal: as wide as the terminal is, and nothing left of what was shown on the way.

use std::process::{Command, Stdio};

/// Runs the command in a terminal of this width. Nothing on systems without `script`, which makes one.
fn on_terminal(columns: u32, arguments: &str) -> Option<String> {
    let command = format!("stty cols {columns} rows 40; \"$FRAGREEL\" {arguments}");
    let ran = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(fragreel_testkit::checkout())
        .env("FRAGREEL", env!("CARGO_BIN_EXE_fragreel"))
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .output();
    let Ok(ran) = ran else {
        fragreel_testkit::skipped("terminals: there is no `script` to make one");
        return None;
    };
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Without colors and other sequences, by lines; what was overwritten in a line is a line, too.
fn lines(shown: &str) -> Vec<String> {
    let (mut plain, mut chars) = (String::new(), shown.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' if chars.peek() == Some(&'[') => {
                chars.next();
                for c in chars.by_ref() {
                    if c.is_ascii_alphabetic() {
                        break;
                    }
                }
            }
            '\r' => plain.push('\n'),
            c => plain.push(c),
        }
    }
    plain.lines().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

fn widest(lines: &[String]) -> usize {
    lines.iter().map(|line| line.chars().count()).max().unwrap_or_default()
}

#[test]
fn diagnostics_are_as_wide_as_the_terminal() {
    for columns in [50, 120] {
        let Some(shown) = on_terminal(columns, "info README.md") else { return };
        let lines = lines(&shown);
        let widest = widest(&lines);
        assert!(widest <= columns as usize && widest > columns as usize / 2, "{columns}: {widest}\n{}", lines.join("\n"));
    }
}

#[test]
fn tables_fit_the_terminal() {
    for columns in [80, 120] {
        for arguments in ["info samples/quake3", "highlights samples/quake3 --best 5 --kills 2", "state --at 10 samples/quake3/dm_bots.dm_71 --section player"]
        {
            let Some(shown) = on_terminal(columns, arguments) else { return };
            let lines = lines(&shown);
            assert!(lines.len() > 4 && widest(&lines) <= columns as usize, "{columns} {arguments}\n{}", lines.join("\n"));
        }
    }
}

/// Where a table would be too wide, each record is a line: with the same fields as the others, those that are zero too.
#[test]
fn a_narrow_terminal_shows_the_same_fields_of_every_record() {
    let Some(shown) = on_terminal(80, "state --at 0:20 --section players samples/quake1/match_e1m1.mvd") else { return };
    let records: Vec<String> = lines(&shown).into_iter().filter(|line| line.starts_with("  ")).collect();
    let names = |record: &String| -> Vec<String> { record.split(", ").filter_map(|field| field.split_whitespace().next()).map(str::to_owned).collect() };
    assert!(records.len() == 3 && records[0].trim_start().starts_with("slot 0, name bot bravo"), "{shown}");
    assert!(records.iter().all(|record| names(record) == names(&records[0]) && record.contains("ping 0") == (record != &records[2])), "{shown}");
}

#[test]
fn nothing_is_left_of_the_progress() {
    let Some(shown) = on_terminal(70, "verify samples/quake3 samples/quake2") else { return };
    assert!(shown.contains('\u{1b}'), "a terminal gets colors");
    let all = lines(&shown);
    let (answers, progress): (Vec<&String>, Vec<&String>) = all.iter().partition(|line| line.starts_with("whole") || line.starts_with("damaged"));
    assert!(answers.len() > 10, "{all:?}");
    assert!(all.last().is_some_and(|last| last.starts_with("whole") || last.starts_with("damaged")) || shown.ends_with("\u{1b}[2K"), "{:?}", all.last());
    assert!(progress.iter().all(|line| line.chars().count() <= 70), "{progress:?}");
}

/// Where more is shown than anybody reads, the last line says how to ask for less.
#[test]
fn long_answers_say_how_to_ask_for_less() {
    let last = |arguments: &str| Some(lines(&on_terminal(100, arguments)?).last().cloned().unwrap_or_default());
    let sample = "samples/quake3/dm_bots.dm_71";
    for (arguments, most) in [(format!("explain {sample} --kinds snapshot --changed"), true), (String::from("decompile samples/quake1/match_e1m1.qwd"), false)]
    {
        let Some(last) = last(&arguments) else { return };
        assert!(last.contains("To select fewer: --fields NAME") && last.contains("(most belong to ") == most, "{arguments}: {last}");
    }
    for arguments in [format!("explain {sample} --message 100"), format!("decompile {sample} --messages 100..110"), format!("explain {sample} --changed | cat")]
    {
        let Some(last) = last(&arguments) else { return };
        assert!(!last.contains("For less"), "{arguments}: {last}");
    }
}
