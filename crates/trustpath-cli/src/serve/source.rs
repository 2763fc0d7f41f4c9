//! The pool of a session, with the pipelines of `trustpath label` and `trustpath audit`. Its representation, which does not depend on
//! labels, is computed once.

use std::path::Path;
use std::sync::OnceLock;

use rayon::ThreadPool;
use trustpath::label::{Labelling, Trust};
use trustpath::limits::Limits;
use trustpath::represent::Represented;
use trustpath::spec::LabelSpec;
use trustpath::{Audit, Features, Observer, Origin, audit, label};
use trustpath_explain::AuditedRows;
use trustpath_serve::SessionPool;
use trustpath_table::PartlyLabelledTable;
use trustpath_vision::dataset::Dataset;
use trustpath_vision::image::RgbImage;

use crate::args::LoadedInstances;
use crate::features::{PoolRows, named};

/// What a session works on.
pub struct PoolSource {
    pub instances: LoadedInstances,
    pub threads: ThreadPool,
    pub spec: LabelSpec,
    pub trust: Trust,
    /// The column of texts that an instance is shown by.
    pub text: Option<String>,
    /// The representation of the pool, once it is made.
    pub represented: OnceLock<Represented>,
}

impl PoolSource {
    /// Whether only a part of the pool is labelled together, which depends on the labels, so that no representation can be kept.
    fn is_large(&self) -> bool {
        self.instances.pool.rows() > Limits::default().in_memory
    }

    /// The representation, made when it is first asked for.
    fn represented(
        &self,
        features: &Features<'_>,
        observer: &mut (dyn Observer + Send),
    ) -> trustpath::Result<&Represented> {
        if let Some(represented) = self.represented.get() {
            return Ok(represented);
        }
        // Only the thread of the model labels, so that nothing is made twice.
        let made = Represented::of(features, observer)?;
        Ok(self.represented.get_or_init(|| made))
    }

    /// Does something with the features of some rows, on the threads of the session.
    fn with_features<T: Send>(
        &self,
        rows: PoolRows<'_>,
        action: impl FnOnce(&Features<'_>) -> trustpath::Result<T> + Send,
    ) -> Result<T, String> {
        self.threads.install(|| {
            let features = rows.features().map_err(|e| e.to_string())?;
            action(&features).map_err(|error| named(&self.instances.pool, error).to_string())
        })
    }

    fn images(&self) -> Option<&Dataset> {
        Some(&self.instances.images.as_ref()?.dataset)
    }
}

impl SessionPool for PoolSource {
    fn pool(&self) -> &PartlyLabelledTable {
        &self.instances.pool
    }

    fn label(
        &self,
        labels: &[Option<usize>],
        origins: &[Origin],
        none: &[usize],
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Labelling, String> {
        self.with_features(PoolRows::all(self.pool()), |features| {
            let pool = label(features, labels).origins(origins).none_of_these(none).classes(classes).spec(&self.spec);
            if self.is_large() {
                return pool.run_observed(observer);
            }
            pool.on(self.represented(features, observer)?).run_observed(observer)
        })
    }

    fn label_first(&self, observer: &mut (dyn Observer + Send)) -> Result<Vec<usize>, String> {
        self.with_features(PoolRows::all(self.pool()), |features| {
            if self.is_large() {
                return trustpath::label_first(features, self.spec.suggest, observer);
            }
            Ok(self.represented(features, observer)?.label_first(self.spec.suggest))
        })
    }

    fn audit(
        &self,
        labelled: &AuditedRows,
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Audit, String> {
        self.with_features(PoolRows::some(self.pool(), &labelled.rows), |features| {
            let audited = audit(features, &labelled.labels).classes(classes).run_observed(observer);
            audited.map_err(|error| labelled.error_in_all_rows(error))
        })
    }

    fn trust(&self) -> Trust {
        self.trust
    }

    fn closed(&self) -> bool {
        self.spec.closed
    }

    fn text_column(&self) -> Option<&str> {
        self.text.as_deref()
    }

    fn has_images(&self) -> bool {
        self.images().is_some()
    }

    fn image(&self, row: usize, edge: usize) -> Option<Vec<u8>> {
        self.images()?.image(row).ok()?.within(edge).jpeg(RgbImage::THUMBNAIL_QUALITY).ok()
    }

    fn original(&self, row: usize) -> Option<Vec<u8>> {
        let images = self.images()?;
        // Where an image is no file, a PNG of it.
        images.encoded(row).ok().flatten().or_else(|| images.image(row).ok()?.png().ok())
    }

    fn file(&self, row: usize) -> Option<&Path> {
        self.images()?.file(row)
    }

    fn size(&self, row: usize) -> Option<(usize, usize)> {
        self.images()?.image(row).ok().map(|image| (image.width, image.height))
    }
}
