//! A player under another name.

use fragreel_base::wire::Error;
use fragreel_model::{Fate, Place, Rewrite, Role};

use super::names::Names;
use super::{Players, closest};
use crate::Recording;

/// A [`Rewrite`] that gives players other names, everywhere: where the name stands by itself, in chat, and in what the game
/// prints.
///
/// ```
/// use fragreel::Demo;
/// use fragreel::edit::Rename;
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let demo = Demo::new(&bytes[..], "dm_bots.dm_71")?;
/// let recording = demo.open()?;
/// let edited = recording.rewrite(&mut Rename::of(&recording, &[("Grism", "^3Sarge")])?)?;
/// let demo = Demo::new(edited.bytes, &edited.extension)?;
/// assert!(demo.open()?.info().players.iter().any(|player| player.name.clean == "Sarge"));
/// // A player who is not there cannot be renamed.
/// assert!(Rename::of(&recording, &[("Crism", "Sarge")]).unwrap_err().to_string().contains("Grism"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Rename {
    names: Names,
}

impl Rename {
    /// Players' names, with or without colors and in any case, and their new names as the game is to have them.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) for a name that nobody has, and for a new one that games cannot take.
    pub fn of(recording: &Recording<'_>, pairs: &[(&str, &str)]) -> Result<Self, Error> {
        let mut known = Names::new(recording.family());
        for name in Players::of(recording)?.names {
            known.set(&name, Vec::new());
        }
        let mut names = Names::new(recording.family());
        for (old, new) in pairs {
            let (old, new) = (fragreel_model::game_bytes(old), fragreel_model::game_bytes(new));
            if known.of(&old).is_none() {
                return Err(nobody(&known, &old));
            }
            may_be_a_name(&new)?;
            names.set(&old, new);
        }
        Ok(Rename { names })
    }
}

/// The longest value that the info strings of all games have room for.
const LONGEST_NAME: usize = 63;

fn may_be_a_name(name: &[u8]) -> Result<(), Error> {
    if name.len() > LONGEST_NAME {
        return Err(Error::misuse(format!("a name of {} bytes is longer than the {LONGEST_NAME} that games take", name.len())));
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
    Error::misuse(format!("nobody is called `{name}`{}", hint.unwrap_or_else(|| format!(": there are {}", all.join(", ")))))
}

impl Rewrite for Rename {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        match role {
            Role::Name => {
                if let Some(new) = self.names.of(text) {
                    *text = new.to_vec();
                }
            }
            Role::Chat | Role::Print => self.names.replace_in(text),
            _ => self.names.replace_outside_of_paths(text),
        }
        Fate::Keep
    }
}
