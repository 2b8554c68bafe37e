//! Who is who, and who is not named.

use std::collections::{BTreeSet, HashMap};

use crate::config::{Config, Names};
use crate::facts::{Facts, Person, Word};
use crate::text;

/// The rules by which names become those of pages.
#[derive(Debug, Clone, Default)]
pub struct People {
    /// From a folded name to the person's own.
    persons: HashMap<String, String>,
    removed: BTreeSet<String>,
    names: Names,
    chat: bool,
}

impl People {
    /// The rules of a site.
    pub fn of(config: &Config) -> Self {
        let names = |person: &String, others: &Vec<String>| {
            let all = std::iter::once(person).chain(others).map(|name| (text::folded(name), person.clone()));
            all.collect::<Vec<_>>()
        };
        People {
            persons: config.people.iter().flat_map(|(person, others)| names(person, others)).collect(),
            removed: config.removed.players.iter().map(|name| text::folded(name)).collect(),
            names: config.names,
            chat: config.chat,
        }
    }

    /// Whether facts come out as they went in.
    fn changes_nothing(&self) -> bool {
        self.persons.is_empty() && self.removed.is_empty() && self.names == Names::All && self.chat
    }

    /// Whether nobody may be named so.
    fn hides(&self, folded: &str) -> bool {
        let person = self.persons.get(folded);
        let removed = self.removed.contains(folded) || person.is_some_and(|person| self.removed.contains(&text::folded(person)));
        removed
            || match self.names {
                Names::All => false,
                Names::Listed => person.is_none(),
                Names::None => true,
            }
    }

    /// Whether a recording must not be given away as it is, because it has a name that was removed.
    pub fn must_be_scrubbed(&self, facts: &Facts) -> bool {
        let mut hidden = false;
        names_of(facts, &mut |name| hidden |= self.hides(&text::folded(name)));
        hidden
    }

    /// Takes out of facts what these rules do not show, before anything is made of them.
    pub fn apply(&self, facts: &mut Facts) {
        if self.changes_nothing() {
            return;
        }
        let mut known: Vec<(String, String)> = Vec::new();
        let mut hidden = 0;
        names_of(facts, &mut |name| {
            if known.iter().any(|(before, _)| before == name) {
                return;
            }
            let folded = text::folded(name);
            let after = if self.hides(&folded) {
                hidden += 1;
                format!("player {hidden}")
            } else {
                self.persons.get(&folded).cloned().unwrap_or_else(|| name.to_owned())
            };
            known.push((name.to_owned(), after));
        });
        let hides_all = self.names != Names::All;
        let rename: HashMap<&str, &str> = known.iter().map(|(before, after)| (before.as_str(), after.as_str())).collect();
        // what is longer stands first: a name may be a part of another one
        let mut gone: Vec<(String, &str)> =
            known.iter().filter(|(before, _)| self.hides(&text::folded(before))).map(|(before, after)| (before.to_lowercase(), after.as_str())).collect();
        gone.extend(self.removed.iter().map(|name| (name.clone(), "somebody")));
        gone.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        gone.retain(|(name, _)| !name.trim().is_empty());
        let free = |text: &mut String| {
            if gone.iter().any(|(name, _)| text.to_lowercase().contains(name.as_str())) {
                *text = String::from("…");
            }
        };
        let person = |name: &mut String| {
            if let Some(after) = rename.get(name.as_str()) {
                *name = (*after).to_owned();
            }
        };
        visit(facts, &mut |text, role| match role {
            Role::Name => person(text),
            Role::Free => free(text),
        });
        facts.ticks.retain(|tick| self.chat || tick.group != "chat");
        if hides_all || !gone.is_empty() {
            free(&mut facts.file);
            if facts.file == "…" {
                facts.file = format!("{}.{}", facts.id(), facts.extension);
            }
        }
    }
}

/// Sides that games name themselves.
const SIDES: [&str; 6] = ["red", "blue", "yellow", "green", "free", "spectator"];

/// Groups of events whose sentences have names in pieces of their own alone.
const OWN_WORDS: [&str; 4] = ["kills", "flags", "items", "awards"];

/// What a text of facts is.
enum Role {
    /// A player's name alone.
    Name,
    /// Text in which names may stand.
    Free,
}

/// Hands every name of a player to `sink`.
fn names_of(facts: &Facts, sink: &mut dyn FnMut(&str)) {
    for board in &facts.matches {
        for line in &board.players {
            sink(&line.player.name.clean);
            line.against.iter().for_each(|other| sink(&other.player.name.clean));
        }
    }
    let told = facts.ticks.iter().flat_map(|tick| [&tick.who, &tick.whom]).flatten();
    let played = facts.moments.iter().filter_map(|moment| moment.player.as_ref()).chain(facts.runs.iter().filter_map(|run| run.player.as_ref()));
    told.chain(played).chain(&facts.recorder).for_each(|name| sink(name));
}

/// Visits every text of facts that may hold a name.
fn visit(facts: &mut Facts, sink: &mut dyn FnMut(&mut String, Role)) {
    let mut names: Vec<String> = Vec::new();
    names_of(facts, &mut |name| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    });
    let person = |person: &mut Person, sink: &mut dyn FnMut(&mut String, Role)| {
        // colors would give a name away
        person.name.raw.clear();
        sink(&mut person.name.clean, Role::Name);
    };
    let side = |name: &mut String, sink: &mut dyn FnMut(&mut String, Role)| {
        if SIDES.contains(&name.as_str()) {
            return;
        }
        let role = if names.contains(name) { Role::Name } else { Role::Free };
        sink(name, role);
    };
    for board in &mut facts.matches {
        for line in &mut board.players {
            person(&mut line.player, sink);
            line.against.iter_mut().for_each(|other| person(&mut other.player, sink));
        }
        board.teams.iter_mut().for_each(|team| side(&mut team.name, sink));
        [&mut board.winner, &mut board.forfeited_by].into_iter().flatten().for_each(|name| side(name, sink));
        board.segments.iter_mut().filter_map(|segment| segment.winner.as_mut()).for_each(|name| side(name, sink));
        board.findings.iter_mut().filter_map(|finding| finding.about.as_mut()).for_each(|name| side(name, sink));
    }
    for tick in &mut facts.ticks {
        [&mut tick.who, &mut tick.whom].into_iter().flatten().for_each(|name| sink(name, Role::Name));
        for word in &mut tick.sentence {
            match word {
                // the library's own words, in which nobody is named
                Word::Words(_) if OWN_WORDS.contains(&tick.group.as_str()) => {}
                Word::Words(text) => sink(text, Role::Free),
                Word::Text(text) => side(text, sink),
            }
        }
    }
    facts.moments.iter_mut().filter_map(|moment| moment.player.as_mut()).for_each(|name| sink(name, Role::Name));
    facts.runs.iter_mut().filter_map(|run| run.player.as_mut()).for_each(|name| sink(name, Role::Name));
    facts.recorder.iter_mut().for_each(|name| sink(name, Role::Name));
    facts.server.iter_mut().for_each(|name| sink(name, Role::Free));
    facts.damage.iter_mut().for_each(|text| sink(text, Role::Free));
}
