//! A file of a site, and what it is made of.

use crate::key;
use crate::pages::Sort;

/// What is copied from a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// All of it: the place of the recording in the archive.
    Recording(usize),
    /// A moment of it: the place of the recording, and that of the moment in its [`Summary::moments`](crate::Summary::moments).
    Clip(usize, usize),
}

/// A file of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its path from the root, with `/` between folders.
    pub path: String,
    /// A digest of everything that it is made of. Where it is the same, the file is.
    pub key: String,
    /// What kind of file it is, in the order in which files should be uploaded.
    pub kind: OutputKind,
    pub(crate) task: Task,
}

/// Kinds of files, in the order in which they should be uploaded: no page may link to what is not there yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutputKind {
    /// Recordings.
    Recording,
    /// Moments cut out of recordings.
    Clip,
    /// Style sheets, scripts, the viewer: files with their content's hash in their names.
    Asset,
    /// Plans of maps.
    Plan,
    /// Pages of recordings with their JSON and Markdown.
    Match,
    /// Pages and lists of many matches.
    List,
    /// Feeds and maps for search engines.
    Feed,
    /// Tables of the data.
    Data,
}

impl Output {
    /// What it is a copy of; absent for pages and lists.
    pub fn source(&self) -> Option<Source> {
        match self.task {
            Task::Published(at) => Some(Source::Recording(at)),
            Task::Clip(at, moment) => Some(Source::Clip(at, moment)),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Task {
    Fixed(Vec<u8>),
    Viewer(usize),
    Published(usize),
    Clip(usize, usize),
    #[cfg(feature = "cards")]
    Card(usize),
    Data(usize),
    /// The figures of the recordings whose hash begins so.
    JsonLines(String),
    Page(usize),
    Json(usize),
    Markdown(usize),
    Plan(String),
    Month(String),
    Subject(Sort, String),
    Older(Sort, String, usize),
    Part(Sort, String, usize),
    Feed(Sort, String),
    Event(usize),
    EventFeed(usize),
    Runs(String),
}

pub(crate) fn fixed(path: String, kind: OutputKind, bytes: Vec<u8>) -> Output {
    Output { key: key::of(&[&bytes]), path, kind, task: Task::Fixed(bytes) }
}
