//! The file: a header, segments of macros, a directory (`docs/formats/goldsrc.md`, "Container"). Messages are not decoded here.
//!
//! ```
//! # let bytes = fragreel_goldsrc::properties::tiny_recording();
//! let container = fragreel_goldsrc::container::Container::open(&bytes, &fragreel_base::wire::Limits::default()).unwrap();
//! assert_eq!(container.header.map_name(), b"hand_made");
//! assert_eq!(container.segments.len(), 2);
//! let last = container.macros().filter_map(|step| step.found()).last().unwrap();
//! assert_eq!(last.kind, fragreel_goldsrc::container::MacroKind::End);
//! ```

pub(crate) mod body;
pub(crate) mod bunnymod;
pub mod directory;
mod header;
pub(crate) mod lost_header;
pub(crate) mod macros;
pub(crate) mod scan;
pub(crate) mod tool_data;

pub use body::{Body, messages};
pub use directory::Entry;
pub use header::{Header, MAGIC};
pub(crate) use macros::MAX_BUFFER;
pub(crate) use macros::{HEAD_BYTES, MAX_MESSAGE, MacroCopy, NoMacro, SEQUENCE_BYTES};
pub use macros::{Macro, MacroKind, MacroType};
pub(crate) use scan::looks_like_directory;
pub use scan::{Stretch, walk};
pub(crate) use tool_data::{bunnymod_data, tool_of, tool_of_macro};

use std::ops::Range;

use fragreel_base::wire::{Chunk, Error, Limits, ReadBits};
use fragreel_model::replay::{Chunks, HEAD};
use fragreel_model::{Damage, DamageKind, Extent};

use crate::dialect::Dialect;

/// A file as windows over its macros.
#[derive(Debug, Clone)]
pub struct Container<'a> {
    /// The whole file, or the bytes of a chunk.
    pub bytes: &'a [u8],
    /// The same bytes with their place in the file.
    pub(crate) chunk: Chunk<'a>,
    /// Bytes of the whole file.
    pub(crate) length: usize,
    /// Its header.
    pub header: Header,
    /// What its protocol numbers mean.
    pub dialect: Dialect,
    /// The segments of macros, in playing order.
    pub segments: Vec<Segment>,
    /// Where the list of segments comes from.
    pub source: Source,
    /// What is wrong with the directory.
    pub damage: Vec<Damage>,
    /// Where a second recording begins behind this one. Engines play the first.
    pub second: Option<usize>,
    /// Whether the header is damaged: what it says is not used.
    pub header_lost: bool,
    /// What stands before the recording's own header, if anything does.
    pub(crate) foreign: Option<Foreign>,
    limits: Limits,
}

/// Bytes that another program put before a recording: a web server's answer, the head of a message.
#[derive(Debug, Clone)]
pub(crate) struct Foreign {
    /// Their number: the recording's header stands behind them.
    pub bytes: usize,
    /// The recording's own header.
    pub header: Header,
    /// The recording's own directory, whose numbers count from its header.
    pub directory: Option<Range<usize>>,
}

/// Where the list of segments comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From the file's directory.
    Directory,
    /// The directory is missing or wrong; the segments were found by walking over macros.
    Walked,
}

/// A segment of macros, with its directory entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The directory's entry, or the entry that it should have.
    pub entry: Entry,
    /// First byte.
    pub from: usize,
    /// The byte after the last.
    pub to: usize,
    /// The start of whatever follows. A macro that crosses `to` may be read up to here.
    pub limit: usize,
}

impl Segment {
    /// True for a played segment, false for the loading segment.
    pub fn is_playback(&self) -> bool {
        self.entry.kind != directory::LOADING
    }
}

impl<'a> Container<'a> {
    /// Reads the header and the directory. A directory that is missing, wrong, or leaves out macros becomes [`damage`](Self::damage); the
    /// segments are then found by walking over the macros.
    ///
    /// # Errors
    /// Fails if the file has no GoldSrc header and no directory that shows it to be a recording, or is longer than `limits` allow.
    pub fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, Error> {
        if bytes.len() as u64 > limits.recording_bytes {
            return Err(Error::limit("the recording is longer than allowed"));
        }
        if let Some(foreign) = foreign_bytes(bytes) {
            return Container::open_behind(bytes, foreign, limits);
        }
        let (header, dialect, lost) = read_header(bytes)?;
        let mut container = Container {
            bytes,
            chunk: Chunk::whole(bytes),
            length: bytes.len(),
            header,
            dialect,
            segments: Vec::new(),
            source: Source::Directory,
            damage: Vec::new(),
            second: None,
            header_lost: lost.is_some(),
            foreign: None,
            limits: *limits,
        };
        let placed = directory::read(bytes, container.header.directory_offset).and_then(|entries| container.place(entries));
        let error = match placed {
            Ok(segments) => {
                container.segments = segments;
                container.find_left_out()
            }
            Err(error) => Some(error),
        };
        if let Some(error) = error {
            container.second = next_header(bytes, container.dialect.header_bytes());
            container.walk_instead(&error);
        } else if let Some(behind) = container.unreferenced().last().filter(|gap| gap.end == bytes.len()) {
            container.second = next_header(bytes, behind.start);
        }
        if let Some(error) = lost {
            let damage = Damage::of(&error, DamageKind::Framing).skipping(0, container.dialect.header_bytes() as u64);
            container.damage.insert(0, damage);
        }
        Ok(container)
    }

    /// Opens the recording that begins behind this number of other bytes. Its directory counts from its header.
    fn open_behind(bytes: &'a [u8], foreign: usize, limits: &Limits) -> Result<Self, Error> {
        let own = Container::open(&bytes[foreign..], limits)?;
        let directory = (own.source == Source::Directory).then(|| {
            let from = foreign + own.header.directory_offset as usize;
            from..from + 4 + directory::ENTRY_BYTES * own.segments.len()
        });
        let behind = |at: u64| at + foreign as u64;
        let moved = |damage: Damage| Damage {
            offset: behind(damage.offset),
            skipped: damage.skipped.map(|skipped| Extent { from: behind(skipped.from), to: behind(skipped.to) }),
            ..damage
        };
        let mut header = Header::default();
        header.code(&mut ReadBits::new(bytes), &own.dialect)?;
        let error = Error::malformed(format!("{foreign} other bytes precede the recording")).at_offset(0);
        let damage = Damage::of(&error, DamageKind::Framing).skipping(0, foreign as u64);
        let segments = own.segments.into_iter().map(|Segment { entry, from, to, limit }| {
            let entry = Entry { offset: entry.offset.saturating_add(foreign as i32), ..entry };
            Segment { entry, from: from + foreign, to: to + foreign, limit: limit + foreign }
        });
        Ok(Container {
            bytes,
            chunk: Chunk::whole(bytes),
            length: bytes.len(),
            header,
            segments: segments.collect(),
            source: Source::Walked,
            damage: std::iter::once(damage).chain(own.damage.into_iter().map(moved)).collect(),
            second: own.second.map(|second| second + foreign),
            header_lost: true,
            foreign: Some(Foreign { bytes: foreign, header: own.header, directory }),
            ..own
        })
    }

    /// The bytes of this recording, without a second one behind it.
    fn own_bytes(&self) -> &'a [u8] {
        &self.bytes[..self.second.unwrap_or(self.bytes.len())]
    }

    /// The same file after it has grown. `bytes` is the whole file so far; `last` means that it is complete. Until then it has no directory,
    /// and the last segment continues.
    pub(crate) fn grown<'b>(&self, bytes: &'b [u8], last: bool) -> Container<'b> {
        let known = || self.over(Chunk::growing(bytes, last));
        let opened = if bytes.len() < self.bytes.len() { known() } else { Container::open(bytes, &self.limits).unwrap_or_else(|_| known()) };
        Container { chunk: Chunk::growing(bytes, last), length: bytes.len(), ..opened }
    }

    /// The same file by another chunk of it.
    pub(crate) fn over<'b>(&self, chunk: Chunk<'b>) -> Container<'b> {
        Container {
            bytes: chunk.bytes(),
            chunk,
            length: self.length,
            header: self.header.clone(),
            dialect: self.dialect,
            segments: self.segments.clone(),
            source: self.source,
            damage: self.damage.clone(),
            second: self.second,
            header_lost: self.header_lost,
            foreign: self.foreign.clone(),
            limits: self.limits,
        }
    }

    /// True if more bytes may be written.
    pub(crate) fn grows(&self) -> bool {
        !self.chunk.is_last() && !self.chunk.hides_more()
    }

    /// Reads header and directory of a file that comes in chunks. `None` where only the whole file says how it is read: header or directory is damaged, or
    /// other bytes stand before, between or behind the segments.
    pub(crate) fn open_chunks<C: Chunks>(chunks: &mut C, limits: &Limits) -> Result<Option<Container<'static>>, C::Error> {
        let length = chunks.length();
        let head = chunks.chunk(0, HEAD - 1)?;
        let Some((header, dialect, None)) = read_header(head.bytes()).ok().filter(|_| head.bytes().starts_with(MAGIC)) else { return Ok(None) };
        let chunk = Chunk::none();
        let (source, segments, damage) = (Source::Directory, Vec::new(), Vec::new());
        let mut container = Container {
            bytes: chunk.bytes(),
            chunk,
            length,
            header,
            dialect,
            segments,
            source,
            damage,
            second: None,
            header_lost: false,
            foreign: None,
            limits: *limits,
        };
        let Some(offset) = usize::try_from(container.header.directory_offset).ok().filter(|&offset| offset > 0 && offset < length) else { return Ok(None) };
        let tail = chunks.chunk(offset, offset + directory::LONGEST)?;
        let placed = directory::read_here(tail.from(offset)).and_then(|entries| container.place(entries));
        let Ok(segments) = placed else { return Ok(None) };
        container.segments = segments;
        if !container.segments.is_sorted_by_key(|segment| segment.from) || !container.unreferenced().is_empty() {
            return Ok(None);
        }
        for segment in &container.segments {
            let start = chunks.chunk(segment.from, segment.from + LONGEST_MACRO)?;
            if macros::find_in(start, segment.from, segment.limit, &container.dialect, limits).is_err() {
                return Ok(None);
            }
        }
        Ok(Some(container))
    }

    /// Replaces the segments by those found by walking. Directory entries that match one of them exactly are kept.
    fn walk_instead(&mut self, error: &Error) {
        let named = std::mem::take(&mut self.segments);
        let known = |found: Segment| named.iter().find(|old| (old.from, old.to) == (found.from, found.to)).cloned().unwrap_or(found);
        self.segments = walk(self.own_bytes(), &self.dialect, &self.limits).into_iter().map(|stretch| known(stretch.into_segment())).collect();
        self.source = Source::Walked;
        self.damage.push(Damage::of(error, DamageKind::Framing));
    }

    /// Looks for macros that the directory leaves out: an entry without a macro although the file has some, or macros behind an ended segment
    /// that no entry covers.
    fn find_left_out(&self) -> Option<Error> {
        let (offset, header) = (self.header.directory_offset as usize, self.dialect.header_bytes());
        let here = |rule: &'static str| Error::malformed(rule).at_offset(offset as u64);
        for (at, segment) in self.segments.iter().enumerate() {
            let starts = macros::find(self.bytes, segment.from, segment.limit, &self.dialect, &self.limits).is_ok();
            if !starts && scan::resume(self.bytes, segment.from + 1, segment.to, &self.dialect, &self.limits).is_none() {
                let anywhere = !walk(self.bytes, &self.dialect, &self.limits).is_empty();
                return anywhere.then(|| here("the entry has no macro").inside("entry", Some(at as u32)).inside("directory", None));
            }
        }
        let taken = |at: usize| at == offset || self.segments.iter().any(|segment| (segment.from..segment.to).contains(&at));
        let ends = self.segments.iter().filter(|segment| self.is_ended(segment)).map(|segment| segment.to);
        let hidden = |at: usize| at < self.bytes.len() && !taken(at) && !looks_like_directory(self.bytes, at) && self.is_macro_run(at, offset);
        let behind = ends.chain([header]).find(|&at| hidden(at))?;
        Some(here("no entry contains the macros after a segment").at_offset(behind as u64).inside("directory", None))
    }

    /// True if a segment ends with an end macro.
    fn is_ended(&self, segment: &Segment) -> bool {
        let from = segment.to.checked_sub(HEAD_BYTES).filter(|&from| from >= segment.from);
        from.is_some_and(|from| self.bytes[from] == MacroType::end(self.dialect.macros).0)
    }

    /// True if several macros follow one another from `at` up to the directory or the end of the file.
    fn is_macro_run(&self, at: usize, directory: usize) -> bool {
        let limit = if at < directory { directory } else { self.bytes.len() };
        scan::is_macro_run(self.bytes, at, limit, &self.dialect, &self.limits)
    }

    /// The segments that the entries name. Fails if they overlap or reach beyond the file.
    fn place(&self, entries: Vec<Entry>) -> Result<Vec<Segment>, Error> {
        let offset = self.header.directory_offset as usize;
        let directory = (offset, offset + 4 + entries.len() * directory::ENTRY_BYTES);
        let mut taken = vec![(0, self.dialect.header_bytes()), directory];
        let mut segments = Vec::new();
        for (at, entry) in entries.into_iter().enumerate() {
            let wrong = |rule| Error::malformed(rule).at_offset(offset as u64).inside("entry", Some(at as u32)).inside("directory", None);
            let (from, to) = entry.range().filter(|&(_, to)| to <= self.length).ok_or_else(|| wrong("the entry extends beyond the file"))?;
            // An entry of no length is read to what follows it, so nothing else may hold its place.
            let held = (from, to.max(from + 1));
            if taken.iter().any(|&(a, b)| held.0 < b && a < held.1) {
                return Err(wrong("the entry overlaps something else"));
            }
            taken.push(held);
            segments.push(Segment { entry, from, to, limit: to });
        }
        for segment in &mut segments {
            let next = taken.iter().map(|&(from, _)| from).filter(|&from| from >= segment.to && from > segment.from).min();
            segment.limit = next.unwrap_or(self.length);
        }
        Ok(segments)
    }

    /// The bytes that are neither header nor directory nor part of a segment, in order.
    pub(crate) fn unreferenced(&self) -> Vec<Range<usize>> {
        let header = self.foreign.as_ref().map_or(0, |foreign| foreign.bytes) + self.dialect.header_bytes();
        let mut covered = vec![(0, header)];
        covered.extend(self.foreign.iter().filter_map(|foreign| foreign.directory.as_ref()).map(|directory| (directory.start, directory.end)));
        if self.source == Source::Directory {
            let offset = self.header.directory_offset as usize;
            covered.push((offset, offset + 4 + directory::ENTRY_BYTES * self.segments.len()));
        }
        covered.extend(self.segments.iter().map(|segment| (segment.from, segment.to)));
        covered.sort_unstable();
        let (mut at, length) = (0, self.length);
        let mut gaps = Vec::new();
        for (from, to) in covered.into_iter().chain([(length, length)]) {
            if from > at {
                gaps.push(at..from);
            }
            at = at.max(to);
        }
        gaps
    }

    /// All macros in playing order, with the damage between them.
    pub fn macros(&self) -> Macros<'a, '_> {
        Macros { container: self, cursor: Cursor::default() }
    }

    /// True if a macro, and no directory, begins at `at`.
    fn is_readable(&self, at: usize, limit: usize) -> bool {
        !looks_like_directory(self.chunk.from(at), 0) && macros::find_in(self.chunk, at, limit, &self.dialect, &self.limits).is_ok()
    }

    /// True if the chunk holds all bytes up to an offset, or to the end of the file.
    fn shows(&self, offset: usize) -> bool {
        !self.chunk.hides_more() || self.chunk.end() >= offset
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// The header and the dialect that it names; where it is damaged, the dialect of what follows, and what is wrong with the header.
fn read_header(bytes: &[u8]) -> Result<(Header, Dialect, Option<Error>), Error> {
    let lost = |error: Error| {
        let (header, dialect) = lost_header::find(bytes).ok_or_else(|| error.clone())?;
        Ok((header, dialect, Some(error)))
    };
    match Header::read(bytes) {
        Err(error) => lost(error),
        Ok((header, dialect)) => {
            let unknown = header.demo_protocol == 5 && dialect.messages.is_none();
            // the repaired recording must be read as this one is: a directory decides nothing here
            let stated = unknown.then(|| lost_header::stated_protocol(bytes)).flatten().and_then(|protocol| Dialect::new(5, protocol));
            let Some(stated) = stated else { return Ok((header, dialect, None)) };
            let rule = format!("the header states network protocol {}, and the server another", header.network_protocol);
            let mut header = Header::default();
            header.code(&mut ReadBits::new(bytes), &stated)?;
            Ok((header, stated, Some(Error::malformed(rule).at_offset(12))))
        }
    }
}

/// Most bytes before a recording's header.
const MOST_FOREIGN: usize = 1 << 16;

/// The number of bytes before a recording's header, if other bytes precede one that names known protocols.
pub(crate) fn foreign_bytes(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(MAGIC) {
        return None;
    }
    let at = next_header(&bytes[..bytes.len().min(MOST_FOREIGN)], 1)?;
    let (header, dialect) = Header::read(&bytes[at..]).ok()?;
    (header.demo_protocol == 4 || dialect.messages.is_some()).then_some(at)
}

/// The next place at or behind `from` where the header of a recording stands.
fn next_header(bytes: &[u8], from: usize) -> Option<usize> {
    let magic = Header::MAGIC_BYTES;
    let places = bytes.get(from..)?.windows(magic.len()).enumerate().filter(|(_, window)| *window == magic);
    places.map(|(at, _)| from + at).find(|&at| Header::read(&bytes[at..]).is_ok())
}

/// A macro or the damage met in its place.
#[derive(Debug, Clone)]
pub enum Step<'a> {
    /// A macro.
    Macro {
        /// Its number in playing order, from 0.
        number: u32,
        /// Its segment.
        segment: usize,
        /// The window over it.
        window: Macro<'a>,
    },
    /// Bytes that are no macro, or a missing end.
    Damage(Damage),
}

impl<'a> Step<'a> {
    /// The macro, unless it is damage.
    pub fn found(self) -> Option<Macro<'a>> {
        match self {
            Step::Macro { window, .. } => Some(window),
            Step::Damage(_) => None,
        }
    }
}

/// Iterates over macros; made by [`Container::macros`].
#[derive(Debug, Clone)]
pub struct Macros<'a, 'c> {
    container: &'c Container<'a>,
    cursor: Cursor,
}

impl<'a> Iterator for Macros<'a, '_> {
    type Item = Step<'a>;

    #[inline]
    fn next(&mut self) -> Option<Step<'a>> {
        self.cursor.next(self.container)
    }
}

/// No macro is longer.
const LONGEST_MACRO: usize = MAX_MESSAGE + 1024;
/// Bytes behind an error that its description shows.
pub(crate) const CONTEXT: usize = 16;

/// A position in the macros of a container.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cursor {
    segment: usize,
    /// Offset of the next macro. Absent before the first macro of the segment.
    at: Option<usize>,
    /// The segment's real end, if the macros contradict its entry.
    to: Option<usize>,
    last: Option<MacroKind>,
    /// Time and frame of the last macro, if the next one counts on from it.
    before: Option<(f32, i32)>,
    number: u32,
}

impl Cursor {
    /// Offset of the next macro.
    pub(crate) fn offset(&self, container: &Container) -> usize {
        self.at.or_else(|| container.segments.get(self.segment).map(|segment| segment.from)).unwrap_or(container.length)
    }

    /// The next macro of the container, or the damage met in its place.
    #[inline]
    pub(crate) fn next<'a>(&mut self, container: &Container<'a>) -> Option<Step<'a>> {
        loop {
            let segment = container.segments.get(self.segment)?;
            let (at, to) = (self.at.unwrap_or(segment.from), self.to.unwrap_or(segment.to));
            if at >= to && container.grows() && self.segment + 1 == container.segments.len() && self.last != Some(MacroKind::End) {
                return None;
            }
            if at >= to || (self.to.is_some() && self.last == Some(MacroKind::End)) {
                if self.last != Some(MacroKind::End) && to < segment.limit && !container.shows(to + LONGEST_MACRO) {
                    return None;
                }
                if let Some(damage) = self.end_segment(container, segment) {
                    return Some(Step::Damage(damage));
                }
                continue;
            }
            let found = macros::find_in(container.chunk, at, to, &container.dialect, &container.limits);
            if container.chunk.hides_more() && self.waits(container, segment, &found, to) {
                return None;
            }
            match found {
                Ok(window) if scan::is_unfounded(container.chunk, &window, self.before, to, &container.dialect, &container.limits) => {
                    let error = Error::malformed("it matches neither the previous nor the next macro").at_offset(at as u64);
                    return Some(Step::Damage(self.skip_damage(container, segment, at, to, &error)));
                }
                Ok(window) => {
                    self.at = Some(window.end());
                    self.before = scan::goes_on(&window);
                    self.last = Some(window.kind);
                    self.number += 1;
                    return Some(Step::Macro { number: self.number - 1, segment: self.segment, window });
                }
                Err(why) => {
                    let error = why.error(at, to.min(container.length));
                    return Some(Step::Damage(self.skip_damage(container, segment, at, to, &error)));
                }
            }
        }
    }

    /// The next macro, if it counts on from the one before and no byte behind the chunk matters. That is nearly every macro, and takes a third of the
    /// instructions of [`next`](Self::next), which decides all others.
    #[inline]
    pub(crate) fn next_usual<'a>(&mut self, container: &Container<'a>) -> Option<(u32, usize, Macro<'a>)> {
        let (at, before) = (self.at?, self.before?);
        let to = self.to.unwrap_or(container.segments.get(self.segment)?.to);
        let window = macros::find_in(container.chunk, at, to, &container.dialect, &container.limits).ok()?;
        let end = window.end();
        let is_shown = end + CONTEXT <= container.chunk.end() || !container.chunk.hides_more();
        if !is_shown || !scan::follows(before, &window) || scan::is_zero(&window) || window.kind == MacroKind::End {
            return None;
        }
        self.at = Some(end);
        self.before = scan::goes_on(&window);
        self.last = Some(window.kind);
        self.number += 1;
        Some((self.number - 1, self.segment, window))
    }

    /// True if the next macro is in this segment, unless it ends the segment before.
    pub(crate) fn is_in(&self, segment: usize) -> bool {
        self.segment == segment
    }

    /// Passes over macros that [`next_usual`](Self::next_usual) would return, while `passes` is true for them. No end or start of playing is passed.
    #[inline]
    pub(crate) fn pass_usual(&mut self, container: &Container, mut passes: impl FnMut(&Macro) -> bool) {
        let (Some(mut at), Some(mut before), Some(mut last)) = (self.at, self.before, self.last) else { return };
        let Some(to) = self.to.or_else(|| Some(container.segments.get(self.segment)?.to)) else { return };
        let shown = if container.chunk.hides_more() { container.chunk.end() } else { usize::MAX };
        let mut number = self.number;
        while let Ok(window) = macros::find_in(container.chunk, at, to, &container.dialect, &container.limits) {
            let end = window.end();
            let is_usual = end + CONTEXT <= shown && scan::follows(before, &window) && !scan::is_zero(&window);
            if !is_usual || matches!(window.kind, MacroKind::Start | MacroKind::End) || !passes(&window) {
                break;
            }
            (at, before, last) = (end, (window.time, window.frame), window.kind);
            number += 1;
        }
        (self.at, self.before, self.last, self.number) = (Some(at), Some(before), Some(last), number);
    }

    /// True if the bytes behind the chunk may change what is made of the next macro.
    fn waits(&self, container: &Container, segment: &Segment, found: &Result<Macro, NoMacro>, to: usize) -> bool {
        match found {
            Ok(window) if window.end() + CONTEXT > container.chunk.end() => return true,
            Ok(window) if self.before.is_none_or(|before| scan::follows(before, window)) => return false,
            Ok(window) if !container.shows((window.end() + LONGEST_MACRO).min(to)) => return true,
            Ok(window) if !scan::is_unfounded(container.chunk, window, self.before, to, &container.dialect, &container.limits) => return false,
            Ok(_) | Err(_) => {}
        }
        // what is no macro is passed over up to the next, wherever that is
        !container.shows(segment.limit.max(to) + CONTEXT)
    }

    /// True if all segments were passed.
    pub(crate) fn is_over(&self, container: &Container) -> bool {
        self.segment >= container.segments.len()
    }

    /// Ends a segment. Reports a missing end macro, or continues behind an end that the macros contradict.
    #[cold]
    fn end_segment(&mut self, container: &Container, segment: &Segment) -> Option<Damage> {
        let (to, ended) = (self.to.unwrap_or(segment.to), self.last == Some(MacroKind::End));
        if !ended && to < segment.limit && container.is_readable(to, segment.limit) {
            self.to = Some(segment.limit);
            let error = Error::malformed("the directory ends the segment before its last macro").at_offset(to as u64);
            return Some(Damage::of(&error, DamageKind::Framing));
        }
        *self = Cursor { segment: self.segment + 1, number: self.number, ..Cursor::default() };
        if ended {
            return None;
        }
        let error = Error::malformed("the segment has no end macro").at_offset(to as u64);
        Some(Damage::of(&error, DamageKind::NoEndMarker))
    }

    /// Looks for the next macro where none can be read.
    #[cold]
    fn skip_damage(&mut self, container: &Container, segment: &Segment, from: usize, to: usize, error: &Error) -> Damage {
        if to < segment.limit && container.is_readable(from, segment.limit) {
            self.to = Some(segment.limit);
            let error = Error::malformed("the directory ends the segment inside a macro").at_offset(from as u64);
            return Damage::of(&error, DamageKind::Framing);
        }
        let start = container.chunk.start();
        let found = scan::resume(container.chunk.bytes(), from + 1 - start, to - start, &container.dialect, &container.limits).map(|at| at + start);
        let next = found.unwrap_or(to);
        self.at = Some(next);
        let kind = if found.is_none() && to >= container.length { DamageKind::Truncated } else { DamageKind::Framing };
        Damage::of(error, kind).skipping(from as u64, next as u64)
    }
}
