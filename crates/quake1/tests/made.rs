//! Recordings made of bytes of our own: from nothing, and of a sample with more in it.

use fragreel_base::wire::Limits;
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::write_block;

/// A server's information of a level, and that player one records.
pub(super) fn server_info(protocol: u8, max_clients: u8) -> Vec<u8> {
    [&[11, protocol, 0, 0, 0, max_clients, 0][..], b"Level\0maps/dm3.bsp\0\0\0", &[5, 1, 0]].concat()
}

/// A NetQuake recording of these blocks.
pub(super) fn blocks(blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"-1\n".to_vec();
    for data in blocks {
        file.extend((data.len() as u32).to_le_bytes());
        file.extend([0; 12]);
        file.extend(data);
    }
    file
}

/// A NetQuake recording with these messages, each in a block of its own, behind a server's information.
pub(super) fn netquake(max_clients: u8, messages: &[&[u8]]) -> Vec<u8> {
    let start = server_info(15, max_clients);
    blocks(&std::iter::once(&start[..]).chain(messages.iter().copied()).map(<[u8]>::to_vec).collect::<Vec<_>>())
}

/// `svc_time`.
pub(super) fn time(seconds: f32) -> Vec<u8> {
    [&[7][..], &seconds.to_le_bytes()].concat()
}

/// A fast update of an entity that looks like the map: where it is on the first axis, in eighths.
pub(super) fn update(entity: u8, x: i16) -> Vec<u8> {
    [&[0x83, 0x04, entity, 1][..], &x.to_le_bytes()].concat()
}

/// `svc_clientdata` of somebody of this health.
pub(super) fn client_data(health: u8) -> Vec<u8> {
    vec![15, 0, 0, 1, 0, 0, 0, health, 0, 25, 25, 0, 0, 0, 1]
}

/// The bytes of a sample.
pub(super) fn sample(name: &str) -> Vec<u8> {
    fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with(name)).unwrap_or_else(|| panic!("no sample {name}")).bytes()
}

/// A sample with other data in some of its blocks.
pub(super) fn changed(name: &str, mut change: impl FnMut(usize, &fragreel_quake1::unstable::container::Block<'_>) -> Option<Vec<u8>>) -> Vec<u8> {
    let bytes = sample(name);
    let source = Recording::open(&bytes, name.rsplit('.').next(), Limits::default()).unwrap();
    let first = source.blocks().next().unwrap().unwrap().offset as usize;
    let mut made = bytes[..first].to_vec();
    for (at, block) in source.blocks().map(Result::unwrap).enumerate() {
        let data = change(at, &block);
        write_block(&mut made, source.container(), &block.framing, data.as_deref().unwrap_or(block.data));
    }
    made
}

/// A sample with more data at the end of some of its blocks.
pub(super) fn with(name: &str, more: &[(usize, &[u8])]) -> Vec<u8> {
    changed(name, |at, block| {
        let mut parts = more.iter().filter(|(block, _)| *block == at).map(|(_, data)| *data).peekable();
        parts.peek()?;
        Some([block.data, &parts.collect::<Vec<_>>().concat()].concat())
    })
}
