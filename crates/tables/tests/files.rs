//! Arrow and Parquet hold what the batches hold.

use std::ops::ControlFlow;

use ::arrow_array::cast::AsArray;
use ::arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use ::arrow_array::{Array, ArrayRef};
use ::parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader};
use ::parquet::file::metadata::PageIndexPolicy;
use fragreel::Recording;
use fragreel_tables::write::{ArrowFile, Codec, ParquetFile};
use fragreel_tables::{Query, Source, TABLES, Type, Value, Values, arrow, read};

use fragreel_testkit::Sample;

use crate::{one_of_each_family, samples};

#[test]
fn parquet_and_arrow_files_hold_every_table() {
    files_hold_every_table(one_of_each_family());
}

#[test]
#[ignore = "nightly"]
fn parquet_and_arrow_files_of_all_samples_hold_every_table() {
    files_hold_every_table(samples());
}

fn files_hold_every_table(samples: Vec<Sample>) {
    for (at, sample) in samples.into_iter().enumerate() {
        let codec = [Codec::Zstd, Codec::Snappy][at % 2];
        let bytes = sample.bytes();
        let recording = Recording::open(bytes.clone(), &sample.name).unwrap();
        let source = Source::new(&recording, &*sample.name);
        for query in TABLES.iter().map(Query::new) {
            let schema = arrow::schema(&query);
            let mut parquet = ParquetFile::new(Vec::new(), &schema, codec).unwrap();
            let mut ipc = ArrowFile::new(Vec::new(), &schema).unwrap();
            let (mut rows, mut missing, mut written) = (0, 0, Vec::new());
            read(&source, std::slice::from_ref(&query), &mut |_, batch| {
                rows += batch.rows;
                missing += batch.columns.iter().map(|values| values.valid.zeros).sum::<usize>();
                parquet.write(&batch).unwrap();
                let batch = arrow::record_batch(&schema, batch).unwrap();
                ipc.write(&batch).unwrap();
                written.push(batch);
                ControlFlow::Continue(())
            });
            let file = parquet.finish().unwrap();
            // the library reads what we packed: every value as it was
            let reader = ParquetRecordBatchReader::try_new(bytes::Bytes::from(file), rows.max(1)).unwrap();
            let (mut read_rows, mut nulls) = (0, 0);
            for batch in reader.map(Result::unwrap) {
                nulls += batch.columns().iter().map(Array::null_count).sum::<usize>();
                for written in &written {
                    let part = batch.slice(read_rows, written.num_rows());
                    assert_eq!(part.columns(), written.columns(), "{}: {}", sample.name, query.table().name);
                    read_rows += written.num_rows();
                }
            }
            assert_eq!((read_rows, nulls), (rows, missing), "{}: {}", sample.name, query.table().name);
            let reader = arrow_ipc::reader::FileReader::try_new(std::io::Cursor::new(ipc.finish().unwrap()), None).unwrap();
            assert_eq!(reader.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), rows);
        }
    }
}

/// A value that the index of pages has.
fn bound(bounds: &ArrayRef, page: usize, kind: Type) -> Value<'_> {
    if bounds.is_null(page) {
        return Value::Null;
    }
    match kind {
        Type::Bool => Value::Bool(bounds.as_boolean().value(page)),
        Type::Int => Value::Int(bounds.as_primitive::<Int32Type>().value(page).into()),
        Type::Long => Value::Int(bounds.as_primitive::<Int64Type>().value(page)),
        Type::Real => Value::Real(bounds.as_primitive::<Float32Type>().value(page)),
        Type::Double => Value::Double(bounds.as_primitive::<Float64Type>().value(page)),
        Type::Text => Value::Text(bounds.as_string::<i32>().value(page)),
    }
}

/// Which of two values of a type is less.
fn order(a: &Value<'_>, b: &Value<'_>) -> std::cmp::Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Real(a), Value::Real(b)) => a.total_cmp(b),
        (Value::Double(a), Value::Double(b)) => a.total_cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        _ => unreachable!("values of one type"),
    }
}

#[test]
fn the_index_has_the_bounds_of_each_page() {
    let (mut several, mut compared) = (0, 0);
    for sample in one_of_each_family() {
        let recording = Recording::open(sample.bytes(), &sample.name).unwrap();
        let source = Source::new(&recording, &*sample.name);
        for query in ["positions", "frames", "kills", "chat"].map(|name| Query::of(name).unwrap()) {
            let schema = arrow::schema(&query);
            let mut file = ParquetFile::new(Vec::new(), &schema, Codec::Zstd).unwrap();
            let kinds: Vec<Type> = query.names().iter().map(|name| query.table().columns.iter().find(|column| column.name == *name).unwrap().kind).collect();
            let mut all: Vec<Values> = kinds.iter().map(|kind| Values::new(*kind)).collect();
            read(&source, std::slice::from_ref(&query), &mut |_, batch| {
                // as the rows of several recordings come
                for _ in 0..3 {
                    file.write(&batch).unwrap();
                    all.iter_mut().zip(&batch.columns).for_each(|(values, more)| values.append(more));
                }
                ControlFlow::Continue(())
            });
            let file = bytes::Bytes::from(file.finish().unwrap());
            let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
            let metadata = ArrowReaderMetadata::load(&file, options).unwrap();
            let metadata = metadata.metadata();
            for ((field, values), kind) in schema.fields().iter().zip(&all).zip(&kinds) {
                let mut row = 0;
                for group in 0..metadata.num_row_groups() {
                    let statistics = StatisticsConverter::try_new(field.name(), &schema, metadata.file_metadata().schema_descr()).unwrap();
                    let (columns, places) = (metadata.column_index().unwrap(), metadata.offset_index().unwrap());
                    let counts = statistics.data_page_row_counts(places, metadata.row_groups(), [&group]).unwrap().unwrap();
                    let least = statistics.data_page_mins(columns, places, [&group]).unwrap();
                    let most = statistics.data_page_maxes(columns, places, [&group]).unwrap();
                    let nulls = statistics.data_page_null_counts(columns, places, [&group]).unwrap();
                    several += usize::from(counts.len() > 1);
                    for page in 0..counts.len() {
                        let rows = row..row + counts.value(page) as usize;
                        let there: Vec<Value<'_>> = rows.clone().map(|row| values.get(row)).filter(|value| *value != Value::Null).collect();
                        row = rows.end;
                        let bounds = (bound(&least, page, *kind), bound(&most, page, *kind));
                        let (Some(first), Some(last)) = (there.iter().min_by(|a, b| order(a, b)), there.iter().max_by(|a, b| order(a, b))) else {
                            assert_eq!(bounds, (Value::Null, Value::Null), "{}: {}", sample.name, field.name());
                            continue;
                        };
                        let is_long = |value: &Value<'_>| matches!(value, Value::Text(text) if text.len() > 64);
                        if bounds == (Value::Null, Value::Null) {
                            assert!((0..values.len()).any(|row| is_long(&values.get(row))), "{}: {} has bounds", sample.name, field.name());
                            continue;
                        }
                        assert_eq!(bounds, (*first, *last), "{}: {}", sample.name, field.name());
                        assert_eq!(nulls.value(page) as usize, rows.len() - there.len());
                        compared += 1;
                    }
                }
                assert_eq!(row, values.len(), "{}: {}", sample.name, field.name());
            }
        }
    }
    assert!(several > 30 && compared > 500, "{several} columns of several pages, {compared} pages compared");
}
