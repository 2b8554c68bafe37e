//! Rounds, in recordings made message by message.

use fragreel_model::{EventKind, Kind, Kinds};

use super::made::{block, client, frame, open, print, skin};

/// The rounds of a game of Alice, Bob and Eve that prints these texts, one frame each.
fn rounds(texts: &[&str]) -> Vec<(bool, Option<String>)> {
    let mut blocks = vec![block(&[skin(0, "Alice"), skin(1, "Bob"), skin(2, "Eve"), frame(1, -1, &[])])];
    for (text, number) in texts.iter().zip(2..) {
        blocks.push(block(&[print(text), frame(number, -1, &[])]));
    }
    let file = client(&blocks);
    let of = |wanted: Kinds| -> Vec<_> {
        let recording = open(&file, "dm2");
        let events = recording.events(wanted);
        let round = |kind| if let EventKind::Round { started, winner, .. } = kind { Some((started, winner.map(String::from))) } else { None };
        events.filter_map(|event| round(event.kind)).collect()
    };
    let found = of(Kinds::ALL);
    assert_eq!(of(Kind::Round.into()), found);
    found
}

#[test]
fn the_one_who_stays_in_the_arena_wins() {
    let own = |name: &str| Some(name.to_owned());
    let found = rounds(&[
        "Alice steps into the arena\n",
        "Bob steps into the arena\n",
        "Fight!!!\n",
        "Bob was railed by Alice\n",
        // the server prints this line in two pieces
        "The challenger, ",
        "Bob, has been defeated\n",
        "Eve steps into the arena\n",
        "Fight!!!\n",
        "The champion, ",
        "Alice, has been defeated\n",
        "Bob steps into the arena\n",
        "Fight!!!\n",
        // who leaves is replaced, and loses no round
        "Eve disconnected\n",
        "Alice steps into the arena\n",
        "Fight!!!\n",
        "The challenger, ",
        "Alice, has been defeated\n",
    ]);
    let wanted = [(true, None), (false, own("Alice")), (true, None), (false, own("Eve")), (true, None), (true, None), (false, own("Bob"))];
    assert_eq!(found, wanted);
}

#[test]
fn a_recording_that_begins_in_a_fight_does_not_show_the_winner() {
    let found = rounds(&["Fight!!!\n", "The champion, ", "Bob, has been defeated\n", "Eve steps into the arena\n"]);
    assert_eq!(found, [(true, None), (false, None)]);
    let found = rounds(&["Alice steps into the arena\n", "The champion, ", "Bob, has been defeated\n"]);
    assert_eq!(found, [(false, None)], "Alice may have come after Bob's fight");
}
