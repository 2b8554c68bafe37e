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
use fragreel_base::{declare_messages, match_message};

use self::context::Context;
use crate::fields::description::DeltaDescription;
use crate::scalars::Plain;

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
pub(crate) const FIRST_USER_MESSAGE: u8 = 64;

/// Every message, declared once: payload, name, number, and how the payload is coded (the payload, a wire, the context, the number). `$make` makes
/// something of the list.
macro_rules! messages {
    ($make:ident $with:tt) => {
        $make! {
            $with
            /// Does nothing.
            Nop(Nop) = "svc_nop" [1] |m, w, _cx, _id| m.code(w);
            /// The server ends the connection.
            Disconnect(Disconnect) = "svc_disconnect" [2] |m, w, _cx, _id| m.code(w);
            /// Events for the client DLL.
            Event(Events) = "svc_event" [3] |m, w, cx, _id| m.code(w, cx);
            /// The protocol, once more.
            Version(Version) = "svc_version" [4] |m, w, _cx, _id| m.code(w);
            /// The entity whose view is shown.
            SetView(SetView) = "svc_setview" [5] |m, w, _cx, _id| m.code(w);
            /// A sound starts.
            Sound(Sound) = "svc_sound" [6] |m, w, cx, _id| m.code(w, cx);
            /// The server's clock.
            Time(Time) = "svc_time" [7] |m, w, _cx, _id| m.code(w);
            /// For the console.
            Print(Print) = "svc_print" [8] |m, w, _cx, _id| m.code(w);
            /// A command for the client to run.
            StuffText(StuffText) = "svc_stufftext" [9] |m, w, _cx, _id| m.code(w);
            /// Turns the player's view.
            SetAngle(SetAngle) = "svc_setangle" [10] |m, w, _cx, _id| m.code(w);
            /// A level begins.
            ServerInfo(ServerInfo) = "svc_serverinfo" [11] |m, w, cx, _id| m.code(w, cx);
            /// A light's pattern.
            LightStyle(LightStyle) = "svc_lightstyle" [12] |m, w, _cx, _id| m.code(w);
            /// The user info of a slot.
            UpdateUserInfo(UpdateUserInfo) = "svc_updateuserinfo" [13] |m, w, cx, _id| m.code(w, cx);
            /// How rows are sent.
            DeltaDescription(DeltaDescription) = "svc_deltadescription" [14] |m, w, cx, _id| m.code(w, cx.order());
            /// The player's own state.
            ClientData(ClientDataMessage) = "svc_clientdata" [15] |m, w, cx, _id| m.code(w, cx);
            /// A sound ends.
            StopSound(StopSound) = "svc_stopsound" [16] |m, w, _cx, _id| m.code(w);
            /// The pings of all players.
            Pings(Pings) = "svc_pings" [17] |m, w, cx, _id| m.code(w, cx);
            /// Particles.
            Particle(Particle) = "svc_particle" [18] |m, w, _cx, _id| m.code(w);
            /// Unused.
            Damage(Damage) = "svc_damage" [19] |m, w, _cx, _id| m.code(w);
            /// An entity that never changes.
            SpawnStatic(SpawnStatic) = "svc_spawnstatic" [20] |m, w, cx, _id| m.code(w, cx);
            /// One event that must not be lost.
            EventReliable(ReliableEvent) = "svc_event_reliable" [21] |m, w, cx, _id| m.code(w, cx);
            /// The baselines of entities.
            SpawnBaseline(SpawnBaseline) = "svc_spawnbaseline" [22] |m, w, cx, _id| m.code(w, cx);
            /// An effect without an entity.
            TempEntity(TempEntity) = "svc_temp_entity" [23] |m, w, cx, _id| m.code(w, cx);
            /// The game is paused or continues.
            SetPause(SetPause) = "svc_setpause" [24] |m, w, _cx, _id| m.code(w);
            /// A stage of joining.
            SignonNum(SignonNum) = "svc_signonnum" [25] |m, w, _cx, _id| m.code(w);
            /// For the middle of the screen.
            CenterPrint(CenterPrint) = "svc_centerprint" [26] |m, w, _cx, _id| m.code(w);
            /// Unused.
            KilledMonster(KilledMonster) = "svc_killedmonster" [27] |m, w, _cx, _id| m.code(w);
            /// Unused.
            FoundSecret(FoundSecret) = "svc_foundsecret" [28] |m, w, _cx, _id| m.code(w);
            /// A sound that always plays.
            SpawnStaticSound(SpawnStaticSound) = "svc_spawnstaticsound" [29] |m, w, _cx, _id| m.code(w);
            /// The game is over.
            Intermission(Intermission) = "svc_intermission" [30] |m, w, _cx, _id| m.code(w);
            /// The game is over, with words.
            Finale(Finale) = "svc_finale" [31] |m, w, _cx, _id| m.code(w);
            /// Music.
            CdTrack(CdTrack) = "svc_cdtrack" [32] |m, w, _cx, _id| m.code(w);
            /// The files of a saved game.
            Restore(Restore) = "svc_restore" [33] |m, w, cx, _id| m.code(w, cx);
            /// Unused.
            Cutscene(Cutscene) = "svc_cutscene" [34] |m, w, _cx, _id| m.code(w);
            /// The weapon in hand moves.
            WeaponAnim(WeaponAnim) = "svc_weaponanim" [35] |m, w, _cx, _id| m.code(w);
            /// A decal's name.
            DecalName(DecalName) = "svc_decalname" [36] |m, w, _cx, _id| m.code(w);
            /// How the room sounds.
            RoomType(RoomType) = "svc_roomtype" [37] |m, w, _cx, _id| m.code(w);
            /// Turns the player's view by an angle.
            AddAngle(AddAngle) = "svc_addangle" [38] |m, w, _cx, _id| m.code(w);
            /// A message of the game DLL is announced.
            NewUserMessage(NewUserMessage) = "svc_newusermsg" [39] |m, w, _cx, _id| m.code(w);
            /// All entities.
            PacketEntities(PacketEntities) = "svc_packetentities" [40] |m, w, cx, _id| m.code(w, cx);
            /// Entities that changed.
            DeltaPacketEntities(DeltaPacketEntities) = "svc_deltapacketentities" [41] |m, w, cx, _id| m.code(w, cx);
            /// Frames were held back.
            Choke(Choke) = "svc_choke" [42] |m, w, _cx, _id| m.code(w);
            /// The files that the game uses.
            ResourceList(ResourceList) = "svc_resourcelist" [43] |m, w, cx, _id| m.code(w, cx);
            /// The physics in force.
            NewMoveVars(NewMoveVars) = "svc_newmovevars" [44] |m, w, _cx, _id| m.code(w);
            /// Asks for the client's own resources.
            ResourceRequest(ResourceRequest) = "svc_resourcerequest" [45] |m, w, _cx, _id| m.code(w);
            /// A player's own resource.
            Customization(Customization) = "svc_customization" [46] |m, w, cx, _id| m.code(w, cx);
            /// The angle of aim assistance.
            CrosshairAngle(CrosshairAngle) = "svc_crosshairangle" [47] |m, w, _cx, _id| m.code(w);
            /// Sound fades.
            SoundFade(SoundFade) = "svc_soundfade" [48] |m, w, _cx, _id| m.code(w);
            /// A file could not be sent.
            FileTxferFailed(FileTxferFailed) = "svc_filetxferfailed" [49] |m, w, _cx, _id| m.code(w);
            /// From an HLTV proxy.
            Hltv(Hltv) = "svc_hltv" [50] |m, w, cx, _id| m.code(w, cx);
            /// From an HLTV director.
            Director(Director) = "svc_director" [51] |m, w, cx, _id| m.code(w, cx);
            /// How voices are coded.
            VoiceInit(VoiceInit) = "svc_voiceinit" [52] |m, w, cx, _id| m.code(w, cx);
            /// A voice.
            VoiceData(VoiceData) = "svc_voicedata" [53] |m, w, cx, _id| m.code(w, cx);
            /// Where else files are, and whether cheats are allowed.
            SendExtraInfo(SendExtraInfo) = "svc_sendextrainfo" [54] |m, w, _cx, _id| m.code(w);
            /// The time scale.
            TimeScale(TimeScale) = "svc_timescale" [55] |m, w, _cx, _id| m.code(w);
            /// Where to download from.
            ResourceLocation(ResourceLocation) = "svc_resourcelocation" [56] |m, w, _cx, _id| m.code(w);
            /// Asks for a variable's value.
            SendCvarValue(SendCvarValue) = "svc_sendcvarvalue" [57] |m, w, _cx, _id| m.code(w);
            /// Asks for a variable's value, with a number.
            SendCvarValue2(SendCvarValue2) = "svc_sendcvarvalue2" [58] |m, w, _cx, _id| m.code(w);
            /// A configuration to be run.
            Exec(Exec) = "svc_exec" [59] |m, w, cx, _id| m.code(w, cx);
            /// A message of the game DLL, framed as `svc_newusermsg` announced it.
            User(UserMessage) = "user message" [FIRST_USER_MESSAGE] |m, w, cx, id| m.code(w, cx, id);
        }
    };
}

pub(crate) use messages;

messages! { declare_messages {
    /// One message of a server.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Message;
    /// Which message.
    pub enum MessageKind: u8;
} }

/// The kinds by number.
static KINDS: [Option<MessageKind>; 1 + FIRST_USER_MESSAGE as usize] = {
    let (mut kinds, mut at) = ([None; 1 + FIRST_USER_MESSAGE as usize], 0);
    while at < MessageKind::ALL.len() {
        let kind = MessageKind::ALL[at];
        kinds[kind.numbers()[0] as usize] = Some(kind);
        at += 1;
    }
    kinds
};

impl MessageKind {
    /// The kind of message that a number means.
    #[inline]
    pub fn of(id: u8) -> Option<MessageKind> {
        KINDS[usize::from(id.min(FIRST_USER_MESSAGE))]
    }
}

impl Message {
    /// Its number on the wire.
    #[inline]
    pub fn id(&self) -> u8 {
        match self {
            Message::User(message) => message.id,
            message => message.kind().numbers()[0],
        }
    }

    #[inline]
    fn code_payload<W: Wire>(&mut self, w: &mut W, context: &Context, id: u8) -> Result<(), W::Error> {
        messages! { match_message { self as Message, coder(w, context, id) else Ok(()) } }
    }
}

/// The engine's name for a message's number.
pub fn name(id: u8) -> &'static str {
    match MessageKind::of(id) {
        Some(kind) => kind.name(),
        None if id == 0 => "svc_bad",
        None => "no message",
    }
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
        self.shelf(id).pop().or_else(|| MessageKind::of(id).map(MessageKind::empty))
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
