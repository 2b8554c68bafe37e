//! The least and the greatest value of a page, and of a column in a row group.

use parquet::basic::Type;
use parquet::data_type::ByteArray;
use parquet::file::statistics::Statistics;

/// Longer texts are no bounds.
const LONGEST: usize = 64;

/// The least and the greatest value.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Bounds {
    /// There is no value, or none that can be compared.
    #[default]
    None,
    Bool(bool, bool),
    Int(i32, i32),
    Long(i64, i64),
    Real(f32, f32),
    Double(f64, f64),
    Text(String, String),
}

/// Widens bounds by others of the same type.
macro_rules! widen {
    ($least:ident, $most:ident, $other_least:ident, $other_most:ident) => {{
        *$least = (*$least).min(*$other_least);
        *$most = (*$most).max(*$other_most);
    }};
}

impl Bounds {
    /// Widens them by those of more values.
    pub(super) fn add(&mut self, other: &Bounds) {
        match (&mut *self, other) {
            (_, Bounds::None) => {}
            (Bounds::Bool(a, b), Bounds::Bool(c, d)) => widen!(a, b, c, d),
            (Bounds::Int(a, b), Bounds::Int(c, d)) => widen!(a, b, c, d),
            (Bounds::Long(a, b), Bounds::Long(c, d)) => widen!(a, b, c, d),
            (Bounds::Real(a, b), Bounds::Real(c, d)) => widen!(a, b, c, d),
            (Bounds::Double(a, b), Bounds::Double(c, d)) => widen!(a, b, c, d),
            (Bounds::Text(a, b), Bounds::Text(c, d)) => {
                if c < a {
                    a.clone_from(c);
                }
                if d > b {
                    b.clone_from(d);
                }
            }
            (place, other) => *place = other.clone(),
        }
    }

    /// What the file says of a column.
    pub(super) fn statistics(&self, kind: Type, missing: u64) -> Statistics {
        let missing = Some(missing);
        match self {
            Bounds::Bool(least, most) => Statistics::boolean(Some(*least), Some(*most), None, missing, false),
            Bounds::Int(least, most) => Statistics::int32(Some(*least), Some(*most), None, missing, false),
            Bounds::Long(least, most) => Statistics::int64(Some(*least), Some(*most), None, missing, false),
            Bounds::Real(least, most) => Statistics::float(Some(below(*least)), Some(most + 0.0), None, missing, false),
            Bounds::Double(least, most) => Statistics::double(Some(wide_below(*least)), Some(most + 0.0), None, missing, false),
            Bounds::Text(least, most) => {
                let bound = |text: &String| (text.len() <= LONGEST).then(|| ByteArray::from(text.as_str()));
                Statistics::byte_array(bound(least), bound(most), None, missing, false)
            }
            Bounds::None => match kind {
                Type::BOOLEAN => Statistics::boolean(None, None, None, missing, false),
                Type::INT32 => Statistics::int32(None, None, None, missing, false),
                Type::INT64 => Statistics::int64(None, None, None, missing, false),
                Type::FLOAT => Statistics::float(None, None, None, missing, false),
                Type::DOUBLE => Statistics::double(None, None, None, missing, false),
                _ => Statistics::byte_array(None, None, None, missing, false),
            },
        }
    }

    /// The same as bytes, as the index of pages has them. `None` where there are no bounds, or too long ones.
    pub(super) fn bytes(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        Some(match self {
            Bounds::None => return None,
            Bounds::Bool(least, most) => (vec![u8::from(*least)], vec![u8::from(*most)]),
            Bounds::Int(least, most) => (least.to_le_bytes().into(), most.to_le_bytes().into()),
            Bounds::Long(least, most) => (least.to_le_bytes().into(), most.to_le_bytes().into()),
            Bounds::Real(least, most) => (below(*least).to_le_bytes().into(), (most + 0.0).to_le_bytes().into()),
            Bounds::Double(least, most) => (wide_below(*least).to_le_bytes().into(), (most + 0.0).to_le_bytes().into()),
            Bounds::Text(least, most) if least.len() <= LONGEST && most.len() <= LONGEST => (least.clone().into_bytes(), most.clone().into_bytes()),
            Bounds::Text(..) => return None,
        })
    }
}

/// 0 has two signs, and the lower bound is the negative one.
fn below(least: f32) -> f32 {
    if least == 0.0 { -0.0 } else { least }
}

fn wide_below(least: f64) -> f64 {
    if least == 0.0 { -0.0 } else { least }
}
