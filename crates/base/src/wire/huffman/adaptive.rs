//! The clear twin of [`CODES`](super::CODES): adaptive Huffman coding as the engine does it, run once over the
//! published byte frequencies. Nodes stand in one list by rising weight; before a node gains weight it changes
//! places with the last node of its weight.

use super::{CODES, Code};

/// How often each byte was counted (`docs/formats/quake3.md`, "Byte frequencies").
const FREQUENCIES: [u32; 256] = include!("frequencies.in");

const NOT_SEEN_YET: usize = 256;
const INNER: usize = 257;

#[derive(Clone, Copy)]
struct Node {
    weight: u32,
    symbol: usize,
    parent: Option<usize>,
    children: [Option<usize>; 2],
}

#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    /// Node indices by rising weight.
    ranked: Vec<usize>,
    /// Where each node stands in `ranked`.
    rank: Vec<usize>,
    root: usize,
    leaf: Vec<Option<usize>>,
}

impl Tree {
    fn new() -> Self {
        let lone = Node { weight: 0, symbol: NOT_SEEN_YET, parent: None, children: [None; 2] };
        Tree { nodes: vec![lone], ranked: vec![0], rank: vec![0], root: 0, leaf: vec![None; 256] }
    }

    fn count(&mut self, symbol: usize) {
        match self.leaf[symbol] {
            Some(leaf) => self.gain(leaf),
            None => self.split(symbol),
        }
    }

    /// The "not seen yet" leaf, always node 0 at the head of the list, gives birth to the new symbol's leaf.
    fn split(&mut self, symbol: usize) {
        let (leaf, inner) = (self.nodes.len(), self.nodes.len() + 1);
        let above = self.nodes[0].parent;
        self.nodes.push(Node { weight: 1, symbol, parent: Some(inner), children: [None; 2] });
        self.nodes.push(Node { weight: 1, symbol: INNER, parent: above, children: [Some(0), Some(leaf)] });
        self.nodes[0].parent = Some(inner);
        match above {
            Some(parent) => self.adopt(parent, 0, inner),
            None => self.root = inner,
        }
        self.ranked.splice(1..1, [leaf, inner]);
        self.rank.resize(self.nodes.len(), 0);
        for (at, &node) in self.ranked.iter().enumerate() {
            self.rank[node] = at;
        }
        self.leaf[symbol] = Some(leaf);
        if let Some(parent) = above {
            self.gain(parent);
        }
    }

    fn gain(&mut self, node: usize) {
        let weight = self.nodes[node].weight;
        let leader = self.ranked[self.rank[node]..].iter().copied().take_while(|&other| self.nodes[other].weight == weight).last().unwrap();
        if leader != node {
            if Some(leader) != self.nodes[node].parent {
                self.swap_in_tree(leader, node);
            }
            self.swap_in_list(leader, node);
        }
        self.nodes[node].weight += 1;
        if let Some(parent) = self.nodes[node].parent {
            self.gain(parent);
            if self.rank[node].checked_sub(1).map(|before| self.ranked[before]) == Some(parent) {
                self.swap_in_list(node, parent);
            }
        }
    }

    fn adopt(&mut self, parent: usize, old: usize, new: usize) {
        let slot = self.nodes[parent].children.iter_mut().find(|child| **child == Some(old)).unwrap();
        *slot = Some(new);
    }

    fn swap_in_tree(&mut self, a: usize, b: usize) {
        let (above_a, above_b) = (self.nodes[a].parent, self.nodes[b].parent);
        let at = |tree: &Tree, parent: Option<usize>, child| parent.map(|p| (p, tree.nodes[p].children.iter().position(|c| *c == Some(child)).unwrap()));
        let (slot_a, slot_b) = (at(self, above_a, a), at(self, above_b, b));
        for (slot, node) in [(slot_a, b), (slot_b, a)] {
            match slot {
                Some((parent, side)) => self.nodes[parent].children[side] = Some(node),
                None => self.root = node,
            }
        }
        self.nodes[a].parent = above_b;
        self.nodes[b].parent = above_a;
    }

    fn swap_in_list(&mut self, a: usize, b: usize) {
        self.ranked.swap(self.rank[a], self.rank[b]);
        self.rank.swap(a, b);
    }

    fn codes(&self) -> [Code; 257] {
        let mut codes = [Code { bits: 0, length: 0 }; 257];
        let mut open = vec![(self.root, Code { bits: 0, length: 0 })];
        while let Some((node, code)) = open.pop() {
            if self.nodes[node].symbol != INNER {
                codes[self.nodes[node].symbol] = code;
            }
            for (side, child) in self.nodes[node].children.iter().enumerate() {
                if let Some(child) = *child {
                    open.push((child, Code { bits: code.bits | (side as u16) << code.length, length: code.length + 1 }));
                }
            }
        }
        codes
    }
}

#[test]
fn the_codes_follow_from_the_frequencies() {
    let mut tree = Tree::new();
    for (symbol, &times) in FREQUENCIES.iter().enumerate() {
        for _ in 0..times {
            tree.count(symbol);
        }
    }
    let built = tree.codes();
    if std::env::var_os("BLESS").is_some() {
        let lines: Vec<String> = built[..256]
            .chunks(8)
            .map(|row| row.iter().map(|code| format!("(0x{:03x}, {}), ", code.bits, code.length)).collect::<String>().trim_end().to_owned())
            .collect();
        println!("{}", lines.join("\n"));
    }
    assert!(built[..256] == CODES, "run with BLESS=1 to see the right table");
}
