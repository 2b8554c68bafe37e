//! stub
use super::compare::View;
use crate::Recording;
use crate::state::State;
pub(crate) fn seen<'p>(_: &'p Recording, _: &'p Recording) -> Box<dyn Fn(&State) -> View + 'p> {
    Box::new(View::of)
}
