//! A board as text for chat programs: one fence, in which nothing is markup.

use crate::facts::Board;
use crate::text;

/// The most characters of a message; Discord takes 2,000.
const MOST: usize = 1900;

/// The board of a match.
pub(crate) fn markdown(board: &Board, date: Option<&str>, address: Option<&str>) -> String {
    let heads = ["score", "kills", "deaths", "damage_given"];
    let titles = ["score", "kills", "deaths", "damage"];
    let used: Vec<usize> = (0..heads.len()).filter(|at| board.players.iter().any(|line| line.get(heads[*at]).value().is_some())).collect();
    let sides: Vec<String> = board
        .sides()
        .into_iter()
        .take(if board.is_in_teams() { 4 } else { 2 })
        .map(|(name, score)| format!("{} {}", text::name(name), score.map_or_else(|| String::from("–"), |score| board.shown_score(score))))
        .collect();
    let facts = [Some(text::name(&board.map)), board.mode.clone(), date.map(str::to_owned), Some(text::minutes(board.length()))];
    let mut text = format!("{}\n{}\n\n", sides.join(" : "), facts.into_iter().flatten().collect::<Vec<_>>().join(", "));
    let names: Vec<String> = board.players.iter().map(|line| text::line(&line.player.name.clean, 20)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(6);
    text += &format!("{:width$}", "player");
    used.iter().for_each(|at| text += &format!(" {:>7}", titles[*at]));
    text.push('\n');
    for (name, line) in names.iter().zip(&board.players) {
        let mut row = format!("{name:width$}");
        for at in &used {
            let figure = line.get(heads[*at]);
            let tilde = if figure.stated.is_none() && figure.counted.is_some() { "~" } else { "" };
            let value = figure.value().map_or_else(|| String::from("-"), |value| if *at == 0 { board.shown_score(value) } else { value.to_string() });
            row += &format!(" {:>7}", format!("{tilde}{value}"));
        }
        row.push('\n');
        if text.chars().count() + row.chars().count() > MOST {
            text += "…\n";
            break;
        }
        text += &row;
    }
    if let Some(address) = address {
        text += &format!("\n{address}\n");
    }
    // a backtick would end the fence
    format!("```text\n{}```\n", text.replace('`', "\u{2b9}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Line, Name, Person};

    #[test]
    fn nobody_gets_out_of_the_fence() {
        let player = Person { name: Name { raw: String::new(), clean: String::from("```@everyone\n# x") }, ..Person::default() };
        let board = Board { map: String::from("dm`6"), players: vec![Line { player, ..Line::default() }], to: 60_000, ..Board::default() };
        let text = markdown(&board, None, None);
        assert_eq!(text.matches("```").count(), 2);
        assert!(text.starts_with("```text\n") && text.ends_with("```\n") && !text.contains("\n# x"), "{text}");
    }

    #[test]
    fn a_large_board_is_cut() {
        let line = |number: usize| Line {
            player: Person { name: Name { raw: String::new(), clean: format!("player {number}") }, ..Person::default() },
            ..Line::default()
        };
        let board = Board { players: (0..400).map(line).collect(), ..Board::default() };
        assert!(markdown(&board, None, None).chars().count() < 2000);
    }
}
