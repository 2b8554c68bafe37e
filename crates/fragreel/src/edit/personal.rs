//! What identifies somebody inside a line for people, blanked.

use fragreel_model::Role;

/// Blanks network addresses where `addresses` says so, and GUIDs, Steam ids and the like where `identifiers` does. `gone` gets each.
pub(super) fn blank(line: &mut Vec<u8>, addresses: bool, identifiers: bool, mut gone: impl FnMut(&[u8])) {
    for found in fragreel_model::replay::personal::find(line).into_iter().rev() {
        let goes = if found.role == Role::Address { addresses } else { identifiers };
        if goes {
            gone(&line[found.range.clone()]);
            line.splice(found.range, fragreel_model::replay::info_string::BLANK.iter().copied());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked_for_goes() {
        let blanked = |addresses, identifiers| {
            let mut line = b"Paul (10.0.0.7:27500) is STEAM_0:1:2345".to_vec();
            blank(&mut line, addresses, identifiers, |_| {});
            String::from_utf8(line).unwrap()
        };
        assert_eq!(blanked(true, true), "Paul (***) is ***");
        assert_eq!(blanked(false, true), "Paul (10.0.0.7:27500) is ***");
        assert_eq!(blanked(true, false), "Paul (***) is STEAM_0:1:2345");
    }
}
