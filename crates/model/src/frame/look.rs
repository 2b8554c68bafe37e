//! What players and entities are drawn with: models, skins, and poses.

use std::sync::Arc;

use super::{Sound, Subject};
use crate::Milliseconds;

/// The model of a player or an entity at one frame, and its pose. Place and angles are in the [`Frame`](crate::Frame).
///
/// Parts of the map (`*1`) have a look only if it states how they are drawn ([`Look::render`]). [`EntityFrame::model`](crate::EntityFrame::model) shows all of
/// them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Look {
    /// Whose look it is: a player's or an entity's.
    pub subject: Subject,
    /// The model's file in the game's data. Of a player of Quake III, the folder with the three parts of the figure.
    pub model: Option<Arc<str>>,
    /// The file of the weapon that the figure holds.
    pub held: Option<Arc<str>>,
    /// The model to draw with [`held`](Self::held) in QuakeWorld: the figure without a weapon. [`model`](Self::model) is the figure with the usual one.
    pub bare: Option<Arc<str>>,
    /// The skin by name: a file without extension in Quake and Quake II, the name of `.skin` files in Quake III.
    pub skin: Option<Arc<str>>,
    /// The skin by number.
    pub skin_number: Option<i32>,
    /// Shirt and trousers in Quake; the two hues of a player in Half-Life.
    pub colors: Option<[u8; 2]>,
    /// The choice of body parts in Half-Life.
    pub body: Option<i32>,
    /// The frame of the model. In Half-Life, 0 to 256 for the whole sequence.
    pub frame: Option<f32>,
    /// The sequence in Half-Life; the animation of the legs in Quake III, with the bit that toggles when it starts again.
    pub sequence: Option<i32>,
    /// The sequence of the gait in Half-Life; the animation of the torso in Quake III.
    pub second_sequence: Option<i32>,
    /// When the frame was as stated, on the server's clock, in Half-Life.
    pub began: Option<Milliseconds>,
    /// The speed of the sequence in Half-Life: 1 is normal.
    pub rate: Option<f32>,
    /// A second model on the figure: the flag on its back.
    pub carried: Option<Arc<str>>,
    /// The skin of that model by number.
    pub carried_skin: Option<i32>,
    /// The color of a shell around the figure, which power-ups give.
    pub shell: Option<[u8; 3]>,
    /// How it is drawn in Half-Life, if that is not the usual way.
    pub render: Option<Render>,
    /// Whether the shell alone is seen.
    pub only_shell: bool,
    /// Whether it turns about its upright axis, as items do.
    pub rotates: bool,
    /// Whether the player fires, in Quake III.
    pub fires: Option<bool>,
    /// Degrees from the view to where the legs go, in Quake III.
    pub stride: Option<i16>,
    /// How far each blend of the sequence is on the way to its last pose, in Half-Life.
    pub blends: Option<[u8; 2]>,
    /// How far each controller has turned its bone, in Half-Life.
    pub controllers: Option<[u8; 4]>,
    /// The sound that is heard from it as long as this is its look.
    pub sound: Option<Arc<Sound>>,
    /// The file of the weapon as the player sees it. In Quake III, of the hand that holds [`held`](Self::held).
    pub view_model: Option<Arc<str>>,
    /// The frame of that model, in Half-Life the number of its sequence. Quake III does not state it.
    pub view_frame: Option<f32>,
    /// Where that weapon is from the eye: ahead, to the right, up.
    pub view_offset: Option<[f32; 3]>,
    /// How that weapon is turned against the view: pitch, yaw, roll.
    pub view_turn: Option<[f32; 3]>,
    /// How far the view is knocked aside, where its angles leave that out: pitch, yaw, roll.
    pub view_kick: Option<[f32; 3]>,
    /// How far the player's step is, of 256, in Quake III: the second half is the other foot's.
    pub view_step: Option<u8>,
}

/// How something is drawn in Half-Life, as the game states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Render {
    /// `rendermode`: 0 opaque, 1 one color, 2 as translucent as the amount says, 3 a glow, 4 with holes, 5 added to what is behind it.
    pub mode: u8,
    /// `renderamt`: 255 is opaque.
    pub amount: u8,
    /// `renderfx`: how the amount changes with time.
    pub effect: u8,
    /// `rendercolor`. Black stands for white, except in mode 1.
    pub color: [u8; 3],
}

impl Render {
    /// A mode, an amount, an effect, and a color, as the game numbers them.
    pub const fn new(mode: u8, amount: u8, effect: u8, color: [u8; 3]) -> Self {
        Render { mode, amount, effect, color }
    }
}

impl Look {
    /// A look with nothing known but the subject.
    pub const fn new(subject: Subject) -> Self {
        Look {
            subject,
            model: None,
            held: None,
            bare: None,
            skin: None,
            skin_number: None,
            colors: None,
            body: None,
            frame: None,
            sequence: None,
            second_sequence: None,
            began: None,
            rate: None,
            carried: None,
            carried_skin: None,
            shell: None,
            render: None,
            only_shell: false,
            rotates: false,
            fires: None,
            stride: None,
            blends: None,
            controllers: None,
            sound: None,
            view_model: None,
            view_frame: None,
            view_offset: None,
            view_turn: None,
            view_kick: None,
            view_step: None,
        }
    }

    /// The look of a subject in a list, made where there is none. Eyes may show a player whose body nobody sees.
    pub fn of(looks: &mut Vec<Look>, subject: Subject) -> &mut Look {
        let at = looks.iter().position(|look| look.subject == subject).unwrap_or_else(|| {
            looks.push(Look::new(subject));
            looks.len() - 1
        });
        &mut looks[at]
    }
}
