//! New events of the player of the view.

use fragreel_base::delta::Word;
use fragreel_base::delta::interleaved::Row;

use crate::dialect::Dialect;
use crate::fields::find;
use crate::game::events::TOGGLE_BITS;
use crate::state::PlayerState;

/// The indexes of a player's fields in its row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlayerFields {
    client: usize,
    e_flags: usize,
    origin: [usize; 3],
    external: usize,
    external_parm: usize,
    sequence: usize,
    events: [usize; 2],
    parms: [usize; 2],
}

impl PlayerFields {
    pub(crate) fn of(dialect: &Dialect) -> Self {
        let at = |name| find(dialect.player, name);
        PlayerFields {
            client: at("clientNum"),
            e_flags: at("eFlags"),
            origin: [at("origin[0]"), at("origin[1]"), at("origin[2]")],
            external: at("externalEvent"),
            external_parm: at("externalEventParm"),
            sequence: at("eventSequence"),
            events: [at("events[0]"), at("events[1]")],
            parms: [at("eventParms[0]"), at("eventParms[1]")],
        }
    }

    /// The slot of the player of the view.
    pub(crate) fn slot(&self, player: &PlayerState) -> u32 {
        field(&player.row, self.client)
    }

    /// Where the player is.
    pub(crate) fn place(&self, player: &PlayerState) -> [f32; 3] {
        self.origin.map(|at| f32::of(field(&player.row, at)))
    }

    /// The player's `eFlags`.
    pub(crate) fn flags(&self, player: &PlayerState) -> u32 {
        field(&player.row, self.e_flags)
    }
}

/// The events of the player whose view it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct ViewTracker {
    last: Option<ViewEvents>,
}

/// What a player state says of events. Keeping these words instead of the row saves 2 of 85 million instructions of all events.
#[derive(Debug, Clone, Copy)]
struct ViewEvents {
    client: u32,
    external: u32,
    sequence: u32,
    events: [u32; HELD as usize],
}

impl ViewEvents {
    fn of(row: &Row, at: &PlayerFields) -> Self {
        let field = |at| field(row, at);
        ViewEvents { client: field(at.client), external: field(at.external), sequence: field(at.sequence), events: at.events.map(field) }
    }
}

/// Events that a player state holds at once.
const HELD: u32 = 2;

impl ViewTracker {
    /// Calls `found` with the number and the parameter of each new event.
    pub(crate) fn update(&mut self, player: &PlayerState, at: &PlayerFields, mut found: impl FnMut(u32, u32)) {
        let new = ViewEvents::of(&player.row, at);
        let Some(old) = self.last.replace(new) else { return };
        if old.client != new.client {
            return;
        }
        if new.external != 0 && new.external != old.external {
            found(new.external & !TOGGLE_BITS, field(&player.row, at.external_parm));
        }
        for sequence in new.sequence.saturating_sub(HELD)..new.sequence {
            let slot = (sequence % HELD) as usize;
            let event = new.events[slot];
            // reported events may be taken back and replaced
            let replaced = sequence + HELD > old.sequence && event != old.events[slot];
            if (sequence >= old.sequence || replaced) && event & !TOGGLE_BITS != 0 {
                found(event & !TOGGLE_BITS, field(&player.row, at.parms[slot]));
            }
        }
    }
}

/// A field of a row; 0 where the dialect lacks it.
#[inline]
fn field(row: &Row, at: usize) -> u32 {
    row.get(at).copied().unwrap_or(0)
}
