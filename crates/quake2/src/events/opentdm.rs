//! OpenTDM scoreboards, made of text: teams, and a row for each player (`docs/formats/quake2.md`, "Scoreboards").

use fragreel_model::Stat;

use super::text_board::{self, Board, Row};

/// The heading above the rows of each team.
const HEADING: &str = "Name            Frags Dths Net Ping";
/// The line height.
const LINE: i32 = 8;
/// The width of names, cut off or padded.
const NAME: usize = 15;

/// Reads a layout. `None` if it is not such a board.
pub(super) fn read(layout: &str) -> Option<Board> {
    if !layout.contains(HEADING) {
        return None;
    }
    let lines = text_board::lines(layout);
    let mut board = Board { source: "opentdm scoreboard", ..Board::default() };
    let headings: Vec<i32> = lines.iter().filter(|(_, line)| line.trim() == HEADING).map(|(y, _)| *y).collect();
    let first = headings.iter().copied().min()?;
    for &(y, line) in &lines {
        let trimmed = line.trim();
        if let Some(date) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).filter(|date| date.len() == "2018-10-25 23:14".len()) {
            board.date = Some(date.to_owned());
        } else if y < first.saturating_sub(LINE) {
            // Teams and their scores stand above the first team's title.
            if let Some((name, score)) = split_name(line)
                && let Ok(score) = score.trim().parse()
            {
                board.teams.push((name.to_owned(), score));
            }
        } else if let Some(&heading) = headings.iter().filter(|&&heading| heading < y).max() {
            let Some((name, rest)) = split_name(line) else { continue };
            let numbers: Vec<i32> = rest.split_whitespace().map_while(|word| word.parse().ok()).collect();
            let &[frags, deaths, net, ping] = &numbers[..] else { continue };
            if net != frags.saturating_sub(deaths) {
                continue;
            }
            let title = lines.iter().find(|(at, line)| *at == heading.saturating_sub(LINE) && line.contains(':')).and_then(|(_, line)| line.rsplit_once(':'));
            let figures = [(Stat::Score, frags), (Stat::Deaths, deaths), (Stat::Ping, ping)].map(|(stat, value)| (stat, i64::from(value)));
            board.rows.push(Row { name: name.to_owned(), team: title.map(|(team, _)| team.trim().to_owned()), figures: figures.to_vec() });
        }
    }
    (!board.rows.is_empty()).then_some(board)
}

/// Splits the name off a line.
fn split_name(line: &str) -> Option<(&str, &str)> {
    let at = line.char_indices().nth(NAME).map(|(at, _)| at)?;
    let (name, rest) = line.split_at(at);
    let name = name.trim_end();
    (!name.is_empty()).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_of_text_are_read() {
        let layout = "xv 72 yv 0 string2 \" Team          Frags\" yv 8 string \"stg                1\" yv 16 string \"myrmidon^          0\" yv 32 string \" [2018-10-25 23:14]\" \
            xv 80 yv 40 string \"stg:36(male/grunt)\" xv 40 yv 72 string \"myrmidon^:46(female/athena)\" xv 8 yv 48 string2 \" Name            Frags Dths Net Ping\" \
            yv 80 string2 \" Name            Frags Dths Net Ping\" yv 56 string \"stg                  1    0   1   36\" yv 88 string \"myrmidon^            0    1  -1   46\" \
            xl 8 yb -37 string2 \"a server\" xv 64 yv 104 string2 \" Spectators\" yv 120 string \"unnamed:66->stg         \"";
        let board = read(layout).unwrap();
        assert_eq!(board.teams, [(String::from("stg"), 1), (String::from("myrmidon^"), 0)]);
        assert_eq!(board.date.as_deref(), Some("2018-10-25 23:14"));
        let figures = |frags, deaths, ping| vec![(Stat::Score, frags), (Stat::Deaths, deaths), (Stat::Ping, ping)];
        let row = |name: &str, frags, deaths, ping| Row { name: name.into(), team: Some(name.into()), figures: figures(frags, deaths, ping) };
        assert_eq!(board.rows, [row("stg", 1, 0, 36), row("myrmidon^", 0, 1, 46)]);
        assert_eq!(read("client 0 32 1 0 18 0"), None);
    }
}
