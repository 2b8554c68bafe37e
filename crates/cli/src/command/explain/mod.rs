//! `fragreel explain`

mod filter;
mod long;

use std::borrow::Cow;
use std::io::{self, Write};

use fragreel::model::{Explained, Selection};

use super::OnePath;
use crate::failure::{Failure, Stop};
use crate::output::{self, must_write, printable};
use crate::shell::{Ink, Outcome, Shell};
use crate::{input, json};
use filter::Filter;
pub use filter::{Numbers, Which};
pub use long::Length;

/// Show the meaning of every bit of a recording
///
/// Shows the position, raw bits, name (as in docs/formats), and meaning of each field.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel explain final.dm_68 | less
      everything, message by message
  fragreel explain --message 812 final.dm_68        one message
  fragreel explain --at 0x1a2b3 final.dm_68
      the message that holds a byte of the file
  fragreel explain --entity 43 --changed final.dm_68
      the changes of one entity
  fragreel explain --from 1:30 --to 1:31 --kinds snapshot --fields origin* final.dm_68
  fragreel explain --messages 100..200 --fields serverTime final.dm_68
  fragreel explain --message 0 --json final.dm_68
      for machines: one JSON object per message

`verify` reports the offset and message number of damage. Pass them to --at or --message.")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    /// Only the message with this number, counted from 0
    #[arg(long, short, value_name = "N")]
    message: Option<u32>,

    /// Only the message that contains this byte of the unpacked file; 0x... is hexadecimal
    #[arg(long, value_name = "OFFSET", value_parser = offset, conflicts_with = "message")]
    at: Option<u64>,

    #[command(flatten)]
    filter: Filter,

    /// One JSON object per message, as docs/json.md describes
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = &self.file.path;
        let recording = input::load(shell, path, false)?;
        let selection = match (self.message, self.at) {
            (Some(number), _) => Selection::Message(number),
            (_, Some(offset)) => Selection::At(offset),
            _ => match self.filter.selection(&recording)? {
                Some(selection) => selection,
                None => return Err(Failure::new("there is no frame in that range").help("`fragreel info` shows the length of the recording.").into()),
            },
        };
        let mut output = output::stdout();
        let mut outcome = None;
        let name = input::name(path);
        let mut length = shell.output_is_terminal.then(Length::default);
        let mut shown = 0_u64;
        let (mut sieve, chooses) = (self.filter.sieve(), self.filter.chooses_fields());
        for mut message in recording.explain(selection) {
            outcome = outcome.max(Some(Outcome::damaged(message.error.is_some())));
            if chooses {
                sieve.pass(&mut message);
                if message.parts.is_empty() {
                    continue;
                }
            }
            shown += 1;
            length.iter_mut().for_each(|length| length.add(&message));
            must_write(if self.json { json::line(&mut output, &json::About { path: &name, answer: &message }) } else { dump(shell, &mut output, &message) });
        }
        output::finish(output)?;
        if chooses && shown == 0 && outcome.is_some() {
            eprintln!("nothing in `{}` matches --entity, --fields or --changed", printable(&name));
        }
        if let Some(advice) = length.and_then(|length| length.advice()) {
            eprintln!("{}", printable(&advice));
        }
        outcome.ok_or_else(|| {
            let messages = recording.info().messages;
            let failure = Failure::new(match selection {
                Selection::Message(number) => format!("there is no message {number} in `{name}`"),
                Selection::At(offset) => format!("no message of `{name}` contains byte {offset}"),
                Selection::All | Selection::Within { .. } => format!("there are no such messages in `{name}`"),
            });
            failure.help(format!("It has {messages} messages, counted from 0, in {} bytes.", recording.bytes().len())).into()
        })
    }
}

/// The most digits of a value that are shown.
const LONGEST_RAW: usize = 16;

/// One message as text.
fn dump(shell: &Shell, output: &mut impl Write, message: &Explained) -> io::Result<()> {
    let heading = format!("message {}", message.message);
    writeln!(
        output,
        "{}  offset {:#x}, {} bytes of data at {:#x}  {}",
        shell.paint(Ink::Strong, heading),
        message.offset,
        message.length,
        message.data_offset,
        printable(&message.heading)
    )?;
    let mut path = None;
    for part in &message.parts {
        if path != Some(&part.path) {
            path = Some(&part.path);
            let shown = if part.path.is_empty() { "message" } else { &part.path };
            writeln!(output, "  {}", shell.paint(Ink::Faint, printable(shown)))?;
        }
        let bits = part.to_bit.saturating_sub(part.from_bit);
        // Of long values the meaning shows everything.
        let raw = match part.raw.len().checked_sub(LONGEST_RAW) {
            None | Some(0) => Cow::Borrowed(&*part.raw),
            Some(from) => Cow::Owned(format!("…{}", &part.raw[from + 1..])),
        };
        writeln!(output, "    {:>7} +{bits:<3} {raw:>8}  {:<24} {}", part.from_bit, part.field, printable(&part.meaning))?;
    }
    if let Some(error) = &message.error {
        writeln!(output, "    {}", shell.paint(Ink::Bad, printable(error)))?;
    }
    Ok(())
}

fn offset(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| String::from("write bytes from the start, such as 6699 or 0x1a2b"))
}
