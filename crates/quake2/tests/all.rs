//! All integration tests of the Quake II family, in one binary.

mod all {
    mod round_trip;
    mod viewpoints;
}
