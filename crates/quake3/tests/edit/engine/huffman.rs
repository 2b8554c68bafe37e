//! The code of bytes, grown as engines grow it when they start: from how often each byte is said to come.

use std::sync::LazyLock;

/// The description of the format, whose table of frequencies this is made from.
const DESCRIPTION: &str = include_str!("../../../../../docs/formats/quake3.md");

/// A node's number: where it was made.
type Id = usize;

/// A tree of codes. Node 0 is the leaf of bytes that were not seen yet.
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// All nodes, by rising weight.
    order: Vec<Id>,
    root: Id,
}

#[derive(Clone, Copy)]
struct Node {
    weight: u32,
    parent: Option<Id>,
    /// Where it is in the order.
    place: usize,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Unseen,
    Byte(u8),
    /// What follows a 0 and a 1.
    Fork([Id; 2]),
}

/// The tree of every message.
pub(super) static TREE: LazyLock<Tree> = LazyLock::new(|| {
    let (_, table) = DESCRIPTION.split_once("### Byte frequencies").expect("the table");
    let frequencies: Vec<u32> = table
        .split("```")
        .nth(1)
        .expect("the table's numbers")
        .split([',', '\n'])
        .filter_map(|word| word.trim().strip_prefix("0x"))
        .map(|digits| u32::from_str_radix(digits, 16).expect("a number"))
        .collect();
    assert_eq!(frequencies.len(), 256);
    let mut tree = Tree { nodes: vec![Node { weight: 0, parent: None, place: 0, kind: Kind::Unseen }], order: vec![0], root: 0 };
    for (byte, &frequency) in (0..=255).zip(&frequencies) {
        let leaf = tree.split(byte);
        for _ in 1..frequency {
            tree.count(Some(leaf));
        }
    }
    tree
});

impl Tree {
    /// The byte that the next bits stand for.
    pub(super) fn symbol(&self, mut bit: impl FnMut() -> Result<u32, String>) -> Result<u8, String> {
        let mut at = self.root;
        loop {
            match self.nodes[at].kind {
                Kind::Fork(sides) => at = sides[bit()? as usize],
                Kind::Byte(byte) => return Ok(byte),
                Kind::Unseen => return Err(String::from("the code of no byte")),
            }
        }
    }

    /// A byte comes for the first time: where the unseen were, there is a fork between them and it.
    fn split(&mut self, byte: u8) -> Id {
        let (leaf, fork) = (self.nodes.len(), self.nodes.len() + 1);
        let parent = self.nodes[0].parent;
        self.nodes.push(Node { weight: 1, parent: Some(fork), place: 0, kind: Kind::Byte(byte) });
        self.nodes.push(Node { weight: 1, parent, place: 0, kind: Kind::Fork([0, leaf]) });
        self.hang(fork, parent, 0);
        self.nodes[0].parent = Some(fork);
        self.order.splice(1..1, [leaf, fork]);
        for (place, &id) in self.order.iter().enumerate() {
            self.nodes[id].place = place;
        }
        self.count(parent);
        leaf
    }

    /// Puts a node where another was below its parent.
    fn hang(&mut self, id: Id, parent: Option<Id>, instead: Id) {
        match parent.map(|parent| &mut self.nodes[parent].kind) {
            Some(Kind::Fork(sides)) => sides[usize::from(sides[1] == instead)] = id,
            _ => self.root = id,
        }
        self.nodes[id].parent = parent;
    }

    /// A node and all above it weigh one more; each goes to the end of those of its weight first. One that then stands right behind
    /// its parent goes before it.
    fn count(&mut self, id: Option<Id>) {
        let Some(id) = id else { return };
        let Node { weight, place, parent, .. } = self.nodes[id];
        let same = self.order[place..].iter().take_while(|&&other| self.nodes[other].weight == weight).count();
        let last = self.order[place + same - 1];
        if last != id && Some(last) != parent {
            self.exchange(id, last);
        }
        self.reorder(place, place + same - 1);
        self.nodes[id].weight += 1;
        let parent = self.nodes[id].parent;
        self.count(parent);
        let place = self.nodes[id].place;
        if place > 0 && Some(self.order[place - 1]) == parent {
            self.reorder(place - 1, place);
        }
    }

    fn reorder(&mut self, a: usize, b: usize) {
        self.order.swap(a, b);
        for place in [a, b] {
            self.nodes[self.order[place]].place = place;
        }
    }

    /// Two nodes with all below them change places.
    fn exchange(&mut self, a: Id, b: Id) {
        let (over_a, over_b) = (self.nodes[a].parent, self.nodes[b].parent);
        if over_a == over_b {
            if let Some(Kind::Fork(sides)) = over_a.map(|over| &mut self.nodes[over].kind) {
                sides.swap(0, 1);
            }
        } else {
            self.hang(b, over_a, a);
            self.hang(a, over_b, b);
        }
    }
}
