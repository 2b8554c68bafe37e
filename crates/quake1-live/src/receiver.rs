//! Receives replacement deltas. Document: *Receiver*.

use fragreel_quake1::unstable::replacement::{Entities, Flags, Update};

use crate::sender::{Acknowledge, FRAMES};

/// The result of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// It was applied.
    Applied,
    /// It was not newer than the last one and was ignored.
    Old,
    /// Updates were lost. Messages are ignored until the server restarts.
    Lost,
}

/// Applies updates, detects lost ones, and gives the acknowledgement to send.
///
/// Hand it whole messages with the sequence number of the packet that carried them, and put what
/// [`acknowledgement`](Self::acknowledgement) says into the next packet: in NetQuake as `clc_ackframe`, in QuakeWorld by
/// sending `clc_delta` or, for [`Acknowledge::Restart`], by leaving it out.
#[derive(Debug, Clone)]
pub struct DeltaReceiver {
    flags: Flags,
    entities: Entities,
    /// The last message applied. `None` after updates were lost.
    valid: Option<u32>,
    last: Option<u32>,
    seconds: f32,
}

impl DeltaReceiver {
    /// A receiver that knows nothing, and acknowledges nothing until the server starts.
    pub fn new(flags: Flags) -> Self {
        Self { flags, entities: Entities::new(), valid: None, last: None, seconds: 0.0 }
    }

    /// The layout it reads.
    pub fn flags(&self) -> &Flags {
        &self.flags
    }

    /// Takes a message that was read whole. Several may share a sequence number only if a packet held several.
    pub fn receive(&mut self, sequence: u32, update: &Update) -> Received {
        if self.last.is_some_and(|last| sequence < last) {
            return Received::Old;
        }
        self.last = Some(sequence);
        self.seconds = update.seconds();
        let thread_holds = self.valid.is_some_and(|valid| sequence - valid < FRAMES as u32 - 1);
        if !thread_holds && !update.restarts() {
            self.lose();
            return Received::Lost;
        }
        if !thread_holds {
            self.entities.clear();
        }
        self.entities.apply(&self.flags, update);
        self.valid = Some(sequence);
        Received::Applied
    }

    /// Call if a message could not be read. Everything is unknown until the server restarts.
    pub fn lose(&mut self) {
        self.valid = None;
        self.entities.clear();
    }

    /// A new map: forgets the baselines too, and lets sequence numbers begin again.
    pub fn reset(&mut self, flags: Flags) {
        self.flags = flags;
        self.entities.reset();
        (self.valid, self.last) = (None, None);
    }

    /// The acknowledgement to send to the server.
    pub fn acknowledgement(&self) -> Acknowledge {
        self.valid.map_or(Acknowledge::Restart, Acknowledge::Frame)
    }

    /// The known entities.
    pub fn entities(&self) -> &Entities {
        &self.entities
    }

    /// For the baselines.
    pub fn entities_mut(&mut self) -> &mut Entities {
        &mut self.entities
    }

    /// The server's time in the last message.
    pub fn seconds(&self) -> f32 {
        self.seconds
    }
}
