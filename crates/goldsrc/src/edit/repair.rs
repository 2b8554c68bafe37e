//! `repair`: a file that plays, made of what is whole in a damaged one (`docs/formats/goldsrc.md`, "Repair").

use model::{Damage, DamageKind, Edited};
use wire::Error;

use crate::body;
use crate::container::{Entry, Header, Macro, MacroKind, MacroType, Source, Step, Stretch, directory, looks_like_directory};
use crate::context::Context;
use crate::recording::Recording;
use crate::stream::Decoder;

impl Recording<'_> {
    /// Rebuilds the directory from the macros, drops what is no macro, closes segments that have no end, and cuts data
    /// blocks before a message that cannot be read. Everything whole is copied as it is. A file without fault comes
    /// back unchanged, without actions.
    pub fn repair(&self) -> Result<Edited, Error> {
        if self.container.macros().all(|step| matches!(step, Step::Damage(_))) {
            return self.repair_without_directory();
        }
        let mut builder = Builder::new(self);
        for step in self.container.macros() {
            match step {
                Step::Macro { number, segment, window } => builder.add(number, segment, &window),
                Step::Damage(damage) => builder.passed_over(&damage),
            }
        }
        builder.finish()
    }

    /// For a directory that is in order but whose entries hold no macro.
    fn repair_without_directory(&self) -> Result<Edited, Error> {
        let mut container = self.container.clone();
        container.segments = container.walked().into_iter().map(Stretch::into_segment).collect();
        if container.segments.is_empty() {
            return Err(Error::malformed("there is not one macro in the file"));
        }
        if container.source == Source::Directory {
            let error = Error::malformed("its entries hold no macros").at_offset(container.header.directory_offset as u64);
            container.damage.push(Damage::of(&error, DamageKind::Framing));
            container.source = Source::Walked;
        }
        Recording { container, limits: self.limits }.repair()
    }
}

fn edited(bytes: Vec<u8>, actions: Vec<String>) -> Edited {
    Edited { bytes, extension: String::from("dem"), actions, losses: Vec::new() }
}

struct Builder<'r, 'a> {
    recording: &'r Recording<'a>,
    decoder: Option<Decoder>,
    out: Vec<u8>,
    actions: Vec<String>,
    entries: Vec<Entry>,
    /// The segment that is being written, and where it starts in the new file.
    open: Option<(usize, usize)>,
    frames: i32,
    last: Option<(MacroKind, f32, i32)>,
    /// Bytes of the old file that are in the new one.
    used: usize,
}

impl<'r, 'a> Builder<'r, 'a> {
    fn new(recording: &'r Recording<'a>) -> Self {
        let container = &recording.container;
        let header = container.dialect.header_bytes();
        let actions = container.damage.iter().map(|damage| format!("rebuilt the directory, because {}", damage.detail)).collect();
        Builder {
            recording,
            decoder: recording.dialect().messages.map(|rules| Decoder::new(Context::new(rules))),
            out: container.bytes[..header].to_vec(),
            actions,
            entries: Vec::new(),
            open: None,
            frames: 0,
            last: None,
            used: header,
        }
    }

    fn add(&mut self, number: u32, segment: usize, window: &Macro) {
        if self.open.is_none_or(|(open, _)| open != segment) {
            self.close();
            self.open = Some((segment, self.out.len()));
        }
        let from = self.out.len();
        let bytes = self.recording.container.bytes;
        self.out.extend_from_slice(&bytes[window.offset..window.end()]);
        self.used += window.end() - window.offset;
        self.frames += i32::from(matches!(window.kind, MacroKind::Data | MacroKind::Packet) && window.id.0 == 1);
        self.last = Some((window.kind, window.time, window.frame));
        self.check_messages(number, window, from);
    }

    /// Cuts a data block before the first message that cannot be read: the game would stop there.
    fn check_messages(&mut self, number: u32, window: &Macro, from: usize) {
        let dialect = self.recording.dialect();
        let (Some(decoder), Some((offset, data))) = (&mut self.decoder, body::messages(window, dialect)) else { return };
        let Err(error) = decoder.block(data, offset, |_, _, _| {}) else { return };
        let good = decoder.good_bytes;
        let head = offset - window.offset;
        self.out.truncate(from + head + good);
        let length = (good as u32).to_le_bytes();
        self.out[from + head - 4..from + head].copy_from_slice(&length);
        self.actions.push(format!("cut {} bytes off the messages of macro {number}: {error}", data.len() - good));
    }

    fn passed_over(&mut self, damage: &Damage) {
        match (&damage.skipped, damage.kind) {
            (Some(extent), _) => {
                self.used += (extent.to - extent.from) as usize;
                self.actions.push(format!("left out {} bytes at {}: {}", extent.to - extent.from, extent.from, damage.detail));
            }
            // `close` says what it does about it
            (None, DamageKind::NoEndMarker) => {}
            (None, _) => self.actions.push(format!("corrected the directory, because {}", damage.detail)),
        }
    }

    /// Ends the segment that is being written, and makes its entry.
    fn close(&mut self) {
        let Some((segment, from)) = self.open.take() else { return };
        let container = &self.recording.container;
        let old = &container.segments[segment];
        if let Some((kind, time, frame)) = self.last.take()
            && kind != MacroKind::End
        {
            self.out.push(MacroType::end(container.dialect.macros).0);
            self.out.extend_from_slice(&time.to_le_bytes());
            self.out.extend_from_slice(&frame.to_le_bytes());
            self.last = Some((MacroKind::End, time, frame));
            self.actions.push(format!("added the end that segment {segment} lacks"));
        }
        let frames = std::mem::take(&mut self.frames);
        let mut entry = Entry { offset: from as i32, length: (self.out.len() - from) as i32, ..old.entry.clone() };
        if old.is_playback() && entry.frames != frames {
            if container.source == Source::Directory {
                self.actions.push(format!("corrected the frames of segment {segment} from {} to {frames}", entry.frames));
            }
            entry.frames = frames;
        }
        self.entries.push(entry);
    }

    fn finish(mut self) -> Result<Edited, Error> {
        self.close();
        let container = &self.recording.container;
        if !self.entries.iter().any(|entry| entry.kind == directory::LOADING) {
            self.actions.push(String::from("could not find what was sent before playing: the game will not play the file without it"));
        }
        let offset = i32::try_from(self.out.len()).map_err(|_| Error::limit("the directory would lie beyond 2 GiB"))?;
        if container.source == Source::Walked {
            self.adopt();
        }
        if self.actions.is_empty() {
            return Ok(edited(container.bytes.to_vec(), Vec::new()));
        }
        let directory = directory::bytes(&self.entries);
        let spare = container.bytes.len().saturating_sub(self.used);
        let old_directory = if container.source == Source::Directory { directory.len() } else { 0 };
        if spare > old_directory {
            self.actions.push(format!("left out {} bytes that nothing refers to", spare - old_directory));
        }
        self.out.extend_from_slice(&directory);
        let header = Header { directory_offset: offset, ..container.header.clone() }.bytes(&container.dialect);
        self.out[..header.len()].copy_from_slice(&header);
        Ok(edited(self.out, self.actions))
    }

    /// A directory that the header does not name but that stands behind the macros: its titles, flags, times and
    /// tracks are better than made-up ones, when its entries are the segments found.
    fn adopt(&mut self) {
        let container = &self.recording.container;
        let Some(behind) = container.segments.iter().map(|segment| segment.to).max() else { return };
        if !looks_like_directory(container.bytes, behind) {
            return;
        }
        let Ok(found) = directory::read(container.bytes, behind as i32) else { return };
        let same = found.len() == container.segments.len()
            && found.iter().zip(&container.segments).all(|(entry, segment)| entry.range() == Some((segment.from, segment.to)));
        if same {
            for (entry, found) in self.entries.iter_mut().zip(found) {
                *entry = Entry { offset: entry.offset, length: entry.length, frames: entry.frames, ..found };
            }
            self.used += 4 + directory::ENTRY_BYTES * self.entries.len();
            self.actions.push(format!("kept what the directory at {behind} says, which the header did not name"));
        }
    }
}
