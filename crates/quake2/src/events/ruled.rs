//! Scoreboards with columns under a rule, `<--> <------->`, of Action Quake II, and those of OpenFFA (`docs/formats/quake2.md`, "Scoreboards").
//! The server chooses the columns. Their headings name them.

use std::ops::Range;

use fragreel_model::Stat;

use super::text_board::{Board, Row, lines};

/// The characters of a rule: the left end, the middle and the right end of a column.
const RULE: [char; 3] = ['\u{1d}', '\u{1e}', '\u{1f}'];

/// The meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Name,
    /// A team's number.
    Team,
    /// A figure.
    Figure(Stat),
    /// Anything else.
    Other,
}

/// Columns by their headings.
const HEADINGS: &[(&str, Column)] = &[
    ("Player", Column::Name),
    ("Name", Column::Name),
    ("Team", Column::Team),
    ("Frg", Column::Figure(Stat::Score)),
    ("Frags", Column::Figure(Stat::Score)),
    ("Score", Column::Figure(Stat::Score)),
    ("Kills", Column::Figure(Stat::Kills)),
    ("Deaths", Column::Figure(Stat::Deaths)),
    ("Damage", Column::Figure(Stat::DamageGiven)),
    ("Acc", Column::Figure(Stat::Accuracy)),
    ("Caps", Column::Figure(Stat::Captures)),
    ("Ping", Column::Figure(Stat::Ping)),
    ("Png", Column::Figure(Stat::Ping)),
    ("Time", Column::Figure(Stat::MinutesConnected)),
    ("Tim", Column::Figure(Stat::MinutesConnected)),
];

/// Reads a layout. `None` if it is not such a board.
pub(super) fn read(layout: &str) -> Option<Board> {
    let lines = lines(layout);
    if let Some(at) = lines.iter().position(|(_, line)| line.contains(OPENFFA)) {
        return openffa(&lines, at);
    }
    let mut board = Board { source: "scoreboard", ..Board::default() };
    let (mut columns, mut team) = (Vec::new(), None);
    for (at, (_, line)) in lines.iter().enumerate() {
        let spans = rule(line);
        if !spans.is_empty() {
            let heading = at.checked_sub(1).map_or("", |above| lines[above].1);
            (columns, team) = headed(heading, spans);
            if let Some((name, score)) = &team {
                board.teams.push((name.clone(), *score));
            }
        } else if lines.get(at + 1).is_none_or(|(_, next)| rule(next).is_empty())
            && let Some((name, figures)) = row(line, &columns)
        {
            board.rows.push(Row { name, team: team.as_ref().map(|(name, _)| name.clone()), figures });
        }
    }
    (!board.rows.is_empty()).then_some(board)
}

/// The columns of a rule. Empty if the line is not one.
fn rule(line: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    if !line.chars().all(|sign| sign == ' ' || RULE.contains(&sign)) {
        return spans;
    }
    for (at, sign) in line.chars().enumerate() {
        match spans.last_mut() {
            _ if sign == ' ' => {}
            Some(span) if span.end == at && sign != RULE[0] => span.end = at + 1,
            _ => spans.push(at..at + 1),
        }
    }
    spans
}

/// The part of a line in a column.
fn cell<'a>(line: &'a str, span: &Range<usize>) -> &'a str {
    let place = |at: usize| line.char_indices().nth(at).map_or(line.len(), |(byte, _)| byte);
    &line[place(span.start)..place(span.end)]
}

/// The ranges of columns, and their meanings.
type Columns = Vec<(Range<usize>, Column)>;

/// Reads a heading. The first column may have a team's score and name instead of a heading.
fn headed(heading: &str, spans: Vec<Range<usize>>) -> (Columns, Option<(String, i32)>) {
    let (mut columns, mut team) = (Vec::new(), None);
    for span in spans {
        let word = cell(heading, &span).trim();
        let known = HEADINGS.iter().find(|(name, _)| *name == word).map(|(_, column)| *column);
        let column = match known {
            Some(column) => column,
            None if columns.is_empty() => {
                team = word.split_once(' ').and_then(|(score, name)| Some((name.trim().to_owned(), score.parse().ok()?)));
                Column::Name
            }
            None => Column::Other,
        };
        columns.push((span, column));
    }
    (columns, team)
}

/// Reads a player's name and figures. `None` if numbers are missing.
fn row(line: &str, columns: &[(Range<usize>, Column)]) -> Option<(String, Vec<(Stat, i64)>)> {
    let (mut found, mut figures) = (None, Vec::new());
    for (span, column) in columns {
        let text = cell(line, span);
        match column {
            Column::Name => found = Some(text.trim_end().to_owned()),
            Column::Figure(stat) => figures.push((*stat, text.trim().parse::<i64>().ok()?)),
            Column::Team | Column::Other => {}
        }
    }
    found.filter(|name| !name.is_empty() && !figures.is_empty()).map(|name| (name, figures))
}

/// OpenFFA's heading. Its rows begin with a rank of two digits and a name of 15 characters.
const OPENFFA: &str = "Player          Frg Dth Eff% FPH Time Ping";

fn openffa(lines: &[(i32, &str)], heading: usize) -> Option<Board> {
    let mut board = Board { source: "openffa scoreboard", ..Board::default() };
    for (at, (_, line)) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if let Some(date) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|date| date.len() == "2018-10-25 23:14".len()) {
            board.date = Some(date.to_owned());
        }
        if at <= heading || cell(line, &(0..2)).trim().parse::<u32>().is_err() {
            continue;
        }
        let name = cell(line, &(3..18)).trim_end();
        let rest: Vec<&str> = cell(line, &(18..usize::MAX)).split_whitespace().collect();
        let &[score, deaths, _, _, _, ping] = &rest[..] else { continue };
        let (Ok(score), Ok(deaths), Ok(ping)) = (score.parse(), deaths.parse(), ping.parse()) else { continue };
        board.rows.push(Row { name: name.to_owned(), team: None, figures: vec![(Stat::Score, score), (Stat::Deaths, deaths), (Stat::Ping, ping)] });
    }
    (!board.rows.is_empty()).then_some(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule, with characters that are easy to type.
    fn drawn(layout: &str) -> String {
        layout.replace('<', "\u{1d}").replace('-', "\u{1e}").replace('>', "\u{1f}")
    }

    #[test]
    fn columns_are_what_their_headings_say() {
        let layout = drawn(
            "xv _56 yv 32 string2 \"Team Player          Time Ping Kills Deaths Damage Acc\" yv 40 string2 \"<--> <-------------> <--> <--> <---> <----> <----> <->\" \
             yv 48 string \" 1   DOS.BOMBERMANN@    3  105     2      1    268 100\"yv 56 string \" 1             Kvaki    0   38     0      0      0   0\"\
             yv 64 string \"     Enra              12  117     1      4     30  20\" yv 136 string \"..and 4 more\" ",
        );
        let board = read(&layout).unwrap();
        assert_eq!(board.rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["DOS.BOMBERMANN@", "          Kvaki", "Enra"]);
        let first = [Stat::MinutesConnected, Stat::Ping, Stat::Kills, Stat::Deaths, Stat::DamageGiven, Stat::Accuracy].map(|stat| board.rows[0].get(stat));
        assert_eq!(first, [3, 105, 2, 1, 268, 100].map(Some));
        assert!(board.teams.is_empty() && board.rows[0].team.is_none());
    }

    #[test]
    fn teams_stand_above_their_players() {
        let layout = drawn(
            "xv 44 yv 0 string2 \"  2 Nuts        Frg Tim Png\"xv 44 yv 8 string2 \"<-------------> <-> <-> <->\" xv 44 yv 16 string  \"deafmouse         7   1  29\"\
             xv 44 yv 40 string2 \"  0 The Po=lees Frg Tim Png\"xv 44 yv 48 string2 \"<-------------> <-> <-> <->\" xv 44 yv 56 string  \"ArChAnGeL         5   0  28\"",
        );
        let board = read(&layout).unwrap();
        assert_eq!(board.teams, [(String::from("Nuts"), 2), (String::from("The Po=lees"), 0)]);
        let rows: Vec<_> = board.rows.iter().map(|row| (row.name.as_str(), row.team.as_deref(), row.get(Stat::Score))).collect();
        assert_eq!(rows, [("deafmouse", Some("Nuts"), Some(7)), ("ArChAnGeL", Some("The Po=lees"), Some(5))]);
        assert_eq!(read("yv 0 string \"no board\" client 0 32 1 0 18 0"), None);
        assert_eq!(read(&drawn("yv 0 string2 \"<-> <->\" yv 8 string \"x\"")), None, "a rule without a heading");
    }

    #[test]
    fn boards_of_openffa_are_read() {
        let layout = "xv 0 yv 0 string2 \" [2018-10-25 23:14]\" yv 8 string2 \"    Player          Frg Dth Eff% FPH Time Ping\" \
            yv 16 string \" 1 some body        12   3   80  120    6   38\" yv 24 string \"    Spectators\"";
        let board = read(layout).unwrap();
        assert_eq!(board.date.as_deref(), Some("2018-10-25 23:14"));
        assert_eq!(board.rows.len(), 1);
        assert_eq!((board.rows[0].name.as_str(), board.rows[0].get(Stat::Score), board.rows[0].get(Stat::Deaths)), ("some body", Some(12), Some(3)));
    }
}
