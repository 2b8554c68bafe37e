//! Recordings made by hand, one for each rule of what counts as an event.

use fragreel_base::delta::interleaved::Row;
use fragreel_model::{Event, EventKind, Kinds, MatchState};
use fragreel_quake3::container::{END_MARK, Frame, Framing};
use fragreel_quake3::dialect::Dialect;
use fragreel_quake3::fields::find;
use fragreel_quake3::message::{Change, ConfigString, EntityDelta, Gamestate, GamestateItem, Message, Operation, ServerCommand, Snapshot};

/// An entity of a snapshot: its number, and fields by name.
type Entity<'a> = (u16, &'a [(&'a str, u32)]);

struct Maker {
    dialect: &'static Dialect,
    bytes: Vec<u8>,
    sequence: i32,
    commands: i32,
    /// Rows of every snapshot so far, by sequence.
    rows: Vec<Vec<(u16, Row)>>,
}

impl Maker {
    fn new(strings: &[(u16, &str)]) -> Self {
        let dialect = Dialect::of(68).unwrap();
        let mut maker = Maker { dialect, bytes: Vec::new(), sequence: 0, commands: 0, rows: vec![Vec::new()] };
        let mut gamestate = Gamestate { end: 8, ..Gamestate::default() };
        let players = [(544, "n\\ann\\t\\1"), (545, "n\\bob\\t\\2"), (546, "n\\cid\\t\\1")];
        for (index, text) in strings.iter().copied().chain(players) {
            gamestate.items.push(GamestateItem::ConfigString(ConfigString { index, text: text.as_bytes().to_vec() }));
        }
        maker.write(vec![Operation::Gamestate(gamestate)]);
        maker
    }

    fn write(&mut self, operations: Vec<Operation>) {
        let data = Message { operations, end: Some(8), ..Message::default() }.write(self.dialect);
        Frame { number: 0, offset: 0, sequence: self.sequence, length: 0, framing: Framing::Plain }.write(&data, &mut self.bytes);
        self.sequence += 1;
    }

    /// A message with these commands and a snapshot at this time, encoded against the one `delta` messages ago.
    fn snapshot(&mut self, server_time: i32, delta: u8, commands: &[&str], entities: &[Entity<'_>]) {
        let table = self.dialect.entity;
        let rows: Vec<(u16, Row)> = entities
            .iter()
            .map(|(number, fields)| {
                let mut row = [0; 64];
                for (name, value) in *fields {
                    row[find(table, name)] = *value;
                }
                (*number, row)
            })
            .collect();
        let base = if delta == 0 { Vec::new() } else { self.rows[self.sequence as usize - usize::from(delta)].clone() };
        let was = |number: u16| base.iter().find(|(of, _)| *of == number).map(|(_, row)| *row);
        let mut deltas: Vec<EntityDelta> =
            rows.iter().map(|(number, row)| EntityDelta::canonical(*number, &was(*number).unwrap_or([0; 64]), row, self.dialect)).collect();
        let gone = base.iter().filter(|(number, _)| rows.iter().all(|(still, _)| still != number));
        deltas.extend(gone.map(|(number, _)| EntityDelta { number: *number, change: Change::Removed, ..EntityDelta::default() }));
        deltas.sort_by_key(|delta| delta.number);
        self.rows.push(rows);
        let mut operations = Vec::new();
        for text in commands {
            self.commands += 1;
            operations.push(Operation::ServerCommand(ServerCommand { sequence: self.commands, text: text.as_bytes().to_vec() }));
        }
        operations.push(Operation::Snapshot(Box::new(Snapshot { server_time, delta, entities: deltas.into(), ..Snapshot::default() })));
        self.write(operations);
    }

    fn events(mut self) -> Vec<Event> {
        self.bytes.extend(END_MARK);
        let mut events = Vec::new();
        let mut walk = fragreel_quake3::events::read(&self.bytes, self.dialect, Kinds::ALL);
        events.extend(walk.by_ref());
        let damage = walk.damage();
        assert_eq!(damage, [], "what we make is whole");
        events
    }
}

fn kills(events: &[Event]) -> Vec<(i64, Option<u16>, u16, &str, bool)> {
    fn of(event: &Event) -> Option<(i64, Option<u16>, u16, &str, bool)> {
        match &event.kind {
            EventKind::Kill(kill) => {
                Some((event.server_time.0, kill.attacker.as_ref().and_then(|attacker| attacker.slot), kill.victim.slot?, &kill.means, kill.team_kill))
            }
            _ => None,
        }
    }
    events.iter().filter_map(of).collect()
}

fn items(events: &[Event]) -> Vec<(i64, u16, &str)> {
    fn of(event: &Event) -> Option<(i64, u16, &str)> {
        match &event.kind {
            EventKind::Item { player, item, .. } => Some((event.server_time.0, player.slot?, item)),
            _ => None,
        }
    }
    events.iter().filter_map(of).collect()
}

const TEAMS: (u16, &str) = (0, "\\g_gametype\\3\\mapname\\q3dm7");

/// `EV_OBITUARY`: who died, who did it, how.
const fn obituary(victim: u32, attacker: u32, means: u32) -> [(&'static str, u32); 4] {
    [("eType", 13 + 60), ("otherEntityNum", victim), ("otherEntityNum2", attacker), ("eventParm", means)]
}

#[test]
fn a_death_is_told_once_however_long_it_is_shown() {
    let mut maker = Maker::new(&[TEAMS]);
    let death = obituary(1, 0, 6);
    maker.snapshot(1000, 0, &[], &[]);
    maker.snapshot(1050, 1, &[], &[(80, &death)]);
    maker.snapshot(1100, 1, &[], &[(80, &death)]);
    // sent again, in full
    maker.snapshot(1150, 0, &[], &[(80, &death)]);
    // a pause: it stays for a minute, and is sent again at the end
    for second in 2..60 {
        maker.snapshot(second * 1000, 1, &[], &[(80, &death)]);
    }
    maker.snapshot(59_050, 0, &[], &[(80, &death)]);
    assert_eq!(kills(&maker.events()), [(1050, Some(0), 1, "MOD_ROCKET", false)]);
}

#[test]
fn deaths_alike_are_told_each() {
    let mut maker = Maker::new(&[TEAMS]);
    let suicide = obituary(1, 1, 20);
    maker.snapshot(1000, 0, &[], &[(80, &suicide), (81, &obituary(2, 0, 10)), (82, &obituary(0, 1022, 22))]);
    maker.snapshot(1400, 1, &[], &[]);
    maker.snapshot(2500, 1, &[], &[(80, &suicide)]);
    // another death in the same slot, without a snapshot between
    maker.snapshot(2550, 1, &[], &[(80, &obituary(2, 1, 20))]);
    let expected = [
        (1000, Some(1), 1, "MOD_SUICIDE", false),
        (1000, Some(0), 2, "MOD_RAILGUN", true),
        (1000, None, 0, "MOD_TRIGGER_HURT", false),
        (2500, Some(1), 1, "MOD_SUICIDE", false),
        (2550, Some(1), 2, "MOD_SUICIDE", false),
    ];
    assert_eq!(kills(&maker.events()), expected);
}

#[test]
fn numbers_that_make_no_sense_name_nobody() {
    let mut maker = Maker::new(&[TEAMS]);
    maker.snapshot(1000, 0, &[], &[(80, &obituary(64, 0, 6)), (81, &obituary(63, 1023, 200))]);
    assert_eq!(kills(&maker.events()), [(1000, None, 63, "MOD_200", false)]);
}

#[test]
fn pick_ups_are_new_when_the_event_changes() {
    let mut maker = Maker::new(&[TEAMS]);
    let player = |event: u32, item: u32| [("eType", 1), ("event", event), ("eventParm", item)];
    maker.snapshot(1000, 0, &[], &[(1, &player(0x113, 7))]);
    maker.snapshot(1050, 1, &[], &[(1, &player(0x113, 7))]);
    maker.snapshot(1100, 1, &[], &[(1, &player(0, 7))]);
    // the event of the base again, so it is not sent; yet it is another
    maker.snapshot(1150, 2, &[], &[(1, &player(0x113, 16))]);
    maker.snapshot(1200, 1, &[], &[(1, &player(0x213, 16))]);
    // out of sight, and back with the same
    maker.snapshot(1250, 1, &[], &[]);
    maker.snapshot(1900, 1, &[], &[(1, &player(0x213, 16))]);
    // out of sight, and back much later
    maker.snapshot(1950, 1, &[], &[]);
    maker.snapshot(5000, 1, &[], &[(1, &player(0x213, 16))]);
    let expected = [(1000, 1, "item_health_mega"), (1150, 1, "weapon_bfg"), (1200, 1, "weapon_bfg"), (5000, 1, "weapon_bfg")];
    assert_eq!(items(&maker.events()), expected);
}

#[test]
fn pick_ups_of_their_own_say_whose_they_are() {
    let mut maker = Maker::new(&[TEAMS]);
    let pick_up = [("eType", 13 + 19), ("eventParm", 2)];
    let flagged = [pick_up[0], pick_up[1], ("eFlags", 0x10), ("otherEntityNum", 2)];
    let cpma = [pick_up[0], pick_up[1], ("modelindex2", 0x11)];
    let here = 500f32.to_bits();
    let placed = [pick_up[0], pick_up[1], ("pos.trBase[0]", here)];
    let player = [("eType", 1), ("pos.trBase[0]", 510f32.to_bits())];
    // the last is where nobody is but the player whose view it is, who has it in his own state
    maker.snapshot(1000, 0, &[], &[(2, &player), (80, &flagged), (81, &cpma), (82, &placed), (83, &pick_up)]);
    let armor = "item_armor_combat";
    assert_eq!(items(&maker.events()), [(1000, 2, armor), (1000, 1, armor), (1000, 2, armor)]);
}

#[test]
fn a_match_passes_through_its_stages() {
    let mut maker = Maker::new(&[TEAMS, (5, "-1"), (21, "0"), (22, "0")]);
    maker.snapshot(1000, 0, &[], &[]);
    maker.snapshot(2000, 1, &["cs 5 12000"], &[]);
    maker.snapshot(12_000, 1, &["cs 5 -1", "cs 21 12000", "cs 5 \"\"", "map_restart"], &[]);
    maker.snapshot(20_000, 1, &["map_restart"], &[]);
    maker.snapshot(30_000, 1, &["cs 22 1"], &[]);
    let events = maker.events();
    let stages = events.iter().filter_map(|event| match &event.kind {
        EventKind::Match { state, .. } => Some((event.server_time.0, *state, event.match_time.map(|time| time.0))),
        _ => None,
    });
    let expected = [
        (1000, MatchState::Warmup, None),
        (2000, MatchState::Countdown, None),
        (12_000, MatchState::Started, Some(0)),
        (20_000, MatchState::Restarted, Some(8000)),
        (30_000, MatchState::Intermission, Some(18_000)),
    ];
    assert_eq!(stages.collect::<Vec<_>>(), expected);
}

/// What the match did, and when.
fn course(maker: Maker) -> Vec<(i64, MatchState)> {
    let events = maker.events();
    events.iter().filter_map(|event| if let EventKind::Match { state, .. } = &event.kind { Some((event.server_time.0, *state)) } else { None }).collect()
}

/// id's own game never takes the intermission's string back: it is on for all later matches of the level, and their ends are printed alone.
#[test]
fn the_intermission_that_stays_on_ends_nothing() {
    let mut maker = Maker::new(&[TEAMS, (5, ""), (21, "0"), (22, "1")]);
    maker.snapshot(1000, 0, &[], &[]);
    maker.snapshot(7000, 1, &["print \"Timelimit hit.\n\""], &[]);
    maker.snapshot(46_000, 1, &["cs 21 46000", "map_restart"], &[]);
    maker.snapshot(60_000, 1, &["print \"^1ann^7 hit the fraglimit.\n\""], &[]);
    assert_eq!(course(maker), [(7000, MatchState::Intermission), (46_000, MatchState::Started), (60_000, MatchState::Intermission)]);
}

/// OSP's time-out moves the start into the future, and its end counts down as a warm-up does. No match begins.
#[test]
fn a_time_out_is_a_pause() {
    let mut maker = Maker::new(&[TEAMS, (5, ""), (21, "1000"), (22, "")]);
    maker.snapshot(20_000, 0, &[], &[]);
    maker.snapshot(30_000, 1, &["cs 21 240000"], &[]);
    maker.snapshot(60_000, 1, &["cs 5 65000"], &[]);
    maker.snapshot(65_000, 1, &["cs 5 0", "cs 21 36000"], &[]);
    maker.snapshot(70_000, 1, &["cs 22 1"], &[]);
    assert_eq!(course(maker), [(30_000, MatchState::Paused), (65_000, MatchState::Resumed), (70_000, MatchState::Intermission)]);
}

/// A vote for another map shows the intermission in a warm-up: no match begins or ends.
#[test]
fn a_vote_in_a_warm_up_ends_no_match() {
    let mut maker = Maker::new(&[TEAMS, (5, "-1"), (21, "0"), (22, "")]);
    maker.snapshot(1000, 0, &[], &[]);
    maker.snapshot(2000, 1, &["cs 5 0", "cs 22 1"], &[]);
    assert_eq!(course(maker), [(1000, MatchState::Warmup)]);
}

#[test]
fn big_strings_and_repeated_commands_count_once() {
    let mut maker = Maker::new(&[TEAMS]);
    maker.snapshot(1000, 0, &["bcs0 545 \"n\\ro\"", "bcs2 545 \"b\\t\\3\""], &[]);
    // the server has not heard of it being received
    maker.commands -= 1;
    maker.snapshot(1050, 1, &["bcs2 545 \"b\\t\\3\""], &[]);
    let events = maker.events();
    let told: Vec<&str> = events.iter().map(|event| event.kind.kind().name()).collect();
    assert_eq!(told, ["level", "rename", "team"]);
}
