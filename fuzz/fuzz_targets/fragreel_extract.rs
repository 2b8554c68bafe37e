#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fragreel::properties::extract(bytes));
