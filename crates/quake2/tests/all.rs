//! All integration tests of the Quake II family, in one binary.

mod all {
    mod assembled;
    mod editing;
    mod happenings;
    mod properties;
    mod questions;
    mod round_trip;
    mod text_form;
    mod viewpoints;
}
