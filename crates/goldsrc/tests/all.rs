//! One binary for all tests of the crate.

mod bytes;
mod clocks;
mod corpus;
mod damage;
mod edit;
mod frames;
mod oracles;
mod peers;
mod protocols;
mod samples;
mod seeds;
mod text_form;
