#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fragreel_quake3_live::properties::recorder(bytes));
