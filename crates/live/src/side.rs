//! The two ends of a connection.

/// Which end of the connection this is. Only the client writes its qport, which distinguishes connections behind one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The client.
    Client {
        /// What it chose.
        qport: u16,
    },
    /// The server.
    Server {
        /// What the client said when it connected.
        qport: u16,
    },
}
