#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| quake1::live::properties::server(bytes));
