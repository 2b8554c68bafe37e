#![no_main]

// Any bytes come back, and are hardly larger when packed.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fragreel_pack::properties::round_trip(bytes));
