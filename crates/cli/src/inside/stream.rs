//! Archives that are packed as a whole: one walk hands on their members as they are asked for, by any thread, so that asking for all in
//! their order takes one walk.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use fragreel_archive::{Error, Kind};

use super::{Identity, Source};

/// At most so much of what was handed on is kept for who asks a little later, and a quarter of what one member may have: several files are
/// worked on at a time.
const KEPT: u64 = 256 << 20;

/// What the walk says.
enum Said {
    Member(String, Result<Vec<u8>, Error>),
    /// It went no further.
    Broken(Error),
}

/// A walk under way.
struct Stream {
    of: Identity,
    said: Receiver<Said>,
    kept: HashMap<String, Result<Arc<[u8]>, Error>>,
    /// The kept ones, the oldest first, with their lengths.
    order: VecDeque<(String, u64)>,
    bytes: u64,
    /// Of several with one name the first counts.
    seen: HashSet<String>,
    broken: Option<Error>,
}

/// The last archive.
static LAST: Mutex<Option<Stream>> = Mutex::new(None);

/// A group of an archive that is read by groups.
struct Group {
    of: Identity,
    members: HashSet<String>,
    walk: Arc<Mutex<Stream>>,
}

/// The last of them, the newest last. Several threads are in several groups.
static GROUPS: Mutex<VecDeque<Group>> = Mutex::new(VecDeque::new());

/// Of each group at most 64 MB were packed, so these hold no more than one walk of another archive does.
const MOST_GROUPS: usize = 4;

/// A member that is a recording by its name.
pub fn extract(kind: Kind, identity: Identity, file: Source, member: &str) -> Result<Vec<u8>, Error> {
    if kind == Kind::Packed {
        return extract_of_group(identity, file, member);
    }
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = last.as_mut().filter(|stream| stream.of == identity).and_then(|stream| stream.find(member)) {
        return found;
    }
    // it is another archive, or the walk has passed the member
    let stream = last.insert(Stream::begin(kind, identity, file, None)?);
    stream.find_or_fail(member)
}

/// A member of an archive of ours: one walk over its group hands on all of it, and other groups are left alone.
fn extract_of_group(identity: Identity, mut file: Source, member: &str) -> Result<Vec<u8>, Error> {
    let mut groups = GROUPS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = groups.iter().find(|group| group.of == identity && group.members.contains(member));
    if let Some((walk, members)) = found.map(|group| (Arc::clone(&group.walk), group.members.clone())) {
        drop(groups);
        let mut walk = walk.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = walk.find(member) {
            return found;
        }
        // the walk has passed the member, and it is no longer kept
        *walk = Stream::begin(Kind::Packed, identity, file, Some(members))?;
        return walk.find_or_fail(member);
    }
    // a copy is read under the name of what it is a copy of
    let (member, members) = fragreel_archive::packed::group(&mut file, member)?;
    let (member, members): (&str, HashSet<String>) = (&member, members.into_iter().collect());
    let begun = Stream::begin(Kind::Packed, identity.clone(), file, Some(members.clone()))?;
    let walk = Arc::new(Mutex::new(begun));
    if groups.len() == MOST_GROUPS {
        groups.pop_front();
    }
    groups.push_back(Group { of: identity, members, walk: Arc::clone(&walk) });
    drop(groups);
    walk.lock().unwrap_or_else(PoisonError::into_inner).find_or_fail(member)
}

impl Stream {
    /// Begins a walk over the recordings, or over these members.
    fn begin(kind: Kind, of: Identity, file: Source, group: Option<HashSet<String>>) -> Result<Stream, Error> {
        let (say, said) = sync_channel(0);
        let (name, limits) = (of.path.to_string_lossy().into_owned(), of.limits);
        let walk = move || {
            let mut is_wanted = |name: &str| group.as_ref().map_or_else(|| fragreel::is_recording_name(name), |group| group.contains(name));
            let mut take = |member: &str, bytes| match say.send(Said::Member(member.to_owned(), bytes)) {
                Ok(()) => ControlFlow::Continue(()),
                // another archive is read by now
                Err(_) => ControlFlow::Break(()),
            };
            if let Err(error) = fragreel_archive::extract_all(kind, &name, file, &limits, &mut is_wanted, &mut take) {
                let _ = say.send(Said::Broken(error));
            }
        };
        std::thread::Builder::new().name(String::from("archive")).spawn(walk).map_err(Error::Io)?;
        Ok(Stream { of, said, kept: HashMap::new(), order: VecDeque::new(), bytes: 0, seen: HashSet::new(), broken: None })
    }

    fn find_or_fail(&mut self, member: &str) -> Result<Vec<u8>, Error> {
        let found = self.find(member);
        found.unwrap_or_else(|| Err(self.broken.as_ref().map_or_else(|| Error::Missing(member.to_owned()), again)))
    }

    /// A member that is kept, or comes later; `None` where the walk ends without it.
    fn find(&mut self, member: &str) -> Option<Result<Vec<u8>, Error>> {
        if let Some(kept) = self.kept.get(member) {
            return Some(kept.as_ref().map(|bytes| bytes.to_vec()).map_err(again));
        }
        while let Ok(said) = self.said.recv() {
            match said {
                Said::Broken(error) => self.broken = Some(error),
                Said::Member(name, _) if !self.seen.insert(name.clone()) => {}
                Said::Member(name, bytes) => {
                    let is_it = name == member;
                    self.keep(name, bytes.map(Arc::from));
                    if is_it {
                        return self.kept.get(member).map(|kept| kept.as_ref().map(|bytes| bytes.to_vec()).map_err(again));
                    }
                }
            }
        }
        None
    }

    /// Keeps a member, and of the older ones as many as there is room for.
    fn keep(&mut self, name: String, bytes: Result<Arc<[u8]>, Error>) {
        let most = KEPT.min(self.of.limits.member / 4);
        let length = bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        self.bytes += length;
        while self.bytes > most
            && let Some((oldest, length)) = self.order.pop_front()
        {
            self.kept.remove(&oldest);
            self.bytes -= length;
        }
        self.order.push_back((name.clone(), length));
        self.kept.insert(name, bytes);
    }
}

/// The same error for the next who asks.
fn again(error: &Error) -> Error {
    match error {
        Error::Damaged(what) => Error::Damaged(what.clone()),
        Error::Unsupported(what) => Error::Unsupported(what.clone()),
        Error::Bomb(most) => Error::Bomb(*most),
        Error::Missing(member) => Error::Missing(member.clone()),
        Error::Io(error) => Error::Io(io::Error::new(error.kind(), error.to_string())),
    }
}
