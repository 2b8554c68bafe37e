//! Writes a file: header, segments, directory.

use fragreel_base::wire::Error;
use fragreel_model::Edited;

use crate::container::{Entry, Header, MAX_MESSAGE, Macro, MacroKind, MacroType, SEQUENCE_BYTES, directory};
use crate::dialect::Dialect;

/// Bytes of a macro without a body.
pub(super) const EMPTY_MACRO: usize = crate::container::HEAD_BYTES;

/// The shift of times and frame numbers from a segment of the source to the new file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TimeShift {
    /// Seconds and frames to subtract.
    pub time: f64,
    pub frame: i32,
}

impl TimeShift {
    /// The shift that makes time and frame of `window` 0.
    pub(super) fn from(window: &Macro) -> Self {
        TimeShift { time: f64::from(window.time), frame: window.frame }
    }

    pub(super) fn of(self, time: f32, frame: i32) -> (f32, i32) {
        ((f64::from(time) - self.time) as f32, frame.wrapping_sub(self.frame))
    }
}

/// Writes a file macro by macro.
#[derive(Debug, Clone)]
pub(super) struct FileWriter {
    dialect: Dialect,
    header: Header,
    pub(super) bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Where the open segment starts.
    open: Option<usize>,
    frames: i32,
    last: (f32, i32),
}

impl FileWriter {
    pub(super) fn new(dialect: Dialect, header: Header) -> Self {
        let bytes = header.bytes(&dialect);
        FileWriter { dialect, header, bytes, entries: Vec::new(), open: None, frames: 0, last: (0.0, 0) }
    }

    /// Begins a segment with this directory entry.
    pub(super) fn begin(&mut self, entry: Entry) {
        self.open = Some(self.bytes.len());
        self.frames = 0;
        self.last = (0.0, 0);
        self.entries.push(entry);
    }

    /// Writes a macro with this body.
    pub(super) fn write(&mut self, id: MacroType, (time, frame): (f32, i32), body: &[u8]) {
        self.bytes.push(id.0);
        self.bytes.extend_from_slice(&time.to_le_bytes());
        self.bytes.extend_from_slice(&frame.to_le_bytes());
        self.bytes.extend_from_slice(body);
        self.last = (time, frame);
        self.frames += i32::from(matches!(id.kind(self.dialect.macros), Some(MacroKind::Data | MacroKind::Packet)) && id.0 == 1);
    }

    /// Copies a macro with a new time and frame.
    pub(super) fn copy(&mut self, window: &Macro, shift: TimeShift) {
        self.write(window.id, shift.of(window.time, window.frame), window.body);
    }

    /// Writes a data block like `window` with other messages. `id` is 0 in the loading segment and 1 in a played one.
    pub(super) fn data(&mut self, id: u8, window: &Macro, shift: TimeShift, messages: &[u8]) -> Result<(), Error> {
        if messages.len() > MAX_MESSAGE {
            return Err(Error::limit("a data block would be longer than the engine reads (65536 bytes)").at_offset(window.offset as u64));
        }
        let head = self.dialect.info_bytes() + SEQUENCE_BYTES;
        let mut body = window.body[..head].to_vec();
        body.extend_from_slice(&(messages.len() as u32).to_le_bytes());
        body.extend_from_slice(messages);
        self.write(MacroType(id), shift.of(window.time, window.frame), &body);
        Ok(())
    }

    /// Ends the segment with an end macro, and completes its entry.
    pub(super) fn end(&mut self) {
        let Some(from) = self.open.take() else { return };
        let (time, frame) = self.last;
        self.write(MacroType::end(self.dialect.macros), (time, frame), &[]);
        self.close(from, time);
    }

    /// Ends the segment after its own end macros.
    pub(super) fn ended(&mut self) {
        if let Some(from) = self.open.take() {
            self.close(from, self.last.0);
        }
    }

    fn close(&mut self, from: usize, time: f32) {
        let (length, frames) = ((self.bytes.len() - from) as i32, self.frames);
        let Some(entry) = self.entries.last_mut() else { return };
        (entry.offset, entry.length) = (from as i32, length);
        // recorders leave time and frames of the loading segment at 0
        if entry.kind != directory::LOADING {
            (entry.time, entry.frames) = (time, frames);
        }
    }

    /// Length of the file if it ended now.
    pub(super) fn len(&self) -> usize {
        self.bytes.len() + EMPTY_MACRO + 4 + directory::ENTRY_BYTES * self.entries.len()
    }

    /// The whole file.
    pub(super) fn finish(mut self) -> Result<Edited, Error> {
        self.end();
        let directory_offset = i32::try_from(self.bytes.len()).map_err(|_| Error::limit("the directory would be beyond 2 GiB"))?;
        let header = Header { directory_offset, ..self.header }.bytes(&self.dialect);
        self.bytes[..header.len()].copy_from_slice(&header);
        self.bytes.extend_from_slice(&directory::bytes(&self.entries));
        Ok(Edited { bytes: self.bytes, extension: String::from("dem"), ..Edited::default() })
    }
}
