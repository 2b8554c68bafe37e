//! The tree of any message.

use wire::Wire;

use super::*;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Relay: the one client it was for.
    pub unicast: Option<u8>,
    /// What it says.
    pub body: Body,
}

/// Declares the kinds of bodies once: the enum, its empty values and the way back to [`Op`].
macro_rules! bodies {
    ($($(#[$meta:meta])* $variant:ident $(($inner:ty))? ),* $(,)?) => {
        /// What a message says.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each is the message of the same name")]
        pub enum Body {
            $($(#[$meta])* $variant $(($inner))?),*
        }

        impl Body {
            /// An empty body of this kind.
            pub fn empty(op: Op) -> Body {
                match op {
                    $(Op::$variant => Body::$variant $((<$inner>::default()))?),*
                }
            }

            /// Its kind.
            pub fn op(&self) -> Op {
                match self {
                    $(Body::$variant { .. } => Op::$variant),*
                }
            }
        }
    };
}

bodies! {
    MuzzleFlash(MuzzleFlash),
    MuzzleFlash2(MuzzleFlash),
    TempEntity(Box<TempEntity>),
    Layout(Text),
    Inventory(Box<Inventory>),
    Nop,
    Disconnect,
    Reconnect,
    Sound(Sound),
    Print(Print),
    StuffText(Text),
    ServerData(Box<ServerData>),
    ConfigString(ConfigString),
    SpawnBaseline(Box<EntityDelta>),
    CenterPrint(Text),
    Download(Download),
    PlayerInfo(Box<PlayerDelta>),
    PacketEntities(PacketEntities),
    Frame(Box<Frame>),
    ZPacket(Box<Packed>),
    ZDownload(Download),
    Setting(Setting),
    GameState(GameState),
    ConfigStringStream(ConfigStrings),
    BaselineStream(GameState),
    KmFog(Fog),
    SplitClient(u8),
    ConfigBlast(Box<Packed>),
    BaselineBlast(Box<Packed>),
    LevelRestart(ConfigStrings),
    Damage(Vec<DamageDealt>),
    LocPrint(LocalisedPrint),
    Fog(Box<FogChange>),
    WaitingForPlayers(u8),
    BotChat(BotChat),
    Poi(Poi),
    HelpPath(HelpPath),
    MuzzleFlash3(MuzzleFlash),
    Achievement(Text),
}

impl Body {
    /// Reads or writes the body. `high`: the top three bits of the message's number, where the dialect uses them.
    #[inline]
    pub fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context, high: u8) -> Result<(), W::Error> {
        match self {
            Body::MuzzleFlash(flash) | Body::MuzzleFlash2(flash) => flash.code(w, 8),
            Body::MuzzleFlash3(flash) => flash.code(w, 16),
            Body::TempEntity(entity) => entity.code(w, cx),
            Body::Layout(text) | Body::StuffText(text) | Body::CenterPrint(text) | Body::Achievement(text) => text.code(w, "text"),
            Body::Inventory(inventory) => inventory.code(w),
            Body::Nop | Body::Disconnect | Body::Reconnect => Ok(()),
            Body::Sound(sound) => sound.code(w, cx),
            Body::Print(print) => print.code(w),
            Body::ServerData(data) => data.code(w),
            Body::ConfigString(string) => string.code(w),
            Body::SpawnBaseline(delta) => delta.code_baseline(w, cx),
            Body::Download(download) => download.code(w, cx, false),
            Body::ZDownload(download) => download.code(w, cx, true),
            Body::PlayerInfo(player) => player.code(w, cx, 0),
            Body::PacketEntities(entities) => entities.code(w, cx, false),
            Body::Frame(frame) => frame.code(w, cx, high),
            Body::ZPacket(packed) => packed.code(w, cx, Op::ZPacket),
            Body::ConfigBlast(packed) => packed.code(w, cx, Op::ConfigBlast),
            Body::BaselineBlast(packed) => packed.code(w, cx, Op::BaselineBlast),
            Body::Setting(setting) => setting.code(w),
            Body::GameState(state) => {
                state.strings.code(w, cx)?;
                state.code_baselines(w, cx)
            }
            Body::ConfigStringStream(strings) | Body::LevelRestart(strings) => strings.code(w, cx),
            Body::BaselineStream(state) => state.code_baselines(w, cx),
            Body::KmFog(fog) => fog.code(w),
            Body::SplitClient(number) | Body::WaitingForPlayers(number) => {
                *number = w.field("number", (*number).into(), 8)? as u8;
                Ok(())
            }
            Body::Damage(list) => rerelease::code_damage(w, list),
            Body::LocPrint(print) => print.code(w),
            Body::Fog(fog) => fog.code(w),
            Body::BotChat(chat) => chat.code(w),
            Body::Poi(poi) => poi.code(w),
            Body::HelpPath(path) => path.code(w),
        }
    }
}

impl Message {
    /// A message for everybody.
    pub fn new(body: Body) -> Self {
        Message { unicast: None, body }
    }

    /// Writes the message, number and all. The context moves on as it does when reading.
    pub fn write<W: Wire>(&mut self, w: &mut W, cx: &mut Context) -> Result<(), W::Error> {
        let op = self.body.op();
        let number = op.number(cx.dialect.numbering).unwrap_or(0);
        w.enter("number");
        match (&self.body, self.unicast) {
            (Body::Frame(frame), _) if frame.packed.is_some() => {
                w.bits(u32::from(number | frame.extra >> 4 << 5), 8)?;
            }
            (_, Some(client)) => {
                w.bits(u32::from(number | 0x80), 8)?;
                w.field("client", client.into(), 8)?;
            }
            _ => {
                w.bits(number.into(), 8)?;
            }
        }
        let high = match &self.body {
            Body::Frame(frame) => frame.extra >> 4,
            _ => 0,
        };
        w.scope(op.name(), None, |w| self.body.code(w, cx, high))?;
        cx.learn(&self.body);
        Ok(())
    }
}
