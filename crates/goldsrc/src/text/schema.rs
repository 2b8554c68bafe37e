//! What may stand in a text.

use fragreel_base::textform::Schema;
use serde_json::{Value, json};

use super::layout::Layout;
use super::lines::{self, Line, Setting};
use super::rows::Rows;
use super::scope::{Frames, Scope};
use super::user;
use crate::container::Header;
use crate::container::body::DemoInfo;
use crate::dialect::Dialect;
use crate::message::context::Context;

/// Demo and network protocols that between them have every form of every line.
const PROTOCOLS: [(i32, i32); 7] = [(5, 48), (5, 47), (5, 46), (5, 45), (5, 43), (4, 40), (4, 35)];
/// What is tried of each: forms whose members depend on flags need several answers.
const ANSWERS: u32 = 5;

/// A JSON Schema that every line of every text of this family satisfies. Fields of rows are those that engines know.
pub fn schema() -> Value {
    let head = Schema::collect(1, |f| lines::head(f, &mut Header::default(), &mut None));
    let (layout, before, frames) = (Layout::default(), DemoInfo::default(), Frames::default());
    let settings: Vec<(Dialect, Option<Scope>)> = (0..Rows::PARTS).flat_map(scopes).collect();
    let mut next = settings.iter().cycle();
    let mut lines = Schema::collect(ANSWERS * settings.len() as u32, |f| {
        let Some((dialect, scope)) = next.next() else { return Ok(()) };
        let setting = Setting { dialect, layout: &layout, before: &before, scope: scope.as_ref(), frames: &frames };
        Line::Opaque(Vec::new()).form(f, &setting)
    });
    if let Some(user) = lines.pointer_mut("/properties/data/properties/messages/items/properties/user_message") {
        let mut any = user::schemas();
        any.push(user.take());
        *user = json!({ "anyOf": any });
    }
    json!({ "anyOf": [head, lines] })
}

fn scopes(part: usize) -> impl Iterator<Item = (Dialect, Option<Scope>)> {
    let players = PROTOCOLS.map(|numbers| (numbers, false));
    // client data from an HLTV proxy is empty
    let all = players.into_iter().chain([(PROTOCOLS[0], true)]);
    all.filter_map(|((demo, network), hltv)| Some((Dialect::new(demo, network)?, hltv))).map(move |(dialect, hltv)| {
        let scope = dialect.messages.map(|rules| {
            let mut context = Context::new(rules);
            (context.instanced, context.hltv) = (1, hltv);
            Scope::any(context, part)
        });
        (dialect, scope)
    })
}
