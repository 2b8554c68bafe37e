//! Boards as a web page and as text for chat programs, as `fragreel site` has them.

use std::io::Write;

use fragreel_site::{HTML_END, HTML_START, board_html, board_markdown};

use super::{Answer, remark};
use crate::batch::Renderer;
use crate::command::damage_met;
use crate::failure::{Failure, Stop};
use crate::output::Output;
use crate::shell::Outcome;

/// One page with all boards.
#[derive(Default)]
pub struct Page {
    /// How many boards were written.
    boards: usize,
    is_begun: bool,
}

impl Page {
    fn begin(&mut self, output: &mut Output) -> Result<(), Stop> {
        if !std::mem::replace(&mut self.is_begun, true) {
            output.write_all(HTML_START.as_bytes())?;
        }
        Ok(())
    }
}

impl Renderer<Answer> for Page {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        self.begin(output)?;
        let name = path.rsplit(['/', '\\', '!']).next().unwrap_or(path);
        for stats in &answer.matches {
            let board = board_html(name, stats, self.boards).map_err(|error| Failure::new("cannot make the page").because(error))?;
            output.write_all(board.as_bytes())?;
            self.boards += 1;
        }
        if let Some(none) = answer.none {
            remark(output, path, none)?;
        }
        damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, _: &mut Output, _: &str, _: &Failure) -> Result<(), Stop> {
        Ok(())
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        self.begin(output)?;
        Ok(output.write_all(HTML_END.as_bytes())?)
    }
}

/// A fence for each board.
pub struct Text;

impl Renderer<Answer> for Text {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        for stats in &answer.matches {
            output.write_all(board_markdown(stats).as_bytes())?;
        }
        if let Some(none) = answer.none {
            remark(output, path, none)?;
        }
        damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, _: &mut Output, _: &str, _: &Failure) -> Result<(), Stop> {
        Ok(())
    }
}
