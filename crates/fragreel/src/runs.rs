//! Runs: what was finished against the clock, level by level, and several levels as one.

use fragreel_model::Run;

use crate::{Answer, Questions, Recording};

impl Recording {
    /// The runs that were finished, in their order. Where levels of single player follow each other, their
    /// sum is a run of its own behind them, a [`Marathon`](fragreel_model::Course::Marathon). Each has the grade that [`audit`](Recording::audit) gives to the recording
    /// while it lasted.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// assert!(recording.runs().value.is_empty(), "a match is no run");
    /// # Ok(())
    /// # }
    /// ```
    pub fn runs(&self) -> Answer<Vec<Run>> {
        let answers = self.ask(Questions::default().runs()).answers();
        Answer { value: answers.runs, damage: answers.damage }
    }
}
