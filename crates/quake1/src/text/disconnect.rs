//! The end of the connection.

use crate::message::Disconnect;
use crate::text::rules::Rules;
use crate::text::value::AsText;
use fragreel_base::textform::Form;

impl AsText for Disconnect {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const USUAL: &[u8] = b"EndOfDemo\0";
        f.object(|f| {
            if r.d.is_netquake() {
                return Ok(());
            }
            if f.key("text", self.text.0 != USUAL)? {
                return f.text(&mut self.text.0);
            }
            if F::READING {
                self.text.0 = USUAL.to_vec();
            }
            Ok(())
        })
    }
}
