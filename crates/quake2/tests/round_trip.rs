//! Decoding and encoding again gives the same bytes, for every well-formed recording of the corpus.

use fragreel_base::wire::WriteBytes;
use fragreel_quake2::container::{End, dm2, mvd2};
use fragreel_quake2::detect::{Framing, identify};
use fragreel_quake2::message::{Context, MvdBody, MvdReader, Reader};

/// What one pass over a recording saw.
#[derive(Debug, Default)]
struct Pass {
    blocks: usize,
    messages: usize,
    failures: Vec<String>,
}

#[test]
fn every_well_formed_recording_comes_back_byte_for_byte() {
    let samples = fragreel_testkit::corpus("quake2");
    for sample in &samples {
        let bytes = sample.bytes();
        let found = identify(&bytes, Some(&sample.extension())).unwrap_or_else(|| panic!("{} is not recognized", sample.name));
        let (out, pass) = match found.framing {
            Framing::Dm2 => dm2_again(&bytes, found.dialect),
            Framing::Mvd2 => mvd2_again(&bytes, found.dialect),
        };
        let whole = &bytes[..out.len().min(bytes.len())];
        assert!(out == whole, "{}: {} bytes come back differently", sample.name, bytes.len());
        assert!(sample.damaged || out.len() == bytes.len(), "{}: {} of {} bytes", sample.name, out.len(), bytes.len());
        if found.dialect.protocol != 25 {
            assert!(pass.failures.is_empty(), "{}: {:?}", sample.name, &pass.failures[..pass.failures.len().min(3)]);
        }
        assert!(pass.messages > pass.blocks / 2 || found.dialect.protocol == 25, "{}: {pass:?}", sample.name);
    }
}

fn dm2_again(bytes: &[u8], dialect: fragreel_quake2::dialect::Dialect) -> (Vec<u8>, Pass) {
    let (mut pass, mut out) = (Pass::default(), Vec::new());
    let mut reader = Reader::new(dialect);
    let mut context = Context::new(dialect);
    let mut blocks = dm2::Blocks::new(bytes);
    for block in blocks.by_ref() {
        pass.blocks += 1;
        let mut w = WriteBytes::default();
        let read = reader.block(block.data, |message, range, _| {
            pass.messages += 1;
            let Ok(()) = message.write(&mut w, &mut context);
            let written = w.written();
            assert!(written == &block.data[..range.end], "block {} message {message:?} at {range:?}", pass.blocks);
            true
        });
        let mut written = w.finish();
        if let Err(failure) = read {
            pass.failures.push(format!("block {} at {}: {}", pass.blocks, block.offset, failure.error));
            written.extend_from_slice(&block.data[failure.at..]);
        }
        dm2::write_block(&mut out, &written);
    }
    match blocks.end() {
        End::Mark { at, .. } => out.extend_from_slice(&bytes[at as usize..]),
        End::File => {}
        end => pass.failures.push(format!("{end:?}")),
    }
    if matches!(blocks.end(), End::InBlock { .. } | End::InLength(_)) {
        pass.failures.clear();
    }
    (out, pass)
}

fn mvd2_again(bytes: &[u8], dialect: fragreel_quake2::dialect::Dialect) -> (Vec<u8>, Pass) {
    let (mut pass, mut out) = (Pass::default(), mvd2::MAGIC.to_vec());
    let mut reader = MvdReader::new(dialect);
    let mut context = Context::new(dialect);
    let mut records = mvd2::Records::new(bytes);
    for record in records.by_ref() {
        pass.blocks += 1;
        let mut w = WriteBytes::default();
        let read = reader.record(record.data, |message, range, cx| {
            pass.messages += 1;
            let Ok(()) = message.write(&mut w, &mut context);
            assert!(w.written() == &record.data[..range.end], "record {} message {message:?} at {range:?}", pass.blocks);
            if let MvdBody::Parcel(parcel) = &message.body {
                let mut inner = Reader::new(cx.dialect);
                let mut inner_context = Context::new(cx.dialect);
                let mut inner_w = WriteBytes::default();
                let read = inner.block(&parcel.data, |message, range, _| {
                    let Ok(()) = message.write(&mut inner_w, &mut inner_context);
                    assert!(inner_w.written() == &parcel.data[..range.end]);
                    true
                });
                if let Err(failure) = read {
                    pass.failures.push(format!("record {} parcel: {}", pass.blocks, failure.error));
                }
            }
            true
        });
        let mut written = w.finish();
        if let Err(failure) = read {
            pass.failures.push(format!("record {} at {}: {}", pass.blocks, record.offset, failure.error));
            written.extend_from_slice(&record.data[failure.at..]);
        }
        mvd2::write_record(&mut out, &written);
    }
    if let End::Mark { at, .. } = records.end() {
        out.extend_from_slice(&bytes[at as usize..]);
    }
    (out, pass)
}
