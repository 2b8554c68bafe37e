//! What a recording holds beside the game: files, voice, statistics of the mod.

use std::borrow::Cow;

use fragreel_model::{ExtractKind, Extracted, Voices};

use crate::characters;
use crate::dialect::{Dialect, pext1};
use crate::events::demo_info;
use crate::message::{Download, Message};
use crate::walk::blocks::NextBlock;
use crate::walk::decoder::Item;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// DarkPlaces' commands about a download.
const BEGIN: &[u8] = b"cl_downloadbegin ";

/// The longest file that pieces out of order may make.
const MOST_CHUNKS: u32 = 1 << 16;

/// Everything, in the order in which it begins; statistics, then voices, last.
pub(crate) fn extract(input: &Input<'_>) -> Vec<Extracted> {
    let mut found = Collector::default();
    let mut playback = Playback::new(input, false);
    while let Some(step) = playback.next_block() {
        let NextBlock::Block(block) = step else { continue };
        // what comes before an error counts
        let _ = playback.play(&block, |context, item| {
            let Item::Message(message) = item else { return };
            found.message(block.number, context.dialect, message);
            context.apply(message);
        });
    }
    let Collector { files, voices, .. } = found;
    let mut found: Vec<Extracted> = files.into_iter().map(File::finish).filter(|file| file.bytes.as_ref().is_some_and(|bytes| !bytes.is_empty())).collect();
    for (at, (message, text)) in demo_info::raw_texts(input).into_iter().enumerate() {
        found.push(Extracted::new(ExtractKind::Statistics, format!("statistics_{}.json", at + 1), message, text));
    }
    found.extend(voices.finish());
    found
}

#[derive(Default)]
struct Collector {
    files: Vec<File>,
    /// Whether the next piece belongs to the last file.
    open: bool,
    voices: Voices,
    count: u32,
}

struct File {
    extracted: Extracted,
    /// Pieces with their places.
    pieces: Vec<(u64, Vec<u8>)>,
}

impl File {
    fn finish(mut self) -> Extracted {
        self.pieces.sort_by_key(|(at, _)| *at);
        let mut bytes: Vec<u8> = Vec::new();
        let mut gap = false;
        for (at, piece) in self.pieces {
            let known = bytes.len() as u64;
            gap |= at > known;
            if at == known && !gap {
                bytes.extend_from_slice(&piece);
            }
        }
        if let Some(stated) = self.extracted.stated_bytes {
            // the last piece of a file in equal pieces is filled up
            bytes.truncate(usize::try_from(stated).unwrap_or(usize::MAX));
            self.extracted.complete = Some(bytes.len() as u64 == stated);
        } else if gap {
            self.extracted.complete = Some(false);
        }
        self.extracted.bytes = Some(bytes);
        self.extracted
    }
}

impl Collector {
    fn message(&mut self, number: u32, dialect: &Dialect, message: &Message) {
        match message {
            Message::Download(download) if dialect.has1(pext1::CHUNKEDDOWNLOADS) => self.chunk(number, download),
            Message::Download(download) => self.piece(number, download),
            Message::DownloadData(piece) => self.placed(number, piece.start, &piece.data.0),
            Message::StuffText(text) => self.begins(number, text.text.bytes()),
            Message::VoiceChat(voice) => {
                // the upper bits of the speech's number are the codec; all but FTE know the first only
                let codec = match voice.generation >> 4 {
                    0 => Cow::Borrowed("speex"),
                    codec => Cow::Owned(format!("codec_{codec}")),
                };
                let fields = [("generation", i64::from(voice.generation)), ("sequence", voice.sequence.into())];
                self.voices.packet(number, voice.sender.into(), codec, &fields, &voice.data.0);
            }
            _ => {}
        }
    }

    fn new_file(&mut self, message: u32, stated_name: Option<String>, stated_bytes: Option<u64>) -> &mut File {
        self.count += 1;
        let bare = Extracted::new(ExtractKind::Download, format!("download_{}.bin", self.count), message, Vec::new());
        self.files.push(File { extracted: Extracted { stated_name, stated_bytes, complete: Some(false), ..bare }, pieces: Vec::new() });
        self.open = true;
        let last = self.files.len() - 1;
        &mut self.files[last]
    }

    /// A piece with its share of the file, in per cent.
    fn piece(&mut self, message: u32, download: &Download) {
        if download.number <= 0 {
            self.open = false;
            return;
        }
        if !self.open {
            self.new_file(message, None, None);
        }
        let Some(file) = self.files.last_mut() else { return };
        let at = file.pieces.last().map_or(0, |(at, piece)| at + piece.len() as u64);
        file.pieces.push((at, download.data.clone()));
        file.extracted.last_message = message;
        if download.percent >= 100 {
            file.extracted.complete = Some(true);
            self.open = false;
        }
    }

    /// A piece with its number, or the announcement of a file.
    fn chunk(&mut self, message: u32, download: &Download) {
        if download.number == -1 {
            let long = u64::from(download.long_size[0]) | u64::from(download.long_size[1]) << 32;
            let bytes = match download.size {
                Download::LONG => Some(long),
                // above, the number is why there is no file
                size if size < Download::LONG => Some(size.into()),
                _ => None,
            };
            self.open = false;
            if bytes.is_some() {
                self.new_file(message, Some(characters::clean(download.name.bytes())), bytes);
            }
            return;
        }
        let Some(file) = self.files.last_mut().filter(|_| self.open) else { return };
        let Some(number) = u32::try_from(download.number).ok().filter(|number| *number < MOST_CHUNKS) else { return };
        file.pieces.push((u64::from(number) * Download::CHUNK as u64, download.data.clone()));
        file.extracted.last_message = message;
    }

    fn placed(&mut self, message: u32, start: u32, data: &[u8]) {
        let Some(file) = self.files.last_mut().filter(|_| self.open) else { return };
        file.pieces.push((start.into(), data.to_vec()));
        file.extracted.last_message = message;
    }

    /// DarkPlaces names a file, and says how long it is, in a command.
    fn begins(&mut self, message: u32, text: &[u8]) {
        for line in text.split(|byte| *byte == b'\n') {
            let Some(rest) = line.strip_prefix(BEGIN) else { continue };
            let rest = String::from_utf8_lossy(rest).into_owned();
            let Some((bytes, name)) = rest.split_once(' ') else { continue };
            let name = name.trim().trim_matches('"').to_owned();
            self.new_file(message, Some(name), bytes.parse().ok());
        }
    }
}
