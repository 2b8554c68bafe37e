//! Archives of packed recordings.

use std::io::Cursor;

use fragreel::packing::{any_amount, archive::Archive};
use wasm_bindgen::prelude::*;

/// More than that comes out of no member.
const MOST: u64 = 1 << 30;

/// The members of an archive that `fragreel pack` made.
#[wasm_bindgen]
pub struct Members(Archive<Cursor<Vec<u8>>>);

#[wasm_bindgen]
impl Members {
    /// Takes the bytes of an archive.
    ///
    /// # Errors
    /// With the reason when they are none.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: Vec<u8>) -> Result<Members, JsError> {
        Ok(Members(Archive::open(Cursor::new(bytes))?))
    }

    /// The names of the members: a JSON array.
    pub fn names(&self) -> Result<String, JsError> {
        let names: Vec<&str> = self.0.entries().iter().map(|entry| &*entry.name).collect();
        Ok(serde_json::to_string(&names)?)
    }

    /// Unpacks a member.
    ///
    /// # Errors
    /// When there is none of this number, or its part of the archive is damaged or too large.
    pub fn read(&mut self, at: usize) -> Result<Vec<u8>, JsError> {
        let mut limits = any_amount();
        limits.bytes = MOST;
        Ok(self.0.read(at, &limits)?)
    }
}
