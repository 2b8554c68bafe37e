//! A family's messages, declared once.

/// Declares the messages of a list: the enum of messages, the enum of their kinds, and what follows from the list alone.
///
/// A family writes its list as a macro that hands every line to another macro: this one, and [`match_message`](crate::match_message). A line is
/// `Variant(Payload) = "name" [numbers] |payload, wire, …| coder, |payload, form, …| text form;`. Messages without fields have no payload. The
/// numbers are expressions of the type that the family chooses. The functions may be left out if the payloads have methods instead.
///
/// ```
/// use fragreel_base::{declare_messages, match_message};
///
/// macro_rules! messages {
///     ($make:ident $with:tt) => {
///         $make! {
///             $with
///             /// Does nothing.
///             Nop = "nop" [1];
///             /// Moves the view.
///             SetView(u16) = "setview" [5] |view, out, scale| out.push(*view * scale);
///         }
///     };
/// }
///
/// messages! { declare_messages {
///     /// A message.
///     #[derive(Debug, PartialEq)]
///     pub enum Message;
///     /// Which message.
///     pub enum MessageKind: u8;
/// } }
///
/// impl Message {
///     fn code(&self, out: &mut Vec<u16>, scale: u16) {
///         messages! { match_message { self as Message, coder(out, scale) else () } }
///     }
/// }
///
/// assert_eq!(MessageKind::ALL.iter().map(|kind| (kind.name(), kind.numbers()[0])).collect::<Vec<_>>(), [("nop", 1), ("setview", 5)]);
/// assert_eq!(MessageKind::SetView.empty(), Message::SetView(0));
/// let mut out = Vec::new();
/// Message::Nop.code(&mut out, 2);
/// Message::SetView(3).code(&mut out, 2);
/// assert_eq!((Message::Nop.kind(), out), (MessageKind::Nop, vec![6]));
/// ```
#[macro_export]
macro_rules! declare_messages {
    ({ $(#[$about:meta])* pub enum $Message:ident; $(#[$about_kind:meta])* pub enum $Kind:ident: $Number:ty; }
        $($(#[$doc:meta])* $variant:ident $(($payload:ty))? = $name:literal [$($numbers:tt)*]
            $(|$($coder:ident),*| $code:expr)? $(, |$($form:ident),*| $text:expr)?;)*) => {
        $(#[$about])*
        pub enum $Message {
            $($(#[$doc])* $variant $(($payload))?,)*
        }

        $(#[$about_kind])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $Kind {
            $($(#[$doc])* $variant,)*
        }

        impl $Kind {
            /// Every kind, in the order of the list.
            pub const ALL: &'static [$Kind] = &[$($Kind::$variant),*];

            /// Its stable name, as the format's document has it.
            #[inline]
            pub const fn name(self) -> &'static str {
                match self {
                    $($Kind::$variant => $name,)*
                }
            }

            /// Its numbers on the wire.
            #[inline]
            pub const fn numbers(self) -> &'static [$Number] {
                match self {
                    $($Kind::$variant => const { &[$($numbers)*] },)*
                }
            }

            /// An empty message of this kind.
            pub fn empty(self) -> $Message {
                match self {
                    $($Kind::$variant => $Message::$variant $((<$payload>::default()))?,)*
                }
            }
        }

        impl $Message {
            /// Its kind.
            #[inline]
            pub fn kind(&self) -> $Kind {
                match self {
                    $($Message::$variant { .. } => $Kind::$variant,)*
                }
            }
        }
    };
}

/// A match over the messages of a list: `coder` runs the first function of each line, `form` the second, and `method` a method of each payload.
/// The arguments follow in parentheses. `else` is the value for messages without fields. See [`declare_messages`].
#[macro_export]
macro_rules! match_message {
    (@run ($else:expr)) => { $else };
    (@run ($else:expr) $run:expr) => { $run };
    ({ $self:ident as $Message:ident, method $method:ident $arguments:tt }
        $($(#[$doc:meta])* $variant:ident ($payload:ty) = $name:literal [$($numbers:tt)*] $(|$($coder:ident),*| $code:expr)?;)*) => {
        match $self {
            $($Message::$variant(payload) => payload.$method $arguments,)*
        }
    };
    ({ $self:ident as $Message:ident, coder $arguments:tt else $else:expr }
        $($(#[$doc:meta])* $variant:ident $(($inner:ty))? = $name:literal [$($numbers:tt)*]
            $(|$payload:ident $(, $coder:ident)*| $code:expr)? $(, |$($form:ident),*| $text:expr)?;)*) => {
        match $self {
            $($Message::$variant $(($payload))? => {
                $(let ($($coder,)*) = $arguments;)?
                $crate::match_message!(@run ($else) $($code)?)
            })*
        }
    };
    ({ $self:ident as $Message:ident, form $arguments:tt else $else:expr }
        $($(#[$doc:meta])* $variant:ident $(($inner:ty))? = $name:literal [$($numbers:tt)*]
            $(|$($coder:ident),*| $code:expr, |$payload:ident $(, $form:ident)*| $text:expr)?;)*) => {
        match $self {
            $($Message::$variant $(($payload))? => {
                $(let ($($form,)*) = $arguments;)?
                $crate::match_message!(@run ($else) $($text)?)
            })*
        }
    };
}
