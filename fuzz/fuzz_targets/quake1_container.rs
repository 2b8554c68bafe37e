#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fragreel_quake1::unstable::properties::container(bytes));
