/// `docs/tables.md` is what the declaration says.
#[test]
fn the_document_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tables.md");
    let wanted = fragreel_tables::document::markdown();
    if std::env::var_os("FRAGREEL_BLESS").is_some() {
        std::fs::write(path, &wanted).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(there == wanted, "docs/tables.md is not what crates/tables/src/declared.rs says: run `cargo xtask tables`");
}

/// Every table can be made in SQLite and Arrow by the same names.
#[test]
fn sql_and_arrow_have_the_same_columns() {
    for table in fragreel_tables::TABLES.iter() {
        let create = table.create();
        assert!(table.columns.iter().all(|column| create.contains(&format!("\"{}\" {}", column.name, column.kind.sql()))), "{create}");
        #[cfg(feature = "arrow")]
        {
            let schema = fragreel_tables::arrow::schema(&fragreel_tables::Query::new(table));
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            assert_eq!(names, table.columns.iter().map(|column| column.name).collect::<Vec<_>>());
        }
    }
}
