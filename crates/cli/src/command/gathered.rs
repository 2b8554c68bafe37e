//! The items of one recording, within a share of the memory: answers wait there for their turn.

use std::ops::ControlFlow;

use fragreel::Answer;
use fragreel::model::Damage;

use crate::batch::Source;
use crate::failure::{Failure, FailureKind};
use crate::output::size;
use crate::shell::Shell;

/// Items, as long as there is room for them.
pub struct Gathered<T> {
    items: Vec<T>,
    most: usize,
    room: Option<usize>,
}

impl<T> Gathered<T> {
    pub fn new(shell: &Shell) -> Self {
        let most = (shell.budget.total() / 8) as usize;
        Gathered { items: Vec::new(), most, room: Some(most) }
    }

    /// Keeps an item that takes as many bytes. Ends the walk if there is no room for it.
    pub fn push(&mut self, item: T, takes: usize) -> ControlFlow<()> {
        self.room = self.room.and_then(|room| room.checked_sub(takes));
        if self.room.is_none() {
            return ControlFlow::Break(());
        }
        self.items.push(item);
        ControlFlow::Continue(())
    }

    /// The answer after a walk. `what` names the items.
    pub fn answer(self, what: &str, source: &Source<'_>, walked: Result<Vec<Damage>, fragreel::Error>) -> Result<Answer<Vec<T>>, Failure> {
        let damage = walked.map_err(|error| Failure::new(format!("`{}` has no frames that are understood", source.name)).because(error))?;
        if self.room.is_none() {
            let failure = Failure::new(format!("the {what} of `{}` fill more than {}", source.name, size(self.most as u64))).kind(FailureKind::Limit);
            return Err(failure.help("Select fewer with --from and --to, or raise the limit with --max-memory."));
        }
        Ok(Answer { value: self.items, damage })
    }
}
