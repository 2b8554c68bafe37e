//! Messages: the list, declared once, and the one function that reads, writes and explains any of them
//! (`docs/formats/quake1.md`, "Messages").

mod baseline;
mod bodies;
mod body;
mod csqc;
mod custom_effect;
mod disconnect;
mod download;
mod entities;
mod fog;
mod fte;
pub(crate) mod hidden;
pub(crate) mod hot_path;
mod light_style;
mod nails;
mod packet;
mod player;
mod portal;
mod primitive;
mod rerelease;
mod server_data;
mod sound;
mod split_screen;
pub(crate) mod temp_entity;
mod update;
mod view;

pub use baseline::*;
pub use bodies::*;
pub use body::Body;
pub(crate) use csqc::*;
pub(crate) use custom_effect::*;
pub use disconnect::*;
pub use download::*;
pub(crate) use entities::EVENMORE_EXTENSIONS;
pub use entities::*;
pub(crate) use fog::*;
pub use fte::SpawnBaseline2;
pub(crate) use fte::*;
pub(crate) use light_style::*;
pub(crate) use nails::*;
pub(crate) use packet::end_of_recording;
pub use packet::{Packet, PacketHeader, code_packet, encoded_length, is_frame};
pub use player::*;
pub(crate) use portal::*;
pub use primitive::*;
pub(crate) use rerelease::*;
pub use server_data::*;
pub use sound::*;
pub use split_screen::*;
pub(crate) use temp_entity::TempEntity;
pub use update::*;
pub use view::*;

use fragreel_base::wire::Wire;
use fragreel_base::{declare_messages, match_message};

use crate::dialect::{Dialect, Stream, message_rules};

const fn at(number: u8) -> Option<u8> {
    Some(number)
}
const NONE: Option<u8> = None;

/// Every message, declared once: variant, body, name, and its number in QuakeWorld and in NetQuake. `$make` makes something of the list.
macro_rules! messages {
    ($make:ident $with:tt) => {
        $make! {
            $with
            Nop(Nop)                                 = "nop"                   [at(1), at(1)];
            Disconnect(Disconnect)                   = "disconnect"            [at(2), at(2)];
            StatByte(StatByte)                       = "updatestat"            [at(3), at(51)];
            StatLong(StatLong)                       = "updatestatlong"        [at(38), at(3)];
            Version(Version)                         = "version"               [NONE, at(4)];
            SetView(SetView)                         = "setview"               [at(5), at(5)];
            QwSound(QwSound)                         = "sound"                 [at(6), NONE];
            NqSound(NqSound)                         = "soundextended"         [at(55), at(6)];
            QwTime(QwTime)                           = "time"                  [at(7), NONE];
            NqTime(NqTime)                           = "time"                  [NONE, at(7)];
            QwPrint(QwPrint)                         = "print"                 [at(8), NONE];
            NqPrint(NqPrint)                         = "print"                 [NONE, at(8)];
            StuffText(StuffText)                     = "stufftext"             [at(9), at(9)];
            SetAngle(SetAngle)                       = "setangle"              [at(10), at(10)];
            ServerData(ServerData)                   = "serverdata"            [at(11), NONE];
            ServerInfo(ServerInfo)                   = "serverinfo"            [NONE, at(11)];
            LightStyle(LightStyle)                   = "lightstyle"            [at(12), at(12)];
            UpdateName(UpdateName)                   = "updatename"            [NONE, at(13)];
            UpdateFrags(UpdateFrags)                 = "updatefrags"           [at(14), at(14)];
            ClientData(ClientData)                   = "clientdata"            [NONE, at(15)];
            StopSound(StopSound)                     = "stopsound"             [at(16), at(16)];
            UpdateColors(UpdateColors)               = "updatecolors"          [NONE, at(17)];
            Particle(Particle)                       = "particle"              [at(18), at(18)];
            Damage(Damage)                           = "damage"                [at(19), at(19)];
            Static(Static)                           = "spawnstatic"           [at(20), at(20)];
            SpawnStatic2(SpawnStatic2)               = "spawnstatic2"          [at(21), at(21)];
            ClassicStatic(ClassicDelta)              = "spawnstatic2"          [NONE, NONE];
            Baseline(Baseline)                       = "spawnbaseline"         [at(22), at(22)];
            TempEntity(TempEntity)                   = "temp_entity"           [at(23), at(23)];
            SetPause(SetPause)                       = "setpause"              [at(24), at(24)];
            SignonNum(SignonNum)                     = "signonnum"             [NONE, at(25)];
            SplitScreenConfig(Seats)                 = "splitscreenconfig"     [at(25), NONE];
            CenterPrint(CenterPrint)                 = "centerprint"           [at(26), at(26)];
            KilledMonster(KilledMonster)             = "killedmonster"         [at(27), at(27)];
            FoundSecret(FoundSecret)                 = "foundsecret"           [at(28), at(28)];
            StaticSound(StaticSound)                 = "spawnstaticsound"      [at(29), at(29)];
            QwIntermission(QwIntermission)           = "intermission"          [at(30), NONE];
            NqIntermission(NqIntermission)           = "intermission"          [NONE, at(30)];
            Finale(Finale)                           = "finale"                [at(31), at(31)];
            QwCdTrack(QwCdTrack)                     = "cdtrack"               [at(32), NONE];
            NqCdTrack(NqCdTrack)                     = "cdtrack"               [NONE, at(32)];
            SellScreen(SellScreen)                   = "sellscreen"            [at(33), at(33)];
            CutScene(CutScene)                       = "cutscene"              [NONE, at(34)];
            SmallKick(SmallKick)                     = "smallkick"             [at(34), NONE];
            BigKick(BigKick)                         = "bigkick"               [at(35), NONE];
            ShowPic(ShowPic)                         = "showlmp"               [NONE, at(35)];
            HidePic(HidePic)                         = "hidelmp"               [NONE, at(36)];
            UpdatePing(UpdatePing)                   = "updateping"            [at(36), NONE];
            UpdateEnterTime(UpdateEnterTime)         = "updateentertime"       [at(37), NONE];
            SkyBox(SkyBox)                           = "skybox"                [NONE, at(37)];
            MuzzleFlash(MuzzleFlash)                 = "muzzleflash"           [at(39), NONE];
            UpdateUserInfo(UpdateUserInfo)           = "updateuserinfo"        [at(40), NONE];
            BonusFlash(BonusFlash)                   = "bf"                    [NONE, at(40)];
            Download(Download)                       = "download"              [at(41), NONE];
            Fog(Fog)                                 = "fog"                   [NONE, at(41)];
            PlayerInfo(PlayerInfo)                   = "playerinfo"            [at(42), NONE];
            ViewPlayer(ViewPlayer)                   = "playerinfo"            [NONE, NONE];
            FitzBaseline(FitzBaseline)               = "spawnbaseline2"        [NONE, at(42)];
            FitzStatic(FitzAppearance)               = "spawnstatic2"          [NONE, at(43)];
            FitzStaticSound(WideStaticSound)         = "spawnstaticsound2"     [NONE, at(44)];
            Nails(Nails)                             = "nails"                 [at(43), NONE];
            ChokeCount(ChokeCount)                   = "chokecount"            [at(44), NONE];
            ModelList(FileList)                      = "modellist"             [at(45), NONE];
            SoundList(FileList)                      = "soundlist"             [at(46), NONE];
            PacketEntities(PacketEntities)           = "packetentities"        [at(47), NONE];
            DeltaPacketEntities(DeltaPacketEntities) = "deltapacketentities"   [at(48), NONE];
            MaxSpeed(MaxSpeed)                       = "maxspeed"              [at(49), NONE];
            EntGravity(EntGravity)                   = "entgravity"            [at(50), NONE];
            DownloadData(DownloadData)               = "downloaddata"          [NONE, at(50)];
            SkyBoxSize(SkyBoxSize)                   = "skyboxsize"            [NONE, NONE];
            NehahraFog(NehahraFog)                   = "fog"                   [NONE, NONE];
            SetInfo(SetInfo)                         = "setinfo"               [at(51), NONE];
            ServerInfoKey(ServerInfoKey)             = "serverinfo"            [at(52), NONE];
            Effect(Effect)                           = "effect"                [at(74), at(52)];
            UpdateLoss(UpdateLoss)                   = "updatepl"              [at(53), NONE];
            Effect2(Effect2)                         = "effect2"               [at(75), at(53)];
            Nails2(Nails2)                           = "nails2"                [at(54), NONE];
            Precache(Precache)                       = "precache"              [at(77), at(54)];
            DpBaseline(DpBaseline)                   = "spawnbaseline2"        [NONE, at(55)];
            DpStatic(DpStatic)                       = "spawnstatic2"          [NONE, at(56)];
            SoundListShort(WideFileList)             = "soundlistshort"        [at(56), NONE];
            LightStyleColor(LightStyleColor)         = "lightstylecol"         [at(57), NONE];
            DpEntities(DpEntities)                   = "entities"              [NONE, at(57)];
            CsqcEntities(CsqcEntities)               = "csqcentities"          [at(76), at(58)];
            DpStaticSound(WideStaticSound)           = "spawnstaticsound2"     [NONE, at(59)];
            ModelListShort(WideFileList)             = "modellistshort"        [at(60), NONE];
            SetPortalState(SetPortalState)           = "setportalstate"        [at(62), NONE];
            Particle2(Particle2)                     = "particle2"             [at(63), NONE];
            Particle3(Particle3)                     = "particle3"             [at(64), NONE];
            Particle4(Particle4)                     = "particle4"             [at(65), NONE];
            SpawnBaseline2(SpawnBaseline2)           = "spawnbaseline2"        [at(66), at(66)];
            ClassicBaseline(ClassicDelta)            = "spawnbaseline2"        [NONE, NONE];
            CustomEffect(CustomEffect)               = "customtempent"         [at(67), NONE];
            ChooseSeat(ChooseSeat)                   = "choosesplitclient"     [at(68), NONE];
            FteShowPic(FteShowPic)                   = "showpic"               [at(69), NONE];
            FteHidePic(HidePic)                      = "hidepic"               [at(70), NONE];
            FteMovePic(FteMovePic)                   = "movepic"               [at(71), NONE];
            FteUpdatePic(FteUpdatePic)               = "updatepic"             [at(72), NONE];
            StatString(StatString)                   = "updatestatstring"      [at(78), at(78)];
            StatFloat(StatFloat)                     = "updatestatfloat"       [at(79), at(79)];
            TrailParticles(TrailParticles)           = "trailparticles"        [at(80), at(60)];
            PointParticles(PointParticles)           = "pointparticles"        [at(81), at(61)];
            PointParticles1(PointParticles1)         = "pointparticles1"       [at(82), at(62)];
            GamePacket(GamePacket)                   = "cgamepacket"           [at(83), at(83)];
            VoiceChat(VoiceChat)                     = "voicechat"             [at(84), at(84)];
            SetAngleDelta(SetAngleDelta)             = "setangledelta"         [at(85), at(85)];
            UpdateEntities(UpdateEntities)           = "updateentities"        [at(86), at(86)];
            BrushEdit(BrushEdit)                     = "brushedit"             [at(87), NONE];
            UpdateSeats(Seats)                       = "updateseats"           [at(88), NONE];
            SetInfoBlob(SetInfoBlob)                 = "setinfoblob"           [at(89), NONE];
            SizedGamePacket(SizedGamePacket)         = "cgamepacket_sized"     [at(90), at(90)];
            SizedTempEntity(SizedTempEntity)         = "temp_entity_sized"     [at(91), at(91)];
            SizedCsqcEntities(SizedCsqcEntities)     = "csqcentities_sized"    [at(92), at(92)];
            SetAngleBase(SetAngleBase)               = "setanglebase"          [at(93), at(93)];
            SpawnStaticSound2(FlaggedStaticSound)    = "spawnstaticsound2"     [at(94), NONE];
            QexPing(QexPing)                         = "updateping"            [NONE, at(46)];
            QexSocial(QexSocial)                     = "updatesocial"          [NONE, at(47)];
            QexPlayer(QexPlayer)                     = "updateplinfo"          [NONE, at(48)];
            QexPrint(Strings)                        = "locprint"              [NONE, at(49)];
            QexServerVars(ServerVars)                = "servervars"            [NONE, NONE];
            QexSequence(QexSequence)                 = "seq"                   [NONE, NONE];
            QexAchievement(QexAchievement)           = "achievement"           [NONE, NONE];
            QexChat(QexChat)                         = "chat"                  [NONE, NONE];
            QexLevelCompleted(LevelCompleted)        = "levelcompleted"        [NONE, NONE];
            QexPrompt(Prompt)                        = "prompt"                [NONE, NONE];
            QexCenterPrint(Strings)                  = "loccenterprint"        [NONE, NONE];
            FastUpdate(FastUpdate)                   = "update"                [NONE, NONE];
            Unknown(Unknown)                         = "unknown"               [NONE, NONE];
        }
    };
}

pub(crate) use messages;

messages! { declare_messages {
    /// A server message.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[allow(missing_docs, reason = "each variant is documented on its body")]
    #[allow(clippy::large_enum_variant, reason = "kept in place and reused, never in a tree that grows with the file")]
    pub enum Message;
    /// Which message.
    #[allow(missing_docs, reason = "each variant is documented on its body")]
    pub enum MessageKind: Option<u8>;
} }

impl MessageKind {
    /// Its number in NetQuake or in QuakeWorld.
    #[inline]
    const fn number(self, netquake: bool) -> Option<u8> {
        self.numbers()[netquake as usize]
    }
}

/// FTE's sound that never ends: flags say how wide its number is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlaggedStaticSound {
    /// 1: the number has 16 bits.
    pub flags: u8,
    /// Where.
    pub origin: [Coord; 3],
    /// Which sound.
    pub sound: u16,
    /// How loud.
    pub volume: u8,
    /// How fast it fades with distance, in 64ths.
    pub attenuation: u8,
}

impl Body for FlaggedStaticSound {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.flags.code(w, "flags", d)?;
        w.expect(self.flags < 2, "unknown flags of a static sound")?;
        self.origin.code(w, "origin", d)?;
        let width = if self.flags != 0 { 16 } else { 8 };
        self.sound = w.field("sound", u32::from(self.sound), width)? as u16;
        self.volume.code(w, "volume", d)?;
        self.attenuation.code(w, "attenuation", d)
    }
}

/// Kinds by number.
type Numbers = [MessageKind; 256];

const fn by_number(netquake: bool) -> Numbers {
    let mut table = [MessageKind::Unknown; 256];
    let mut i = 0;
    while i < MessageKind::ALL.len() {
        let kind = MessageKind::ALL[i];
        let number = kind.number(netquake);
        if let Some(number) = number {
            table[number as usize] = kind;
        }
        i += 1;
    }
    if netquake {
        i = 128;
        while i < 256 {
            table[i] = MessageKind::FastUpdate;
            i += 1;
        }
    }
    table
}

/// A kind that takes the number of another: the kind, the other, and by which of the dialect's rules.
type Replaces = (MessageKind, MessageKind, u8);
const REPLACES: [Replaces; 12] = [
    (MessageKind::ViewPlayer, MessageKind::PlayerInfo, message_rules::MULTI_VIEW),
    (MessageKind::ClassicBaseline, MessageKind::SpawnBaseline2, message_rules::CLASSIC_DELTAS),
    (MessageKind::ClassicStatic, MessageKind::SpawnStatic2, message_rules::CLASSIC_DELTAS),
    (MessageKind::SkyBoxSize, MessageKind::DownloadData, message_rules::NEHAHRA),
    (MessageKind::NehahraFog, MessageKind::StatByte, message_rules::NEHAHRA),
    (MessageKind::QexServerVars, MessageKind::DownloadData, message_rules::RERELEASE),
    (MessageKind::QexSequence, MessageKind::StatByte, message_rules::MAY_BE_RERELEASE),
    (MessageKind::QexAchievement, MessageKind::Effect, message_rules::RERELEASE),
    (MessageKind::QexChat, MessageKind::Effect2, message_rules::RERELEASE),
    (MessageKind::QexLevelCompleted, MessageKind::Precache, message_rules::RERELEASE),
    (MessageKind::QexPrompt, MessageKind::DpEntities, message_rules::RERELEASE),
    (MessageKind::QexCenterPrint, MessageKind::CsqcEntities, message_rules::RERELEASE),
];

/// The kinds by number, for every combination of rules.
static NUMBERS: [Numbers; message_rules::COUNT] = all_numbers();

const fn all_numbers() -> [Numbers; message_rules::COUNT] {
    let (quakeworld, netquake) = (by_number(false), by_number(true));
    let mut tables = [quakeworld; message_rules::COUNT];
    let mut rules = 0;
    while rules < message_rules::COUNT {
        let is_netquake = rules as u8 & message_rules::NETQUAKE != 0;
        if is_netquake {
            tables[rules] = netquake;
        }
        // the first rule that applies counts
        let mut at = REPLACES.len();
        while at > 0 {
            at -= 1;
            let (new, old, rule) = REPLACES[at];
            let number = old.number(is_netquake);
            if let (Some(number), true) = (number, rules as u8 & rule != 0) {
                tables[rules][number as usize] = new;
            }
        }
        rules += 1;
    }
    tables
}

impl Dialect {
    /// The kind of message that a number means.
    #[inline(always)]
    pub fn message(&self, number: u8) -> MessageKind {
        NUMBERS[usize::from(self.message_rules) % message_rules::COUNT][usize::from(number)]
    }
}

impl MessageKind {
    /// The kind whose number it has.
    fn numbered(self) -> MessageKind {
        REPLACES.iter().find(|(new, ..)| *new == self).map_or(self, |(_, old, _)| *old)
    }

    /// Whether some dialect of a stream has it.
    pub(crate) fn exists(self, stream: Stream) -> bool {
        let base = self.numbered();
        let number = base.number(stream == Stream::NetQuake);
        match self {
            MessageKind::FastUpdate => stream == Stream::NetQuake,
            MessageKind::Unknown => true,
            MessageKind::PlayerInfo => stream == Stream::QuakeWorld,
            MessageKind::ViewPlayer => stream == Stream::MultiView,
            _ => number.is_some(),
        }
    }

    /// True if it consumes the rest of its packet.
    pub(crate) fn consumes_rest(self, d: &Dialect) -> bool {
        match self {
            MessageKind::Unknown | MessageKind::GamePacket | MessageKind::CsqcEntities | MessageKind::BrushEdit | MessageKind::DpEntities => true,
            MessageKind::Disconnect => !d.is_netquake(),
            _ => false,
        }
    }
}

impl Message {
    #[inline(always)]
    fn body<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        messages! { match_message { self as Message, method code(w, d) } }
    }

    /// True if its number means it in a dialect.
    pub(crate) fn belongs(&self, d: &Dialect) -> bool {
        self.kind().exists(d.numbers.stream) && d.message(self.number(d) as u8) == self.kind()
    }

    /// Its stable name.
    pub(crate) fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Its number.
    #[inline]
    fn number(&self, d: &Dialect) -> u32 {
        let kind = match self {
            Message::Unknown(unknown) => return u32::from(unknown.number),
            Message::FastUpdate(update) => return update.mask & 255,
            message => message.kind().numbered(),
        };
        let number = kind.number(d.is_netquake());
        debug_assert!(number.is_some(), "{} does not exist in this dialect", self.name());
        u32::from(number.unwrap_or_default())
    }

    /// True if only the mod knows its format. The rest of its packet stays opaque.
    pub(crate) fn is_opaque(&self) -> bool {
        matches!(self, Message::Unknown(_) | Message::GamePacket(_) | Message::CsqcEntities(_) | Message::BrushEdit(_) | Message::DpEntities(_))
    }

    /// True if it changes how later messages are read.
    #[inline]
    pub(crate) fn changes_dialect(&self) -> bool {
        matches!(
            self,
            Message::ServerData(_)
                | Message::ServerInfo(_)
                | Message::Version(_)
                | Message::QexPing(_)
                | Message::QexSocial(_)
                | Message::QexPlayer(_)
                | Message::QexPrint(_)
                | Message::QexSequence(_)
                | Message::CustomEffect(_)
        )
    }

    /// True if it states the dialect, instead of only revealing it.
    pub(crate) fn states_dialect(&self) -> bool {
        matches!(self, Message::ServerData(_) | Message::ServerInfo(_) | Message::Version(_) | Message::CustomEffect(_))
    }

    /// Applies its changes to the dialect.
    pub fn apply_to_dialect(&self, d: &mut Dialect) {
        match self {
            Message::ServerData(data) => d.adopt_server_data(data),
            Message::ServerInfo(info) => d.adopt_server_info(info),
            Message::Version(version) => d.adopt_version(version),
            Message::QexPing(_) | Message::QexSocial(_) | Message::QexPlayer(_) | Message::QexPrint(_) | Message::QexSequence(_) => d.turn_to_rerelease(),
            Message::CustomEffect(effect) if effect.kind == CustomEffect::DEFINITION => d.define_effect(effect.defined, effect.style),
            _ => {}
        }
    }
}

/// Reads or writes one message. Reading reuses the buffers of a `message` of the same kind.
/// The caller then calls [`apply_to_dialect`](Message::apply_to_dialect).
#[inline]
pub fn code<W: Wire>(w: &mut W, d: &Dialect, message: &mut Message) -> Result<(), W::Error> {
    let number = w.field("message", if W::READING { 0 } else { message.number(d) }, 8)?;
    if W::READING {
        let kind = d.message(number as u8);
        w.note(|| kind.name().to_owned());
        if message.kind() != kind {
            *message = kind.empty();
        }
        body_of(w, d, message, number)
    } else {
        message.body(w, d)
    }
}

/// Reads the fields after a message's number into a message of that kind.
#[inline]
pub(crate) fn body_of<W: Wire>(w: &mut W, d: &Dialect, message: &mut Message, number: u32) -> Result<(), W::Error> {
    match message {
        Message::FastUpdate(update) => update.mask = number,
        Message::Unknown(unknown) => unknown.number = number as u8,
        _ => {}
    }
    let name = message.kind().name();
    w.scope(name, None, |w| message.body(w, d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_given_twice() {
        for netquake in [false, true] {
            let mut seen = [None; 256];
            for &kind in MessageKind::ALL {
                let number = kind.number(netquake);
                if let Some(number) = number {
                    assert_eq!(seen[usize::from(number)].replace(kind), None, "{number} is {kind:?}, too");
                }
            }
        }
    }
}
