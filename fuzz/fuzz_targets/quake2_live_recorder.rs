#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fragreel_quake2_live::properties::recorder(bytes));
