//! The board of a match outside of a site: in one page without script, and as text for chat programs.

use fragreel::model::MatchStats;

use crate::facts::Board;
use crate::library::{Failed, failed};
use crate::{markdown, pages, summary};

/// The beginning of a page with boards of any number of recordings. [`board_html`] gives the rest but for [`HTML_END`].
pub const HTML_START: &str = concat!(
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n",
    "<meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"color-scheme\" content=\"light dark\">\n",
    "<title>Scoreboards</title>\n<style>\n",
    include_str!("../assets/site.css"),
    "</style>\n</head>\n<body>\n<main id=\"main\">\n<h1 class=\"vh\">Scoreboards</h1>\n"
);

/// What ends the page.
pub const HTML_END: &str = "</main>\n</body>\n</html>\n";

/// The board of a match with its weapons and pairs, as the page of a match on a site has them. `name`: what the recording is called, `place`:
/// how many boards stand before it in the page.
///
/// # Errors
/// When the page cannot be made.
pub fn board_html(name: &str, stats: &MatchStats, place: usize) -> Result<String, Failed> {
    pages::alone(name, &Board::of(stats), place).map_err(failed)
}

/// The board of a match as a site has it in `m.md`: text for chat programs, at most 2,000 characters.
pub fn board_markdown(stats: &MatchStats) -> String {
    let board = Board::of(stats);
    markdown::markdown(&board, board.date.as_deref().and_then(summary::day), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_alone_is_the_board_of_the_site() {
        let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap(), "dm_bots.dm_71").unwrap();
        let scores = recording.scores().value;
        let page = format!("{HTML_START}{}{HTML_END}", board_html("<b>.dm_71", &scores[0], 0).unwrap());
        assert!(page.contains("&#60;b&#62;.dm_71") && !page.contains("<script") && !page.contains("href=\"p/"), "{page}");
        assert!(page.contains("Gargoyle") && page.contains("<h2 id=\"board\">") && page.ends_with("</html>\n"), "{page}");
        assert!(board_markdown(&scores[0]).starts_with("```text\n"));
    }
}
