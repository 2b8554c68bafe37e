//! The lists of numbers in the format document are those of the code.

use std::fs;

use fragreel_quake3::game::{events, items, means, names};

#[test]
fn the_document_has_the_lists_of_the_code() {
    let path = fragreel_testkit::checkout().join("docs/formats/quake3-events.md");
    let document = fs::read_to_string(path).expect("the format document");
    let document: Vec<&str> = document.split_whitespace().collect();
    let document = document.join(" ");
    let game_types = [names::QUAKE3_TYPES, names::OSP_TYPES, names::CPMA_TYPES, names::OPENARENA_TYPES, names::LIVE_TYPES];
    let game_types = game_types.map(|types| types.iter().map(|game_type| game_type.name).collect::<Vec<_>>());
    let lists = [
        events::QUAKE3.names,
        events::EARLY.names,
        events::LIVE.names,
        means::QUAKE3,
        means::TEAM_ARENA,
        means::LIVE,
        items::QUAKE3,
        items::TEAM_ARENA,
        items::OPENARENA,
        items::CPMA,
        items::LIVE,
        names::WEAPONS,
        names::MORE_WEAPONS,
        names::POWERUPS,
        names::LIVE_POWERUPS,
        names::LIVE_91_POWERUPS,
        names::STATS,
        names::MORE_STATS,
        names::PERSISTANT,
        names::EARLY_PERSISTANT,
        names::LIVE_PERSISTANT,
        names::TEAMS,
    ];
    for list in lists.into_iter().chain(game_types.iter().map(|list| &list[..])) {
        let numbered = list.iter().enumerate().filter(|(_, name)| !name.is_empty());
        let shown = numbered.map(|(number, name)| format!("{number} {name}")).collect::<Vec<_>>().join(", ") + ".";
        assert!(document.contains(&shown), "docs/formats/quake3-events.md lacks: {shown}");
    }
}
