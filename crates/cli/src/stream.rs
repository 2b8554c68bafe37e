//! The output for one file on its way to the reader. It is shown as it is made once its turn has come. Before, it waits: in memory, then in a temporary
//! file. So what is in memory does not grow with the output.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::failure::Failure;

/// Output is handed on in pieces of at least this many bytes.
const PIECE: usize = 1 << 18;
/// Extra room for output that exceeds a piece.
const ROOM: usize = PIECE / 8;
/// This many bytes may wait in memory for their turn.
const MOST_WAITING: usize = 1 << 20;

/// Where the work for one file puts its output.
#[derive(Default)]
pub struct Stream {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    /// What did not fit into memory: it comes before `text`.
    spilled: Option<File>,
    text: Vec<u8>,
    /// The content that the output is about, where copies are passed over.
    content: Option<String>,
    /// Whether somebody shows it now.
    is_shown: bool,
    /// Whether nobody will show it.
    is_closed: bool,
    /// Whether no more will come.
    is_done: bool,
}

/// What the reader gets.
pub enum Next {
    /// A piece of output.
    Piece(Vec<u8>),
    /// There is no more.
    Done,
    /// There was nothing for some time.
    Nothing,
}

impl Stream {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says which content the output is about.
    pub fn is_about(&self, content: &str) {
        self.lock().content = Some(content.to_owned());
    }

    /// Takes what is in `text` if that is enough for a piece, as [`take`](Self::take) does.
    pub fn take_piece(&self, text: &mut Vec<u8>) -> Result<(), Failure> {
        if text.len() < PIECE {
            return Ok(());
        }
        self.take(text)?;
        text.reserve(PIECE + ROOM);
        Ok(())
    }

    /// Takes what is in `text`, and waits while the reader has enough.
    pub fn take(&self, text: &mut Vec<u8>) -> Result<(), Failure> {
        self.put(text).map_err(|error| {
            Failure::new("cannot keep output for later in a temporary file")
                .because(error)
                .help("Check the free space of the folder for temporary files, or use --jobs 1.")
        })
    }

    fn put(&self, text: &mut Vec<u8>) -> io::Result<()> {
        let mut waiting = self.lock();
        while waiting.is_shown && !waiting.is_closed && waiting.text.len() >= PIECE {
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        if waiting.is_closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if waiting.text.is_empty() {
            std::mem::swap(&mut waiting.text, text);
        } else {
            waiting.text.append(text);
        }
        if !waiting.is_shown && waiting.text.len() > MOST_WAITING {
            let waiting = &mut *waiting;
            let file = match &mut waiting.spilled {
                Some(file) => file,
                none => none.insert(tempfile::tempfile()?),
            };
            file.write_all(&waiting.text)?;
            waiting.text = Vec::new();
        }
        self.changed.notify_all();
        Ok(())
    }
}

/// Ends a stream when the work for its file is over, however it ends.
pub struct Writer(pub Arc<Stream>);

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.lock().is_done = true;
        self.0.changed.notify_all();
    }
}

/// Who shows a stream. Without one, the work for its file does not wait.
pub struct Reader(pub Arc<Stream>);

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}

impl Reader {
    /// Which content the output is about, if that was said.
    pub fn content(&self) -> Option<String> {
        self.0.lock().content.clone()
    }

    /// The next piece. Waits for it this long.
    pub fn next(&self, patience: Duration) -> io::Result<Next> {
        let mut waiting = self.0.lock();
        if !std::mem::replace(&mut waiting.is_shown, true)
            && let Some(file) = &mut waiting.spilled
        {
            file.rewind()?;
        }
        if waiting.spilled.is_none() && waiting.text.is_empty() && !waiting.is_done {
            (waiting, _) = self.0.changed.wait_timeout(waiting, patience).unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(file) = &mut waiting.spilled {
            let mut piece = Vec::new();
            (&*file).take(PIECE as u64).read_to_end(&mut piece)?;
            if !piece.is_empty() {
                return Ok(Next::Piece(piece));
            }
            waiting.spilled = None;
        }
        let piece = std::mem::take(&mut waiting.text);
        self.0.changed.notify_all();
        Ok(match (piece.is_empty(), waiting.is_done) {
            (false, _) => Next::Piece(piece),
            (true, true) => Next::Done,
            (true, false) => Next::Nothing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines with their numbers, which are more than memory and a piece hold.
    fn lines() -> impl Iterator<Item = String> {
        (0..400_000).map(|number| format!("{number}\n"))
    }

    fn write(stream: &Arc<Stream>) -> Result<(), Failure> {
        let (writer, mut text) = (Writer(Arc::clone(stream)), Vec::new());
        for line in lines() {
            text.extend_from_slice(line.as_bytes());
            writer.0.take_piece(&mut text)?;
        }
        writer.0.take(&mut text)
    }

    fn read(reader: &Reader) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            match reader.next(Duration::from_millis(1)).unwrap() {
                Next::Piece(piece) => {
                    assert!(piece.len() <= MOST_WAITING + PIECE, "not much is in memory");
                    all.extend(piece);
                }
                Next::Done => return all,
                Next::Nothing => {}
            }
        }
    }

    #[test]
    fn output_comes_in_order_whether_it_waited_or_not() {
        let wanted: String = lines().collect();
        assert!(wanted.len() > 2 * MOST_WAITING);
        let waiting = Arc::new(Stream::default());
        write(&waiting).unwrap();
        assert!(waiting.lock().spilled.is_some(), "it waits in a file");
        assert!(read(&Reader(waiting)) == wanted.as_bytes());
        let shown = Arc::new(Stream::default());
        let reader = Reader(Arc::clone(&shown));
        std::thread::scope(|scope| {
            let work = scope.spawn(|| write(&shown));
            assert!(read(&reader) == wanted.as_bytes());
            work.join().unwrap().unwrap();
        });
    }

    #[test]
    fn work_ends_when_nobody_reads() {
        let stream = Arc::new(Stream::default());
        let reader = Reader(Arc::clone(&stream));
        std::thread::scope(|scope| {
            let work = scope.spawn(|| write(&stream));
            while !matches!(reader.next(Duration::from_millis(1)).unwrap(), Next::Piece(_)) {}
            drop(reader);
            assert!(work.join().unwrap().is_err());
        });
    }
}
