//! What holds for any bytes. Fuzz targets and tests call these; a property that fails panics.

mod chunks;
mod edit;

pub use chunks::{chunks, chunks_of_any};
pub use edit::edit;

use fragreel_base::wire::Limits;
use fragreel_model::{Kind, Milliseconds, Selection, When};

use crate::Recording;

/// Small enough for a fuzzer to reach.
const MOST: u64 = 1 << 20;

fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.recording_bytes = MOST;
    limits
}

/// Whatever the bytes are and claim to be, they are opened or refused, and what is opened answers.
pub fn open(bytes: &[u8]) {
    for name in ["", "x.dm_68", "x.dm2", "x.dem", "x.mvd.gz"] {
        let Ok(recording) = Recording::open_with_limits(bytes.to_vec(), name, limits()) else { continue };
        assert!(recording.bytes().len() as u64 <= MOST.max(bytes.len() as u64), "more was unpacked than is allowed");
        assert!(recording.is_compressed() || recording.bytes() == bytes);
        recording.info();
        assert!(recording.events(Kind::Kill).all(|event| event.kind.kind() == Kind::Kill), "only what was asked for");
        assert!(recording.explain(Selection::Message(0)).all(|message| message.message == 0));
        // No state is an answer too.
        let _ = recording.state_at(When::Demo(Milliseconds(1000)));
    }
}

/// Whatever the bytes are, what is taken out of them gets the name of a file in the folder that it is put into.
pub fn extract(bytes: &[u8]) {
    // any text as a name
    let name = crate::extract::safe_name(&String::from_utf8_lossy(bytes));
    assert_safe(&name);
    for name in ["", "x.dm_68", "x.dm2", "x.dem", "x.mvd"] {
        let Ok(recording) = Recording::open_with_limits(bytes.to_vec(), name, limits()) else { continue };
        let mut names = crate::extract::Names::default();
        let mut given = std::collections::HashSet::new();
        for found in recording.extract() {
            let name = names.next(&found);
            assert_safe(&name);
            assert!(given.insert(name.to_lowercase()), "{name} is given twice");
            assert!(found.message <= found.last_message, "{found:?}");
        }
    }
}

fn assert_safe(name: &str) {
    let mut parts = std::path::Path::new(name).components();
    assert!(matches!((parts.next(), parts.next()), (Some(std::path::Component::Normal(_)), None)), "{name:?} is not the name of one file");
    assert!(!name.contains(['/', '\\', ':', '\0']) && !name.ends_with(['.', ' ']) && name.len() < 255, "{name:?}");
    assert!(!crate::extract::is_device(name), "{name:?} is a device");
}

/// Whatever the bytes are, an audit names places inside of them, and its grade is that of its worst finding.
pub fn audit(bytes: &[u8]) {
    let Ok(recording) = Recording::open_with_limits(bytes.to_vec(), "", limits()) else { return };
    let audit = recording.audit();
    let size = recording.bytes().len().max(bytes.len()) as u64;
    for finding in &audit.findings {
        assert!(finding.offset <= size && finding.extent.is_none_or(|extent| extent.from <= extent.to && extent.to <= size), "{finding:?}");
        assert!(finding.times > 0 && !finding.evidence.is_empty() && finding.grade <= audit.grade, "{finding:?}");
    }
    let whole = recording.verify().is_whole();
    assert!(whole || audit.grade >= fragreel_model::Grade::Damaged, "what is damaged is not unbroken");
    assert!(audit.omitted > 0 || audit.findings.iter().map(|finding| finding.grade).max().unwrap_or(fragreel_model::Grade::Normal) == audit.grade);
}

/// Packed bytes come out as they were; cut at any place, they give a part of that and a finding.
#[cfg(feature = "gzip")]
pub fn gzip(bytes: &[u8]) {
    let Some((&cut, bytes)) = bytes.split_first() else { return };
    let packed = crate::gzip::pack(bytes);
    let whole = crate::gzip::unpack(&packed, &limits());
    assert_eq!(whole.ok(), Some((bytes.to_vec(), Vec::new())));
    let end = 3.max(packed.len() * usize::from(cut) / 256);
    if let Ok((part, damage)) = crate::gzip::unpack(&packed[..end], &limits()) {
        assert!(bytes.starts_with(&part));
        assert_eq!(damage.len(), 1, "cut at {end} of {}", packed.len());
    }
}
