//! What a session works on, given by the front end.

use std::path::Path;

use trustpath::label::{Labelling, Trust};
use trustpath::{Audit, Observer, Origin};
use trustpath_explain::AuditedRows;
use trustpath_table::PartlyLabelledTable;

/// A pool, its images or texts, and the pipelines that label and audit it, whose errors are sentences.
pub trait SessionPool: Send + Sync {
    /// The pool with the labels that were read.
    fn pool(&self) -> &PartlyLabelledTable;

    /// Labels the pool as `trustpath label` does, and suggests what to label next. Labels have these origins; the rows `none` belong to none
    /// of the classes.
    fn label(
        &self,
        labels: &[Option<usize>],
        origins: &[Origin],
        none: &[usize],
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Labelling, String>;

    /// What to label first, while there are no labels of two classes.
    fn label_first(&self, observer: &mut (dyn Observer + Send)) -> Result<Vec<usize>, String>;

    /// Audits the labels of these rows as `trustpath audit` does.
    fn audit(
        &self,
        labelled: &AuditedRows,
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Audit, String>;

    /// How trusted labels are chosen.
    fn trust(&self) -> Trust;

    /// Whether every instance belongs to a labelled class.
    fn closed(&self) -> bool;

    /// The column of texts that an instance is shown by.
    fn text_column(&self) -> Option<&str>;

    /// Whether the instances are images.
    fn has_images(&self) -> bool;

    /// An image as JPEG, whose longer edge has at most this many pixels.
    fn image(&self, row: usize, edge: usize) -> Option<Vec<u8>>;

    /// The file of an image as it is stored, or else a PNG of it.
    fn original(&self, row: usize) -> Option<Vec<u8>>;

    /// The file that an image is, if it is one of its own rather than a part of an archive.
    fn file(&self, row: usize) -> Option<&Path>;

    /// Width and height of an image.
    fn size(&self, row: usize) -> Option<(usize, usize)>;
}
