//! What a recording can become.

use fragreel_base::wire::ErrorKind;
use fragreel_model::{Family, Loss, Target};

use crate::Recording;

/// A format that a recording can be converted to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    /// As [`Target::format`] takes it.
    pub name: &'static str,
    /// What it cannot say that the recording says.
    pub losses: Vec<Loss>,
    /// What has to be said first, such as through whose eyes.
    pub needs: Option<String>,
}

/// What formats are called, by family: those that something may be converted to.
const NAMES: &[(Family, &[&str])] = &[
    (Family::Quake3, &["dm_66", "dm_67", "dm_68", "dm_71", "dm_91"]),
    (Family::Quake2, &["dm2", "mvd2", "rla", "server"]),
    (Family::GoldSrc, &["48"]),
    (Family::Quake1, &["qwd", "mvd", "dem 15", "dem 666", "dem 999"]),
];

impl Recording {
    /// Tries what the recording can become, through the eyes of `pov` where it saw several players. Each format costs a conversion.
    ///
    /// ```
    /// use fragreel::Recording;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake1/netquake666_deltas_dm6.dem")?, "netquake666_deltas_dm6.dem")?;
    /// let found = recording.formats(None);
    /// assert!(found.iter().any(|format| format.name == "dem 15"));
    /// assert!(found.iter().all(|format| format.name != "mvd"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn formats(&self, pov: Option<&str>) -> Vec<Format> {
        let names = NAMES.iter().filter(|(family, _)| *family == self.family()).flat_map(|(_, names)| *names);
        let attempt = |&name: &&'static str| {
            let target = Target { format: Some(name.to_owned()), pov: pov.map(str::to_owned) };
            match self.convert(&target) {
                // What changes nothing is what it is already.
                Ok(edited) => (!edited.actions.is_empty()).then_some(Format { name, losses: edited.losses, needs: None }),
                Err(error) if error.kind() == ErrorKind::Misuse => Some(Format { name, losses: Vec::new(), needs: Some(error.detail().to_owned()) }),
                Err(_) => None,
            }
        };
        names.filter_map(attempt).collect()
    }
}
