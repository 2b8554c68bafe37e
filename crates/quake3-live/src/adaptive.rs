//! The adaptive Huffman code that a client's `connect` is packed with. Both sides grow the same tree from what passes (`docs/formats/quake3.md`,
//! "Connecting").
//!
//! ```
//! use fragreel_quake3_live::adaptive::{pack, unpack};
//!
//! let line = b"\"\\challenge\\17\\qport\\4711\\protocol\\71\\name\\somebody\"";
//! assert!(pack(line).len() < line.len() + 2);
//! assert_eq!(unpack(&pack(line)), line);
//! ```

/// A node of the tree.
#[derive(Debug, Clone, Copy)]
struct Node {
    weight: u32,
    parent: Option<usize>,
    /// Left and right; none for a leaf.
    children: Option<[usize; 2]>,
    symbol: usize,
}

/// The symbol of a byte that has not occurred yet.
const NEW: usize = 256;
/// Longest text that is unpacked.
const LONGEST: usize = 4096;

#[derive(Debug, Clone)]
struct Tree {
    nodes: Vec<Node>,
    /// Nodes by rising weight, and the index of each there.
    order: Vec<usize>,
    place: Vec<usize>,
    root: usize,
    leaves: [Option<usize>; 257],
}

impl Tree {
    fn new() -> Self {
        let mut leaves = [None; 257];
        leaves[NEW] = Some(0);
        Tree { nodes: vec![Node { weight: 0, parent: None, children: None, symbol: NEW }], order: vec![0], place: vec![0], root: 0, leaves }
    }

    /// The way from the root to a leaf: 1 is right.
    fn path(&self, symbol: usize) -> Option<Vec<bool>> {
        let mut node = self.leaves[symbol]?;
        let mut path = Vec::new();
        while let Some(parent) = self.nodes[node].parent {
            path.push(self.nodes[parent].children.is_some_and(|children| children[1] == node));
            node = parent;
        }
        path.reverse();
        Some(path)
    }

    /// A byte has passed.
    fn count(&mut self, symbol: usize) {
        if let Some(leaf) = self.leaves[symbol] {
            self.increment(leaf);
            return;
        }
        // The leaf for new ones becomes a node with it and the new leaf below.
        let fresh = self.leaves[NEW].unwrap_or_default();
        let (inner, leaf) = (self.nodes.len(), self.nodes.len() + 1);
        let parent = self.nodes[fresh].parent;
        self.nodes.push(Node { weight: 1, parent, children: Some([fresh, leaf]), symbol: NEW + 1 });
        self.nodes.push(Node { weight: 1, parent: Some(inner), children: None, symbol });
        self.nodes[fresh].parent = Some(inner);
        self.relink(parent, fresh, inner);
        self.leaves[symbol] = Some(leaf);
        self.order.splice(1..1, [leaf, inner]);
        self.place.resize(self.nodes.len(), 0);
        for (at, &node) in self.order.iter().enumerate() {
            self.place[node] = at;
        }
        if let Some(parent) = parent {
            self.increment(parent);
        }
    }

    /// Puts a node in the place of another below `parent`, or at the root.
    fn relink(&mut self, parent: Option<usize>, old: usize, new: usize) {
        match parent {
            None => self.root = new,
            Some(parent) => {
                for child in self.nodes[parent].children.iter_mut().flatten() {
                    if *child == old {
                        *child = new;
                        break;
                    }
                }
            }
        }
    }

    fn increment(&mut self, node: usize) {
        let weight = self.nodes[node].weight;
        let mut lead = self.place[node];
        while self.order.get(lead + 1).is_some_and(|&next| self.nodes[next].weight == weight) {
            lead += 1;
        }
        let leader = self.order[lead];
        if leader != node {
            if self.nodes[node].parent != Some(leader) {
                self.swap(leader, node);
            }
            self.swap_places(leader, node);
        }
        self.nodes[node].weight += 1;
        if let Some(parent) = self.nodes[node].parent {
            self.increment(parent);
            if self.place[node] == self.place[parent] + 1 {
                self.swap_places(node, parent);
            }
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        let parents = [self.nodes[one].parent, self.nodes[other].parent];
        if parents[0] == parents[1] {
            if let Some(children) = parents[0].and_then(|parent| self.nodes[parent].children.as_mut()) {
                children.swap(0, 1);
            }
            return;
        }
        self.relink(parents[0], one, other);
        self.relink(parents[1], other, one);
        (self.nodes[one].parent, self.nodes[other].parent) = (parents[1], parents[0]);
    }

    fn swap_places(&mut self, one: usize, other: usize) {
        self.order.swap(self.place[one], self.place[other]);
        self.place.swap(one, other);
    }
}

/// Packs a text: its length in two bytes, highest first, then the code of each byte, lowest bit first.
pub fn pack(text: &[u8]) -> Vec<u8> {
    let mut tree = Tree::new();
    let mut bits: Vec<bool> = Vec::new();
    for &byte in text {
        match tree.path(usize::from(byte)) {
            Some(path) => bits.extend(path),
            None => {
                bits.extend(tree.path(NEW).unwrap_or_default());
                bits.extend((0..8).rev().map(|bit| byte >> bit & 1 != 0));
            }
        }
        tree.count(usize::from(byte));
    }
    let mut packed = (text.len() as u16).to_be_bytes().to_vec();
    packed.extend(bits.chunks(8).map(|bits| bits.iter().enumerate().fold(0, |byte, (at, &bit)| byte | u8::from(bit) << at)));
    // Engines count one more byte.
    packed.push(0);
    packed
}

/// Unpacks a text, as far as there are bits for it.
pub fn unpack(packed: &[u8]) -> Vec<u8> {
    let Some((&length, coded)) = packed.split_first_chunk::<2>() else { return Vec::new() };
    let length = usize::from(u16::from_be_bytes(length)).min(LONGEST);
    let mut bits = coded.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1));
    let (mut tree, mut text) = (Tree::new(), Vec::new());
    while text.len() < length {
        let mut node = tree.root;
        while let Some(children) = tree.nodes[node].children {
            let Some(bit) = bits.next() else { return text };
            node = children[usize::from(bit)];
        }
        let mut symbol = tree.nodes[node].symbol;
        if symbol == NEW {
            symbol = 0;
            for _ in 0..8 {
                let Some(bit) = bits.next() else { return text };
                symbol = symbol << 1 | usize::from(bit);
            }
        }
        text.push(symbol as u8);
        tree.count(symbol);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_packed_comes_out() {
        let mut dice = fragreel_live::network::Dice::new(5);
        for length in [0usize, 1, 2, 3, 10, 100, 1000] {
            for spread in [1, 2, 10, 256] {
                let text: Vec<u8> = (0..length).map(|_| dice.below(spread) as u8).collect();
                assert_eq!(unpack(&pack(&text)), text);
            }
        }
        // Cut or mad, it ends.
        for _ in 0..1000 {
            let mad: Vec<u8> = (0..dice.below(60)).map(|_| dice.roll() as u8).collect();
            assert!(unpack(&mad).len() <= LONGEST);
        }
    }
}
