//! What a recording holds beside the game: files, voice, configstrings.

use std::borrow::Cow;

use fragreel_model::{ExtractKind, Extracted, Voices, configstring_lines};

use crate::container::{self, Frames, Piece};
use crate::dialect::Dialect;
use crate::game::Game;
use crate::message::{Download, Gamestate, GamestateItem, Message, Operation, Voice};
use crate::state::State;
use crate::text::vocabulary::string_name;
use crate::walk::Input;

/// Everything, in the order in which it begins; voices last.
pub(crate) fn extract(input: &Input<'_>) -> Vec<Extracted> {
    let mut found = Collector { dialect: input.dialect, found: Vec::new(), voices: Voices::default(), open: None, downloads: 0, levels: 0 };
    let mut message = Message::default();
    for piece in Frames::new(input.bytes) {
        let Piece::Message(frame) = piece else { continue };
        // what comes before an error counts
        let _ = message.read(container::data(input.bytes, &frame), input.dialect);
        for operation in &message.operations {
            match operation {
                Operation::Gamestate(gamestate) => found.gamestate(frame.number, frame.sequence, operation, gamestate),
                Operation::Download(download) => found.download(frame.number, download),
                Operation::VoiceOpus(voice) => found.voice(frame.number, voice, "opus"),
                Operation::VoiceSpeex(voice) => found.voice(frame.number, voice, "speex"),
                _ => {}
            }
        }
        for voice in &message.late_voice {
            found.voice(frame.number, voice, "speex");
        }
    }
    let Collector { mut found, voices, .. } = found;
    found.extend(voices.finish());
    found
}

struct Collector {
    dialect: &'static Dialect,
    found: Vec<Extracted>,
    voices: Voices,
    /// The download that goes on: its place in `found`, and the number of its next piece.
    open: Option<(usize, u16)>,
    downloads: u32,
    levels: u32,
}

impl Collector {
    fn gamestate(&mut self, message: u32, sequence: i32, operation: &Operation, gamestate: &Gamestate) {
        self.levels += 1;
        let mut state = State::new(self.dialect);
        state.apply(sequence, operation);
        let game = Game::of_state(&state);
        let strings = gamestate.items.iter().filter_map(|item| match item {
            GamestateItem::ConfigString(string) => {
                let index = usize::from(string.index);
                Some((index, string_name(&game, index), string.text.as_slice()))
            }
            GamestateItem::Baseline(_) => None,
        });
        let name = format!("configstrings_{}.tsv", self.levels);
        self.found.push(Extracted::new(ExtractKind::Configstrings, name, message, configstring_lines(strings)));
    }

    /// Servers send a piece again until it arrives. An empty piece ends a file.
    fn download(&mut self, message: u32, download: &Download) {
        if download.file_size < 0 && download.block == 0 {
            return;
        }
        if download.block == 0 && !self.open.is_some_and(|(at, _)| self.is_again(at, download)) {
            self.downloads += 1;
            let mut file = Extracted::new(ExtractKind::Download, format!("download_{}.bin", self.downloads), message, Vec::new());
            (file.stated_bytes, file.complete) = (u64::try_from(download.file_size).ok(), Some(false));
            self.found.push(file);
            self.open = Some((self.found.len() - 1, 0));
        }
        let Some((at, next)) = self.open else { return };
        if download.block != next {
            return;
        }
        let file = &mut self.found[at];
        let bytes = file.bytes.get_or_insert_default();
        bytes.extend_from_slice(&download.data);
        file.last_message = message;
        file.complete = Some(file.stated_bytes == Some(bytes.len() as u64));
        self.open = next.checked_add(1).map(|next| (at, next));
    }

    /// Whether the first piece of a file was there already.
    fn is_again(&self, at: usize, download: &Download) -> bool {
        let file = &self.found[at];
        let same = file.bytes.as_ref().is_some_and(|bytes| bytes.starts_with(&download.data));
        same && file.stated_bytes == u64::try_from(download.file_size).ok() && file.complete == Some(false)
    }

    /// Behind a message's end, the operation that became Opus's carries Speex.
    fn voice(&mut self, message: u32, voice: &Voice, codec: &'static str) {
        let fields =
            [("generation", i64::from(voice.generation)), ("sequence", voice.sequence.into()), ("frames", voice.frames.into()), ("flags", voice.flags.into())];
        self.voices.packet(message, voice.sender.into(), Cow::Borrowed(codec), &fields, &voice.data);
    }
}
