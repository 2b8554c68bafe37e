//! Writes a recording: copies blocks, or encodes trees in the current dialect.

use fragreel_base::wire::{Chunk, WriteBytes};

use crate::container::{Container, Framing, Stamp, Target, kind, write_block};
use crate::dialect::Dialect;
use crate::message::{Body, Disconnect, Float, Message, PacketHeader, Rest, code};

use crate::walk::decoded_blocks::DecodedBlock;

/// A recording being written.
#[derive(Debug, Clone)]
pub struct BlockWriter {
    /// The file so far.
    pub bytes: Vec<u8>,
    /// The container.
    pub container: Container,
    /// The dialect at the end of `bytes`.
    pub dialect: Dialect,
}

/// The text of the `svc_disconnect` at the end of QuakeWorld recordings.
pub(crate) const END_OF_DEMO: &[u8] = b"EndOfDemo\0";

impl BlockWriter {
    /// An empty recording. `line` is the first line of a NetQuake recording.
    pub fn new(container: Container, line: &[u8]) -> Self {
        let bytes = if container == Container::NetQuake { line.to_vec() } else { Vec::new() };
        BlockWriter { bytes, container, dialect: Dialect::new(container.stream()) }
    }

    /// Copies a block with its framing out of a chunk that holds it.
    pub(crate) fn copy_block(&mut self, chunk: Chunk<'_>, unit: &DecodedBlock<'_>) {
        self.bytes.extend_from_slice(chunk.get(unit.block.offset as usize..unit.block.end() as usize).unwrap_or_default());
        self.follow_dialect(&unit.messages);
    }

    /// Copies a block's data under the framing in `unit`.
    pub(crate) fn reframe_block(&mut self, unit: &DecodedBlock<'_>) {
        write_block(&mut self.bytes, self.container, &unit.block.framing, unit.block.data);
        self.follow_dialect(&unit.messages);
    }

    /// Encodes a block from its trees.
    pub(crate) fn encode_block(&mut self, unit: &DecodedBlock<'_>) {
        if unit.target.is_none() {
            write_block(&mut self.bytes, self.container, &unit.block.framing, &[]);
            return;
        }
        let mut data = match &unit.hidden {
            Some(hidden) => {
                let mut w = WriteBytes::default();
                let Ok(()) = hidden.clone().code(&mut w, &self.dialect);
                w.finish()
            }
            None => self.encode_messages(unit.header, &unit.messages),
        };
        data.extend_from_slice(&unit.tail);
        write_block(&mut self.bytes, self.container, &unit.block.framing, &data);
    }

    /// Encodes messages as a block.
    pub fn write_packet(&mut self, framing: &Framing, header: Option<PacketHeader>, messages: &[Message]) {
        let data = self.encode_messages(header, messages);
        write_block(&mut self.bytes, self.container, framing, &data);
    }

    /// Encodes messages in the current dialect, and follows changes of the dialect in them.
    pub(crate) fn encode_messages(&mut self, header: Option<PacketHeader>, messages: &[Message]) -> Vec<u8> {
        let mut w = WriteBytes::default();
        if let Some(mut header) = header {
            let Ok(()) = header.code(&mut w);
        }
        for message in messages {
            let Ok(()) = code(&mut w, &self.dialect, &mut message.clone());
            if message.changes_dialect() {
                message.apply_to_dialect(&mut self.dialect);
            }
        }
        w.finish()
    }

    fn follow_dialect(&mut self, messages: &[Message]) {
        for message in messages.iter().filter(|message| message.changes_dialect()) {
            message.apply_to_dialect(&mut self.dialect);
        }
    }

    /// Writes the end mark. `time` is for `.qwd`, `angles` is the last view of a NetQuake recording.
    pub fn write_end(&mut self, time: Float, angles: [Float; 3]) {
        let end = Message::Disconnect(Disconnect { text: Rest(if self.container == Container::NetQuake { Vec::new() } else { END_OF_DEMO.to_vec() }) });
        match self.container {
            Container::NetQuake => self.write_packet(&Framing::NetQuake { angles }, None, &[end]),
            Container::QuakeWorld => {
                let header = PacketHeader { sequence: PacketHeader::CONNECTIONLESS, acknowledged: 0 };
                let framing = Framing::Packet { time: Stamp::At(time), target: Target { kind: kind::READ, ..Target::default() } };
                self.write_packet(&framing, Some(header), &[end]);
            }
            Container::MultiView => {
                let framing = Framing::Packet { time: Stamp::After(0), target: Target { kind: kind::ALL, ..Target::default() } };
                self.write_packet(&framing, None, &[end]);
            }
        }
    }
}
