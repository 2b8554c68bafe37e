//! The models of the families that this program was built with.

use fragreel_model::Family;

use crate::Packed;
use crate::known::How;

macro_rules! families {
    ($($family:ident = $module:ident if $feature:literal),* $(,)?) => {
        /// Packs a recording by the model of the family that it belongs to.
        pub(crate) fn pack(bytes: &[u8], name: &str, mut how: How<'_>) -> Option<Packed> {
            let extension = fragreel_detect::extension(name);
            let extension = extension.as_deref();
            fragreel_detect::candidates(bytes, extension).into_iter().find_map(|(family, _)| match family {
                $(#[cfg(feature = $feature)] Family::$family => crate::$module::pack(bytes, extension, name, how.again()),)*
                _ => None,
            })
        }
    };
}

families! {
    Quake3 = quake3 if "quake3",
    Quake2 = quake2 if "quake2",
    GoldSrc = goldsrc if "goldsrc",
    Quake1 = quake1 if "quake1",
}

/// What `$use` makes of the content that a method packs, before any of it is unpacked. An error when this program was built without its family.
macro_rules! content {
    ($method:expr, |$content:ident| $use:expr) => {
        match $method {
            Method::Bytes => Ok(General { bytes: &[] }).map(|mut $content| $use),
            #[cfg(feature = "quake3")]
            Method::Quake3(protocol) => quake3::unpacking(protocol).map(|mut $content| $use),
            #[cfg(feature = "quake2")]
            Method::Quake2(beginning) => quake2::unpacking(beginning, false).map(|mut $content| $use),
            #[cfg(feature = "quake2")]
            Method::Quake2Second(beginning) => quake2::unpacking(beginning, true).map(|mut $content| $use),
            #[cfg(feature = "quake2")]
            Method::Mvd2(model) => quake2::unpacking_mvd2(model).map(|mut $content| $use),
            #[cfg(feature = "goldsrc")]
            Method::GoldSrc(demo, network) => goldsrc::unpacking(demo, network).map(|mut $content| $use),
            #[cfg(feature = "quake1")]
            Method::Quake1(container) => quake1::unpacking(container).map(|mut $content| $use),
            method => Err(method.family().map_or(Error::Method, Error::Family)),
        }
    };
}

pub(crate) use content;
