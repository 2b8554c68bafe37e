//! User messages of mods: objectives and rounds of Day of Defeat, matches and flags of Adrenaline Gamer, flags of capture the flag
//! after ThreeWave (`docs/formats/goldsrc.md`, "User messages").

use std::borrow::Cow;

use fragreel_model::{EventKind, FlagAction, Kind, MatchState, PlayerStats, Stat, Statement, TeamStats};

use super::EventBuilder;
use super::opposing_force::Flags;
use crate::game_text::clean;
use crate::message::payload::Payload;
use crate::message::user_fields::side;

/// State of the mods.
#[derive(Debug, Clone, Default)]
pub(super) struct Mods {
    /// The game mode of Adrenaline Gamer.
    pub mode: Option<String>,
    match_on: Option<bool>,
    counting: bool,
    sudden_death: bool,
    /// Blue's flag and red's.
    flags: [Flag; 2],
    pub opposing: Flags,
}

#[derive(Debug, Clone, Default)]
struct Flag {
    place: Option<u8>,
    /// The number of the player who carries it, or carried it last.
    carrier: u8,
    carried: bool,
}

/// Where Adrenaline Gamer has a flag.
mod place {
    pub(super) const HOME: u8 = 0;
    pub(super) const LOST: u8 = 2;
    /// The flag is not in the game.
    pub(super) const OFF: u8 = 255;
}

const COLORS: [&str; 2] = ["blue", "red"];

/// Day of Defeat's weapons by the numbers of its obituaries, from 1.
const DOD_WEAPONS: [&str; 41] = [
    "amerknife",
    "gerknife",
    "colt",
    "luger",
    "garand",
    "scopedkar",
    "thompson",
    "stg44",
    "springfield",
    "kar",
    "bar",
    "mp40",
    "handgrenade",
    "stickgrenade",
    "handgrenade_ex",
    "stickgrenade_ex",
    "mg42",
    "30cal",
    "spade",
    "m1carbine",
    "mg34",
    "greasegun",
    "fg42",
    "k43",
    "enfield",
    "sten",
    "bren",
    "webley",
    "bazooka",
    "panzerschreck",
    "piat",
    "scoped_fg42",
    "fcarbine",
    "bayonet",
    "scoped_enfield",
    "mills_bomb",
    "brit_knife",
    "garand_butt",
    "enf_bayonet",
    "mortar",
    "k43_butt",
];

pub(super) fn dod_weapon(number: u8) -> Option<&'static str> {
    DOD_WEAPONS.get(usize::from(number).checked_sub(1)?).copied()
}

impl EventBuilder {
    /// Builds the events of a user message that only one mod has.
    pub(super) fn mod_message(&mut self, name: &[u8], data: &[u8]) -> Option<()> {
        let payload = Payload::new(data);
        match name {
            b"ObjScore" => self.objective(payload),
            b"RoundState" => self.round_state(payload),
            b"Settings" => self.settings(payload),
            b"Countdown" => self.countdown(payload),
            b"SuddenDeath" => self.sudden_death(payload),
            b"CTF" => self.flag_places(payload),
            b"CTFFlag" => self.flag_carriers(payload),
            b"CTFMsg" | b"CTFMsgs" => self.flag_message(payload),
            b"FlagStatus" => self.flag_scores(payload),
            b"PlayerIcon" => self.player_icon(payload),
            b"FlagIcon" => self.flag_icon(payload),
            b"CTFScore" => self.flag_points(payload),
            b"StatsPlayer" => self.own_statistics(payload),
            b"StatsInfo" => self.best_players(payload),
            _ => None,
        }
    }

    /// Slot and points for objectives, by which Day of Defeat ranks.
    fn objective(&mut self, mut payload: Payload) -> Option<()> {
        let slot = payload.byte()?.checked_sub(1)?;
        let points = match payload.rest().len() {
            1 => i32::from(payload.byte()?),
            _ => i32::from(payload.short()?),
        };
        self.roster.member_mut(slot).objective = Some(points);
        Some(())
    }

    /// 1 when a round begins, 3 and 4 when Allies and Axis have won it.
    fn round_state(&mut self, mut payload: Payload) -> Option<()> {
        let (started, winner) = match payload.byte()? {
            1 => (true, None),
            3 => (false, side(1)),
            4 => (false, side(2)),
            _ => return None,
        };
        self.emit_stated(EventKind::Round { number: None, started, winner: winner.map(Cow::Borrowed) });
        Some(())
    }

    /// Whether a match is on, and the game mode.
    fn settings(&mut self, mut payload: Payload) -> Option<()> {
        let (on, mode) = (payload.byte()? != 0, clean(payload.string()?));
        self.mods.mode = Some(mode).filter(|mode| !mode.is_empty()).or(self.mods.mode.take());
        let before = self.mods.match_on.replace(on);
        if before == Some(!on) {
            self.mods.counting = false;
            // at a regular end, the intermission comes before
            self.emit_stated(EventKind::match_state(if on { MatchState::Started } else { MatchState::Aborted }));
        }
        Some(())
    }

    /// Seconds until a match begins.
    fn countdown(&mut self, mut payload: Payload) -> Option<()> {
        // what starts a match after the last second
        const GO: u8 = u8::MAX;
        let seconds = payload.byte()?;
        let counted = self.mods.counting;
        self.mods.counting = seconds != GO && (seconds > 0 || counted);
        if !counted && self.mods.counting {
            self.emit_stated(EventKind::match_state(MatchState::Countdown));
        } else if counted && seconds == GO && self.mods.match_on != Some(true) {
            self.mods.match_on = Some(true);
            self.emit_stated(EventKind::match_state(MatchState::Started));
        }
        Some(())
    }

    /// A line on the console with the scores of a match that ends: `A:34 B:20 `, of teams or of players.
    pub(super) fn final_line(&mut self, line: &[u8]) {
        if self.mods.match_on != Some(true) || !self.wanted.has(Kind::Statistics) {
            return;
        }
        let Some(sides) = final_scores(&clean(line)) else { return };
        let mut statement = Statement::new("printed result");
        let slots: Vec<Option<u8>> = sides.iter().map(|(name, _)| self.roster.by_name(name)).collect();
        for ((name, score), slot) in sides.into_iter().zip(&slots) {
            if let (Some(slot), true) = (slot, slots.iter().all(Option::is_some)) {
                let mut line = PlayerStats::new(self.roster.player(*slot));
                line.stats.state(Stat::Score, score);
                statement.players.push(line);
            } else {
                let mut team = TeamStats::new(name);
                team.stats.state(Stat::Score, score);
                statement.teams.push(team);
            }
        }
        self.emit_stated(EventKind::Statistics(Box::new(statement)));
    }

    fn sudden_death(&mut self, mut payload: Payload) -> Option<()> {
        let on = payload.byte()? != 0;
        if on && !self.mods.sudden_death {
            self.emit_stated(EventKind::match_state(MatchState::Overtime));
        }
        self.mods.sudden_death = on;
        Some(())
    }

    /// The places of the blue and the red flag.
    fn flag_places(&mut self, mut payload: Payload) -> Option<()> {
        for (at, color) in COLORS.into_iter().enumerate() {
            let now = payload.byte()?;
            let Some(before) = self.mods.flags[at].place.replace(now).filter(|before| *before != now && now != place::OFF) else { continue };
            let carrier = self.roster.numbered(self.mods.flags[at].carrier);
            let (action, player) = match (before, now) {
                (place::OFF, _) => continue,
                (_, place::LOST) => (FlagAction::Dropped, carrier),
                (place::LOST, place::HOME) => (FlagAction::Returned, None),
                // its carrier captured it
                (_, place::HOME) => (FlagAction::Captured, carrier),
                _ => continue,
            };
            self.emit_inferred(EventKind::Flag { team: color.into(), action, player });
        }
        Some(())
    }

    /// The carriers of the blue and the red flag.
    fn flag_carriers(&mut self, mut payload: Payload) -> Option<()> {
        for (at, color) in COLORS.into_iter().enumerate() {
            let now = payload.byte()?;
            let flag = &mut self.mods.flags[at];
            let took = now != 0 && (!flag.carried || flag.carrier != now);
            flag.carried = now != 0;
            if took {
                flag.carrier = now;
                let player = self.roster.numbered(now);
                self.emit_stated(EventKind::Flag { team: color.into(), action: FlagAction::Taken, player });
            }
        }
        Some(())
    }

    /// An action with a flag, and the player.
    fn flag_message(&mut self, mut payload: Payload) -> Option<()> {
        let code = payload.byte()?;
        let (team, action) = match code {
            1 => ("red", FlagAction::Taken),
            2 => ("blue", FlagAction::Taken),
            3 => ("red", FlagAction::Captured),
            4 => ("blue", FlagAction::Captured),
            5 | 7 => ("red", FlagAction::Returned),
            6 | 8 => ("blue", FlagAction::Returned),
            9 => ("red", FlagAction::Dropped),
            10 => ("blue", FlagAction::Dropped),
            _ => return None,
        };
        // a flag that returns by itself names no player
        let name = payload.string().map(clean).filter(|name| !name.is_empty() && !matches!(code, 7 | 8));
        let player = name.and_then(|name| self.roster.by_name(&name)).map(|slot| self.roster.player(slot));
        self.emit_stated(EventKind::Flag { team: team.into(), action, player });
        Some(())
    }

    /// Whether it is shown, the places of the flags, the scores of red and blue.
    fn flag_scores(&mut self, mut payload: Payload) -> Option<()> {
        let (_, _, _) = (payload.byte()?, payload.byte()?, payload.byte()?);
        for team in ["red", "blue"] {
            let score = i32::from(payload.byte()?);
            self.set_team_score(team.to_owned(), score);
        }
        Some(())
    }
}

/// `A:34 B:20 `: names, which may have spaces, and scores.
fn final_scores(line: &str) -> Option<Vec<(String, i64)>> {
    let mut rest = line.trim_end_matches(['\n', '\r']);
    let mut sides = Vec::new();
    while !rest.is_empty() {
        let ends = rest.match_indices(' ').map(|(at, _)| at).chain([rest.len()]);
        let (end, side) = ends.into_iter().find_map(|end| {
            let (name, score) = rest[..end].rsplit_once(':')?;
            let score = score.parse().ok().filter(|_| !name.is_empty() && !score.starts_with('+'))?;
            Some((end, (name.to_owned(), score)))
        })?;
        sides.push(side);
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    Some(sides).filter(|sides| sides.len() > 1)
}

#[cfg(test)]
pub(super) mod tests {

    use fragreel_model::{Event, Kinds};

    use super::*;
    use crate::message::UpdateUserInfo;

    /// What user messages say happened; players 1 and 2 are Anna and Bert.
    pub(crate) fn happened(messages: &[(&str, &[u8])]) -> (Vec<String>, Option<Statement>) {
        let (lines, mut statements) = watched(messages);
        (lines, statements.pop())
    }

    /// What they state.
    pub(crate) fn statements(messages: &[(&str, &[u8])]) -> Vec<Statement> {
        watched(messages).1
    }

    fn watched(messages: &[(&str, &[u8])]) -> (Vec<String>, Vec<Statement>) {
        let (mut lines, mut statements) = (Vec::new(), Vec::new());
        let mut take = |event: Event| {
            let name = |player: Option<fragreel_model::Player>| player.map_or_else(|| String::from("-"), |player| player.name.clean);
            match event.kind {
                EventKind::Flag { team, action, player } => lines.push(format!("{team} {action:?} {}", name(player))),
                EventKind::Round { started, winner, .. } => lines.push(format!("round {started} {}", winner.as_deref().unwrap_or("-"))),
                EventKind::Match { state, .. } => lines.push(format!("{state:?}")),
                EventKind::Score { team, score, .. } => lines.push(format!("{} {score}", team.as_deref().unwrap_or("-"))),
                EventKind::Team { player, from } => lines.push(format!("{} from {from}", player.name.clean)),
                EventKind::Statistics(found) => statements.push(*found),
                EventKind::Item { player, item, .. } => lines.push(format!("{} has {item}", player.name.clean)),
                EventKind::Print { text } => lines.push(format!("print {}", text.clean)),
                other => panic!("{other:?}"),
            }
        };
        let mut builder = EventBuilder::new(Kinds::ALL);
        for (slot, name) in [(0, "Anna"), (1, "Bert")] {
            let info = format!("\\name\\{name}").into_bytes();
            let _ = builder.roster.update(&UpdateUserInfo { slot, user_id: i32::from(slot) + 1, info: crate::scalars::Str(info), ..UpdateUserInfo::default() });
        }
        for (name, data) in messages {
            builder.user(name.as_bytes(), data);
        }
        builder.emit_final_scores();
        builder.ready.into_iter().for_each(&mut take);
        (lines, statements)
    }

    #[test]
    fn weapons_of_day_of_defeat_have_names() {
        assert_eq!([0, 1, 5, 41, 42].map(dod_weapon), [None, Some("amerknife"), Some("garand"), Some("k43_butt"), None]);
    }

    #[test]
    fn day_of_defeat_has_objectives_sides_and_rounds() {
        let (lines, statement) = happened(&[
            ("RoundState", &[1]),
            ("PTeam", &[1, 1]),
            ("PTeam", &[2, 2]),
            ("PTeam", &[2, 1]),
            ("ScoreShort", &[1, 3, 0, 2, 0]),
            ("ObjScore", &[1, 9, 0]),
            ("ScoreShort", &[2, 1, 0, 4, 0]),
            ("TeamScore", &[1, 5, 0]),
            ("TeamScore", &[1, 7, 0]),
            ("RoundState", &[3]),
            ("RoundState", &[0]),
            ("ObjScore", &[0, 9, 0]),
            ("ObjScore", &[1]),
        ]);
        assert_eq!(lines, ["round true -", "Bert from Axis", "Allies 7", "round false Allies"]);
        use fragreel_model::Stat;
        let figures = |slot: usize| {
            let stats = &statement.as_ref().unwrap().players[slot].stats;
            [Stat::Score, Stat::Kills, Stat::Deaths].map(|stat| stats.get(stat).stated)
        };
        assert_eq!(figures(0), [Some(9), Some(3), Some(2)], "objectives are the score");
        assert_eq!(figures(1), [Some(1), None, Some(4)], "without any, frags are");
    }

    #[test]
    fn adrenaline_gamer_has_matches_and_flags() {
        let (lines, statement) = happened(&[
            ("Settings", b"\x00ctf\0\x0f\0"),
            ("Countdown", b"\x0a\x01\0\0"),
            ("Countdown", b"\x09\x01\0\0"),
            ("Countdown", b"\x00\x01\0\0"),
            ("Settings", b"\x01ctf\0\x0f\0"),
            ("ScoreInfo", &[1, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("CTF", &[0, 0]),
            ("CTFFlag", &[2, 0]),
            ("CTF", &[1, 0]),
            ("CTFFlag", &[0, 0]),
            ("CTF", &[2, 0]),
            ("CTFFlag", &[1, 0]),
            ("CTF", &[1, 0]),
            ("CTF", &[0, 0]),
            ("CTFFlag", &[0, 2]),
            ("CTF", &[0, 1]),
            ("CTF", &[0, 2]),
            ("CTF", &[0, 0]),
            ("SuddenDeath", &[1]),
            ("SuddenDeath", &[1]),
            ("Settings", b"\x00"),
        ]);
        assert_eq!(
            lines,
            [
                "Countdown",
                "Started",
                "blue Taken Bert",
                "blue Dropped Bert",
                "blue Taken Anna",
                "blue Captured Anna",
                "red Taken Bert",
                "red Dropped Bert",
                "red Returned -",
                "Overtime"
            ]
        );
        assert_eq!(statement.unwrap().mode.as_deref(), Some("ctf"));
    }

    #[test]
    fn adrenaline_gamer_states_the_result_on_the_console() {
        assert_eq!(final_scores("A:34 the b team:-2 \n"), Some(vec![("A".into(), 34), ("the b team".into(), -2)]));
        assert_eq!([final_scores("A:34 "), final_scores("Anna: hello you:2"), final_scores("")], [None, None, None]);
        let start: &[(&str, &[u8])] = &[("Settings", b"\x00tdm\0\x0f\0"), ("Settings", b"\x01tdm\0\x0f\0")];
        let said = |line: &[u8]| statements(&[start, &[("TextMsg", line)]].concat());
        let teams = &said(b"\x02blue:34 red:20 \n\0")[0].teams;
        assert_eq!((teams.len(), &*teams[0].name, teams[1].stats.get(Stat::Score).stated), (2, "blue", Some(20)));
        let players = &said(b"\x02Anna:3 Bert:-1 \n\0")[0].players;
        assert_eq!((players.len(), players[1].player.slot, players[1].stats.get(Stat::Score).stated), (2, Some(1), Some(-1)));
        assert!(statements(&[("TextMsg", b"\x02blue:34 red:20 \n\0")]).is_empty(), "no match runs");
    }

    #[test]
    fn threewave_names_who_did_what_to_a_flag() {
        let (lines, _) = happened(&[
            ("CTFMsg", b"\x01Bert\0"),
            ("CTFMsg", b"\x09Bert\0"),
            ("CTFMsg", b"\x05Anna\0"),
            ("CTFMsg", b"\x02Anna\0"),
            ("CTFMsg", b"\x04Anna\0"),
            ("CTFMsg", b"\x07\0"),
            ("CTFMsg", b"\x63x\0"),
            ("FlagStatus", &[1, 5, 6, 0, 0]),
            ("FlagStatus", &[1, 5, 6, 10, 0]),
        ]);
        assert_eq!(lines, ["red Taken Bert", "red Dropped Bert", "red Returned Anna", "blue Taken Anna", "blue Captured Anna", "red Returned -", "red 10"]);
    }
}
