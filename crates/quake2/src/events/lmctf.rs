//! LMCTF scoreboards: two columns of players under the badges of their teams (`docs/formats/quake2.md`, "Scoreboards").

use fragreel_model::Stat;

use crate::walk::scoreboard::Words;

/// The badges of the left and the right column.
const BADGES: [&str; 2] = ["redlion_i", "bluewolf_i"];
/// The x positions of the columns.
const COLUMNS: [i32; 2] = [0, 160];
const TEAMS: [&str; 2] = ["red", "blue"];
/// The offset from a player to the player's captures, and from a column to those of its team.
const CAPTURES: (i32, i32) = (112, 24);
const TEAM_CAPTURES: (i32, i32) = (36, 4);
/// The y position below which rows begin. Teams are above.
const ROWS: i32 = 32;

/// A board.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Board {
    pub rows: Vec<Row>,
    /// Teams, and the captures of their present players.
    pub teams: Vec<(&'static str, i64)>,
}

/// A player's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub who: Who,
    pub team: &'static str,
    pub figures: Vec<(Stat, i64)>,
}

/// How a row identifies its player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Who {
    Slot(u16),
    /// The start of a name. With many players, the board identifies the most valuable ones by nothing else.
    Name(String),
}

/// Reads a layout. `None` if it is not such a board.
pub(super) fn read(layout: &str) -> Option<Board> {
    if !BADGES.iter().all(|badge| Words(layout).any(|word| word == *badge)) {
        return None;
    }
    let mut board = Board::default();
    // Captures and their positions.
    let mut places = Vec::new();
    let mut captures = Vec::new();
    let (mut words, mut at) = (Words(layout), (0, 0));
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<i32>().ok());
        match word {
            "xv" => at.0 = number().unwrap_or(at.0),
            "yv" => at.1 = number().unwrap_or(at.1),
            "client" | "ctf" => {
                let (Some(x), Some(y), Some(slot), Some(score), Some(ping)) = (number(), number(), number(), number(), number()) else { continue };
                let (Some(column), Ok(slot)) = (column(x), u16::try_from(slot)) else { continue };
                let mut figures = vec![(Stat::Score, score.into()), (Stat::Ping, ping.into())];
                if word == "client" {
                    figures.extend(number().map(|minutes| (Stat::MinutesConnected, i64::from(minutes))));
                    places.push(((x, y), board.rows.len()));
                }
                board.add(Row { who: Who::Slot(slot), team: TEAMS[column], figures });
            }
            "string" | "string2" => {
                let Some(line) = words.next() else { break };
                if let Some(count) = line.strip_prefix("C:").and_then(|count| count.trim().parse::<i64>().ok()) {
                    captures.push((at, count));
                } else if at.1 > ROWS
                    && let Some(column) = column(at.0)
                    && let Some(row) = best(line, TEAMS[column])
                {
                    board.add(row);
                }
            }
            _ => {}
        }
    }
    for ((x, y), count) in captures {
        if let Some(team) = COLUMNS.iter().position(|column| (column + TEAM_CAPTURES.0, TEAM_CAPTURES.1) == (x, y)) {
            board.teams.push((TEAMS[team], count));
        } else if let Some((_, row)) = places.iter().find(|((px, py), _)| (px + CAPTURES.0, py + CAPTURES.1) == (x, y))
            && let Some(row) = board.rows.get_mut(*row)
        {
            row.figures.push((Stat::Captures, count));
        }
    }
    (!board.rows.is_empty()).then_some(board)
}

impl Board {
    /// Adds a row. The mod sends the row before one of the most valuable players twice.
    fn add(&mut self, row: Row) {
        if !self.rows.iter().any(|known| known.who == row.who && known.team == row.team) {
            self.rows.push(row);
        }
    }
}

fn column(x: i32) -> Option<usize> {
    COLUMNS.iter().position(|&column| column == x)
}

/// Reads `D 12  34 NAME` or `O 12  34 NAME`: the best defender or attacker.
fn best(line: &str, team: &'static str) -> Option<Row> {
    let rest = line.strip_prefix(['D', 'O'])?;
    let (score, rest) = number(rest)?;
    let (ping, name) = number(rest.strip_prefix(' ')?)?;
    let name = name.strip_prefix(' ').filter(|name| !name.is_empty())?;
    Some(Row { who: Who::Name(name.to_owned()), team, figures: vec![(Stat::Score, score), (Stat::Ping, ping)] })
}

/// Splits off a number of at least three characters.
fn number(text: &str) -> Option<(i64, &str)> {
    let padding = text.len() - text.trim_start_matches(' ').len();
    let digits = text[padding..].find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(text.len() - padding);
    let (word, rest) = text[padding..].split_at(digits);
    (padding + digits >= 3).then(|| word.parse().ok()).flatten().map(|value| (value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BADGES: &str = "xv 0 yv 0 picn redlion_i xv 160 yv 0 picn bluewolf_i xv 32 yv 0 picn redtag xv 192 yv 0 picn bluetag \
        xv 36 yv 4 string2 \"C:  2\" xv 36 yv 20 string2 \"AP: 31\" xv 196 yv 4 string2 \"C:  0\" xv 196 yv 20 string2 \"AP:  0\" xv 90 yv 4 num 4 19 ";

    #[test]
    fn few_players_have_their_captures() {
        let layout = format!(
            "xv 32 yv 32 picn tag1 client 0 32 3 21 40 7 xv 112 yv 56 string2 \"C:2\" xv 0 yv 32 picn omvpicon client 0 64 1 5 22 9 client 160 32 0 -2 55 1 \
            xv 80 yv 256 string2 \"Observers:\" {BADGES}"
        );
        let board = read(&layout).unwrap();
        assert_eq!(board.teams, [("red", 2), ("blue", 0)]);
        let figures = |score, ping, minutes: i64| vec![(Stat::Score, score), (Stat::Ping, ping), (Stat::MinutesConnected, minutes)];
        let row = |slot, team, figures| Row { who: Who::Slot(slot), team, figures };
        let first = [figures(21, 40, 7), vec![(Stat::Captures, 2)]].concat();
        assert_eq!(board.rows, [row(3, "red", first), row(1, "red", figures(5, 22, 9)), row(0, "blue", figures(-2, 55, 1))]);
    }

    #[test]
    fn of_many_players_the_best_have_names_only() {
        let heads = "xv 0 yv 32 string2 \"Scr Png Name        \" xv 0 yv 40 string2 \"------------------- \" ";
        let layout = format!("{heads}ctf 0 48 4 30 25 ctf 0 48 4 30 25 xv 0 yv 56 string2 \"D 12  33 Daisy Bell\" ctf 160 48 7 9 999 {BADGES}");
        let board = read(&layout).unwrap();
        let row = |who, team, score, ping| Row { who, team, figures: vec![(Stat::Score, score), (Stat::Ping, ping)] };
        let best = row(Who::Name(String::from("Daisy Bell")), "red", 12, 33);
        assert_eq!(board.rows, [row(Who::Slot(4), "red", 30, 25), best, row(Who::Slot(7), "blue", 9, 999)]);
        assert_eq!(read("client 0 32 1 0 18 0"), None);
        assert_eq!(read(BADGES), None, "nobody plays");
    }
}
