//! Tests on real recordings and on bytes assembled by hand.

mod answers;
mod clocks;
mod corpus;
mod damage;
mod edit;
mod events;
mod frames;
mod holes;
mod kills;
mod made;
mod messages;
mod packets;
mod properties;
mod rerelease;
mod seats;
mod strict;
mod text_form;
