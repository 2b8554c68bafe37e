//! Lines put together at the same time.

use crate::textform::{Compile, Error};

/// A line with its number in the text, from 1.
pub type Line = (u64, Vec<u8>);

/// Fewer lines than these are not worth a share of their own.
const FEWEST: usize = 16;

/// Lines in a row with a compiler of their own.
pub struct Share<'l> {
    compiler: Box<dyn Compile + Send>,
    lines: &'l [Line],
    out: Vec<u8>,
    result: Result<(), Error>,
}

impl Share<'_> {
    /// Puts the lines together.
    pub fn run(&mut self) {
        let Share { compiler, lines, out, result } = self;
        *result = lines.iter().try_for_each(|(number, line)| compiler.line(line, *number, out));
    }
}

/// Appends what `lines` stand for, as taking them in turn would, but in up to `count` shares; `all` must
/// [run](Share::run) every one, in any order or at the same time.
///
/// Each share is put together as if the lines before it stated nothing that matters to it. Where they did, it is put together again.
pub fn compile_in_shares(
    compiler: &mut Box<dyn Compile + Send>,
    lines: &[Line],
    count: usize,
    all: impl Fn(&mut [Share<'_>]),
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let mut rest = lines;
    loop {
        let size = rest.len().div_ceil(count.max(1)).max(FEWEST);
        let mut shares = Vec::new();
        if rest.len() > size {
            shares.extend(rest.chunks(size).map_while(|lines| Some(Share { compiler: compiler.fork()?, lines, out: Vec::new(), result: Ok(()) })));
        }
        if shares.is_empty() {
            return rest.iter().try_for_each(|(number, line)| compiler.line(line, *number, out));
        }
        all(&mut shares);
        for share in shares {
            rest = &rest[share.lines.len()..];
            out.extend_from_slice(&share.out);
            share.result?;
            if share.compiler.learned() {
                *compiler = share.compiler;
                break;
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
    }
}
