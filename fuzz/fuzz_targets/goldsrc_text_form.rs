#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| goldsrc::properties::text_form(bytes));
