//! Names of the kinds of recordings.

use std::sync::LazyLock;

use fragreel_base::textform::Names;

use crate::dialect::RecordingKind;

/// Kinds of recordings.
pub(super) static KINDS: LazyLock<Names> = LazyLock::new(|| {
    let named = [RecordingKind::NETWORK, RecordingKind::CLIENT, RecordingKind::SERVER, RecordingKind::RELAY];
    Names::new((0..=u8::MAX).map(|kind| named.iter().find(|known| known.0 == kind).map_or("", |known| known.name())))
});
