//! What the readers of all kinds of archives hand members to.

use std::io::Read;
use std::ops::ControlFlow;

use crate::Error;

/// Takes a member: its name, and its content, which may be left unread.
pub(crate) type Visit<'v> = dyn FnMut(&str, &mut dyn Read) -> Result<ControlFlow<()>, Error> + 'v;
