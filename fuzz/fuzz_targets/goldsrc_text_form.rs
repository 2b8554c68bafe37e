#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fragreel_goldsrc::properties::text_form(bytes));
