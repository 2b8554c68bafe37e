//! What the announcer says to the player of the view: hits, awards, leads, and what happens to flags. The game's client finds them in the player's counts.

use fragreel_model::{Happening, HappeningKind, Happenings};

use crate::game::Game;

/// Set in a rank that others have, too.
const TIED: u32 = 0x4000;
/// The numbers of teams.
const FREE: u32 = 0;
const RED: u32 = 1;
const BLUE: u32 = 2;

/// Awards and their sounds under `sound/feedback/`.
const AWARDS: &[(&str, &str)] =
    &[("impressive", "impressive"), ("excellent", "excellent"), ("gauntlet frags", "humiliation"), ("defend", "defense"), ("assist", "assist")];

/// The counts of the player of the view in the last snapshot.
#[derive(Debug, Clone, Default)]
pub(super) struct Announcer {
    last: Option<(u32, [u32; 16])>,
    team: u32,
}

impl Announcer {
    /// Adds what a change of the counts says. Another player's counts are no change.
    pub(super) fn counts(&mut self, game: &Game, slot: u32, now: &[u32; 16], to: &mut Happenings) {
        let of = |name: &str| game.persistant.iter().position(|known| *known == name).filter(|at| *at < now.len());
        let Some((who, before)) = self.last.replace((slot, *now)) else {
            self.team = of("team").map_or(FREE, |at| now[at]);
            return;
        };
        if before == *now && who == slot {
            return;
        }
        self.team = of("team").map_or(FREE, |at| now[at]);
        let changed = |name: &str| of(name).map(|at| (before[at] as u16 as i16, now[at] as u16 as i16)).filter(|(before, now)| before != now);
        // a player who begins again has counts of another life
        if who != slot || changed("team").is_some() {
            return;
        }
        let mut say = |sound: &str| {
            let mut heard = Happening::new(HappeningKind::Sound);
            heard.sound = Some(to.sound(&format!("sound/feedback/{sound}.wav")));
            to.push(heard);
        };
        match changed("hits") {
            Some((before, now)) if now > before => say("hit"),
            Some(_) => say("hit_teammate"),
            None => {}
        }
        for (name, sound) in AWARDS {
            if changed(name).is_some_and(|(before, now)| now > before) {
                say(sound);
            }
        }
        if let Some((before, now)) = changed("rank").filter(|_| self.team == FREE) {
            let (led, rank) = (before as u32 & 0xffff & !TIED == 0, now as u32 & 0xffff);
            if rank == 0 {
                say("takenlead");
            } else if rank == TIED {
                say("tiedlead");
            } else if led {
                say("lostlead");
            }
        }
    }

    /// The sound of an event of teams, under `sound/`: some depend on whose team it is.
    pub(super) fn team_sound(&self, parameter: u32) -> Option<&'static str> {
        let by_team = |team, own, other| if self.team == team { own } else { other };
        Some(match parameter {
            0 => by_team(RED, "teamplay/flagcapture_yourteam", "teamplay/flagcapture_opponent"),
            1 => by_team(BLUE, "teamplay/flagcapture_yourteam", "teamplay/flagcapture_opponent"),
            2 => by_team(RED, "teamplay/flagreturn_yourteam", "teamplay/flagreturn_opponent"),
            3 => by_team(BLUE, "teamplay/flagreturn_yourteam", "teamplay/flagreturn_opponent"),
            4 => by_team(BLUE, "teamplay/voc_enemy_flag", "teamplay/voc_team_flag"),
            5 => by_team(RED, "teamplay/voc_enemy_flag", "teamplay/voc_team_flag"),
            6 if self.team == RED => "teamplay/voc_base_attack",
            7 if self.team == BLUE => "teamplay/voc_base_attack",
            8 => "teamplay/voc_red_scores",
            9 => "teamplay/voc_blue_scores",
            10 => "feedback/redleads",
            11 => "feedback/blueleads",
            12 => "feedback/teamstied",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use fragreel_model::FrameOptions;

    use super::*;
    use crate::dialect::Dialect;

    fn heard(announcer: &mut Announcer, changes: &[(usize, u32)]) -> Vec<String> {
        let game = Game::of(Dialect::of(68).unwrap().line, b"", b"", b"");
        let mut list = Happenings::new(&FrameOptions::default().happenings());
        let mut now = announcer.last.unwrap_or_default().1;
        for (at, value) in changes {
            now[*at] = *value;
        }
        announcer.counts(&game, 3, &now, &mut list);
        let mut all = Vec::new();
        list.take_into(&mut all);
        all.into_iter().map(|heard| heard.sound.unwrap().file.rsplit('/').next().unwrap().to_owned()).collect()
    }

    #[test]
    fn counts_are_announced() {
        let mut announcer = Announcer::default();
        assert!(heard(&mut announcer, &[(1, 5), (2, 1)]).is_empty(), "nobody knows what they were");
        assert_eq!(heard(&mut announcer, &[(1, 6)]), ["hit.wav"]);
        assert_eq!(heard(&mut announcer, &[(1, 5), (9, 1)]), ["hit_teammate.wav", "impressive.wav"]);
        assert_eq!(heard(&mut announcer, &[(2, 0)]), ["takenlead.wav"]);
        assert_eq!(heard(&mut announcer, &[(2, TIED)]), ["tiedlead.wav"]);
        assert_eq!(heard(&mut announcer, &[(2, 2)]), ["lostlead.wav"]);
        assert!(heard(&mut announcer, &[(2, 1)]).is_empty() && heard(&mut announcer, &[(3, RED), (1, 9)]).is_empty());
        assert_eq!(announcer.team_sound(0), Some("teamplay/flagcapture_yourteam"));
        assert_eq!((announcer.team_sound(1), announcer.team_sound(7)), (Some("teamplay/flagcapture_opponent"), None));
    }
}
