//! `fragreel schema`

use std::io::Write;

use fragreel::text_form;

use crate::failure::{Failure, Stop};
use crate::output;
use crate::shell::{Outcome, Shell};

/// Show the JSON Schema of a family's text
///
/// Every line that `fragreel decompile` writes for a recording of the family satisfies it. It is made of the same
/// declarations that write and read the text.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel schema quake3 > quake3.schema.json")]
pub struct Arguments {
    /// quake3, quake2, goldsrc or quake1
    #[arg(value_name = "FAMILY")]
    family: String,
}

impl Arguments {
    pub fn run(self, _: &Shell) -> Result<Outcome, Stop> {
        let schema = text_form::families().find(|family| family.name() == self.family).and_then(text_form::schema);
        let families: Vec<&str> = text_form::families().map(fragreel::model::Family::name).collect();
        let unknown = || Failure::new(format!("there is no family `{}`", self.family)).help(format!("The families are {}.", families.join(", ")));
        let mut output = output::stdout();
        writeln!(output, "{}", schema.ok_or_else(unknown)?)?;
        output::finish(output)?;
        Ok(Outcome::Fine)
    }
}
