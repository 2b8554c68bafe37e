//! Tests on real recordings and on bytes assembled by hand.

mod corpus;
