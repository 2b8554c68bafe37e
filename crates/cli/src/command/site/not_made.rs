//! A file of a site that could not be made.

use fragreel_site::Failed;

use crate::failure::Failure;

/// What went wrong with one file of a site.
pub struct NotMade(pub Failure);

impl From<Failed> for NotMade {
    fn from(failed: Failed) -> Self {
        NotMade(Failure::new("cannot make a page").because(failed))
    }
}
