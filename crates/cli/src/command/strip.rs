//! `fragreel strip`

use super::Paths;
use crate::edit::{self, Against, Doing, EachOptions};
use crate::failure::Stop;
use crate::shell::{Outcome, Shell};
use crate::{input, json, output, table};

/// Remove whole kinds of messages
///
/// Names are those of docs/formats; --list shows which kinds a recording has. Messages that the
/// game needs always stay.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel strip --list final.dm2
      list the kinds
  fragreel strip final.dm2 --kinds svc_sound -o silent.dm2
  fragreel strip final.qwd --kinds svc_print,svc_centerprint -o quiet.qwd

Exit codes: 0 the result is whole, 1 it is not, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Kinds to remove, separated by commas
    #[arg(long, alias = "kind", value_name = "KIND", value_delimiter = ',', required_unless_present = "list")]
    kinds: Vec<String>,

    /// List the kinds in the recording, and write nothing
    #[arg(long, conflicts_with = "kinds")]
    list: bool,

    #[command(flatten)]
    options: EachOptions,
}

const DOING: Doing = Doing {
    name: "strip",
    now: "stripping the recording",
    done: "stripped like that",
    help: "`fragreel strip --list` shows the kinds of messages in it.",
    of_damaged: false,
    result: Against::Wishes,
};

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        if self.list {
            return self.show(shell);
        }
        edit::each(shell, &self.paths, self.options, &DOING, |recording, path| recording.strip(&self.kinds).map_err(|error| edit::failed(&DOING, path, error)))
    }

    fn show(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = self.paths.only()?;
        let recording = input::load(shell, path, false)?;
        let kinds = recording.message_kinds().map_err(|error| edit::failed(&DOING, path, error))?;
        let mut output = output::stdout();
        if self.options.json() {
            #[derive(serde::Serialize)]
            struct Kinds {
                kinds: std::collections::BTreeMap<String, u64>,
            }
            json::line(&mut output, &json::About { path: &input::name(path), answer: &Kinds { kinds } })?;
        } else {
            let mut rows = table::Rows::new(&["KIND", "MESSAGES"]);
            kinds.into_iter().for_each(|(kind, count)| rows.hold(vec![kind, count.to_string()]));
            rows.flush(shell, &mut output)?;
        }
        output::finish(output)?;
        Ok(Outcome::Fine)
    }
}
