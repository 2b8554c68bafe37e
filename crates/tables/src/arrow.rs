//! Batches as Arrow record batches: without a copy of the values but of texts.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
pub use arrow_schema::SchemaRef;
use arrow_schema::{ArrowError, DataType, Field, Schema};

use crate::batch::Batch;
use crate::column::{Bits, Data, Texts, Values};
use crate::query::Query;
use crate::schema::{Column, Type};

/// The Arrow schema of a query's rows. Fields carry `unit` and `about` as metadata.
pub fn schema(query: &Query) -> SchemaRef {
    let fields: Vec<Field> = query.places().iter().map(|&place| field(&query.table().columns[place])).collect();
    let about = HashMap::from([(String::from("table"), query.table().name.to_owned())]);
    Arc::new(Schema::new_with_metadata(fields, about))
}

/// The Arrow schema of columns that no table declares.
pub fn schema_of(columns: &[(String, Type)]) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(|(name, kind)| Field::new(name, data_type(*kind), true)).collect::<Vec<_>>()))
}

fn data_type(kind: Type) -> DataType {
    match kind {
        Type::Bool => DataType::Boolean,
        Type::Int => DataType::Int32,
        Type::Long => DataType::Int64,
        Type::Real => DataType::Float32,
        Type::Double => DataType::Float64,
        Type::Text => DataType::Utf8,
    }
}

fn field(column: &Column) -> Field {
    let kind = data_type(column.kind);
    let mut about = HashMap::from([(String::from("about"), column.about.to_owned())]);
    if !column.unit.is_empty() {
        about.insert(String::from("unit"), column.unit.to_owned());
    }
    Field::new(column.name, kind, true).with_metadata(about)
}

/// A batch as Arrow sees it.
///
/// # Errors
/// When `schema` is of another query.
pub fn record_batch(schema: &SchemaRef, batch: Batch) -> Result<RecordBatch, ArrowError> {
    let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
    let columns = batch.columns.into_iter().map(array).collect::<Result<_, _>>()?;
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
}

fn array(values: Values) -> Result<ArrayRef, ArrowError> {
    let nulls = nulls(values.valid);
    Ok(match values.data {
        Data::Bool(values) => Arc::new(BooleanArray::new(BooleanBuffer::from(values), nulls)),
        Data::Int(values) => Arc::new(PrimitiveArray::<Int32Type>::new(ScalarBuffer::from(values), nulls)),
        Data::Long(values) => Arc::new(PrimitiveArray::<Int64Type>::new(ScalarBuffer::from(values), nulls)),
        Data::Real(values) => Arc::new(PrimitiveArray::<Float32Type>::new(ScalarBuffer::from(values), nulls)),
        Data::Double(values) => Arc::new(PrimitiveArray::<Float64Type>::new(ScalarBuffer::from(values), nulls)),
        Data::Text(values) => texts(values, nulls)?,
    })
}

fn texts(texts: Texts, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
    let rows = texts.numbers.len();
    let (mut offsets, mut bytes) = (Vec::with_capacity(rows + 1), Vec::new());
    offsets.push(0);
    for row in 0..rows {
        bytes.extend_from_slice(texts.get(row).as_bytes());
        offsets.push(i32::try_from(bytes.len()).map_err(|_| ArrowError::OffsetOverflowError(bytes.len()))?);
    }
    Ok(Arc::new(StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(offsets)), Buffer::from_vec(bytes), nulls)?))
}

fn nulls(valid: Bits) -> Option<NullBuffer> {
    (valid.zeros > 0).then(|| NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(valid.bytes), 0, valid.length)))
}
