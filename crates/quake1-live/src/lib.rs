//! The live protocol of QuakeWorld and NetQuake as plain state machines: bytes and sequence numbers in, bytes and entities out. No clock, no
//! socket. Documents: `docs/live.md`, `docs/formats/quake1-replacement-deltas.md`.
//!
//! A server keeps a [`DeltaSender`] per client, a client a [`DeltaReceiver`]. What they exchange travels in packets of a
//! [`Channel`](fragreel_live::Channel), after a [`handshake`] has agreed on the layout.
//!
//! ```
//! use fragreel_quake1_live::{Acknowledge, Audience, DeltaReceiver, DeltaSender, Frame, Received};
//! use fragreel_quake1::unstable::replacement::{Baselines, EntityState, Flags, SVC_UPDATE_ENTITIES, Update, code};
//!
//! let flags = Flags::default();
//! let (mut sender, mut receiver) = (DeltaSender::new(flags, Audience::default()), DeltaReceiver::new(flags));
//! let rocket = EntityState { model: 7, origin: [80, 0, 192], ..EntityState::default() };
//!
//! let mut message = Vec::new();
//! let frame = Frame { sequence: 1, time: 0.1, budget: 1400, ..Frame::default() };
//! sender.send(frame, [(40, &rocket)], &Baselines::new(), &mut message).unwrap();
//!
//! assert_eq!(message[0], SVC_UPDATE_ENTITIES);
//! let mut update = Update::default();
//! code(&mut fragreel_base::wire::ReadBytes::new(&message[1..]), &flags, &mut update).unwrap();
//! assert_eq!(receiver.receive(1, &update), Received::Applied);
//! assert_eq!(flags.position(&receiver.entities().get(40).unwrap().state), [10.0, 0.0, 24.0]);
//! sender.acknowledge(receiver.acknowledgement());
//! ```

#![warn(unreachable_pub)]

#[cfg(test)]
mod captures;
pub mod command;
pub mod demo_server;
pub mod handshake;
#[cfg(test)]
mod hostile;
mod netchan;
#[cfg(test)]
mod netquake_frames;
#[doc(hidden)]
pub mod properties;
pub mod qtv;
pub mod query;
mod receiver;
pub mod recorder;
#[cfg(test)]
mod seats;
mod sender;
pub mod server;
#[cfg(test)]
mod simulation;

pub use receiver::{DeltaReceiver, Received};
pub use recorder::Recorder;
pub use sender::{Acknowledge, Audience, DeltaSender, FRAMES, Frame, Sent, Views};
