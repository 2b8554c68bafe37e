//! The text form of messages. `text/` implements it; its context type `C` belongs to `text/`.

use fragreel_base::textform::Form;

/// A message as members of an open object. `C` is what the members depend on besides the message.
pub(crate) trait MessageForm<C> {
    fn form<F: Form>(&mut self, f: &mut F, context: &C) -> Result<(), F::Error>;
}
