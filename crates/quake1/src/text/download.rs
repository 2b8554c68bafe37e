//! Downloads.

use crate::dialect::pext1;
use crate::message::Download;
use crate::text::rules::Rules;
use crate::text::value::{AsText, field, field_if};
use fragreel_base::textform::Form;

impl AsText for Download {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            if F::READING {
                *self = Download::default();
            }
            if r.d.has1(pext1::CHUNKEDDOWNLOADS) { self.chunk(f, r) } else { self.part(f, r) }
        })
    }
}

impl Download {
    fn chunk<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const ANNOUNCED: i32 = -1;
        field(f, "chunk", &mut self.number, r)?;
        let part = self.number != ANNOUNCED;
        if f.key("data", part)? {
            f.hex(&mut self.data)?;
        }
        f.insist(!part || self.data.len() == Self::CHUNK, "a chunk has 1024 bytes")?;
        let announced = field_if(f, "size", !part, &mut self.size, r)?;
        let long = field_if(f, "long_size", announced && self.size == Self::LONG, &mut self.long_size, r)?;
        let named = field_if(f, "name", !part, &mut self.name, r)?;
        let whole = announced == named && announced != part && long == (announced && self.size == Self::LONG);
        f.insist(whole, "a chunk has `data`; -1 announces `size`, `long_size` where that says so, and `name`")
    }

    fn part<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        let sent = self.number;
        field(f, "percent", &mut self.percent, r)?;
        let data = f.key("data", sent > 0)?;
        if data {
            f.hex(&mut self.data)?;
            f.insist((1..=0x7fff).contains(&self.data.len()), "expected 1 to 32767 bytes")?;
        }
        let named = field_if(f, "name", matches!(sent, Self::NAMED | Self::ELSEWHERE), &mut self.name, r)?;
        let elsewhere = field_if(f, "asked", sent == Self::ELSEWHERE, &mut self.asked, r)?;
        let mut size = sent;
        let sized = f.key("size", sent <= 0 && !named)?;
        if sized {
            size = f.int(size.into(), i16::MIN.into(), 0)? as i32;
            f.insist(!matches!(size, Self::NAMED | Self::ELSEWHERE), "this size says that a name follows")?;
        }
        f.insist(u8::from(data) + u8::from(named) + u8::from(sized) == 1 && named >= elsewhere, "a part has `data`, or `name` and perhaps `asked`, or `size`")?;
        self.number = match (data, named, elsewhere) {
            (true, ..) => self.data.len() as i32,
            (_, true, true) => Self::ELSEWHERE,
            (_, true, false) => Self::NAMED,
            _ => size,
        };
        Ok(())
    }
}
