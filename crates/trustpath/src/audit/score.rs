//! How suspicious a label is: `own − rival/3`.
//!
//! `own` is where the given label vanishes on the leave-one-out path, `rival` where the best other one does. `own` alone ranks
//! mistakes that are made at random best, `own − rival` mistakes that follow similarity; this is level with the better of the two in
//! both cases (`docs/trust.md`). It has the unit of `λ`, so that it does not depend on which other labels are audited.

use crate::judge::Judgement;

/// The part of the rival in the score.
const RIVAL: f64 = 1.0 / 3.0;

/// The score of a judgement: the larger, the more suspicious.
pub(super) fn score(judged: &Judgement) -> f64 {
    judged.vanish - RIVAL * judged.rival_vanish
}
