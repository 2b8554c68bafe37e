//! What holds for any text. The fuzz target and tests call it; a property that fails panics.

#[cfg(test)]
mod tests;

use crate::{Fate, Role};

use crate::replay::{info_string, personal, undecoded};

/// A text in which everything personal is dropped has nothing personal left, as an info string, as commands and as a plain text;
/// one in which nothing is changed stays as it is.
pub fn personal(text: &[u8]) {
    let names: personal::OwnKeys<'_> = &[(b"name", Role::Name)];
    let found = personal::find(text);
    assert!(found.iter().all(|found| found.range.start < found.range.end && found.range.end <= text.len()), "{found:?}");
    assert!(found.is_sorted_by(|a, b| a.range.end <= b.range.start), "{found:?}");

    let mut same = text.to_vec();
    personal::in_place(&mut same, &mut |_, _| Fate::Keep);
    assert!(!info_string::rewrite(&mut same, names, &mut |_, _| Fate::Keep));
    assert!(!personal::rewrite_commands(&mut same, names, &mut |_, _| Fate::Keep));
    assert_eq!(same, text, "nothing was to be changed");

    let mut plain = text.to_vec();
    personal::in_place(&mut plain, &mut |_, _| Fate::Drop);
    assert_eq!(plain.len(), text.len());
    assert_eq!(personal::find(&plain), [], "{}", plain.escape_ascii());

    let mut bytes = text.to_vec();
    undecoded::in_place(&mut bytes, &mut |_, _| Fate::Drop);
    assert_eq!(bytes.len(), text.len());
    assert_eq!(personal::find(&bytes), [], "{}", bytes.escape_ascii());

    let mut info = text.to_vec();
    info_string::rewrite(&mut info, names, &mut drop_personal);
    info_string::rewrite(&mut info.clone(), names, &mut |role, value| shown_again(role, value, &info));

    // a command's word that goes may be a part of an info string, whose keys are others then
    let mut commands: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'\\').collect();
    personal::rewrite_commands(&mut commands, names, &mut drop_personal);
    personal::rewrite_commands(&mut commands.clone(), names, &mut |role, value| shown_again(role, value, &commands));
}

fn is_personal(role: Role) -> bool {
    matches!(role, Role::Address | Role::Identifier)
}

fn drop_personal(role: Role, _: &mut Vec<u8>) -> Fate {
    if is_personal(role) { Fate::Drop } else { Fate::Keep }
}

/// Panics when something personal is shown of a text that was scrubbed, and is not what stands in its place.
fn shown_again(role: Role, value: &[u8], text: &[u8]) -> Fate {
    let is_blank = value.is_empty() || value == info_string::BLANK;
    assert!(!is_personal(role) || is_blank, "{role:?} {} is left in {}", value.escape_ascii(), text.escape_ascii());
    Fate::Keep
}
