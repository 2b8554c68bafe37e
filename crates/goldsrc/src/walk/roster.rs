//! The players of a recording: who is in which slot, names, teams, spectators, scores. Events, frames and `info` all use this roster.

use std::borrow::Cow;
use std::collections::HashMap;

use fragreel_model::replay::info_string;
use fragreel_model::{Player, PlayerInfo, Score, Text};

use crate::game_text::text;
use crate::message::{Pings, ServerInfo, UpdateUserInfo, user_fields};
use crate::walk::slots::Slots;

/// True if a team's name is that of a side. Counter-Strike and others have a name for players who have not chosen one.
fn is_side(team: &str) -> bool {
    !team.is_empty() && !team.eq_ignore_ascii_case("unassigned")
}

/// One slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Member {
    pub user_id: i32,
    pub name: Text,
    /// The team as stated.
    pub team: Option<String>,
    /// What `Spectator` said.
    pub watches: Option<bool>,
    pub frags: Option<i32>,
    pub deaths: Option<i32>,
    /// Points for objectives.
    pub objective: Option<i32>,
    /// Points for flags, which Opposing Force counts separately from frags.
    pub flag_points: Option<i32>,
    /// The first frags stated, and the deaths before the recording.
    pub first: Option<(i32, i32)>,
    /// Deaths seen in the recording.
    pub died: i32,
    pub ping: Option<i32>,
    pub money: Option<i32>,
    /// A player is in the slot now.
    pub present: bool,
    /// An HLTV proxy, which is no player.
    pub proxy: bool,
}

impl Member {
    /// The player's team, unless none was chosen.
    pub(crate) fn side(&self) -> Option<&str> {
        self.team.as_deref().filter(|team| is_side(team))
    }
}

/// All slots, from 0.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roster {
    members: Slots<Member>,
    /// Players who left or were replaced, in order.
    gone: Vec<PlayerInfo>,
    /// The level: the server's spawn count, and the map.
    level: Option<(i32, Vec<u8>)>,
    /// Team scores in the order sent.
    pub teams: Vec<(String, i32)>,
}

/// What a change of user info means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RosterChange {
    None,
    Join,
    Leave(Player),
    Replace(Player),
    Rename(Text),
}

/// What a user message changed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UserUpdate {
    /// A player's team. `from` is the old one, if it was another.
    Team { slot: u8, from: Option<String> },
    /// A player's score. `changed` is false for the first score, and for the same again.
    Score { slot: u8, changed: bool },
    /// Whether a player watches.
    Spectator,
}

/// A roster without its empty slots, for keyframes. Players who left are not in it.
#[derive(Debug, Clone)]
pub(crate) struct PackedRoster {
    members: Box<[(u8, Member)]>,
    teams: Box<[(String, i32)]>,
    level: Option<(i32, Vec<u8>)>,
}

impl PackedRoster {
    /// About how many bytes it takes on the heap.
    pub(crate) fn bytes(&self) -> usize {
        let texts = |member: &Member| member.name.raw.len() + member.name.clean.len() + member.team.as_ref().map_or(0, String::len);
        let members: usize = self.members.iter().map(|(_, member)| size_of::<(u8, Member)>() + texts(member)).sum();
        members + size_of_val(&self.teams[..])
    }
}

impl Roster {
    pub(crate) fn packed(&self) -> PackedRoster {
        PackedRoster { members: self.members.packed(), teams: self.teams.clone().into(), level: self.level.clone() }
    }

    pub(crate) fn unpacked(packed: &PackedRoster) -> Self {
        Roster { members: Slots::unpacked(&packed.members), teams: packed.teams.to_vec(), level: packed.level.clone(), gone: Vec::new() }
    }

    /// The map of the level, as the server named it.
    pub(crate) fn map(&self) -> Option<&[u8]> {
        self.level.as_ref().map(|(_, map)| map.as_slice())
    }

    /// True if the server information starts another level.
    pub(crate) fn is_new_level(&self, info: &ServerInfo) -> bool {
        self.level.as_ref().is_none_or(|(count, map)| *count != info.spawn_count || *map != info.map.0)
    }

    /// Applies the server information. Scores belong to one level.
    pub(crate) fn start_level(&mut self, info: &ServerInfo) {
        if self.is_new_level(info) {
            self.forget_scores();
            self.level = Some((info.spawn_count, info.map.0.clone()));
        }
        for member in self.members.kept_mut() {
            member.watches = None;
        }
    }

    pub(crate) fn set_pings(&mut self, pings: &Pings) {
        for ping in &pings.pings {
            self.member_mut(ping.slot).ping = Some(i32::from(ping.ping));
        }
    }

    /// Applies a user message about teams, scores or spectators. `None` for all others, and for messages that are too short.
    pub(crate) fn user_message(&mut self, name: &[u8], data: &[u8]) -> Option<UserUpdate> {
        match name {
            b"TeamInfo" => {
                let (slot, team) = user_fields::team_info(data)?;
                Some(self.set_team(slot, team))
            }
            b"PTeam" => {
                let (slot, side) = user_fields::player_team(data)?;
                Some(self.set_team(slot, side.to_owned()))
            }
            b"ScoreInfo" | b"ScoreShort" => {
                let (slot, frags, deaths) = user_fields::score(data)?;
                let member = self.member_mut(slot);
                member.deaths = Some(deaths);
                // servers send scores when they change: the first often comes with a death that was shown
                member.first.get_or_insert((frags, deaths - member.died));
                // the first score sent is that of the recording's start
                let changed = member.frags.replace(frags).is_some_and(|before| before != frags);
                Some(UserUpdate::Score { slot, changed })
            }
            b"Spectator" => {
                let (number, watches) = user_fields::pair(data)?;
                self.member_mut(number.checked_sub(1)?).watches = Some(watches != 0);
                Some(UserUpdate::Spectator)
            }
            _ => None,
        }
    }

    fn set_team(&mut self, slot: u8, team: String) -> UserUpdate {
        let before = self.member_mut(slot).team.replace(team.clone());
        let from = before.filter(|from| *from != team).map(|from| if is_side(&from) { from } else { String::new() });
        UserUpdate::Team { slot, from }
    }

    /// Whether the player watches: stated, or by the name of the team. Absent if neither is known.
    pub(crate) fn is_spectator(&self, slot: u8) -> Option<bool> {
        let member = self.member(slot);
        let by_team = |team: &String| team.eq_ignore_ascii_case("spectator") || team.eq_ignore_ascii_case("spectators");
        member.watches.or_else(|| member.team.as_ref().map(by_team))
    }

    pub(crate) fn member(&self, slot: u8) -> &Member {
        &self.members[slot]
    }

    pub(crate) fn member_mut(&mut self, slot: u8) -> &mut Member {
        &mut self.members[slot]
    }

    pub(crate) fn player(&self, slot: u8) -> Player {
        let member = self.member(slot);
        Player { slot: Some(u16::from(slot)), name: member.name.clone(), team: member.side().map(|team| Cow::Owned(team.to_owned())) }
    }

    /// The player of a number in a user message, where 0 is the world and slots count from 1.
    pub(crate) fn numbered(&self, number: u8) -> Option<Player> {
        number.checked_sub(1).map(|slot| self.player(slot))
    }

    pub(crate) fn by_name(&self, name: &str) -> Option<u8> {
        (0..=u8::MAX).find(|&slot| self.member(slot).present && self.member(slot).name.clean == name)
    }

    /// The player with the longest name in a line.
    pub(crate) fn longest_name_in(&self, line: &str) -> Option<u8> {
        let named = (0..=u8::MAX).filter(|&slot| self.member(slot).present && !self.member(slot).name.clean.is_empty());
        named.filter(|&slot| line.contains(&self.member(slot).name.clean)).max_by_key(|&slot| self.member(slot).name.clean.len())
    }

    pub(crate) fn update(&mut self, update: &UpdateUserInfo) -> RosterChange {
        let before = self.player(update.slot);
        let member = &mut self.members[update.slot];
        let was = member.present;
        let old_id = std::mem::replace(&mut member.user_id, update.user_id);
        if update.info.0.is_empty() {
            if !was {
                return RosterChange::None;
            }
            self.retire(update.slot);
            return RosterChange::Leave(before);
        }
        let name = text(info_string::get(&update.info.0, b"name").unwrap_or_default());
        let replaced = was && old_id != update.user_id;
        if replaced {
            self.retire(update.slot);
        }
        let member = &mut self.members[update.slot];
        member.user_id = update.user_id;
        member.present = true;
        member.proxy = info_string::get(&update.info.0, b"*hltv").is_some_and(|value| value != b"0");
        let old_name = std::mem::replace(&mut member.name, name);
        if replaced {
            RosterChange::Replace(before)
        } else if !was {
            RosterChange::Join
        } else if old_name != member.name {
            RosterChange::Rename(old_name)
        } else {
            RosterChange::None
        }
    }

    fn retire(&mut self, slot: u8) {
        let member = std::mem::take(self.member_mut(slot));
        if !member.proxy && !member.name.clean.is_empty() {
            let team = member.side().map(str::to_owned);
            self.gone.push(PlayerInfo { slot: u16::from(slot), name: member.name, team });
        }
    }

    /// All players of the recording, in slot order; players of one slot in order of time. A player who left and came back under the same name
    /// is one player: servers do not allow two players of one name at the same time.
    pub(crate) fn everybody(&self) -> Vec<PlayerInfo> {
        let present = self.present().map(|slot| {
            let member = self.member(slot);
            PlayerInfo { slot: u16::from(slot), name: member.name.clone(), team: member.side().map(str::to_owned) }
        });
        let mut all: Vec<PlayerInfo> = Vec::new();
        let mut places = HashMap::new();
        for player in self.gone.iter().cloned().chain(present) {
            let at = *places.entry(player.name.raw.clone()).or_insert(all.len());
            match all.get_mut(at) {
                Some(known) => {
                    known.slot = player.slot;
                    known.team = player.team.or(known.team.take());
                }
                None => all.push(player),
            }
        }
        all.sort_by_key(|player| player.slot);
        all
    }

    /// Slots with a player in them.
    pub(crate) fn present(&self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(|&slot| self.member(slot).present && !self.member(slot).proxy)
    }

    pub(crate) fn scores(&self) -> Vec<Score> {
        let scored = self.present().filter(|&slot| self.member(slot).frags.is_some());
        scored
            .map(|slot| {
                let member = self.member(slot);
                Score { player: self.player(slot), score: member.frags.unwrap_or_default(), deaths: member.deaths, ping: member.ping, minutes: None }
            })
            .collect()
    }

    fn forget_scores(&mut self) {
        for member in self.members.kept_mut() {
            (member.frags, member.deaths, member.objective, member.flag_points) = (None, None, None, None);
            (member.first, member.died) = (None, 0);
        }
        self.teams.clear();
    }

    /// Sets a team's score. Returns true if the team had another score before.
    pub(crate) fn team_score(&mut self, team: String, score: i32) -> bool {
        match self.teams.iter_mut().find(|(name, _)| *name == team) {
            Some((_, known)) => std::mem::replace(known, score) != score,
            None => {
                self.teams.push((team, score));
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_player_who_has_not_chosen_is_on_no_team() {
        let mut roster = Roster::default();
        let mut team = |name: &[u8]| {
            let message = [&[3][..], name, &[0]].concat();
            let Some(UserUpdate::Team { slot, from }) = roster.user_message(b"TeamInfo", &message) else { panic!() };
            (from, roster.player(slot).team.map(Cow::into_owned), roster.everybody().len())
        };
        assert_eq!(team(b"UNASSIGNED"), (None, None, 0));
        assert_eq!(team(b"CT"), (Some(String::new()), Some(String::from("CT")), 0));
        assert_eq!(team(b""), (Some(String::from("CT")), None, 0));
    }
}
