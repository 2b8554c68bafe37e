//! Capture the flag of Opposing Force: flags, items, points, and the statistics at the end of a game (`docs/formats/goldsrc.md`, "User messages").

use std::borrow::Cow;

use fragreel_model::{EventKind, FlagAction, ItemStat, PlayerStats, Stat, Statement};

use super::EventBuilder;
use crate::game_text::clean;
use crate::message::payload::Payload;

/// The teams, whose flags have the bits 1 and 2.
const TEAMS: [&str; 2] = ["Black Mesa", "Opposing Force"];

/// Other items that players carry, by bit.
const ITEMS: [(u8, &str); 5] = [(4, "item_ctfljump"), (8, "item_ctfphev"), (16, "item_ctfbpack"), (32, "item_ctfaccel"), (128, "item_ctfregen")];

/// Console lines about a flag: the team of the flag, and the action. The line before has the player's name.
const LINES: [(&[u8], usize, FlagAction); 6] = [
    (b"#CTFFlagGetBM", 0, FlagAction::Taken),
    (b"#CTFFlagGetOF", 1, FlagAction::Taken),
    (b"#CTFFlagScorerBM", 0, FlagAction::Captured),
    (b"#CTFFlagScorerOF", 1, FlagAction::Captured),
    (b"#CTFFlagReturnBM", 0, FlagAction::Returned),
    (b"#CTFFlagReturnOF", 1, FlagAction::Returned),
];

/// State of the flags.
#[derive(Debug, Clone, Default)]
pub(super) struct Flags {
    /// The last console line.
    line: Option<String>,
    /// The last action with each team's flag, and the slot of the player.
    last: [Option<(FlagAction, Option<u8>)>; 2],
}

impl EventBuilder {
    /// A console line: a name, or the action of the player named in the line before.
    pub(super) fn console_line(&mut self, key: &[u8]) {
        let before = self.mods.opposing.line.replace(clean(key));
        let Some(&(_, flag, action)) = LINES.iter().find(|(known, ..)| *known == key) else { return };
        let slot = before.and_then(|name| self.roster.by_name(&name));
        self.flag_event(flag, action, slot, true);
    }

    /// Number, whether the player has the item, whether it is a flag, which item.
    pub(super) fn player_icon(&mut self, mut payload: Payload) -> Option<()> {
        let (slot, has, _, item) = (payload.byte()?.checked_sub(1)?, payload.byte()? != 0, payload.byte()?, payload.byte()?);
        if let Some(flag) = [1, 2].iter().position(|&bit| bit == item) {
            match (has, self.mods.opposing.last[flag]) {
                // the line came first
                (true, Some((FlagAction::Taken, Some(by)))) if by == slot => {}
                (true, _) => self.flag_event(flag, FlagAction::Taken, Some(slot), true),
                (false, Some((FlagAction::Taken, by))) if by.is_none_or(|by| by == slot) => self.flag_event(flag, FlagAction::Dropped, Some(slot), false),
                (false, _) => {}
            }
        } else if has && let Some((_, item)) = ITEMS.iter().find(|(bit, _)| *bit == item) {
            let player = self.roster.player(slot);
            self.emit_stated(EventKind::Item { player, item: Cow::Borrowed(item), delay: None });
        }
        Some(())
    }

    /// Whether it is shown, the icon, the team, its color and flags brought home. The icon's last letter says where the flag is.
    pub(super) fn flag_icon(&mut self, mut payload: Payload) -> Option<()> {
        let (shown, icon, team) = (payload.byte()? != 0, payload.string()?, usize::from(payload.byte()?));
        let name = *TEAMS.get(team)?;
        if let Some(&[_, _, _, score]) = payload.rest().first_chunk()
            && shown
        {
            self.set_team_score(name.to_owned(), i32::from(score));
        }
        // a dropped flag returns by itself
        if icon == b"item_ctfflagh" && matches!(self.mods.opposing.last[team], Some((FlagAction::Dropped, _))) {
            self.flag_event(team, FlagAction::Returned, None, false);
        }
        Some(())
    }

    fn flag_event(&mut self, flag: usize, action: FlagAction, slot: Option<u8>, stated: bool) {
        self.mods.opposing.last[flag] = Some((action, slot));
        let kind = EventKind::Flag { team: TEAMS[flag].into(), action, player: slot.map(|slot| self.roster.player(slot)) };
        if stated { self.emit_stated(kind) } else { self.emit_inferred(kind) }
    }

    /// Number, points for flags and what belongs to them.
    pub(super) fn flag_points(&mut self, mut payload: Payload) -> Option<()> {
        let (slot, points) = (payload.byte()?.checked_sub(1)?, payload.byte()?);
        self.roster.member_mut(slot).flag_points = Some(points.into());
        Some(())
    }

    /// A player's own statistics at the end: number, then figures, then seconds with each power-up.
    pub(super) fn own_statistics(&mut self, mut payload: Payload) -> Option<()> {
        let slot = payload.byte()?.checked_sub(1)?;
        let mut next = || payload.short().map(i64::from);
        let mut line = PlayerStats::new(self.roster.player(slot));
        line.stats.state(Stat::Score, next()?);
        for name in ["frags", "flag_points", "offense", "defense", "sniper_kills", "barnacle_kills"] {
            line.other.insert(name.to_owned(), next()?.to_string());
        }
        line.stats.state(Stat::Deaths, next()?);
        line.stats.state(Stat::Suicides, next()?);
        line.other.insert(String::from("most_damage"), next()?.to_string());
        for item in ["item_ctfaccel", "item_ctfbpack", "item_ctfregen", "item_ctfphev", "item_ctfljump"] {
            let seconds = next()?;
            if seconds != 0 {
                line.item(item).state(ItemStat::TimeHeld, seconds * 1000);
            }
        }
        let mut statement = Statement::new("StatsPlayer");
        statement.players.push(line);
        self.emit_stated(EventKind::Statistics(Box::new(statement)));
        Some(())
    }

    /// The best players at the end: all (0) or one team, the winner, the number of players, which half of the figures follows, then a name and a
    /// value for each figure.
    pub(super) fn best_players(&mut self, mut payload: Payload) -> Option<()> {
        const HALVES: [&[&str]; 2] = [
            &["points", "frags", "flag_points", "offense", "defense", "sniper_kills", "barnacle_kills"],
            &["deaths", "suicides", "damage", "damage_powerup_time", "backpack_time", "health_powerup_time", "shield_time", "jump_pack_time"],
        ];
        let (team, winner, players, half) = (usize::from(payload.byte()?), usize::from(payload.byte()?), payload.byte()?, usize::from(payload.byte()?));
        let of = match team {
            0 => String::new(),
            _ => format!("{} ", TEAMS.get(team - 1)?),
        };
        let mut statement = Statement::new("StatsInfo");
        if team == 0 {
            statement.winner = Some(winner.checked_sub(1).and_then(|winner| TEAMS.get(winner)).copied().unwrap_or_default().into());
        }
        statement.other.insert(format!("{of}players"), players.to_string());
        for figure in *HALVES.get(half)? {
            let (name, value) = (clean(payload.string()?), payload.short()?);
            if value != 0 {
                statement.other.insert(format!("{of}most {figure}"), format!("{name} {value}"));
            }
        }
        self.emit_stated(EventKind::Statistics(Box::new(statement)));
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use fragreel_model::{ItemStat, Stat};

    use super::super::mods::tests::{happened, statements};

    const NO_DATA: &[u8] = &[];

    #[test]
    fn flags_go_by_lines_and_icons() {
        let line = |text: &str| [&[1], text.as_bytes(), &[0]].concat();
        let (bert, took, home) = (line("Bert"), line("#CTFFlagGetBM"), line("#CTFFlagScorerBM"));
        let (anna, back) = (line("Anna"), line("#CTFFlagReturnBM"));
        let icon = |name: &str, team: u8, score: u8| [&[1], name.as_bytes(), &[0, team, 0, 160, 0, score]].concat();
        let (lies, at_home, scored) = (icon("item_ctfflagd", 0, 0), icon("item_ctfflagh", 0, 0), icon("item_ctfflagh", 1, 1));
        let (lines, _) = happened(&[
            ("TextMsg", &bert),
            ("TextMsg", &took),
            ("PlayerIcon", &[2, 1, 1, 1]),
            // he dies, and it goes back after a while
            ("PlayerIcon", &[2, 0, 1, 1]),
            ("FlagIcon", &lies),
            ("FlagIcon", &at_home),
            ("FlagIcon", &at_home),
            // without the line, the icon says so
            ("PlayerIcon", &[2, 1, 1, 1]),
            ("PlayerIcon", &[2, 0, 1, 1]),
            ("TextMsg", &anna),
            ("TextMsg", &back),
            ("FlagIcon", &at_home),
            ("TextMsg", &bert),
            ("TextMsg", &took),
            ("TextMsg", &bert),
            ("TextMsg", &home),
            ("PlayerIcon", &[2, 0, 1, 1]),
            ("FlagIcon", &icon("item_ctfflagh", 1, 0)),
            ("FlagIcon", &scored),
            ("PlayerIcon", &[1, 1, 0, 32]),
            ("PlayerIcon", NO_DATA),
        ]);
        let seen: Vec<_> = lines.iter().filter(|line| !line.starts_with("print")).map(String::as_str).collect();
        assert_eq!(
            seen,
            [
                "Black Mesa Taken Bert",
                "Black Mesa Dropped Bert",
                "Black Mesa Returned -",
                "Black Mesa Taken Bert",
                "Black Mesa Dropped Bert",
                "Black Mesa Returned Anna",
                "Black Mesa Taken Bert",
                "Black Mesa Captured Bert",
                "Opposing Force 1",
                "Anna has item_ctfaccel",
            ]
        );
    }

    #[test]
    fn the_end_states_figures() {
        let numbers = |values: [i16; 15]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        let own = [&[2][..], &numbers([31, 9, 22, 20, 2, 1, 0, 7, 1, 250, 0, 0, 12, 0, 61])].concat();
        let best = [&[0, 1, 2, 0][..], b"Bert\x00\x1f\x00Bert\x00\x09\x00", &b"*Nobody*\x00\x00\x00".repeat(5)].concat();
        let found = statements(&[
            ("ScoreInfo", &[2, 9, 0, 7, 0]),
            ("CTFScore", &[2, 22]),
            ("StatsInfo", &best),
            ("StatsInfo", &best[..20]),
            ("StatsPlayer", &own),
            ("StatsPlayer", &own[..30]),
        ]);
        assert_eq!(found.iter().map(|one| &*one.source).collect::<Vec<_>>(), ["StatsInfo", "StatsPlayer", "ScoreInfo"], "what is cut off says nothing");
        assert_eq!(found[0].winner.as_deref(), Some("Black Mesa"));
        assert_eq!(found[0].other["most points"], "Bert 31");
        let own = &found[1].players[0];
        let of = |stat| own.stats.get(stat).stated;
        assert_eq!((own.player.slot, of(Stat::Score), of(Stat::Deaths), of(Stat::Suicides)), (Some(1), Some(31), Some(7), Some(1)));
        assert_eq!((own.other["offense"].as_str(), own.other["most_damage"].as_str()), ("20", "250"));
        assert_eq!(own.items["item_ctfljump"].get(ItemStat::TimeHeld).stated, Some(61_000));
        let board = &found[2].players[0];
        assert_eq!((board.stats.get(Stat::Score).stated, board.other["frags"].as_str()), (Some(31), "9"), "points are frags and flag points");
    }
}
