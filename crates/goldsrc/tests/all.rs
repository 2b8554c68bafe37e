//! One binary for all tests of the crate.

mod bytes;
mod clocks;
mod corpus;
mod damage;
mod edit;
mod frames;
mod holes;
mod oracles;
mod protocols;
mod samples;
mod seeds;
mod text_form;

fn open(bytes: &[u8]) -> fragreel_goldsrc::Recording<'_> {
    fragreel_goldsrc::Recording::open(bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap()
}
