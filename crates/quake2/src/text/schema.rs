//! What may stand in a text.

use fragreel_base::textform::Schema;
use serde_json::Value;

use super::known::Known;
use super::lines::{Content, Head, Line};
use crate::detect::Framing;
use crate::dialect::Dialect;

/// A JSON Schema that every line of every text of this family satisfies.
pub fn schema() -> Value {
    let head = Schema::collect(1, |f| Head::default().form(f));
    let mut all = Vec::new();
    for (framing, dialect) in dialects() {
        all.push(Schema::collect(2, |f| Line::default().form(f, framing, &mut Content::default(), &mut Known::new(dialect))));
    }
    all.insert(0, head);
    serde_json::json!({ "anyOf": all })
}

/// All dialects.
fn dialects() -> impl Iterator<Item = (Framing, Dialect)> {
    Dialect::all().into_iter().map(|dialect| (if dialect.is_mvd() { Framing::Mvd2 } else { Framing::Dm2 }, dialect))
}
