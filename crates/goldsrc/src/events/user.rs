//! Events from user messages. The stream announces their numbers; the game defines their fields
//! (`docs/formats/goldsrc.md`, "User messages").

use std::borrow::Cow;

use fragreel_model::{Channel, EventKind, Kill, Kind, MatchState, Milliseconds, Player, Unknown};

use super::EventBuilder;
use super::chat::{filled, strings};
use super::mods::dod_weapon;
use crate::game_text::clean;
use crate::message::payload::Payload;
use crate::message::user_fields::{self, side};
use crate::walk::roster::UserUpdate;
use crate::weapon_numbers::weapon_name;

/// The longest time between the end of a round and its announcement by voice.
const SAME_ROUND: Milliseconds = Milliseconds(3000);

impl EventBuilder {
    /// Builds the events of one user message. A message that is too short for its fields is ignored.
    pub(super) fn user(&mut self, name: &[u8], data: &[u8]) {
        let payload = Payload::new(data);
        let _ = match name {
            // scores at the start are computed from the deaths before the first score
            b"DeathMsg" if self.wanted.any(&[Kind::Kill, Kind::Statistics]) => self.death(payload),
            b"SayText" if self.wanted.any(&[Kind::Chat, Kind::Finish]) => self.say_text(data),
            // this keeps the state of rounds, which other messages need
            b"TextMsg"
                if self.wanted.any(&[Kind::Print, Kind::CenterPrint, Kind::Chat, Kind::Match, Kind::Round, Kind::Flag, Kind::Finish, Kind::Statistics]) =>
            {
                self.text_message(payload)
            }
            b"TeamInfo" | b"PTeam" | b"ScoreInfo" | b"ScoreShort" | b"Spectator" => self.roster_message(name, data),
            b"TeamScore" => self.team_score(payload),
            b"Money" => self.money(payload),
            b"Account" => self.account(payload),
            b"CurWeapon" => self.current_weapon(data),
            b"WeaponList" => self.weapon_list(data),
            b"WeapPickup" => self.weapon_pickup(payload),
            b"ItemPickup" => self.item_pickup(payload),
            b"Damage" if self.wanted.has(Kind::Damage) => self.damage(payload),
            b"RoundTime" => self.round_time(),
            b"SendAudio" => self.audio(payload),
            _ => self.mod_message(name, data),
        };
    }

    /// Killer, victim, then the weapon's name; Counter-Strike puts a headshot flag before it, Day of Defeat sends a
    /// number instead. Servers append bytes of their own.
    fn death(&mut self, mut payload: Payload) -> Option<()> {
        let (killer, victim) = (payload.byte()?, payload.byte()?);
        let victim_player = self.roster.numbered(victim)?;
        self.roster.member_mut(victim - 1).died += 1;
        let attacker = self.roster.numbered(killer);
        let rest = payload.rest();
        let (means, headshot): (Cow<'static, str>, bool) = match rest {
            // one byte and no string: a number
            [number] if *number != 0 => (dod_weapon(*number).map_or_else(|| format!("weapon {number}").into(), Cow::Borrowed), false),
            // no name begins with a control character
            [flag @ ..0x20, _, ..] => {
                payload.byte()?;
                (clean(payload.string()?).into(), *flag != 0)
            }
            _ => (clean(payload.string()?).into(), false),
        };
        let team_kill = killer != victim && attacker.as_ref().is_some_and(|attacker| attacker.team.is_some() && attacker.team == victim_player.team);
        // the number of an absent player, or of one without user info yet, has no name
        let nameless = |player: &Player| player.name.clean.is_empty();
        let mut kill = Kill::new(attacker, victim_player, means);
        (kill.headshot, kill.team_kill) = (headshot, team_kill);
        // the slot is stated all the same
        if nameless(&kill.victim) && killer != victim {
            kill.unknown = Some(Unknown::Victim);
        } else if kill.attacker.as_ref().is_some_and(|attacker| nameless(attacker) && killer != victim) {
            kill.unknown = Some(Unknown::Attacker);
        }
        self.emit_stated(EventKind::Kill(kill));
        Some(())
    }

    /// A place on the screen, then a text or a key with parameters.
    fn text_message(&mut self, mut payload: Payload) -> Option<()> {
        let place = payload.byte()?;
        let raw = payload.rest().strip_suffix(b"\0").unwrap_or(payload.rest());
        let parts = strings(payload);
        let key = *parts.first()?;
        match place {
            1 => self.console_line(key),
            2 => self.final_line(key),
            _ => {}
        }
        if place == 5 && self.radio(&parts).is_some() {
            return Some(());
        }
        if let Some(winner) = round_end(key) {
            self.end_round(winner, true);
            return Some(());
        }
        match key {
            b"#Game_Commencing" => self.emit_stated(EventKind::match_state(MatchState::Started)),
            _ => {
                if key == b"#Game_will_restart_in" {
                    let seconds = parts.get(1).and_then(|text| std::str::from_utf8(text).ok()?.trim().parse::<i64>().ok()).unwrap_or(1);
                    self.restart = Some(self.server_time + Milliseconds(seconds.clamp(0, 600) * 1000));
                }
                let said = fragreel_model::Text::new(raw, filled(&parts));
                if place == 3 {
                    self.finish_line(&said.clean);
                }
                self.emit_stated(match place {
                    3 => EventKind::Chat { from: None, channel: Channel::Server, text: said },
                    4 => EventKind::CenterPrint { text: said },
                    _ => EventKind::Print { text: said },
                });
            }
        }
        Some(())
    }

    /// A user message about teams or scores.
    fn roster_message(&mut self, name: &[u8], data: &[u8]) -> Option<()> {
        match self.roster.user_message(name, data)? {
            UserUpdate::Team { slot, from: Some(from) } => {
                let player = self.roster.player(slot);
                self.emit_stated(EventKind::Team { player, from: from.into() });
            }
            UserUpdate::Score { slot, changed: true } => {
                if self.roster.member(slot).frags == Some(0) {
                    self.restarts();
                }
                let (player, score) = (self.roster.player(slot), self.roster.member(slot).frags?);
                let team = player.team.clone();
                self.emit_stated(EventKind::Score { player: Some(player), team, score });
            }
            _ => {}
        }
        Some(())
    }

    /// A team's name and score; Day of Defeat sends its number instead of a name.
    fn team_score(&mut self, mut payload: Payload) -> Option<()> {
        let data = payload.rest();
        let (team, score) = if data.len() == 3 && !data[0].is_ascii_graphic() {
            let number = payload.byte()?;
            (side(number).map_or_else(|| format!("team {number}"), str::to_owned), payload.short()?)
        } else {
            (clean(payload.string()?), payload.short()?)
        };
        self.set_team_score(team, i32::from(score));
        Some(())
    }

    /// The restart that was announced sets every score to nothing.
    fn restarts(&mut self) {
        // servers announce whole seconds
        if self.restart.is_some_and(|at| self.server_time >= at - Milliseconds(500)) {
            self.restart = None;
            self.emit_inferred(EventKind::match_state(MatchState::Restarted));
        }
    }

    pub(super) fn set_team_score(&mut self, team: String, score: i32) {
        if score == 0 {
            self.restarts();
        }
        if self.roster.team_score(team.clone(), score) {
            self.emit_stated(EventKind::Score { player: None, team: Some(team.into()), score });
        }
    }

    fn money(&mut self, mut payload: Payload) -> Option<()> {
        let amount = payload.long()?;
        let slot = self.pov?;
        if self.roster.member_mut(slot).money.replace(amount) != Some(amount) {
            let player = self.roster.player(slot);
            self.emit_stated(EventKind::Money { player, amount });
        }
        Some(())
    }

    /// What spectators get about other players: number, money, or -1 for unknown.
    fn account(&mut self, mut payload: Payload) -> Option<()> {
        let (slot, amount) = (payload.byte()?.checked_sub(1)?, payload.long()?);
        if amount >= 0 && self.roster.member_mut(slot).money.replace(amount) != Some(amount) {
            let player = self.roster.player(slot);
            self.emit_stated(EventKind::Money { player, amount });
        }
        Some(())
    }

    /// State, weapon, rounds in it. Only state 1 is the weapon in hand.
    fn current_weapon(&mut self, data: &[u8]) -> Option<()> {
        let (state, id, _) = user_fields::current_weapon(data)?;
        let player = self.pov_player()?;
        if state != 1 || id == 0 || self.weapon.replace(id) == Some(id) {
            return None;
        }
        let weapon = self.weapon_name(id);
        self.emit_stated(EventKind::Weapon { player, weapon });
        Some(())
    }

    fn weapon_list(&mut self, data: &[u8]) -> Option<()> {
        let weapon = user_fields::weapon_list(data)?;
        self.weapons.insert(weapon.id, weapon.name);
        Some(())
    }

    fn weapon_name(&self, id: u8) -> Cow<'static, str> {
        match (self.weapons.get(&id), weapon_name(&self.game, id)) {
            (Some(listed), _) => listed.clone().into(),
            (None, Some(known)) => format!("weapon_{known}").into(),
            (None, None) => format!("weapon {id}").into(),
        }
    }

    fn weapon_pickup(&mut self, mut payload: Payload) -> Option<()> {
        let id = payload.byte()?;
        let (player, item) = (self.pov_player()?, self.weapon_name(id));
        self.emit_stated(EventKind::Item { player, item, delay: None });
        Some(())
    }

    fn item_pickup(&mut self, mut payload: Payload) -> Option<()> {
        let item = clean(payload.string()?).into();
        let player = self.pov_player()?;
        self.emit_stated(EventKind::Item { player, item, delay: None });
        Some(())
    }

    /// Armor and health lost, the kinds of damage, where it came from.
    fn damage(&mut self, mut payload: Payload) -> Option<()> {
        let (_armor, amount, kinds) = (payload.byte()?, payload.byte()?, payload.long()?);
        let victim = self.pov_player()?;
        if amount > 0 {
            self.emit_stated(EventKind::Damage { attacker: None, victim, amount: i32::from(amount), lost: None, means: damage_names(kinds as u32) });
        }
        Some(())
    }

    /// The first sign of the next round is its clock.
    fn round_time(&mut self) -> Option<()> {
        self.round_over.take()?;
        self.emit_inferred(EventKind::Round { number: None, started: true, winner: None });
        Some(())
    }

    fn audio(&mut self, mut payload: Payload) -> Option<()> {
        payload.byte()?;
        let winner = match payload.string()? {
            b"%!MRAD_terwin" => Some("TERRORIST"),
            b"%!MRAD_ctwin" => Some("CT"),
            b"%!MRAD_rounddraw" => None,
            _ => return None,
        };
        self.end_round(winner, false);
        Some(())
    }

    /// Both a text and a voice announce it; the first one counts.
    fn end_round(&mut self, winner: Option<&'static str>, stated: bool) {
        let now = self.server_time;
        if self.round_over.replace(now).is_some_and(|before| now - before < SAME_ROUND) {
            return;
        }
        let kind = EventKind::Round { number: None, started: false, winner: winner.map(Cow::Borrowed) };
        if stated { self.emit_stated(kind) } else { self.emit_inferred(kind) }
    }
}

/// The winner of a Counter-Strike round that ended with this text. `None` for all other texts.
fn round_end(key: &[u8]) -> Option<Option<&'static str>> {
    Some(match key {
        b"#Terrorists_Win" | b"#Target_Bombed" | b"#Hostages_Not_Rescued" | b"#Terrorists_Escaped" | b"#VIP_Assassinated" | b"#VIP_Not_Escaped" => {
            Some("TERRORIST")
        }
        b"#CTs_Win"
        | b"#Bomb_Defused"
        | b"#Target_Saved"
        | b"#All_Hostages_Rescued"
        | b"#VIP_Escaped"
        | b"#CTs_PreventEscape"
        | b"#Escaping_Terrorists_Neutralized"
        | b"#Terrorists_Not_Escaped" => Some("CT"),
        b"#Round_Draw" => None,
        _ => return None,
    })
}

/// Names of the engine's damage bits.
const DAMAGE: &[(u32, &str)] = &[
    (0, "crush"),
    (1, "bullet"),
    (2, "slash"),
    (3, "burn"),
    (4, "freeze"),
    (5, "fall"),
    (6, "blast"),
    (7, "club"),
    (8, "shock"),
    (9, "sonic"),
    (10, "energybeam"),
    (14, "drown"),
    (15, "paralyze"),
    (16, "nervegas"),
    (17, "poison"),
    (18, "radiation"),
    (19, "drownrecover"),
    (20, "acid"),
    (21, "slowburn"),
    (22, "slowfreeze"),
    (23, "mortar"),
];

fn damage_names(kinds: u32) -> Option<Cow<'static, str>> {
    let names: Vec<&'static str> = DAMAGE.iter().filter(|&&(bit, _)| kinds >> bit & 1 != 0).map(|&(_, name)| name).collect();
    match names[..] {
        [] => None,
        [one] => Some(Cow::Borrowed(one)),
        _ => Some(names.join("+").into()),
    }
}
