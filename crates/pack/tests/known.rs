/// What some samples are packed into: family, name, and the first bytes of SHA-256 of the packed file.
const KNOWN: [(&str, &str, [u8; 4]); 5] = [
    ("quake3", "dm_bots.dm_71", [0x8f, 0x20, 0xb3, 0x68]),
    ("quake2", "q2pmulti_Alice.dm2", [0x91, 0xc3, 0xd9, 0xad]),
    ("quake1", "fte1_e1m1.mvd", [0xed, 0xac, 0x27, 0x00]),
    ("goldsrc", "net-45.dem", [0x8a, 0xab, 0x0d, 0x62]),
    ("goldsrc", "protocol-4-net-40.dem", [0x0d, 0xa0, 0x40, 0x61]),
];
