//! Temporary entities with their length.

use crate::message::SizedTempEntity;
use crate::text::rules::Rules;
use crate::text::value::AsText;
use fragreel_base::textform::Form;

impl AsText for SizedTempEntity {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.unless("netquake", &mut self.netquake, false)?;
            f.require("data")?;
            f.hex(&mut self.data)?;
            f.insist(self.data.len() <= 0x7fff, "expected at most 32767 bytes")
        })
    }
}
