//! `fragreel scrub`

use fragreel::edit::{Chat, Edited, Scrub};
use fragreel::model::game_bytes;
use fragreel::{Error, Recording};

use super::Paths;
use crate::edit::{self, Against, Doing, EachOptions};
use crate::failure::Stop;
use crate::shell::{Outcome, Shell};

/// Remove personal data: chat, names, addresses, identifiers, voice
///
/// Without options, removes all of it. Names become `player 1`, `player 2`, and so on, consistently
/// in the whole recording; names of clans and teams become `team 1` and so on. With --rename alone,
/// only names change. The result is searched for everything that was removed or renamed. It is not
/// whole if any of it is left.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel scrub final.dm_68 -o public.dm_68
      everything personal
  fragreel scrub final.dm_68 --chat -o quiet.dm_68
      only chat
  fragreel scrub final.dm_68 --chat replace=(removed) --names -o a.dm_68
      replace chat and names
  fragreel scrub final.dm_68 --rename Sarge=Anna --rename Visor=Bert -o b.dm_68

Other text, such as the server's name and message of the day, stays. Only names,
addresses, and identifiers in it are removed.

Exit codes: 0 the result is whole, 1 not quite or something is left, 2 it could
not be done.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    criteria: Criteria,

    #[command(flatten)]
    options: EachOptions,
}

/// What is to go.
#[derive(clap::Args)]
struct Criteria {
    /// Remove chat (remove), or replace its text (replace=TEXT)
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "remove", value_parser = chat)]
    chat: Option<Chat>,

    /// Replace names of players and clans, and names of files and skins that contain them
    #[arg(long)]
    names: bool,

    /// Remove network addresses
    #[arg(long)]
    addresses: bool,

    /// Remove identifiers: GUIDs, Steam IDs, key hashes
    #[arg(long)]
    identifiers: bool,

    /// Remove voice
    #[arg(long)]
    voice: bool,

    /// Rename this player. May be repeated
    #[arg(long, alias = "name", value_name = "OLD=NEW", value_parser = pair)]
    rename: Vec<(String, String)>,
}

const DOING: Doing = Doing {
    name: "scrub",
    now: "scrubbing the recording",
    done: "scrubbed",
    help: "`fragreel info` shows its format and players.",
    of_damaged: false,
    result: Against::Frames,
};

fn chat(text: &str) -> Result<Chat, String> {
    match text.split_once('=') {
        None if text == "remove" => Ok(Chat::Remove),
        Some(("replace", words)) => Ok(Chat::Replace(game_bytes(words))),
        _ => Err(String::from("write remove, or replace=TEXT")),
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (old, new) = text.split_once('=').ok_or("write the old name, =, and the new name")?;
    if old.is_empty() || new.is_empty() {
        return Err(String::from("write both names"));
    }
    Ok((old.to_owned(), new.to_owned()))
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        edit::each(shell, &self.paths, self.options, &DOING, |recording, path| {
            let mut edited = self.criteria.fulfil(recording).map_err(|error| edit::failed(&DOING, path, error))?;
            let found = recording.verify();
            if !found.is_whole() || found.opaque > 0 {
                edited.actions.push(fragreel::model::Action::UnreadableKept);
            }
            Ok(edited)
        })
    }
}

impl Criteria {
    fn fulfil(&self, recording: &Recording) -> Result<Edited, Error> {
        let pairs: Vec<(&str, &str)> = self.rename.iter().map(|(old, new)| (&**old, &**new)).collect();
        let says_nothing = self.chat.is_none() && !(self.names || self.addresses || self.identifiers || self.voice);
        if says_nothing && !pairs.is_empty() {
            return recording.rename(&pairs);
        }
        let mut scrub = Scrub::default();
        if !says_nothing {
            let chat = self.chat.clone().unwrap_or(Chat::Keep);
            scrub = scrub.chat(chat).names(self.names).addresses(self.addresses).identifiers(self.identifiers).voice(self.voice);
        }
        for (old, new) in pairs {
            scrub = scrub.call(old, new);
        }
        recording.scrub(&scrub)
    }
}
