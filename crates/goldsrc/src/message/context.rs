//! The decoding context: the tables and switches from earlier messages that later messages need.

use std::sync::Arc;

use crate::bit_order::BitOrder;
use crate::dialect::Rules;
use crate::fields::Structure;
use crate::fields::description::Description;

/// How a user message is framed, as `svc_newusermsg` announced it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessageShape {
    /// Its name.
    pub name: Vec<u8>,
    /// Its fixed size. Absent if a length byte precedes the data.
    pub size: Option<u8>,
}

impl UserMessageShape {
    /// Offset of the data in the message: behind its number and length.
    pub(crate) fn data_offset(&self) -> usize {
        if self.size.is_some() { 1 } else { 2 }
    }
}

/// The decoding context of messages. It depends only on earlier messages, which [`observe`](Context::observe) adds.
#[derive(Debug, Clone)]
pub struct Context {
    /// The rules of the network protocol.
    pub rules: Rules,
    /// The descriptions in force.
    pub(super) descriptions: [Option<Arc<Description>>; 7],
    /// Shared, because a context is copied for every block that is written as text.
    pub(super) user_messages: Arc<Vec<Option<UserMessageShape>>>,
    /// Player entities are 1 to this.
    pub max_clients: u8,
    /// How many instanced baselines there are.
    pub instanced: u8,
    /// The server is an HLTV proxy: client data has no body.
    pub hltv: bool,
    /// The last `svc_time`.
    pub time: f32,
}

impl Context {
    /// The context at the start of a recording.
    pub fn new(rules: Rules) -> Self {
        Self { rules, descriptions: Default::default(), user_messages: Arc::new(vec![None; 256]), max_clients: 0, instanced: 0, hltv: false, time: 0.0 }
    }

    /// The description of a structure, once the stream has sent it.
    #[inline]
    pub fn description(&self, structure: Structure) -> Option<&Arc<Description>> {
        self.descriptions[structure as usize].as_ref()
    }

    /// The structure that the rows of an entity follow.
    #[inline]
    pub(crate) fn entity_structure(&self, number: u16, custom: bool) -> Structure {
        if custom {
            Structure::CustomEntity
        } else if (1..=u16::from(self.max_clients)).contains(&number) {
            Structure::Player
        } else {
            Structure::Entity
        }
    }

    /// How the user message of this id is framed, once the stream has said so.
    #[inline]
    pub fn user_message(&self, id: u8) -> Option<&UserMessageShape> {
        self.user_messages[usize::from(id)].as_ref()
    }

    /// The user messages known, by id.
    pub fn user_messages(&self) -> impl Iterator<Item = (u8, &UserMessageShape)> {
        (0..=u8::MAX).filter_map(|id| Some((id, self.user_message(id)?)))
    }

    /// Bit order of bit-packed parts.
    #[inline]
    pub fn order(&self) -> BitOrder {
        self.rules.order
    }
}
