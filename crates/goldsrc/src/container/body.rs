//! The bodies of macros as typed trees (`docs/formats/goldsrc.md`, "Bodies of macros"). The messages of a data block are not part of its tree.

use fragreel_base::wire::{Error, ReadBits, ReadBytes, Wire, WriteBytes};
use fragreel_model::Predicted;

use crate::container::{Macro, MacroKind};
use crate::dialect::{BlockShape, Dialect};
use crate::scalars::{Padded, Plain, Str, plain};

plain! {
    /// The input of the renderer (`ref_params_t`). `cmd` and `movevars` are stale addresses.
    pub struct RefParams {
        view_origin: [f32; 3],
        view_angles: [f32; 3],
        forward: [f32; 3],
        right: [f32; 3],
        up: [f32; 3],
        frame_time: f32,
        time: f32,
        intermission: i32,
        paused: i32,
        spectator: i32,
        on_ground: i32,
        water_level: i32,
        simulated_velocity: [f32; 3],
        simulated_origin: [f32; 3],
        view_height: [f32; 3],
        ideal_pitch: f32,
        client_view_angles: [f32; 3],
        health: i32,
        crosshair_angle: [f32; 3],
        view_size: f32,
        punch_angle: [f32; 3],
        max_clients: i32,
        view_entity: i32,
        player_number: i32,
        max_entities: i32,
        demo_playback: i32,
        hardware: i32,
        smoothing: i32,
        cmd: u32,
        movevars: u32,
        viewport: [i32; 4],
        next_view: i32,
        only_client_draw: i32,
    }
}

plain! {
    /// The user command (`usercmd_t`), with its padding.
    pub struct UserCommand {
        lerp_msec: i16,
        msec: u8,
        padding_3: u8,
        view_angles: [f32; 3],
        forward_move: f32,
        side_move: f32,
        up_move: f32,
        light_level: u8,
        padding_29: u8,
        buttons: u16,
        impulse: u8,
        weapon_select: u8,
        padding_34: u16,
        impact_index: i32,
        impact_position: [f32; 3],
    }
}

plain! {
    /// The physics in force (`movevars_t`).
    pub struct MoveVars {
        gravity: f32,
        stop_speed: f32,
        max_speed: f32,
        spectator_max_speed: f32,
        accelerate: f32,
        air_accelerate: f32,
        water_accelerate: f32,
        friction: f32,
        edge_friction: f32,
        water_friction: f32,
        entity_gravity: f32,
        bounce: f32,
        step_size: f32,
        max_velocity: f32,
        z_max: f32,
        wave_height: f32,
        footsteps: i32,
        sky_name: Padded<32>,
        roll_angle: f32,
        roll_speed: f32,
        sky_color: [f32; 3],
        sky_vector: [f32; 3],
    }
}

plain! {
    /// The demo information of a data block from network protocol 45 on: 436 bytes.
    pub struct DemoInfo {
        timestamp: f32,
        ref_params: RefParams,
        user_command: UserCommand,
        movevars: MoveVars,
        view: [f32; 3],
        view_model: i32,
    }
}

plain! {
    /// The seven numbers of the netchan. A game client and an HLTV proxy write them in different orders
    /// (`docs/formats/goldsrc.md`, "Sequence information"); the first names the frame in both.
    pub struct Sequence {
        words: [i32; 7],
    }
}

plain! {
    /// The client's own position.
    pub struct ClientData {
        origin: [f32; 3],
        view_angles: [f32; 3],
        weapon_bits: u32,
        fov: f32,
    }
}

plain! {
    /// An event that the client predicted (`event_args_t` and how it was called).
    pub struct PredictedEvent {
        flags: i32,
        index: i32,
        delay: f32,
        argument_flags: i32,
        entity_index: i32,
        origin: [f32; 3],
        angles: [f32; 3],
        velocity: [f32; 3],
        ducking: i32,
        fparam1: f32,
        fparam2: f32,
        iparam1: i32,
        iparam2: i32,
        bparam1: i32,
        bparam2: i32,
    }
}

plain! {
    /// A weapon animation that the client predicted.
    pub struct WeaponAnim {
        anim: i32,
        body: i32,
    }
}

plain! {
    /// The view of demo protocol 4, angles and position interleaved.
    pub struct OldView {
        pitch: f32,
        x: f32,
        yaw: f32,
        y: f32,
        roll: f32,
        z: f32,
    }
}

/// A sound that the client started itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClientSound {
    /// The channel.
    pub channel: i32,
    /// The file's name, without a NUL.
    pub sample: Vec<u8>,
    /// 0 to 1.
    pub volume: f32,
    /// How fast it fades; 0.8 is a normal sound.
    pub attenuation: f32,
    /// Engine flags.
    pub flags: i32,
    /// 100 is normal.
    pub pitch: i32,
}

/// The demo information of a data block.
#[derive(Debug, Clone, PartialEq)]
pub enum Info {
    /// The structures of the released SDKs.
    Known(Box<DemoInfo>),
    /// 532 bytes up to network protocol 43.
    Opaque(Vec<u8>),
}

/// A macro's body.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// View, sequence information and the length of the messages that follow.
    Data(Info, Sequence, u32),
    /// Nothing: start, end, frame.
    Empty,
    /// A command.
    Command(Padded<64>),
    /// Demo protocol 5.
    ClientData(ClientData),
    /// Demo protocol 4: not taken apart.
    OldClientData(Vec<u8>),
    /// A predicted event.
    Event(PredictedEvent),
    /// A predicted weapon animation.
    WeaponAnim(WeaponAnim),
    /// A client sound.
    Sound(ClientSound),
    /// Bytes of the client DLL.
    Buffer(Vec<u8>),
    /// Demo protocol 4: view and the length of the packet that follows.
    Packet(OldView, u32),
    /// Demo protocol 4.
    Sequence(Sequence),
}

impl Body {
    /// The empty tree for a kind of macro.
    pub fn empty(kind: MacroKind, dialect: &Dialect) -> Body {
        match kind {
            MacroKind::Data => {
                let info = match dialect.block {
                    BlockShape::Known => Info::Known(Box::default()),
                    BlockShape::Opaque => Info::Opaque(Vec::new()),
                };
                Body::Data(info, Sequence::default(), 0)
            }
            MacroKind::Start | MacroKind::End | MacroKind::Frame => Body::Empty,
            MacroKind::Command => Body::Command(Padded::default()),
            MacroKind::ClientData if dialect.macros == crate::dialect::MacroTable::Four => Body::OldClientData(Vec::new()),
            MacroKind::ClientData => Body::ClientData(ClientData::default()),
            MacroKind::Event => Body::Event(PredictedEvent::default()),
            MacroKind::WeaponAnim => Body::WeaponAnim(WeaponAnim::default()),
            MacroKind::Sound => Body::Sound(ClientSound::default()),
            MacroKind::Buffer => Body::Buffer(Vec::new()),
            MacroKind::Packet => Body::Packet(OldView::default(), 0),
            MacroKind::Sequence => Body::Sequence(Sequence::default()),
        }
    }

    /// Reads a macro's body; of data blocks and packets, what stands before the messages.
    pub fn read(window: &Macro, dialect: &Dialect) -> Result<Body, Error> {
        let mut body = Body::empty(window.kind, dialect);
        body.code(&mut ReadBytes::new(window.body), dialect)
            .map_err(|error| error.inside(window.kind.name(), None).in_message_at(window.body_offset() as u64))?;
        Ok(body)
    }

    /// The bytes of the tree, without messages.
    pub fn bytes(&mut self, dialect: &Dialect) -> Vec<u8> {
        self.write_into(Vec::new(), dialect)
    }

    /// The same in the memory of `buffer`. All fields have whole bytes.
    pub(crate) fn write_into(&mut self, buffer: Vec<u8>, dialect: &Dialect) -> Vec<u8> {
        let mut writer = WriteBytes::with_buffer(buffer);
        let Ok(()) = self.code(&mut writer, dialect);
        writer.finish()
    }

    /// Reads or writes it.
    pub fn code<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        match self {
            Body::Data(info, sequence, length) => {
                w.scope("demo_info", None, |w| match info {
                    Info::Known(info) => info.code(w),
                    Info::Opaque(bytes) => {
                        w.enter("not decoded");
                        w.octets(bytes, dialect.info_bytes())
                    }
                })?;
                w.scope("sequence", None, |w| sequence.code(w))?;
                *length = w.field("length", *length, 32)?;
                Ok(())
            }
            Body::Empty => Ok(()),
            Body::Command(command) => {
                w.enter("command");
                command.code(w)
            }
            Body::ClientData(data) => data.code(w),
            Body::OldClientData(bytes) => {
                w.enter("not decoded");
                w.octets(bytes, dialect.client_data_bytes())
            }
            Body::Event(event) => event.code(w),
            Body::WeaponAnim(anim) => anim.code(w),
            Body::Sound(sound) => sound.code(w),
            Body::Buffer(bytes) => {
                counted(w, "buffer", bytes)?;
                if let Some(field_of_view) = zoom(bytes) {
                    w.note(|| format!("zoom to a field of view of {field_of_view}"));
                }
                Ok(())
            }
            Body::Packet(view, length) => {
                w.scope("view", None, |w| view.code(w))?;
                *length = w.field("length", *length, 32)?;
                Ok(())
            }
            Body::Sequence(sequence) => sequence.code(w),
        }
    }
}

/// What the client DLLs' buffers begin with that hold a zoom.
pub(crate) const ZOOM: i32 = 1;

/// The field of view, if a client DLL's buffer holds a zoom.
pub(crate) fn zoom(buffer: &[u8]) -> Option<f32> {
    let (kind, rest) = buffer.split_first_chunk::<4>()?;
    let field_of_view = f32::from_le_bytes(rest.try_into().ok()?);
    (i32::from_le_bytes(*kind) == ZOOM).then_some(field_of_view)
}

/// The event of a macro that holds one.
pub(crate) fn predicted_event(window: &Macro) -> Option<PredictedEvent> {
    let mut event = PredictedEvent::default();
    event.code(&mut ReadBits::new(window.body)).ok().filter(|()| window.kind == MacroKind::Event)?;
    Some(event)
}

impl ClientSound {
    fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        w.enter("channel");
        self.channel.code(w)?;
        counted(w, "sample", &mut self.sample)?;
        w.enter("volume");
        self.volume.code(w)?;
        w.enter("attenuation");
        self.attenuation.code(w)?;
        w.enter("flags");
        self.flags.code(w)?;
        w.enter("pitch");
        self.pitch.code(w)
    }
}

fn counted<W: Wire>(w: &mut W, name: &'static str, bytes: &mut Vec<u8>) -> Result<(), W::Error> {
    let length = w.field("length", bytes.len() as u32, 32)?;
    w.enter(name);
    w.octets(bytes, length as usize)?;
    w.note(|| format!("{:?}", String::from_utf8_lossy(bytes)));
    Ok(())
}

/// The messages of a data block, or a packet of demo protocol 4 with its netchan head: their offset in the file, and their bytes.
pub fn messages<'a>(window: &Macro<'a>, dialect: &Dialect) -> Option<(usize, &'a [u8])> {
    let skip = match window.kind {
        MacroKind::Data => dialect.info_bytes() + crate::container::SEQUENCE_BYTES + 4,
        MacroKind::Packet => 28,
        _ => return None,
    };
    Some((window.body_offset() + skip, window.body.get(skip..)?))
}

/// The first number of a data block's sequence information: the frame's own.
pub fn frame_sequence(window: &Macro, dialect: &Dialect) -> Option<u32> {
    let at = match window.kind {
        MacroKind::Data => dialect.info_bytes(),
        MacroKind::Sequence => 0,
        _ => return None,
    };
    window.body.get(at..)?.first_chunk::<4>().map(|four| u32::from_le_bytes(*four))
}

/// The field of view of a client data macro, in degrees.
pub(crate) fn fov(window: &Macro) -> Option<f32> {
    const FOV: usize = 28;
    let fov = window.body.get(FOV..)?.first_chunk::<4>().map(|bytes| f32::from_le_bytes(*bytes))?;
    (window.kind == MacroKind::ClientData && (1.0..=180.0).contains(&fov)).then_some(fov)
}

/// The view angles of a client data macro, which clients write for each of their frames. Protocol 5 has them.
pub(crate) fn client_angles(window: &Macro) -> Option<[f32; 3]> {
    const ANGLES: usize = 12;
    const SIZE: usize = 32;
    let body = window.body.get(ANGLES..).filter(|_| window.kind == MacroKind::ClientData && window.body.len() == SIZE)?;
    let angle = |at: usize| body.get(at * 4..)?.first_chunk::<4>().map(|bytes| f32::from_le_bytes(*bytes));
    Some([angle(0)?, angle(1)?, angle(2)?])
}

/// The client's view: the position and angles drawn, and the player's own angles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Eyes {
    pub origin: [f32; 3],
    pub angles: [f32; 3],
    /// The angles of the user command: the player's own, wherever the client drew from.
    pub own_angles: [f32; 3],
}

/// The client's view in a data block. `None` if all of it is zero, as proxies leave it.
pub(crate) fn eyes(window: &Macro, dialect: &Dialect) -> Option<Eyes> {
    const VIEW_ORIGIN: usize = 4;
    const VIEW_ANGLES: usize = 16;
    const COMMAND_ANGLES: usize = 240;
    if window.kind != MacroKind::Data || dialect.block != BlockShape::Known {
        return None;
    }
    let float = |at: usize| window.body.get(at..)?.first_chunk::<4>().map(|bytes| f32::from_le_bytes(*bytes)).filter(|value| value.is_finite());
    let vector = |at: usize| Some([float(at)?, float(at + 4)?, float(at + 8)?]);
    let eyes = Eyes { origin: vector(VIEW_ORIGIN)?, angles: vector(VIEW_ANGLES)?, own_angles: vector(COMMAND_ANGLES)? };
    let is_set = |vector: &[f32; 3]| vector.iter().any(|value| *value != 0.0);
    (is_set(&eyes.origin) || is_set(&eyes.own_angles)).then_some(eyes)
}

/// The range of the sky name in the body of a data block, with the garbage behind its NUL.
pub(crate) fn sky_name(window: &Macro, dialect: &Dialect) -> Option<std::ops::Range<usize>> {
    const SKY: std::ops::Range<usize> = 356..388;
    (window.kind == MacroKind::Data && dialect.block == BlockShape::Known && window.body.len() >= SKY.end).then_some(SKY)
}

/// The user command inside a data block, without reading the rest of it.
pub(crate) fn user_command(window: &Macro, dialect: &Dialect) -> Option<UserCommand> {
    if window.kind != MacroKind::Data || dialect.block != BlockShape::Known {
        return None;
    }
    let mut command = UserCommand::default();
    command.code(&mut ReadBits::new(window.body.get(236..288)?)).ok()?;
    Some(command)
}

/// The player after the block's command as the client predicted it, and the physics in force. `None` if a number is not finite.
pub(crate) fn predicted(window: &Macro, dialect: &Dialect) -> Option<Predicted> {
    if window.kind != MacroKind::Data || dialect.block != BlockShape::Known {
        return None;
    }
    let mut info = DemoInfo::default();
    info.code(&mut ReadBits::new(window.body)).ok()?;
    let (after, physics) = (&info.ref_params, &info.movevars);
    let mut predicted = Predicted::default();
    (predicted.frame_time, predicted.origin, predicted.velocity) = (after.frame_time, after.simulated_origin, after.simulated_velocity);
    (predicted.on_ground, predicted.water_level, predicted.punch_angle) = (after.on_ground != 0, after.water_level, after.punch_angle);
    (predicted.gravity, predicted.stop_speed, predicted.max_speed) = (physics.gravity * physics.entity_gravity, physics.stop_speed, physics.max_speed);
    (predicted.accelerate, predicted.air_accelerate) = (physics.accelerate, physics.air_accelerate);
    (predicted.friction, predicted.max_velocity) = (physics.friction, physics.max_velocity);
    let numbers = [
        predicted.frame_time,
        predicted.gravity,
        predicted.stop_speed,
        predicted.max_speed,
        predicted.accelerate,
        predicted.air_accelerate,
        predicted.friction,
        predicted.max_velocity,
    ];
    let vectors = predicted.origin.iter().chain(&predicted.velocity).chain(&predicted.punch_angle);
    vectors.chain(&numbers).all(|number| number.is_finite()).then_some(predicted)
}

/// The number of players that the client played with, which the server information states too.
pub(crate) fn max_clients(window: &Macro, dialect: &Dialect) -> Option<u8> {
    if window.kind != MacroKind::Data || dialect.block != BlockShape::Known {
        return None;
    }
    let stated = i32::from_le_bytes(*window.body.get(176..)?.first_chunk()?);
    u8::try_from(stated).ok().filter(|&clients| (1..=crate::limits::SLOTS).contains(&clients))
}

/// A command's text as typed.
pub(crate) fn command_text(window: &Macro) -> Str {
    Str(crate::scalars::before_nul(window.body).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_their_sizes() {
        fn size<T: Plain + Default>() -> usize {
            let mut writer = WriteBytes::default();
            let Ok(()) = T::default().code(&mut writer);
            writer.finish().len()
        }
        assert_eq!(size::<RefParams>(), 232);
        assert_eq!(size::<UserCommand>(), 52);
        assert_eq!(size::<MoveVars>(), 132);
        assert_eq!(size::<DemoInfo>(), 436);
        assert_eq!(size::<PredictedEvent>(), 84);
        assert_eq!(size::<ClientData>(), 32);
    }
}
