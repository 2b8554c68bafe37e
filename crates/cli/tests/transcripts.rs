//! Commands with their output, in `tests/cli` and in every document: what the documents show is what happens.
//! `cargo xtask bless` writes the output that the commands have now.

#[test]
fn commands_do_what_the_documents_show() {
    std::env::set_current_dir(fragreel_testkit::checkout()).expect("the checkout is there");
    trycmd::TestCases::new().case("tests/cli/*.trycmd").case("README.md").case("docs/*.md").case("samples/*/README.md");
}

/// README's first command runs on the samples; a newcomer's first impression is tested too.
#[test]
fn the_first_command_works() {
    let readme = std::fs::read_to_string(fragreel_testkit::checkout().join("README.md")).expect("there is a README");
    let first = readme
        .lines()
        .find_map(|line| line.strip_prefix("cargo run --profile quick --no-default-features --bin fragreel -- "))
        .expect("README starts with a command");
    assert!(!first.contains(['\'', '"', '#']), "words are parted by spaces alone here: {first}");
    let ran = super::run(&first.split_whitespace().collect::<Vec<_>>());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{first}");
    assert!(ran.out.lines().count() > 3, "{}", ran.out);
}
