//! Pages: what their templates need, in strings that are ready to be shown.

mod alone;
mod board;
mod frame;
mod items;
mod lists;
mod recording;
mod small;
mod subject;
mod timeline;

pub(crate) use alone::alone;
pub(crate) use frame::{Frame, Shell};
pub(crate) use items::item;
#[cfg(feature = "cards")]
pub(crate) use items::{class, sides};
pub(crate) use lists::{best, calendar, event, home, month, month_folder, months, runs};
pub(crate) use recording::{File, PlanLink, Surroundings, main_match, recording};
pub(crate) use small::{Row, about, data, find, index_of, missing};
pub(crate) use subject::{Sort, older, older_pages, subject};

use serde::Serialize;

/// A link with its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Link {
    /// Where to.
    pub href: String,
    /// The words.
    pub name: String,
}

impl Link {
    /// A link.
    pub(crate) fn new(href: impl Into<String>, name: impl Into<String>) -> Self {
        Link { href: href.into(), name: name.into() }
    }
}
