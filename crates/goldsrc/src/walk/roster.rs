//! Who plays, on which team, with what score, as the messages have said so far.

use std::borrow::Cow;
use std::collections::HashMap;

use model::{Player, PlayerInfo, Score, Text};
use replay::info_string;

use crate::game_text::text;
use crate::message::UpdateUserInfo;

/// What is known of one slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Member {
    pub user_id: i32,
    pub name: Text,
    pub team: Option<String>,
    pub frags: Option<i32>,
    pub deaths: Option<i32>,
    /// Points for objectives.
    pub objective: Option<i32>,
    /// Points for flags, which Opposing Force counts apart from frags.
    pub flag_points: Option<i32>,
    /// Frags as they were first stated, and the deaths before the first that the recording shows.
    pub first: Option<(i32, i32)>,
    /// Deaths that the recording has shown.
    pub died: i32,
    pub ping: Option<i32>,
    pub money: Option<i32>,
    /// Somebody is there now.
    pub present: bool,
    /// An HLTV proxy, which is nobody.
    pub proxy: bool,
}

/// All slots, from 0.
#[derive(Debug, Clone)]
pub(crate) struct Roster {
    members: Vec<Member>,
    /// Everybody who left or was replaced, in order.
    gone: Vec<PlayerInfo>,
    /// Team scores in the order sent.
    pub teams: Vec<(String, i32)>,
}

/// What a change of user info amounts to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RosterChange {
    None,
    Join,
    Leave(Player),
    Replace(Player),
    Rename(Text),
}

impl Default for Roster {
    fn default() -> Self {
        Self { members: vec![Member::default(); 256], gone: Vec::new(), teams: Vec::new() }
    }
}

impl Roster {
    /// One without slots.
    pub(crate) fn empty() -> Self {
        Self { members: Vec::new(), gone: Vec::new(), teams: Vec::new() }
    }

    pub(crate) fn member(&self, slot: u8) -> &Member {
        &self.members[usize::from(slot)]
    }

    pub(crate) fn member_mut(&mut self, slot: u8) -> &mut Member {
        &mut self.members[usize::from(slot)]
    }

    pub(crate) fn player(&self, slot: u8) -> Player {
        let member = self.member(slot);
        Player { slot: Some(u16::from(slot)), name: member.name.clone(), team: member.team.clone().map(Cow::Owned) }
    }

    /// The player of a number in a user message, where 0 is the world and slots count from 1.
    pub(crate) fn numbered(&self, number: u8) -> Option<Player> {
        number.checked_sub(1).map(|slot| self.player(slot))
    }

    pub(crate) fn by_name(&self, name: &str) -> Option<u8> {
        (0..=u8::MAX).find(|&slot| self.member(slot).present && self.member(slot).name.clean == name)
    }

    /// The player with the longest name that stands in a line.
    pub(crate) fn longest_name_in(&self, line: &str) -> Option<u8> {
        let named = (0..=u8::MAX).filter(|&slot| self.member(slot).present && !self.member(slot).name.clean.is_empty());
        named.filter(|&slot| line.contains(&self.member(slot).name.clean)).max_by_key(|&slot| self.member(slot).name.clean.len())
    }

    pub(crate) fn update(&mut self, update: &UpdateUserInfo) -> RosterChange {
        let before = self.player(update.slot);
        let member = &mut self.members[usize::from(update.slot)];
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
        let member = &mut self.members[usize::from(update.slot)];
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
            self.gone.push(PlayerInfo { slot: u16::from(slot), name: member.name, team: member.team });
        }
    }

    /// Everybody who took part, in slot order; of several in one slot the earlier ones first. Who left and came again is one
    /// person, whatever slot he was given: servers let no two players have one name at the same time.
    pub(crate) fn everybody(&self) -> Vec<PlayerInfo> {
        let present = self.present().map(|slot| {
            let member = self.member(slot);
            PlayerInfo { slot: u16::from(slot), name: member.name.clone(), team: member.team.clone() }
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

    /// Slots that somebody is in.
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

    /// A level begins: scores of the one before are not its.
    pub(crate) fn forget_scores(&mut self) {
        for member in &mut self.members {
            (member.frags, member.deaths, member.objective, member.flag_points) = (None, None, None, None);
            (member.first, member.died) = (None, 0);
        }
        self.teams.clear();
    }

    /// Notes a team's score; true when it changed from a known one.
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
