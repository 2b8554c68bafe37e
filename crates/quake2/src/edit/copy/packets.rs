//! Compressed packets: their messages come one by one, and are compressed anew when one changed.

use super::super::opening::write;
use super::{Copier, Phase, Spot};
use crate::message::{Body, Contents, Message, Packed};

/// The messages inside a compressed packet.
pub(super) struct Group {
    pub(super) original: Vec<u8>,
    pub(super) inflated: Vec<u8>,
    pub(super) remaining: usize,
    pub(super) out: Vec<u8>,
}

impl Copier<'_> {
    /// Whether this is a compressed packet whose messages come one by one.
    pub(super) fn is_packet(&mut self, spot: Spot, message: &mut Message, bytes: &[u8]) -> bool {
        let Body::ZPacket(packed) = &mut message.body else { return false };
        let Contents::Messages(messages) = &packed.contents else { return false };
        if messages.is_empty() || bytes.is_empty() {
            return false;
        }
        let (inflated, remaining, length) = (packed.inflated.clone(), messages.len(), packed.compressed.len());
        let mut original = bytes.to_vec();
        if let Some(hook) = &mut self.hook {
            let before = packed.compressed.clone();
            hook.behind_packet(spot, packed);
            if packed.compressed != before {
                self.changed = true;
                self.notes.changed += 1;
                // behind the packet's number and the two lengths
                original.truncate(bytes.len() - length);
                original.extend_from_slice(&packed.compressed);
                let lengths = original.len() - packed.compressed.len() - 4;
                original[lengths..lengths + 2].copy_from_slice(&(packed.compressed.len() as u16).to_le_bytes());
            }
        }
        self.group = Some(Group { original, inflated, remaining, out: Vec::new() });
        true
    }

    /// A message from inside a compressed packet was dealt with.
    pub(super) fn end_packet_message(&mut self, bytes: &[u8]) {
        let Some(group) = self.group.as_mut().filter(|_| bytes.is_empty()) else { return };
        group.remaining -= 1;
        if group.remaining > 0 {
            return;
        }
        let Some(group) = self.group.take() else { return };
        if self.phase != Phase::Copying {
            return;
        }
        if group.out == group.inflated {
            self.sheet.message(&group.original);
        } else if !group.out.is_empty() {
            self.changed = true;
            match Packed::deflate(group.out.clone(), false) {
                Some(packed) => self.sheet.message(&write(&Message::new(Body::ZPacket(Box::new(packed))), &mut self.cx)),
                None => self.sheet.message(&group.out),
            }
        }
    }
}
