//! Messages of the game DLL (`docs/formats/goldsrc.md`, "User messages").

use fragreel_base::wire::Wire;

use crate::message::context::Context;
use crate::message::user_shape;

/// A message whose meaning only the game knows. Its name and framing come from `svc_newusermsg`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserMessage {
    /// Its number, 64 or more.
    pub id: u8,
    /// What it says.
    pub data: Vec<u8>,
}

impl UserMessage {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, context: &Context, id: u8) -> Result<(), W::Error> {
        self.id = id;
        let Some(shape) = context.user_message(id) else {
            return w.expect(false, super::NOT_ANNOUNCED);
        };
        w.note(|| format!("{} ({id})", String::from_utf8_lossy(&shape.name)));
        let length = match shape.size {
            Some(size) => usize::from(size),
            None => w.field("length", self.data.len() as u32, 8)? as usize,
        };
        w.enter("data");
        w.octets(&mut self.data, length)?;
        if let Some(parts) = user_shape::shape(&shape.name, shape.size) {
            w.note(|| user_shape::describe(parts, &self.data).unwrap_or_else(|| fragreel_base::wire::hex(&self.data)));
        }
        Ok(())
    }
}
