//! Messages whose value changes with time, as the server would send them later (`docs/formats/goldsrc.md`, "Editing").

use super::decals::CORPSE;

/// How the value of a message changes with time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimedEffect {
    /// It does not change.
    Never,
    /// Seconds left, counted down.
    RoundTime,
    /// A color over the screen that fades in or out.
    ScreenFade,
    /// An animation that starts after a delay.
    Corpse,
}

impl TimedEffect {
    /// The effect of the user message of this name.
    pub(crate) fn of(name: &[u8]) -> Self {
        match name {
            b"RoundTime" => TimedEffect::RoundTime,
            b"ScreenFade" => TimedEffect::ScreenFade,
            CORPSE => TimedEffect::Corpse,
            _ => TimedEffect::Never,
        }
    }

    /// The message's data after `seconds`. `None` if the effect has ended.
    pub(crate) fn later(self, data: &[u8], seconds: f32) -> Option<Vec<u8>> {
        let mut data = data.to_vec();
        match self {
            TimedEffect::Never => {}
            TimedEffect::RoundTime => {
                if let Some(left) = data.first_chunk_mut::<2>() {
                    *left = ((f32::from(i16::from_le_bytes(*left)) - seconds).round().max(0.0) as i16).to_le_bytes();
                }
            }
            TimedEffect::ScreenFade => {
                if let Some(fade) = data.first_chunk_mut::<10>() {
                    *fade = Fade::read(fade).later(seconds)?.bytes();
                }
            }
            TimedEffect::Corpse => corpse(&mut data, seconds),
        }
        Some(data)
    }
}

/// Counter-Strike: model, place, angles, the hundredths of a second until the animation starts, four bytes.
fn corpse(data: &mut [u8], seconds: f32) {
    let Some(behind) = data.iter().position(|&byte| byte == 0).map(|end| end + 1) else { return };
    if data.len() == behind + 26
        && let Some(delay) = data[behind + 18..].first_chunk_mut::<4>()
    {
        *delay = i32::from_le_bytes(*delay).saturating_sub((seconds * 100.0) as i32).to_le_bytes();
    }
}

/// A screen fade. `duration` and `hold` are in 4096ths of a second, or in 256ths with [`LONG`].
struct Fade {
    duration: u16,
    hold: u16,
    flags: u16,
    color: [u8; 4],
}

const OUT: u16 = 1;
const STAY: u16 = 4;
const LONG: u16 = 8;

impl Fade {
    fn read(bytes: &[u8; 10]) -> Self {
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Fade { duration: word(0), hold: word(2), flags: word(4), color: [bytes[6], bytes[7], bytes[8], bytes[9]] }
    }

    fn bytes(&self) -> [u8; 10] {
        let [duration, hold, flags] = [self.duration, self.hold, self.flags].map(u16::to_le_bytes);
        let [red, green, blue, alpha] = self.color;
        [duration[0], duration[1], hold[0], hold[1], flags[0], flags[1], red, green, blue, alpha]
    }

    /// The fade after `seconds`. With [`OUT`] the color fades in and then holds; otherwise it holds and then fades out.
    fn later(mut self, seconds: f32) -> Option<Self> {
        let units = (seconds * if self.flags & LONG == 0 { 4096.0 } else { 256.0 }) as u32;
        let rest = |whole: u16, past: u32| u32::from(whole).saturating_sub(past) as u16;
        if self.flags & OUT != 0 {
            self.hold = rest(self.hold, units.saturating_sub(u32::from(self.duration)));
            self.duration = rest(self.duration, units);
        } else {
            let left = rest(self.duration, units.saturating_sub(u32::from(self.hold)));
            self.hold = rest(self.hold, units);
            if self.flags & STAY == 0 && left < self.duration {
                self.color[3] = (u32::from(self.color[3]) * u32::from(left) / u32::from(self.duration)) as u8;
            }
            self.duration = left;
        }
        (self.flags & STAY != 0 || self.duration > 0 || self.hold > 0).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(duration: u16, hold: u16, flags: u16, seconds: f32) -> Option<(u16, u16, u8)> {
        let fade = Fade { duration, hold, flags, color: [255, 255, 255, 200] };
        TimedEffect::ScreenFade.later(&fade.bytes(), seconds).map(|data| {
            let fade = Fade::read(data.first_chunk().unwrap());
            assert_eq!(fade.flags, flags);
            (fade.duration, fade.hold, fade.color[3])
        })
    }

    #[test]
    fn fades_go_on_where_they_were() {
        // a flash: two seconds of white, which then goes within four
        assert_eq!(later(4 << 12, 2 << 12, 0, 0.5), Some((4 << 12, 3 << 11, 200)));
        assert_eq!(later(4 << 12, 2 << 12, 0, 3.0), Some((3 << 12, 0, 150)));
        assert_eq!(later(4 << 12, 2 << 12, 0, 6.0), None);
        // black that comes within a second and holds for another
        assert_eq!(later(1 << 12, 1 << 12, OUT, 0.25), Some((3 << 10, 1 << 12, 200)));
        assert_eq!(later(1 << 12, 1 << 12, OUT, 1.5), Some((0, 1 << 11, 200)));
        assert_eq!(later(1 << 12, 1 << 12, OUT, 2.0), None);
        // what stays, stays; long fades count in 256ths
        assert_eq!(later(1 << 12, 0, OUT | STAY, 100.0), Some((0, 0, 200)));
        assert_eq!(later(1 << 12, 0, LONG, 8.0), Some((1 << 11, 0, 100)));
    }

    #[test]
    fn corpses_are_as_far_as_they_would_be() {
        let mut data = b"leet\0".to_vec();
        data.extend_from_slice(&[7; 18]);
        data.extend_from_slice(&50i32.to_le_bytes());
        data.extend_from_slice(&[1, 2, 3, 4]);
        let old = TimedEffect::Corpse.later(&data, 2.0).unwrap();
        assert_eq!((&old[..23], &old[23..27], &old[27..]), (&data[..23], &(-150i32).to_le_bytes()[..], &data[27..]));
        // another game's corpse has no delay
        assert_eq!(TimedEffect::Corpse.later(&data[..20], 2.0).unwrap(), data[..20]);
    }

    #[test]
    fn seconds_pass() {
        assert_eq!(TimedEffect::RoundTime.later(&100i16.to_le_bytes(), 30.4).unwrap(), 70i16.to_le_bytes());
        assert_eq!(TimedEffect::RoundTime.later(&[1], 30.4).unwrap(), [1]);
    }
}
