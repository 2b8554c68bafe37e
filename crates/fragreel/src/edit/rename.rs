//! A player under another name.

use fragreel_base::wire::Error;
use fragreel_model::{Edited, Family, Fate, Place, Rewrite, Role};

use super::closest;
use super::names::Names;
use super::remains::Gone;
use crate::Recording;

impl Recording {
    /// The recording with other names for players, everywhere: where a name stands by itself, in chat, and in what the game prints. Each pair is
    /// a player's name, with or without colors and in any case, and the new name as the game is to have it. Where an old name is left,
    /// [`Action::TextRemains`](fragreel_model::Action::TextRemains) says so.
    ///
    /// ```
    /// use fragreel::Recording;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let edited = recording.rename(&[("Grism", "^3Sarge")])?;
    /// let info = Recording::open(edited.bytes, &edited.extension)?.info();
    /// assert!(info.players.iter().any(|player| player.name.clean == "Sarge"));
    /// // A player who is not there cannot be renamed.
    /// assert!(recording.rename(&[("Crism", "Sarge")]).unwrap_err().to_string().contains("Grism"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](crate::ErrorKind::Misuse) for a name that nobody has, and for a new one that games cannot take.
    pub fn rename(&self, pairs: &[(impl AsRef<str>, impl AsRef<str>)]) -> Result<Edited, Error> {
        let pairs: Vec<_> = pairs.iter().map(|(old, new)| (old.as_ref(), new.as_ref())).collect();
        let mut names = Names::new(self.family());
        for (old, new) in renamed(self.family(), &self.stated_names()?, &pairs)? {
            names.set(&old, new);
        }
        let mut rename = Rename { names, gone: Gone::default() };
        let mut edited = self.rewrite(&mut rename)?;
        rename.gone.search(self.family(), &mut edited, std::iter::once(&rename.names))?;
        Ok(edited)
    }
}

/// An old name and the new one.
type Pair = (Vec<u8>, Vec<u8>);

/// Old names and new ones as games have them. `stated` are the names that a recording states.
pub(super) fn renamed(family: Family, stated: &[Vec<u8>], pairs: &[(&str, &str)]) -> Result<Vec<Pair>, Error> {
    let mut known = Names::new(family);
    stated.iter().for_each(|name| known.set(name, Vec::new()));
    let pair = |(old, new): &(&str, &str)| {
        let (old, new) = (fragreel_model::game_bytes(old), fragreel_model::game_bytes(new));
        if known.of(&old).is_none() {
            return Err(nobody(&known, &old));
        }
        may_be_a_name(&new)?;
        Ok((old, new))
    };
    pairs.iter().map(pair).collect()
}

/// Gives players other names.
struct Rename {
    names: Names,
    /// Nothing goes but names; models stay.
    gone: Gone,
}

/// The longest value that the info strings of all games have room for.
const LONGEST_NAME: usize = 63;

fn may_be_a_name(name: &[u8]) -> Result<(), Error> {
    if name.len() > LONGEST_NAME {
        return Err(Error::misuse(format!("a name of {} bytes is longer than the {LONGEST_NAME} that games accept", name.len())));
    }
    if name.iter().any(|c| b"\\\"\n\r\0".contains(c)) {
        return Err(Error::misuse("a name cannot hold a backslash, a quote or the end of a line"));
    }
    Ok(())
}

#[cold]
fn nobody(known: &Names, name: &[u8]) -> Error {
    let (name, all) = (fragreel_model::game_text(name), known.readable().collect::<Vec<_>>());
    let hint = closest(&name, &all).map(|close| format!("; did you mean `{close}`?"));
    Error::misuse(format!("no player is called `{name}`{}", hint.unwrap_or_else(|| format!(": there are {}", all.join(", ")))))
}

impl Rewrite for Rename {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Name => {
                if let Some(new) = self.names.of(text) {
                    *text = new.to_vec();
                }
            }
            Role::Chat | Role::Print | Role::FileName => self.names.replace_in(text),
            Role::Command => self.names.replace_in_commands(text),
            // a model that is called like a player is none
            Role::Look | Role::Team => self.gone.keep(text),
            _ => self.names.replace_outside_of_paths(text),
        }
        Fate::Keep
    }
}
