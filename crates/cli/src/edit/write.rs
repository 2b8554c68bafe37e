//! Putting results in place: all of a file or nothing, and never over the input.

use std::io::{self, Write};
use std::path::Path;

use crate::atomic_file::{Draft, Inputs, Target};
use crate::failure::{Failure, Stop};
use crate::input::STDIN;

/// Where one result goes.
pub enum Place {
    /// To standard output.
    Stdout,
    /// Into a file.
    File(Target),
    /// It is there.
    There,
}

impl Place {
    /// Looks at the place. Refuses an input, and anything else that is there already.
    pub fn of(path: &Path, inputs: &Inputs, force: bool) -> Result<Self, Failure> {
        if path == Path::new(STDIN) { Ok(Place::Stdout) } else { Target::of(path, inputs, force).map(Place::File) }
    }

    /// Writes a result there.
    pub fn put(self, bytes: &[u8]) -> Result<(), Stop> {
        match self {
            Place::File(target) => Ok(Draft::put(target, bytes)?),
            Place::There => Ok(()),
            Place::Stdout => {
                let mut output = io::stdout().lock();
                output.write_all(bytes)?;
                Ok(output.flush()?)
            }
        }
    }
}
