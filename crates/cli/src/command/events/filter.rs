//! Which events are wanted.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fragreel::model::{Event, Kind, Kinds, Milliseconds};

use crate::asked::Asked;
use crate::command::{Clock, Named, Times};
use crate::failure::Failure;

/// Options that choose events.
#[derive(clap::Args)]
pub struct Filter {
    #[arg(long, alias = "kind", value_name = "KIND", value_delimiter = ',', value_parser = kinds(), hide_possible_values = true, help = kinds_help())]
    kinds: Vec<Kind>,

    /// Only events that concern this player: the name without colors, in any case, with `*` and `?`
    /// as wildcards. May be repeated
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,

    #[command(flatten)]
    times: Times,

    /// Clock of all times, in options and in the output
    #[arg(long, value_enum, default_value_t = Clock::Demo)]
    clock: Clock,
}

fn kinds_help() -> String {
    format!("Only these kinds, separated by commas: {}", all_kinds())
}

fn all_kinds() -> String {
    Kind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.iter().map(|kind| kind.name())).try_map(|name| kind(&name))
}

fn kind(name: &str) -> Result<Kind, String> {
    Kind::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| format!("the kinds are {}", all_kinds()))
}

impl Filter {
    /// The filter, ready to be asked.
    pub fn compile(self) -> Result<Compiled, Failure> {
        self.times.must_make_sense()?;
        let players = Named::new(&self.player);
        let kinds = if self.kinds.is_empty() { Kinds::ALL } else { self.kinds.iter().copied().collect() };
        Ok(Compiled { kinds, players, times: self.times, clock: self.clock })
    }
}

/// A filter that can be asked.
pub struct Compiled {
    kinds: Kinds,
    players: Named,
    times: Times,
    clock: Clock,
}

impl Compiled {
    /// The kinds that the decoder should look for.
    pub fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// The times that it means in a recording.
    pub fn times_in(&self, asked: &Asked<'_>) -> Result<Times, Failure> {
        self.times.of_asked(asked, self.clock)
    }

    /// Whether the event is wanted, from these times of its recording.
    pub fn passes(&self, times: &Times, event: &Event) -> bool {
        self.kinds.has(event.kind.kind())
            && self.in_time(times, event)
            && (self.players.are_all() || event.kind.names().any(|name| self.players.hold(&name.clean)))
    }

    /// Says why nothing was found.
    pub fn remark(&self) {
        self.players.remark();
    }

    fn in_time(&self, times: &Times, event: &Event) -> bool {
        times.are_all() || self.time(event).is_some_and(|time| times.hold(time))
    }

    /// When it happened, on the clock asked for.
    pub fn time(&self, event: &Event) -> Option<Milliseconds> {
        match self.clock {
            Clock::Demo => Some(event.time),
            Clock::Server => Some(event.server_time),
            Clock::Match => event.match_time,
        }
    }
}

#[cfg(test)]
impl Compiled {
    fn lets_pass(&self, event: &Event) -> bool {
        self.passes(&self.times, event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel::model::{EventKind, Evidence, Kill, Player, Text};

    fn kill() -> Event {
        let player = |name: &str| Player { slot: None, name: Text::plain(name), team: None };
        let kind = EventKind::Kill(Kill::new(Some(player("[AB]Sarge")), player("Visor"), "railgun"));
        Event {
            time: Milliseconds(60_000),
            server_time: Milliseconds(100_000),
            match_time: None,
            message: 0,
            evidence: Evidence::Stated,
            uncertain: false,
            kind,
        }
    }

    fn filter(change: impl FnOnce(&mut Filter)) -> Compiled {
        let mut filter = Filter { kinds: vec![], player: vec![], times: Times::default(), clock: Clock::Demo };
        change(&mut filter);
        filter.compile().unwrap()
    }

    #[test]
    fn names_match_whole_in_any_case_and_brackets_mean_themselves() {
        for (name, expected) in [("[ab]sarge", true), ("sarge", false), ("*sarge", true), ("VISOR", true), ("v?sor", true), ("[ab]", false), ("a", false)] {
            assert_eq!(filter(|filter| filter.player.push(name.to_owned())).lets_pass(&kill()), expected, "{name}");
        }
    }

    #[test]
    fn times_are_inclusive_and_on_their_clock() {
        let minute = Some(Milliseconds(60_000));
        assert!(filter(|filter| (filter.times.from, filter.times.to) = (minute, minute)).lets_pass(&kill()));
        assert!(!filter(|filter| filter.times.to = Some(Milliseconds(59_999))).lets_pass(&kill()));
        assert!(!filter(|filter| (filter.times.to, filter.clock) = (minute, Clock::Server)).lets_pass(&kill()));
        assert!(!filter(|filter| (filter.times.from, filter.clock) = (Some(Milliseconds(0)), Clock::Match)).lets_pass(&kill()));
        assert!(Times { from: minute, to: Some(Milliseconds(1)) }.must_make_sense().is_err());
    }

    #[test]
    fn kinds_are_those_asked_for() {
        assert!(filter(|filter| filter.kinds.push(Kind::Kill)).lets_pass(&kill()));
        assert!(!filter(|filter| filter.kinds.push(Kind::Chat)).lets_pass(&kill()));
        assert!(kind("kill").is_ok() && kind("frag").unwrap_err().contains("center_print"));
    }
}
