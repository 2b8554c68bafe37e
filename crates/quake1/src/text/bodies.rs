//! Messages that are a plain sequence of values: each value is a member.

use fragreel_base::match_message;
use fragreel_base::textform::Form;

use crate::fields::names::{PRINT_LEVELS, STATS};
use crate::message::*;
use crate::text::rules::Rules;
use crate::text::value::{AsText, field, named};

macro_rules! texts {
    (@member $f:ident $r:ident $name:expr, $value:expr, $words:expr) => { named($f, $name, &mut $value, &$words)? };
    (@member $f:ident $r:ident $name:expr, $value:expr) => { field($f, $name, &mut $value, $r)? };
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty $([$words:expr])?),* $(,)? })*) => {$(
        impl AsText for $name {
            #[inline]
            #[allow(unused_variables, reason = "some messages are empty")]
            fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
                f.object(|f| {
                    $(texts!(@member f r stringify!($field), self.$field $(, $words)?);)*
                    Ok(())
                })
            }
        }
    )*};
}

each_plain_message!(texts);

impl AsText for Message {
    /// What it says, without its name.
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        messages! { match_message { self as Message, method form(f, r) } }
    }
}
