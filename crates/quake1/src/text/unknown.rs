//! Unknown messages.

use crate::message::Unknown;
use crate::text::rules::Rules;
use crate::text::value::{AsText, field};
use fragreel_base::textform::Form;

impl AsText for Unknown {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "number", &mut self.number, r)?;
            field(f, "data", &mut self.data, r)
        })
    }
}
