//! Arrow and Parquet hold what the batches hold.

use std::ops::ControlFlow;

use fragreel::Recording;
use fragreel_tables::write::{ArrowFile, ParquetFile};
use fragreel_tables::{Query, Source, TABLES, arrow, read};

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
    use ::arrow_array::Array;
    for sample in samples {
        let bytes = sample.bytes();
        let recording = Recording::open(bytes.clone(), &sample.name).unwrap();
        let source = Source::new(&recording, &*sample.name);
        for query in TABLES.iter().map(Query::new) {
            let schema = arrow::schema(&query);
            let mut parquet = ParquetFile::new(Vec::new(), &schema).unwrap();
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
            let reader = ::parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(bytes::Bytes::from(file), rows.max(1)).unwrap();
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
