#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| quake3::live::properties::recorder(bytes));
