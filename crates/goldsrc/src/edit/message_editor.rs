//! Edits messages one by one; all other bytes are copied (`docs/formats/goldsrc.md`, "Editing").

use std::collections::BTreeMap;
use std::ops::Range;

use fragreel_base::wire::{Error, ReadBits, Wire, WriteBits};
use fragreel_model::{Action, Edited, Extent, Fate, Milliseconds, Place, Role};

use crate::container::body;
use crate::container::{MAX_MESSAGE, Macro, MacroKind, Step, tool_of};
use crate::message::context::Context;
use crate::message::decoder::Decoder;
use crate::message::{self, Hltv, Message, Pool};
use crate::scalars::before_nul;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

use super::patch::Patches;

/// Edits a recording. Each method may change what it gets.
pub(super) trait MessageEditor {
    /// A message, and the context that decoded it.
    fn message(&mut self, place: Place, context: &Context, message: &mut Message) -> Result<Fate, Error>;

    /// A command of the player's client, without its NUL.
    fn command(&mut self, _place: Place, _command: &mut Vec<u8>) -> Fate {
        Fate::Keep
    }

    /// True if data that tools keep in commands and that is not read is to be left out.
    fn drops_tool_data(&mut self, _place: Place, _data: &[u8]) -> bool {
        false
    }

    /// A text in a field of fixed length, with the bytes behind its NUL.
    fn field(&mut self, _place: Place, _role: Role, _field: &mut [u8]) {}

    /// Bytes that are no message: buffers of the client, bytes that cannot be read, bytes that nothing refers to.
    fn raw(&mut self, _place: Place, _bytes: &mut [u8]) {}
}

/// Passes every message to `change`.
pub(crate) fn map_messages(input: &Input, change: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Result<Edited, Error> {
    edit_messages(input, &mut MessageMapper(change))
}

struct MessageMapper<'f>(&'f mut dyn FnMut(Place, &mut Message) -> Fate);

impl MessageEditor for MessageMapper<'_> {
    fn message(&mut self, place: Place, _: &Context, message: &mut Message) -> Result<Fate, Error> {
        Ok((self.0)(place, message))
    }
}

/// Counts for the actions.
#[derive(Default)]
struct ChangeCounts {
    changed: u64,
    dropped: u64,
    commands: u64,
    /// Commands left out that hold a tool's data, by the tool's name.
    tool_data: BTreeMap<&'static str, u64>,
    raw: u64,
}

pub(super) fn edit_messages(input: &Input, change: &mut dyn MessageEditor) -> Result<Edited, Error> {
    let dialect = input.dialect();
    if dialect.messages.is_none() {
        return Err(Error::unsupported("the messages of demo protocol 4 are not known, so they cannot be changed"));
    }
    let (mut playback, mut patches, mut count) = (Playback::new(input), Patches::default(), ChangeCounts::default());
    let mut again = None;
    let (mut unread, mut beyond) = (input.container.unreferenced(), Vec::<Range<usize>>::new());
    while let Some(step) = playback.next() {
        let (number, segment, window) = match step {
            Step::Macro { number, segment, window } => (number, segment, window),
            Step::Damage(damage) => {
                if let Some(Extent { from, to }) = damage.skipped {
                    unread.push(from as usize..to as usize);
                }
                continue;
            }
        };
        let entry = &input.container.segments[segment];
        if window.end() > entry.to {
            match beyond.last_mut().filter(|last| last.end == window.offset) {
                Some(last) => last.end = window.end(),
                None => beyond.push(window.offset..window.end()),
            }
        }
        let place = Place { message: number, time: playback.now() };
        match window.kind {
            MacroKind::Command => command(&window, place, change, &mut patches, &mut count),
            MacroKind::Buffer => {
                if let Some(new) = edited_bytes(window.body, |bytes| change.raw(place, bytes)) {
                    patches.replace(window.body_offset()..window.end(), new);
                    count.raw += 1;
                }
            }
            MacroKind::Data => {
                let sky = body::sky_name(&window, dialect);
                if let Some(new) = sky.clone().and_then(|sky| edited_bytes(&window.body[sky], |field| change.field(place, Role::String, field))) {
                    let from = window.body_offset() + sky.map_or(0, |sky| sky.start);
                    patches.replace(from..from + new.len(), new);
                    count.raw += 1;
                }
                let Some((offset, data)) = playback.messages(&window) else { continue };
                let mut new = block(&mut playback, &window, data, offset, place, change, &mut count)?;
                let mut from = 0;
                if let (None, Some((context, at))) = (&again, new.announces.take()) {
                    again = Some(Decoder::new(context));
                    from = at;
                }
                if let Some(again) = &mut again {
                    let bytes = new.bytes.as_deref().unwrap_or(data);
                    read_back(again, &bytes[from..], new.whole)?;
                }
                let Some(bytes) = new.bytes else { continue };
                if bytes.len() > MAX_MESSAGE {
                    return Err(Error::misuse("the changed data block is longer than the engine reads (65536 bytes)").at_offset(offset as u64));
                }
                patches.replace(offset - 4..offset, (bytes.len() as u32).to_le_bytes().to_vec());
                patches.replace(offset..offset + data.len(), bytes);
            }
            _ => {}
        }
    }
    let mut edited = Edited { extension: String::from("dem"), ..Edited::default() };
    if count.changed > 0 {
        edited.actions.push(Action::MessagesChanged { messages: count.changed });
    }
    if count.dropped > 0 {
        edited.actions.push(Action::MessagesDropped { messages: count.dropped });
    }
    if count.commands > 0 {
        edited.actions.push(Action::CommandsChangedOrDropped { commands: count.commands });
    }
    for (tool, commands) in count.tool_data {
        edited.actions.push(Action::ToolDataLeftOut { commands, tool: tool.to_owned() });
    }
    let nowhere = Place { message: 0, time: Milliseconds(0) };
    for range in without(unread, &beyond) {
        if let Some(new) = edited_bytes(&input.container.bytes[range.clone()], |bytes| change.raw(nowhere, bytes)) {
            patches.replace(range, new);
            count.raw += 1;
        }
    }
    let mut container = input.container.clone();
    let mut header = container.header.clone();
    let titles = container.segments.iter_mut().map(|segment| &mut segment.entry.title.0[..]);
    for field in [&mut header.map[..], &mut header.game[..]].into_iter().chain(titles) {
        if let Some(new) = edited_bytes(field, |field| change.field(nowhere, Role::String, field)) {
            field.copy_from_slice(&new);
            count.raw += 1;
        }
    }
    if count.raw > 0 {
        edited.actions.push(Action::TextChanged { places: count.raw });
    }
    edited.bytes = patches.apply(&container, header)?;
    Ok(edited)
}

/// Merges overlapping ranges, and takes out the macros that were read beyond the end of their segment.
fn without(mut stretches: Vec<Range<usize>>, macros: &[Range<usize>]) -> Vec<Range<usize>> {
    stretches.sort_unstable_by_key(|stretch| stretch.start);
    stretches.dedup_by(|next, before| {
        let overlaps = next.start < before.end;
        if overlaps {
            before.end = before.end.max(next.end);
        }
        overlaps
    });
    for read in macros {
        let parts = stretches.into_iter().flat_map(|part| [part.start..part.end.min(read.start), part.start.max(read.end)..part.end]);
        stretches = parts.filter(|part| !part.is_empty()).collect();
    }
    stretches
}

/// An edited block.
struct Block {
    /// Its messages. Absent if they did not change.
    bytes: Option<Vec<u8>>,
    /// Set if a message that changes the context was edited: the context before the first such message, and its place in the new block.
    announces: Option<(Context, usize)>,
    /// True if the old block could be read to its end.
    whole: bool,
}

/// Bytes of a block, and what stands there now.
struct BlockEdit {
    range: Range<usize>,
    new: Vec<u8>,
    /// Whether the message changes how later messages are read.
    announces: bool,
}

fn block<'a>(
    playback: &mut Playback<'a>,
    window: &Macro<'a>,
    data: &[u8],
    offset: usize,
    place: Place,
    change: &mut dyn MessageEditor,
    count: &mut ChangeCounts,
) -> Result<Block, Error> {
    let (mut edits, mut first, mut failed) = (Vec::new(), None, None);
    let whole = playback.read(window, |context, message, range| {
        if failed.is_some() {
            return;
        }
        let old = &data[range.clone()];
        // the decoder must remember the old message
        let kept = announcement(message).then(|| message.clone());
        if kept.is_some() && first.is_none() {
            first = Some((context.clone(), range.start));
        }
        let new = match change.message(place, context, message) {
            Ok(Fate::Drop) if !is_vital(message) => Ok(Some(Vec::new())),
            Ok(_) => written(context, message, old),
            Err(error) => Err(error),
        };
        match new {
            Ok(Some(new)) => edits.push(BlockEdit { range: range.clone(), new, announces: kept.is_some() }),
            Ok(None) => {}
            Err(error) => {
                failed = Some(error.in_message_at((offset + range.start) as u64));
                return;
            }
        }
        if let Some(kept) = kept {
            *message = kept;
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let unread = match playback.skipped() {
        _ if whole.is_ok() => Vec::new(),
        [] => std::iter::once(playback.good_bytes()..data.len()).collect(),
        skipped => skipped.to_vec(),
    };
    // a description that breaks a rule is read, and stands among what cannot be read all the same
    edits.retain(|edit| unread.iter().all(|range| edit.range.end <= range.start || range.end <= edit.range.start));
    for edit in &edits {
        *(if edit.new.is_empty() { &mut count.dropped } else { &mut count.changed }) += 1;
    }
    let announces = edits.iter().any(|edit| edit.announces);
    let first = first.filter(|_| announces).map(|(context, from)| {
        let before = edits.iter().filter(|edit| edit.range.end <= from);
        (context, before.fold(from, |at, edit| at + edit.new.len() - edit.range.len()))
    });
    for range in unread {
        if let Some(new) = edited_bytes(&data[range.clone()], |bytes| change.raw(place, bytes)) {
            edits.push(BlockEdit { range, new, announces: false });
        }
    }
    edits.sort_by_key(|edit| edit.range.start);
    let bytes = (!edits.is_empty()).then(|| {
        let (mut out, mut copied) = (Vec::with_capacity(data.len()), 0);
        for edit in edits {
            out.extend_from_slice(&data[copied..edit.range.start]);
            out.extend_from_slice(&edit.new);
            copied = edit.range.end;
        }
        out.extend_from_slice(&data[copied..]);
        out
    });
    Ok(Block { bytes, announces: first, whole: whole.is_ok() })
}

/// True for messages that the game needs.
fn is_vital(message: &Message) -> bool {
    announcement(message)
        || matches!(
            message,
            Message::ResourceList(_)
                | Message::ResourceRequest(_)
                | Message::PacketEntities(_)
                | Message::DeltaPacketEntities(_)
                | Message::ClientData(_)
                | Message::Time(_)
                | Message::SignonNum(_)
                | Message::SetView(_)
        )
}

/// True for messages that change how later messages are read.
fn announcement(message: &Message) -> bool {
    matches!(
        message,
        Message::ServerInfo(_) | Message::DeltaDescription(_) | Message::NewUserMessage(_) | Message::SpawnBaseline(_) | Message::Hltv(Hltv { mode: 0, .. })
    )
}

/// The message's bytes, if they differ from `old`. Fails if they cannot be read back as the same message.
fn written(context: &Context, message: &mut Message, old: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let write = |message: &mut Message| {
        let mut writer = WriteBits::default();
        let Ok(()) = message::code(&mut writer, context, message, &mut Pool::default());
        writer.finish()
    };
    let bytes = write(message);
    if bytes == old {
        return Ok(None);
    }
    let (mut reader, mut found) = (ReadBits::new(&bytes), Message::default());
    let read = message::code(&mut reader, context, &mut found, &mut Pool::default());
    if read.is_err() || reader.more(true) || write(&mut found) != bytes {
        return Err(Error::misuse(format!("the changed {} cannot be read back", message::name(message.id()))));
    }
    Ok(Some(bytes))
}

/// Reads a block of the new file after an announcement was edited.
fn read_back(again: &mut Decoder, bytes: &[u8], whole: bool) -> Result<(), Error> {
    match again.block(bytes, 0, |_, _, _| {}) {
        Err(error) if whole => Err(Error::misuse(format!("a changed announcement makes later messages unreadable: {}", error.detail()))),
        _ => Ok(()),
    }
}

/// The bytes after `edit`, if they changed.
fn edited_bytes(bytes: &[u8], edit: impl FnOnce(&mut [u8])) -> Option<Vec<u8>> {
    let mut new = bytes.to_vec();
    edit(&mut new);
    (new != bytes).then_some(new)
}

fn command(window: &Macro, place: Place, change: &mut dyn MessageEditor, patches: &mut Patches, count: &mut ChangeCounts) {
    let old = before_nul(window.body);
    if let Some(tool) = tool_of(old) {
        if change.drops_tool_data(place, old) {
            patches.replace(window.offset..window.end(), Vec::new());
            *count.tool_data.entry(tool).or_default() += 1;
        }
        return;
    }
    let mut new = old.to_vec();
    let fate = change.command(place, &mut new);
    if fate == Fate::Drop {
        patches.replace(window.offset..window.end(), Vec::new());
        count.commands += 1;
        return;
    }
    let mut field = window.body.to_vec();
    if new != old {
        // the field holds 63 bytes and a NUL
        new.retain(|&byte| byte != 0);
        new.truncate(window.body.len() - 1);
        new.resize(window.body.len(), 0);
        field = new;
    } else {
        let behind = old.len();
        change.field(place, Role::Command, &mut field[behind..]);
    }
    if field != window.body {
        patches.replace(window.body_offset()..window.end(), field);
        count.commands += 1;
    }
}
