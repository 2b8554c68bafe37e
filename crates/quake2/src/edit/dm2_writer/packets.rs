//! Compressed packets. Their messages arrive one by one. A packet is compressed again if one of them changed.

use super::super::part_writer::Location;
use super::{Dm2Writer, PacketContents};
use crate::encode::signon::write;
use crate::message::{Body, Contents, Message, Packed};

impl Dm2Writer<'_> {
    /// Whether this is a compressed packet whose messages arrive one by one.
    pub(super) fn is_packet(&mut self, spot: Location, message: &mut Message, bytes: &[u8]) -> bool {
        let Body::ZPacket(packed) = &mut message.body else { return false };
        let Contents::Messages(messages) = &packed.contents else { return false };
        if messages.is_empty() || bytes.is_empty() {
            return false;
        }
        let (inflated, remaining, length) = (packed.inflated.clone(), messages.len(), packed.compressed.len());
        let mut original = bytes.to_vec();
        if let Some(hook) = &mut self.parts.hook {
            let before = packed.compressed.clone();
            hook.behind_packet(spot, packed);
            if packed.compressed != before {
                self.changed = true;
                self.parts.report.changed += 1;
                // After the number of the packet and two lengths.
                original.truncate(bytes.len() - length);
                original.extend_from_slice(&packed.compressed);
                let lengths = original.len() - packed.compressed.len() - 4;
                original[lengths..lengths + 2].copy_from_slice(&(packed.compressed.len() as u16).to_le_bytes());
            }
        }
        self.packet = Some(PacketContents { original, inflated, remaining, out: Vec::new() });
        true
    }

    /// Ends the handling of a message inside a compressed packet.
    pub(super) fn end_packet_message(&mut self, bytes: &[u8]) {
        let Some(packet) = self.packet.as_mut().filter(|_| bytes.is_empty()) else { return };
        packet.remaining -= 1;
        if packet.remaining > 0 {
            return;
        }
        let Some(packet) = self.packet.take() else { return };
        if !self.parts.is_copying() {
            return;
        }
        if packet.out == packet.inflated {
            self.blocks.message(&packet.original);
        } else if !packet.out.is_empty() {
            self.changed = true;
            match Packed::deflate(packet.out.clone(), false) {
                Some(packed) => self.blocks.message(&write(&Message::new(Body::ZPacket(Box::new(packed))), &mut self.cx)),
                None => self.blocks.message(&packet.out),
            }
        }
    }
}
