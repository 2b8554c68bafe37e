//! Lists of names that are made from those of earlier games, in constants.

/// Where a name stands in a list; the list's length where it is not in it.
pub(super) const fn place(list: &[&str], name: &str) -> usize {
    let mut at = 0;
    while at < list.len() && !crate::fields::same(list[at].as_bytes(), name.as_bytes()) {
        at += 1;
    }
    at
}

/// `list` with `more` behind its last. `M` is the length of both.
pub(super) const fn appended<const M: usize>(list: &[&'static str], more: &[&'static str]) -> [&'static str; M] {
    assert!(M == list.len() + more.len());
    let mut out = [""; M];
    let mut at = 0;
    while at < M {
        out[at] = if at < list.len() { list[at] } else { more[at - list.len()] };
        at += 1;
    }
    out
}

/// `list` with `name` in front of the one called `before`. `M` is one more than its length.
pub(super) const fn inserted<const M: usize>(list: &[&'static str], name: &'static str, before: &str) -> [&'static str; M] {
    let place = place(list, before);
    assert!(M == list.len() + 1 && place < list.len());
    let mut out = [name; M];
    let mut at = 0;
    while at < list.len() {
        out[if at < place { at } else { at + 1 }] = list[at];
        at += 1;
    }
    out
}

/// `list` without some names. `M` is the length of what is left.
pub(super) const fn without<const M: usize>(list: &[&'static str], names: &[&str]) -> [&'static str; M] {
    assert!(M + names.len() == list.len());
    let mut out = [""; M];
    let (mut at, mut to) = (0, 0);
    while at < list.len() {
        if place(names, list[at]) == names.len() {
            out[to] = list[at];
            to += 1;
        }
        at += 1;
    }
    out
}
