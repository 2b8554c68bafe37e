//! Messages that are a plain sequence of values, each declared once (`docs/formats/quake1.md`, "Messages").

use fragreel_base::wire::Wire;

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::{Angle, Coord, Entity, Float, Rest, ShortAngle, Sized16, Text, Value};
use crate::message::rerelease::Uleb;

/// Declares messages: the struct, and the one function that reads, writes and explains it.
macro_rules! bodies {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty $([$words:expr])?),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type),*
        }

        impl Body for $name {
            #[inline]
            #[allow(unused_variables, reason = "some messages are empty")]
            fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
                $(self.$field.code(w, stringify!($field), d)?;)*
                Ok(())
            }
        }
    )*};
}

/// The list of those messages, for `$each` to declare something of each. Words in brackets name the values of a field in text.
macro_rules! each_plain_message {
    ($each:ident) => {
        $each! {
            /// Padding.
            Nop {}
            /// A number of QuakeWorld's stats, 8 bits wide.
            StatByte {
                /// Which.
                stat: u8 [STATS],
                /// Its value.
                value: u8,
            }
            /// A stat, 32 bits wide.
            StatLong {
                /// Which.
                stat: u8 [STATS],
                /// Its value.
                value: i32,
            }
            /// A stat that is a float.
            StatFloat {
                /// Which.
                stat: u8 [STATS],
                /// Its value.
                value: Float,
            }
            /// A stat that is a string.
            StatString {
                /// Which.
                stat: u8 [STATS],
                /// Its value.
                value: Text,
            }
            /// The entity whose view the client has.
            SetView {
                /// The entity.
                entity: Entity,
            }
            /// QuakeWorld's server time.
            QwTime {
                /// Seconds.
                time: Float,
            }
            /// A line on the console, with its print level.
            QwPrint {
                /// 0 low, 1 medium, 2 high, 3 chat.
                level: u8 [PRINT_LEVELS],
                /// The line, or a part of one.
                text: Text,
            }
            /// A line on the console. Chat starts with the character 1.
            NqPrint {
                /// The line, or a part of one.
                text: Text,
            }
            /// Console commands for the client.
            StuffText {
                /// The commands.
                text: Text,
            }
            /// The appearance of a light style.
            LightStyle {
                /// Which.
                style: u8,
                /// Its pattern, `a` dark to `z` bright.
                pattern: Text,
            }
            /// A player's name.
            UpdateName {
                /// The player's slot.
                slot: u8,
                /// The name.
                name: Text,
            }
            /// A player's score.
            UpdateFrags {
                /// The player's slot.
                slot: u8,
                /// The score.
                frags: i16,
            }
            /// A player's colors.
            UpdateColors {
                /// The player's slot.
                slot: u8,
                /// Shirt in the high, trousers in the low half.
                colors: u8,
            }
            /// A player's round-trip time.
            UpdatePing {
                /// The player's slot.
                slot: u8,
                /// Milliseconds.
                ping: u16,
            }
            /// A player's packet loss.
            UpdateLoss {
                /// The player's slot.
                slot: u8,
                /// Per cent.
                loss: u8,
            }
            /// How long a player has been there.
            UpdateEnterTime {
                /// The player's slot.
                slot: u8,
                /// Seconds ago.
                seconds: Float,
            }
            /// A player's user info.
            UpdateUserInfo {
                /// The player's slot.
                slot: u8,
                /// A number that only this connection has.
                user_id: i32,
                /// Keys and values.
                userinfo: Text,
            }
            /// One key of a player's user info.
            SetInfo {
                /// The player's slot.
                slot: u8,
                /// The key.
                key: Text,
                /// Its new value.
                value: Text,
            }
            /// One key of the server's info.
            ServerInfoKey {
                /// The key.
                key: Text,
                /// Its new value.
                value: Text,
            }
            /// A part of a long value of a user's or the server's info.
            SetInfoBlob {
                /// 0 for the server, else a player's slot plus one.
                slot: u8,
                /// The key, encoded.
                key: Text,
                /// Where the part starts; bit 31 marks the last.
                offset: u32,
                /// The part.
                data: Sized16,
            }
            /// Stops a sound.
            StopSound {
                /// The entity times eight, plus the channel.
                channel: u16,
            }
            /// Particles.
            Particle {
                /// Where.
                origin: [Coord; 3],
                /// Which way, in sixteenths.
                direction: [i8; 3],
                /// How many; 255 for an explosion.
                count: u8,
                /// In which color.
                color: u8,
            }
            /// Particles of Hexen II, with a range of directions.
            Particle2 {
                /// Where.
                origin: [Coord; 3],
                /// Least direction.
                direction_min: [Float; 3],
                /// Greatest direction.
                direction_max: [Float; 3],
                /// In which color.
                color: u16,
                /// How many.
                count: u8,
                /// Which effect.
                effect: u8,
            }
            /// Particles of Hexen II, within a box.
            Particle3 {
                /// Where.
                origin: [Coord; 3],
                /// The box.
                size: [u8; 3],
                /// In which color.
                color: u16,
                /// How many.
                count: u8,
                /// Which effect.
                effect: u8,
            }
            /// Particles of Hexen II, within a ball.
            Particle4 {
                /// Where.
                origin: [Coord; 3],
                /// The ball.
                radius: u8,
                /// In which color.
                color: u16,
                /// How many.
                count: u8,
                /// Which effect.
                effect: u8,
            }
            /// The client's player was hurt.
            Damage {
                /// Damage to the armor.
                armor: u8,
                /// Damage to the health.
                blood: u8,
                /// Where it came from.
                origin: [Coord; 3],
            }
            /// The game is paused or goes on.
            SetPause {
                /// Whether it is paused.
                paused: u8,
            }
            /// The stage of a connecting client's signon.
            SignonNum {
                /// The step, 1 to 4.
                stage: u8,
            }
            /// A line in the middle of the screen.
            CenterPrint {
                /// The text.
                text: Text,
            }
            /// A monster died.
            KilledMonster {}
            /// A secret was found.
            FoundSecret {}
            /// A sound that never ends, with 16 bits of number.
            WideStaticSound {
                /// Where.
                origin: [Coord; 3],
                /// Which sound.
                sound: u16,
                /// How loud.
                volume: u8,
                /// How fast it fades with distance, in 64ths.
                attenuation: u8,
            }
            /// QuakeWorld's intermission, with its camera.
            QwIntermission {
                /// Where the camera is.
                origin: [Coord; 3],
                /// Where it looks.
                angles: [Angle; 3],
            }
            /// NetQuake's intermission.
            NqIntermission {}
            /// The end of an episode.
            Finale {
                /// The text.
                text: Text,
            }
            /// A scene with text.
            CutScene {
                /// The text.
                text: Text,
            }
            /// QuakeWorld's music.
            QwCdTrack {
                /// The track.
                track: u8,
            }
            /// NetQuake's music.
            NqCdTrack {
                /// The track.
                track: u8,
                /// What follows it.
                loop_track: u8,
            }
            /// The advertisement of the shareware version.
            SellScreen {}
            /// The view is kicked a little.
            SmallKick {}
            /// The view is kicked.
            BigKick {}
            /// A weapon flashes.
            MuzzleFlash {
                /// Whose.
                entity: Entity,
            }
            /// Packets were held back.
            ChokeCount {
                /// How many.
                packets: u8,
            }
            /// The player's greatest speed.
            MaxSpeed {
                /// Units per second.
                speed: Float,
            }
            /// The player's gravity.
            EntGravity {
                /// As a factor.
                gravity: Float,
            }
            /// The sky's texture.
            SkyBox {
                /// Its name.
                name: Text,
            }
            /// The screen flashes.
            BonusFlash {}
            /// FitzQuake's fog.
            Fog {
                /// Density in 255ths.
                density: u8,
                /// Red, green, blue.
                color: [u8; 3],
                /// Hundredths of a second until it is reached.
                time: u16,
            }
            /// Nehahra's sky size.
            SkyBoxSize {
                /// The size.
                size: Coord,
            }
            /// Nehahra's picture.
            ShowPic {
                /// The slot's name.
                slot: Text,
                /// The picture's name.
                picture: Text,
                /// Where, from the left.
                x: u8,
                /// Where, from the top.
                y: u8,
            }
            /// A picture is taken away.
            HidePic {
                /// The slot's name.
                slot: Text,
            }
            /// FTE's picture.
            FteShowPic {
                /// Which corner it belongs to.
                zone: u8,
                /// The slot's name.
                slot: Text,
                /// The picture's name.
                picture: Text,
                /// Where, from the left.
                x: i16,
                /// Where, from the top.
                y: i16,
            }
            /// FTE's picture moves.
            FteMovePic {
                /// Which corner it belongs to.
                zone: u8,
                /// The slot's name.
                slot: Text,
                /// Where, from the left.
                x: i16,
                /// Where, from the top.
                y: i16,
            }
            /// FTE's picture changes.
            FteUpdatePic {
                /// The slot's name.
                slot: Text,
                /// The picture's name.
                picture: Text,
            }
            /// A sprite plays its frames once.
            Effect {
                /// Where.
                origin: [Coord; 3],
                /// Which model.
                model: u8,
                /// First frame.
                first_frame: u8,
                /// How many.
                frames: u8,
                /// Per second.
                rate: u8,
            }
            /// A sprite plays its frames once, with wide numbers.
            Effect2 {
                /// Where.
                origin: [Coord; 3],
                /// Which model.
                model: u16,
                /// First frame.
                first_frame: u16,
                /// How many.
                frames: u8,
                /// Per second.
                rate: u8,
            }
            /// A file is announced in the middle of a level.
            Precache {
                /// The kind in the upper two bits, the number below.
                code: u16,
                /// The file.
                name: Text,
            }
            /// A trail of a named effect.
            TrailParticles {
                /// Whose trail.
                entity: Entity,
                /// Which effect.
                effect: u16,
                /// From here.
                start: [Coord; 3],
                /// To here.
                end: [Coord; 3],
            }
            /// A named effect.
            PointParticles {
                /// Which effect.
                effect: u16,
                /// Where.
                origin: [Coord; 3],
                /// How fast.
                velocity: [Coord; 3],
                /// How many.
                count: u16,
            }
            /// A named effect, once and at rest.
            PointParticles1 {
                /// Which effect.
                effect: u16,
                /// Where.
                origin: [Coord; 3],
            }
            /// The game code's own message with its length in front.
            SizedGamePacket {
                /// The message.
                data: Sized16,
            }
            /// The view is turned.
            SetAngleDelta {
                /// By how much.
                angles: [ShortAngle; 3],
            }
            /// Speech.
            VoiceChat {
                /// Who speaks.
                sender: u8,
                /// Which speech.
                generation: u8,
                /// Which part of it.
                sequence: u8,
                /// Compressed sound.
                data: Sized16,
            }
            /// The next message is for this seat of a split screen.
            ChooseSeat {
                /// The seat.
                seat: u8,
            }
            /// A file's contents, DarkPlaces' way.
            DownloadData {
                /// Their offset in the file.
                start: u32,
                /// The contents.
                data: Sized16,
            }
            /// The re-release's round-trip time.
            QexPing {
                /// The player's slot.
                slot: u8,
                /// Milliseconds, signed.
                ping: Uleb,
            }
            /// The re-release's link to an account.
            QexSocial {
                /// The player's slot.
                slot: u8,
                /// The account, as two numbers.
                account: [u32; 2],
            }
            /// A player's health and armor.
            QexPlayer {
                /// His slot.
                slot: u8,
                /// Health, signed.
                health: Uleb,
                /// Armor, signed.
                armor: Uleb,
            }
            /// The last input that the server has processed.
            QexSequence {
                /// Its number.
                sequence: Uleb,
            }
            /// An achievement.
            QexAchievement {
                /// What.
                name: Text,
            }
            /// Chat with its speaker.
            QexChat {
                /// The speaker's color.
                name_color: u8,
                /// 0 to all, 1 to the team.
                text_color: u8,
                /// The speaker.
                name: Text,
                /// The text.
                text: Text,
            }
            /// The game code's own message: only the mod knows its length.
            GamePacket {
                /// Everything up to the end of the packet.
                data: Rest,
            }
            /// The game code's own entities: only the mod knows their length.
            CsqcEntities {
                /// Everything up to the end of the packet.
                data: Rest,
            }
            /// Changes to the level's brushes.
            BrushEdit {
                /// Everything up to the end of the packet.
                data: Rest,
            }
            /// Entities of DarkPlaces.
            DpEntities {
                /// Everything up to the end of the packet.
                data: Rest,
            }
        }
    };
}

pub(crate) use each_plain_message;

each_plain_message!(bodies);

/// An unknown message, and the rest of its packet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Its number.
    pub number: u8,
    /// Everything up to the end of the packet.
    pub data: Rest,
}

impl Body for Unknown {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.data.code(w, "data", d)
    }
}

/// A temporary entity with its length in front.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SizedTempEntity {
    /// Whether it is spelled as in NetQuake.
    pub netquake: bool,
    /// The temporary entity.
    pub data: Vec<u8>,
}

impl Body for SizedTempEntity {
    fn code<W: Wire>(&mut self, w: &mut W, _: &Dialect) -> Result<(), W::Error> {
        let size = w.field("size", self.data.len() as u32 & 0x7fff | u32::from(self.netquake) << 15, 16)?;
        self.netquake = size & 0x8000 != 0;
        w.enter("data");
        w.octets(&mut self.data, (size & 0x7fff) as usize)
    }
}
