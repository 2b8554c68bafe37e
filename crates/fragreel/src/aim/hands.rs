//! Views of clients, frame by frame: of user commands, and in Half-Life of the client's own data.

use std::collections::VecDeque;
use std::iter::Peekable;

use fragreel_model::{Frame, UserCommand};

use super::trail::View;
use crate::family::Inner;
use crate::{Recording, geometry};

/// Half-Life's client shows others in the past by at most this, in milliseconds.
const LONGEST_LERP: f64 = 200.0;
/// No more views than this wait for a frame.
const MOST: usize = 4096;

/// A client's view: the number of its message, the client's frame, seconds since playing starts, angles.
type ClientView = (u32, i32, f32, [f32; 3]);

/// The recorded commands and views, a little ahead of the frames.
pub(super) struct Hands<'r> {
    commands: Peekable<Box<dyn Iterator<Item = UserCommand> + 'r>>,
    /// Half-Life's views of client frames. Commands come only with packets.
    views: Option<Peekable<Box<dyn Iterator<Item = ClientView> + 'r>>>,
    /// The client's frame of the last command.
    last: Option<i32>,
    lerp: Option<f64>,
    has_any: bool,
    ready: VecDeque<(u16, View)>,
}

impl<'r> Hands<'r> {
    pub(super) fn of(recording: &'r Recording) -> Self {
        #[cfg(any(feature = "goldsrc", feature = "quake1"))]
        let commands: Box<dyn Iterator<Item = UserCommand> + 'r> = match recording.usercmds() {
            Ok(commands) => Box::new(commands),
            // the family records none
            Err(_) => Box::new(std::iter::empty()),
        };
        #[cfg(not(any(feature = "goldsrc", feature = "quake1")))]
        let commands: Box<dyn Iterator<Item = UserCommand> + 'r> = Box::new(std::iter::empty());
        let views: Option<Box<dyn Iterator<Item = ClientView> + 'r>> = match recording.inner() {
            #[cfg(feature = "goldsrc")]
            Inner::GoldSrc(recording) => Some(Box::new(recording.client_views())),
            #[allow(unreachable_patterns, reason = "none is left where only this family is")]
            _ => None,
        };
        let (mut commands, mut views) = (commands.peekable(), views.map(Iterator::peekable));
        let has_any = commands.peek().is_some();
        // protocol 4 has no such views
        views = views.and_then(|mut views| views.peek().is_some().then_some(views));
        Hands { commands, views, last: None, lerp: None, has_any, ready: VecDeque::new() }
    }

    /// Whether the recording has user commands.
    pub(super) fn has_any(&self) -> bool {
        self.has_any
    }

    /// The slots and views up to a frame. `own` is the slot of the recording player.
    pub(super) fn until(&mut self, frame: &Frame, own: Option<u16>) -> impl Iterator<Item = (u16, View)> {
        let mut block = None;
        while let Some(command) = self.commands.next_if(|command| command.message <= frame.message) {
            // Several packets of one client frame repeat its command.
            let is_repeated = command.frame.is_some() && self.last == command.frame;
            self.last = command.frame;
            let angles = [command.pitch, command.yaw, command.roll];
            let Some(slot) = command.slot.or(own).filter(|_| !is_repeated && is_finite(angles)) else { continue };
            self.lerp = command.lerp_msec.map(f64::from).filter(|lerp| (0.0..=LONGEST_LERP).contains(lerp));
            if self.views.is_some() {
                block = Some((command.frame, angles));
                continue;
            }
            let mut view = View::new(f64::from(command.time) * 1000.0, angles);
            (view.packet, view.message, view.lerp) = (command.packet, command.message, self.lerp);
            self.add(slot, view);
        }
        while let Some((message, client_frame, time, angles)) = self.views.as_mut().and_then(|views| views.next_if(|view| view.0 <= frame.message)) {
            let Some(slot) = own.filter(|_| is_finite(angles)) else { continue };
            let mut view = View::new(f64::from(time) * 1000.0, angles);
            (view.message, view.lerp) = (message, self.lerp);
            let commanded = block.filter(|(of, _)| *of == Some(client_frame)).map(|(_, commanded)| commanded);
            view.offset = commanded.map(|commanded| if commanded == angles { 0.0 } else { geometry::turn(angles, commanded) });
            self.add(slot, view);
        }
        self.ready.drain(..)
    }

    fn add(&mut self, slot: u16, view: View) {
        if self.ready.len() >= MOST {
            self.ready.pop_front();
        }
        self.ready.push_back((slot, view));
    }
}

fn is_finite(angles: [f32; 3]) -> bool {
    angles.iter().all(|angle| angle.is_finite())
}
