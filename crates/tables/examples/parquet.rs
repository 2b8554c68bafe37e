//! Writes a table of a recording as Parquet that is not stored, for counting instructions:
//! `parquet FILE TABLE rows|ours|ours-zstd|library|library-defaults`. `rows` makes the rows alone.

use std::ops::ControlFlow;

use fragreel::Recording;
use fragreel_tables::write::{Codec, ParquetFile};
use fragreel_tables::{Query, Source, arrow, read};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, path, table, how] = &words[..] else { panic!("parquet FILE TABLE rows|ours|ours-zstd|library|library-defaults") };
    let recording = Recording::open(std::fs::read(path).expect("a file"), path).expect("a recording");
    let source = Source::new(&recording, path.as_str());
    let query = Query::of(table).expect("a table");
    let schema = arrow::schema(&query);
    let mut rows = 0;
    let queries = [query];
    let bytes = match how.as_str() {
        "rows" => {
            read(&source, &queries, &mut |_, batch| {
                rows += batch.rows;
                ControlFlow::Continue(())
            });
            0
        }
        "ours" | "ours-zstd" => {
            let codec = if how == "ours" { Codec::Snappy } else { Codec::Zstd };
            let mut file = ParquetFile::new(Vec::new(), &schema, codec).expect("a file");
            read(&source, &queries, &mut |_, batch| {
                rows += batch.rows;
                file.write(&batch).expect("rows");
                ControlFlow::Continue(())
            });
            file.finish().expect("an end").len()
        }
        _ => {
            let mut properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
            if how == "library" {
                // the encodings that ours has
                for field in schema.fields() {
                    let column = ColumnPath::from(field.name().as_str());
                    if field.data_type() != &arrow_schema::DataType::Utf8 {
                        properties = properties.set_column_dictionary_enabled(column.clone(), false);
                    }
                    if field.data_type().is_integer() {
                        properties = properties.set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
                    }
                }
            }
            let mut file = ArrowWriter::try_new(Vec::new(), schema.clone(), Some(properties.build())).expect("a file");
            read(&source, &queries, &mut |_, batch| {
                rows += batch.rows;
                file.write(&arrow::record_batch(&schema, batch).expect("a batch")).expect("rows");
                ControlFlow::Continue(())
            });
            file.into_inner().expect("an end").len()
        }
    };
    println!("{table} {how}: {rows} rows, {bytes} bytes");
}
