#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fragreel::properties::chunks_of_any(bytes));
