//! `fragreel-bindings WASM FOLDER NAME`: JavaScript, types and the final wasm of what the compiler made.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(wasm), Some(folder), Some(name)) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("usage: fragreel-bindings WASM FOLDER NAME");
        return ExitCode::from(2);
    };
    let mut bindings = Bindgen::new();
    let made = bindings.web(true).and_then(|bindings| {
        bindings.input_path(wasm).out_name(&name).typescript(true).remove_name_section(true).remove_producers_section(true).generate(folder)
    });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}
