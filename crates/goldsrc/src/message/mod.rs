//! Messages: the list, declared once (`docs/formats/goldsrc.md`, "Messages").
//!
//! ```
//! use fragreel_goldsrc::message::{Message, Pool, SetView, code};
//! use fragreel_goldsrc::{Context, Dialect};
//! use fragreel_base::wire::{ReadBits, WriteBits};
//!
//! let context = Context::new(Dialect::new(5, 48).unwrap().messages.unwrap());
//! let mut message = Message::SetView(SetView { entity: 7 });
//! let mut writer = WriteBits::default();
//! let Ok(()) = code(&mut writer, &context, &mut message, &mut Pool::default());
//! let bytes = writer.finish();
//! assert_eq!(bytes, [5, 7, 0]);
//!
//! let mut found = Message::default();
//! code(&mut ReadBits::new(&bytes), &context, &mut found, &mut Pool::default()).unwrap();
//! assert_eq!(found, message);
//! ```

pub(crate) mod context;
pub(crate) mod decoder;
pub mod delta;
pub(crate) mod director;
mod entities;
pub(crate) mod form;
mod game;
pub mod munge;
mod observe;
pub(crate) mod payload;
mod resources;
mod signon;
mod simple;
pub(crate) mod temp_entity;
mod user;
pub(crate) mod user_fields;
pub(crate) mod user_shape;

pub use self::delta::{Delta, Values, mask_bytes};
pub use director::Director;
pub use entities::{Base, Baseline, DeltaPacketEntities, EntityUpdate, NumberSpelling, PacketEntities, SpawnBaseline};
pub use game::{BitCoord, ClientDataBody, ClientDataMessage, Events, Ping, Pings, QueuedEvent, ReliableEvent, Sound, WeaponUpdate};
pub use resources::{Customization, Proof, Resource, ResourceList};
pub(crate) use signon::SEND_EXTRA_INFO;
pub use signon::{
    Exec, Hltv, Restore, SendExtraInfo, ServerInfo, ServerInfoTail, SpawnStatic, StaticEntity, StaticRender, UpdateUserInfo, VoiceData, VoiceInit,
};
pub use simple::*;
pub use temp_entity::{TempEntity, TempEntityShape};
pub use user::UserMessage;

/// The error of a user message without an announcement.
pub(crate) const NOT_ANNOUNCED: &str = "the stream has not announced this user message";
/// The error of a delta without a description.
pub(crate) const NOT_DESCRIBED: &str = "the stream has not described this structure";

use fragreel_base::wire::Wire;

use self::context::Context;
use self::form::MessageForm;
use crate::fields::description::DeltaDescription;
use crate::scalars::Plain;

/// Declares the messages: variant and payload, id, name, and how the payload is coded.
macro_rules! messages {
    ($($(#[$doc:meta])* $variant:ident($payload:ty) = $id:literal, $name:literal, $how:ident;)*) => {
        /// One message of a server.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Message {
            $($(#[$doc])* $variant($payload),)*
            /// A message of the game DLL, framed as `svc_newusermsg` announced it.
            User(UserMessage),
        }

        impl Message {
            /// Its number on the wire.
            pub fn id(&self) -> u8 {
                match self {
                    $(Message::$variant(_) => $id,)*
                    Message::User(message) => message.id,
                }
            }

            /// Its members as text.
            pub(crate) fn form<F: fragreel_base::textform::Form, C>(&mut self, f: &mut F, context: &C) -> Result<(), F::Error>
            where
                $($payload: MessageForm<C>,)*
                UserMessage: MessageForm<C>,
            {
                match self {
                    $(Message::$variant(payload) => payload.form(f, context),)*
                    Message::User(message) => message.form(f, context),
                }
            }

            /// The empty tree for a number, if it is one.
            pub(crate) fn empty(id: u8) -> Option<Message> {
                Some(match id {
                    $($id => Message::$variant(Default::default()),)*
                    FIRST_USER_MESSAGE.. => Message::User(UserMessage::default()),
                    _ => return None,
                })
            }

            #[inline]
            fn code_payload<W: Wire>(&mut self, w: &mut W, context: &Context, id: u8) -> Result<(), W::Error> {
                match self {
                    $(Message::$variant(payload) => messages!(@$how payload, w, context),)*
                    Message::User(message) => message.code(w, context, id),
                }
            }
        }

        /// The engine's name for a message's number.
        pub fn name(id: u8) -> &'static str {
            match id {
                0 => "svc_bad",
                $($id => $name,)*
                FIRST_USER_MESSAGE.. => "user message",
                _ => "no message",
            }
        }
    };
    (@plain $payload:ident, $w:ident, $context:ident) => { $payload.code($w) };
    (@context $payload:ident, $w:ident, $context:ident) => { $payload.code($w, $context) };
    (@ordered $payload:ident, $w:ident, $context:ident) => { $payload.code($w, $context.order()) };
}

/// Whether a message of the signon seems to begin here. In a block, it begins at a byte, and says by more than one byte what it is.
pub(crate) fn begins_signon(bytes: &[u8]) -> bool {
    let name = |from: usize, most: usize| bytes.get(from..bytes.len().min(from + most)).and_then(|text| text.split(|&byte| byte == 0).next());
    let is_named = |name: &[u8]| !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    let is_info = |info: &[u8]| info.starts_with(b"\\") && info.iter().filter(|&&byte| byte == b'\\').count() % 2 == 0;
    match bytes.first() {
        // svc_deltadescription
        Some(14) => name(1, 32).is_some_and(|name| crate::fields::Structure::from_name(name).is_some()),
        // svc_newusermsg: number, size, and 16 bytes of name
        Some(39) => bytes.get(1).is_some_and(|&number| number >= FIRST_USER_MESSAGE) && name(3, 16).is_some_and(is_named),
        // svc_updateuserinfo: slot, number, keys and values
        Some(13) => bytes.get(1).is_some_and(|&slot| slot < crate::limits::SLOTS) && name(6, 256).is_some_and(is_info),
        _ => false,
    }
}

/// Numbers from here on belong to the game DLL.
pub const FIRST_USER_MESSAGE: u8 = 64;

messages! {
    /// Does nothing.
    Nop(Nop) = 1, "svc_nop", plain;
    /// The server ends the connection.
    Disconnect(Disconnect) = 2, "svc_disconnect", plain;
    /// Events for the client DLL.
    Event(Events) = 3, "svc_event", context;
    /// The protocol, once more.
    Version(Version) = 4, "svc_version", plain;
    /// The entity whose view is shown.
    SetView(SetView) = 5, "svc_setview", plain;
    /// A sound starts.
    Sound(Sound) = 6, "svc_sound", context;
    /// The server's clock.
    Time(Time) = 7, "svc_time", plain;
    /// For the console.
    Print(Print) = 8, "svc_print", plain;
    /// A command for the client to run.
    StuffText(StuffText) = 9, "svc_stufftext", plain;
    /// Turns the player's view.
    SetAngle(SetAngle) = 10, "svc_setangle", plain;
    /// A level begins.
    ServerInfo(ServerInfo) = 11, "svc_serverinfo", context;
    /// A light's pattern.
    LightStyle(LightStyle) = 12, "svc_lightstyle", plain;
    /// The user info of a slot.
    UpdateUserInfo(UpdateUserInfo) = 13, "svc_updateuserinfo", context;
    /// How rows are sent.
    DeltaDescription(DeltaDescription) = 14, "svc_deltadescription", ordered;
    /// The player's own state.
    ClientData(ClientDataMessage) = 15, "svc_clientdata", context;
    /// A sound ends.
    StopSound(StopSound) = 16, "svc_stopsound", plain;
    /// The pings of all players.
    Pings(Pings) = 17, "svc_pings", context;
    /// Particles.
    Particle(Particle) = 18, "svc_particle", plain;
    /// Unused.
    Damage(Damage) = 19, "svc_damage", plain;
    /// An entity that never changes.
    SpawnStatic(SpawnStatic) = 20, "svc_spawnstatic", context;
    /// One event that must not be lost.
    EventReliable(ReliableEvent) = 21, "svc_event_reliable", context;
    /// The baselines of entities.
    SpawnBaseline(SpawnBaseline) = 22, "svc_spawnbaseline", context;
    /// An effect without an entity.
    TempEntity(TempEntity) = 23, "svc_temp_entity", context;
    /// The game is paused or continues.
    SetPause(SetPause) = 24, "svc_setpause", plain;
    /// A stage of joining.
    SignonNum(SignonNum) = 25, "svc_signonnum", plain;
    /// For the middle of the screen.
    CenterPrint(CenterPrint) = 26, "svc_centerprint", plain;
    /// Unused.
    KilledMonster(KilledMonster) = 27, "svc_killedmonster", plain;
    /// Unused.
    FoundSecret(FoundSecret) = 28, "svc_foundsecret", plain;
    /// A sound that always plays.
    SpawnStaticSound(SpawnStaticSound) = 29, "svc_spawnstaticsound", plain;
    /// The game is over.
    Intermission(Intermission) = 30, "svc_intermission", plain;
    /// The game is over, with words.
    Finale(Finale) = 31, "svc_finale", plain;
    /// Music.
    CdTrack(CdTrack) = 32, "svc_cdtrack", plain;
    /// The files of a saved game.
    Restore(Restore) = 33, "svc_restore", context;
    /// Unused.
    Cutscene(Cutscene) = 34, "svc_cutscene", plain;
    /// The weapon in hand moves.
    WeaponAnim(WeaponAnim) = 35, "svc_weaponanim", plain;
    /// A decal's name.
    DecalName(DecalName) = 36, "svc_decalname", plain;
    /// How the room sounds.
    RoomType(RoomType) = 37, "svc_roomtype", plain;
    /// Turns the player's view by an angle.
    AddAngle(AddAngle) = 38, "svc_addangle", plain;
    /// A message of the game DLL is announced.
    NewUserMessage(NewUserMessage) = 39, "svc_newusermsg", plain;
    /// All entities.
    PacketEntities(PacketEntities) = 40, "svc_packetentities", context;
    /// Entities that changed.
    DeltaPacketEntities(DeltaPacketEntities) = 41, "svc_deltapacketentities", context;
    /// Frames were held back.
    Choke(Choke) = 42, "svc_choke", plain;
    /// The files that the game uses.
    ResourceList(ResourceList) = 43, "svc_resourcelist", context;
    /// The physics in force.
    NewMoveVars(NewMoveVars) = 44, "svc_newmovevars", plain;
    /// Asks for the client's own resources.
    ResourceRequest(ResourceRequest) = 45, "svc_resourcerequest", plain;
    /// A player's own resource.
    Customization(Customization) = 46, "svc_customization", context;
    /// The angle of aim assistance.
    CrosshairAngle(CrosshairAngle) = 47, "svc_crosshairangle", plain;
    /// Sound fades.
    SoundFade(SoundFade) = 48, "svc_soundfade", plain;
    /// A file could not be sent.
    FileTxferFailed(FileTxferFailed) = 49, "svc_filetxferfailed", plain;
    /// From an HLTV proxy.
    Hltv(Hltv) = 50, "svc_hltv", context;
    /// From an HLTV director.
    Director(Director) = 51, "svc_director", context;
    /// How voices are coded.
    VoiceInit(VoiceInit) = 52, "svc_voiceinit", context;
    /// A voice.
    VoiceData(VoiceData) = 53, "svc_voicedata", context;
    /// Where else files are, and whether cheats are allowed.
    SendExtraInfo(SendExtraInfo) = 54, "svc_sendextrainfo", plain;
    /// The time scale.
    TimeScale(TimeScale) = 55, "svc_timescale", plain;
    /// Where to download from.
    ResourceLocation(ResourceLocation) = 56, "svc_resourcelocation", plain;
    /// Asks for a variable's value.
    SendCvarValue(SendCvarValue) = 57, "svc_sendcvarvalue", plain;
    /// Asks for a variable's value, with a number.
    SendCvarValue2(SendCvarValue2) = 58, "svc_sendcvarvalue2", plain;
    /// A configuration to be run.
    Exec(Exec) = 59, "svc_exec", context;
}

impl Default for Message {
    fn default() -> Self {
        Message::Nop(Nop::default())
    }
}

/// Spare messages by number. Decoding takes one and returns the one before.
#[derive(Debug)]
pub struct Pool {
    spare: Vec<Vec<Message>>,
}

impl Default for Pool {
    fn default() -> Self {
        Self { spare: (0..=FIRST_USER_MESSAGE).map(|_| Vec::new()).collect() }
    }
}

impl Clone for Pool {
    /// An empty pool: spare messages are no state.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Pool {
    fn shelf(&mut self, id: u8) -> &mut Vec<Message> {
        &mut self.spare[usize::from(id.min(FIRST_USER_MESSAGE))]
    }

    fn take(&mut self, id: u8) -> Option<Message> {
        self.shelf(id).pop().or_else(|| Message::empty(id))
    }

    /// Keeps a tree that is no longer needed.
    pub fn give(&mut self, message: Message) {
        let shelf = self.shelf(message.id());
        if shelf.len() < 32 {
            shelf.push(message);
        }
    }
}

/// Codes one message with its number. Decoding puts the old content of `message` into `pool` and takes a spare message from it.
#[inline]
pub fn code<W: Wire>(w: &mut W, context: &Context, message: &mut Message, pool: &mut Pool) -> Result<(), W::Error> {
    let id = w.field("message", if W::READING { 0 } else { u32::from(message.id()) }, 8)? as u8;
    w.note(|| name(id).to_owned());
    w.scope(name(id), None, |w| {
        if W::READING {
            w.expect(id != 0, "svc_bad: the stream is out of step, or the server meant the client to fail")?;
            let Some(empty) = pool.take(id) else {
                return w.expect(false, "there is no message of this number");
            };
            pool.give(std::mem::replace(message, empty));
        }
        message.code_payload(w, context, id)
    })
}
