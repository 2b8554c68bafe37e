//! What text may say, in every dialect.

use fragreel_base::textform::{Form, Schema};
use serde_json::Value;

use crate::container::Container;
use crate::dialect::Dialect;
use crate::text::framing;
use crate::text::session::{Data, Session};
use crate::text::{BLOCK, CONTAINERS, Head, LINES, OPAQUE, RECORDING};

/// The JSON Schema of a line of any recording of the family.
pub fn schema() -> Value {
    const ROUNDS: u32 = 16;
    let mut sessions: Vec<(Container, Session)> = Vec::new();
    for container in CONTAINERS {
        let dialects = Dialect::shapes(container.stream()).into_iter();
        sessions.extend(dialects.map(|dialect| (container, Session::knowing(container, dialect))));
    }
    let mut round = 0;
    Schema::collect(ROUNDS * sessions.len() as u32, |f| {
        let at = round % sessions.len();
        round += 1;
        let (container, session) = &mut sessions[at];
        f.variant(&LINES, BLOCK, |f, line| match line {
            RECORDING => Head { container: *container, dialect: String::new(), start: Vec::new() }.form(f),
            OPAQUE => f.hex(&mut Vec::new()),
            line => match framing::blank(*container, line) {
                Some(mut around) => session.block(f, &mut around, &mut Data::Nowhere),
                None => Ok(()),
            },
        })
    })
}
