//! Tests on real recordings and on bytes assembled by hand.

mod answers;
mod corpus;
mod damage;
mod edit;
mod events;
mod frames;
mod messages;
mod properties;
mod seats;
mod strict;
mod text_form;
