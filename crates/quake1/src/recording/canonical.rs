//! Messages encoded again from states alone.
