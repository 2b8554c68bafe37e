#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| quake2::live::properties::gtv(bytes));
