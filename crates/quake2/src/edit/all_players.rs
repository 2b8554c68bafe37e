//! Recordings of all players, for those who write them.

use fragreel_base::wire::Error;
use fragreel_model::Edited;

use crate::fields::entity::Row;
use crate::message::{Message, ServerData};
use crate::state::PlayerState;

/// What a frame shows of all players.
pub(super) struct AllView {
    pub number: i32,
    pub areas: Option<Vec<u8>>,
    pub players: Vec<(u8, PlayerState)>,
    pub entities: Vec<(u16, Row)>,
    pub max_clients: u16,
}

/// Receives a recording of all players.
pub(super) trait AllTarget {
    fn level(&mut self, data: ServerData);
    fn string(&mut self, client: Option<u8>, index: u16, text: &[u8]);
    fn message(&mut self, client: Option<u8>, message: Message);
    fn baseline(&mut self, number: u16, row: Row);
    fn frame(&mut self, view: AllView);
    fn end_block(&mut self);
    fn finish(self) -> Result<Edited, Error>;
}
