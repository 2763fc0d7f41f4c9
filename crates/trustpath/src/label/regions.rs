//! A pool whose rows are on several machines: every step of [`label`](super::label()) as a function of the rows that one of them holds.
//!
//! What such a program does with these functions (`trustpath.distributed.label` of the Python package is one):
//!
//! 1. *Blocks*, wherever rows lie: [`product`] adds up to the directions that all keep ([`basis`]), [`keep`] keeps them, and
//!    [`CellMeans::cells`] says which cell of the neighbour search each row is in.
//! 2. *Regions*: each row goes to the region that owns its cell ([`CellMeans::regions`]). A [`Region`] receives the rows of the cells around its
//!    own ([`Region::halo`]) and finds neighbours ([`Region::search`], [`Region::sweep`]). With `rows` as they were kept, smoothing is
//!    `once = rows.moved(kept rows of all)`, then `rows.moved(once of all).scaled()` ([`KeptRows::moved`], [`KeptRows::scaled`]).
//!    [`Components`] come from the sum of the scatter of all regions.
//! 3. *The graph* of all neighbours is some hundred bytes per row: [`Signals::of_neighbors`] says how far each row is from the labels.
//! 4. *A part* of the rows, even over the pool and with all given labels, is labelled as one machine does ([`PartOfPool::learn`]); the
//!    [`PoolRules`] that it leaves label the rows of every region ([`PoolRules::apply`]).
//!
//! One machine runs the same functions on all rows at once. Results differ by the rounding of sums, by neighbours that a sweep cannot
//! reach beyond the halo, and by the part that rules are learnt from.

pub use super::learn::PartOfPool;
pub use super::represent::{
    Components, KeptRows, RecallSample, Scatter, basis, has_signs, keep, neighbors_of, product,
    sign_rows,
};
pub use super::rules::{PoolRules, RowsToLabel};
pub use super::signals::Signals;
pub use crate::neighbors::{CellMeans, CellPlan, Region, RegionLists, RegionOrder};
