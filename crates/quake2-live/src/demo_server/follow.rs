//! Viewers of a recording of several players: each follows one, and chooses another by command or button.

use std::hash::Hash;

use fragreel_live::ControlCommand;
use fragreel_quake2::chars;
use fragreel_quake2::message::{Body, Print, Text};

use crate::client_message::Buttons;
use crate::demo_server::camera::OWN_SLOT;
use crate::demo_server::order::next_of;
use crate::demo_server::viewer::ClientPhase;
use crate::demo_server::{CHAT_QUEUE_LIMIT, DemoServer};

impl<A: Ord + Copy + Hash> DemoServer<A> {
    /// Begins with the player in a slot, in recordings that have the views of several.
    #[must_use]
    pub fn with_pov(self, slot: Option<u16>) -> Self {
        DemoServer { pov: slot, ..self }
    }

    /// The player whom a new viewer follows.
    pub(super) fn first_player(&self) -> Option<u16> {
        if !self.playhead.has_views() {
            return None;
        }
        self.pov.or_else(|| next_of(&self.playhead.players(), None, false))
    }

    /// Does what a viewer orders who may choose the player. False if it is for somebody else.
    pub(super) fn follow_by_command(&mut self, from: A, text: &[u8]) -> bool {
        if !self.playhead.has_views() {
            return false;
        }
        match text.trim_ascii() {
            b"invnext" => self.follow_next(from, false),
            b"invprev" => self.follow_next(from, true),
            // the clock stays as it is
            _ => match self.core.control.clone().command(text, self.core.now) {
                Some(ControlCommand::Follow(wanted)) => self.follow_named(from, &wanted),
                _ => return false,
            },
        }
        true
    }

    /// Does what the buttons of a viewer ask for.
    pub(super) fn follow_by_button(&mut self, from: A, buttons: Buttons) {
        let Some(viewer) = self.viewers.get_mut(&from) else { return };
        let before = std::mem::replace(&mut viewer.buttons, buttons);
        if !self.playhead.has_views() {
            return;
        }
        if buttons.attack && !before.attack || buttons.jump && !before.jump {
            self.follow_next(from, false);
        } else if buttons.crouch && !before.crouch {
            self.follow_next(from, true);
        }
    }

    fn follow_next(&mut self, from: A, back: bool) {
        let Some(now) = self.viewers.get(&from).map(|viewer| viewer.follows) else { return };
        if let Some(slot) = next_of(&self.playhead.players(), now, back) {
            self.turn(from, slot);
        }
    }

    /// All players who have a name or are in the frame.
    fn all_players(&self) -> impl Iterator<Item = (u16, String)> {
        let shown = self.playhead.players();
        let named = (0..OWN_SLOT).map(|slot| (slot, chars::clean(self.playhead.name(slot))));
        named.filter(move |(slot, name)| shown.contains(slot) || !name.is_empty())
    }

    fn follow_named(&mut self, from: A, wanted: &str) {
        let lower = wanted.to_lowercase();
        let by_number = wanted.parse().ok().filter(|slot| self.playhead.players().contains(slot));
        let by_name = || self.all_players().find(|(_, name)| !lower.is_empty() && name.to_lowercase().contains(&lower)).map(|(slot, _)| slot);
        match by_number.or_else(by_name) {
            Some(slot) => self.turn(from, slot),
            None => {
                let known: Vec<String> = self.all_players().map(|(slot, name)| format!("{slot} ({name})")).collect();
                self.say_to(from, &format!("follow a name or a number: {}", known.join(", ")));
            }
        }
    }

    /// Makes a viewer follow the player in a slot. The next frame is sent in full.
    pub(super) fn turn(&mut self, from: A, slot: u16) {
        let Some(viewer) = self.viewers.get_mut(&from) else { return };
        let phase = viewer.phase;
        // a client without the player's strings would show those of another
        let is_full = phase != ClientPhase::Connected && viewer.channel.waiting() >= CHAT_QUEUE_LIMIT;
        if viewer.follows == Some(slot) || is_full {
            return;
        }
        let before = viewer.follows.replace(slot);
        viewer.jump();
        if phase == ClientPhase::Connected {
            return;
        }
        let mut messages = self.strings(&self.playhead.image(before), Some(slot));
        if phase == ClientPhase::Playing {
            // of the player before
            messages.push(self.write(Body::Layout(Text::default())));
            messages.extend(self.screen_messages(Some(slot)));
        }
        if let Some(viewer) = self.viewers.get_mut(&from) {
            messages.iter().for_each(|message| viewer.channel.queue(message));
        }
        let name = chars::clean(self.playhead.name(slot));
        self.say_to(from, &format!("following {name}"));
    }

    /// Makes each viewer whose player is gone follow another.
    pub(super) fn replace_missing_players(&mut self) {
        if !self.playhead.has_views() {
            return;
        }
        let players = self.playhead.players();
        let is_there = |slot: u16| players.contains(&slot) || !self.playhead.name(slot).is_empty();
        let alone = |follows: Option<u16>| !follows.is_some_and(is_there);
        let alone: Vec<(A, Option<u16>)> = self
            .viewers
            .iter()
            .filter(|(_, viewer)| viewer.phase == ClientPhase::Playing && alone(viewer.follows))
            .map(|(from, viewer)| (*from, viewer.follows))
            .collect();
        for (from, follows) in alone {
            if let Some(slot) = next_of(&players, follows, false) {
                self.turn(from, slot);
            }
        }
    }

    fn say_to(&mut self, from: A, text: &str) {
        const HIGH: u8 = 2;
        let line = self.write(Body::Print(Print { level: HIGH, text: Text(format!("{text}\n").into_bytes()) }));
        if let Some(viewer) = self.viewers.get_mut(&from).filter(|viewer| viewer.phase == ClientPhase::Playing && viewer.channel.waiting() < CHAT_QUEUE_LIMIT) {
            viewer.channel.queue(&line);
        }
    }

    /// Makes all viewers follow somebody, for the controls of the shared clock.
    pub(super) fn follow_for_all(&mut self, wanted: &str) {
        let all: Vec<A> = self.viewers.keys().copied().collect();
        all.into_iter().for_each(|from| self.follow_named(from, wanted));
    }
}
