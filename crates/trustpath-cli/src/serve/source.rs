//! The pool of a session, with the pipelines of `trustpath label` and `trustpath audit`. Its representation, which does not depend on
//! labels, is computed once.

use std::path::Path;
use std::sync::OnceLock;

use rayon::ThreadPool;
use trustpath::label::{Labelling, Trust};
use trustpath::represent::Represented;
use trustpath::spec::LabelSpec;
use trustpath::{Audit, Features, Observer, audit, label};
use trustpath_explain::AuditedRows;
use trustpath_serve::SessionPool;
use trustpath_table::PartlyLabelledTable;

use crate::args::LoadedInstances;
use crate::features::{Rows, named};

/// What a session works on.
pub struct PoolSource {
    pub instances: LoadedInstances,
    pub threads: ThreadPool,
    pub spec: LabelSpec,
    pub trust: Trust,
    /// The column of texts that an instance is shown by.
    pub text: Option<String>,
    /// See [`PoolSource::represented`].
    represented: OnceLock<Represented>,
}

impl PoolSource {
    pub fn new(
        instances: LoadedInstances,
        threads: ThreadPool,
        spec: LabelSpec,
        trust: Trust,
        text: Option<String>,
    ) -> Self {
        Self { instances, threads, spec, trust, text, represented: OnceLock::new() }
    }

    /// The representation of the pool, made when it is first asked for.
    fn represented(
        &self,
        features: &Features<'_>,
        observer: &mut (dyn Observer + Send),
    ) -> trustpath::Result<&Represented> {
        if let Some(kept) = self.represented.get() {
            return Ok(kept);
        }
        // Only the thread of the model labels, so that nothing is made twice.
        let made = Represented::of(features, observer)?;
        Ok(self.represented.get_or_init(|| made))
    }
}

impl SessionPool for PoolSource {
    fn pool(&self) -> &PartlyLabelledTable {
        &self.instances.pool
    }

    fn label(
        &self,
        labels: &[Option<usize>],
        none: &[usize],
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Labelling, String> {
        let pool = self.pool();
        self.threads.install(|| {
            let rows = Rows::all(pool);
            let features = rows.features().map_err(|e| e.to_string())?;
            let labelling = self.represented(&features, observer).and_then(|kept| {
                let pool = label(&features, labels).none_of_these(none).classes(classes);
                pool.spec(&self.spec).on(kept).run_observed(observer)
            });
            labelling.map_err(|error| named(pool, error).to_string())
        })
    }

    fn label_first(&self, observer: &mut (dyn Observer + Send)) -> Result<Vec<usize>, String> {
        let pool = self.pool();
        self.threads.install(|| {
            let rows = Rows::all(pool);
            let features = rows.features().map_err(|e| e.to_string())?;
            let kept = self.represented(&features, observer);
            let first = kept.map(|kept| kept.label_first(self.spec.suggest));
            first.map_err(|error| named(pool, error).to_string())
        })
    }

    fn audit(
        &self,
        labelled: &AuditedRows,
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Audit, String> {
        let pool = self.pool();
        self.threads.install(|| {
            let rows = Rows::some(pool, &labelled.rows);
            let features = rows.features().map_err(|e| e.to_string())?;
            let audited = audit(&features, &labelled.labels).classes(classes).run_observed(observer);
            audited.map_err(|error| named(pool, labelled.error_in_all_rows(error)).to_string())
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
        self.instances.images.is_some()
    }

    fn image(&self, row: usize, edge: usize) -> Option<Vec<u8>> {
        self.instances.images.as_ref()?.jpeg(row, edge)
    }

    fn original(&self, row: usize) -> Option<Vec<u8>> {
        self.instances.images.as_ref()?.original(row)
    }

    fn file(&self, row: usize) -> Option<&Path> {
        self.instances.images.as_ref()?.file(row)
    }

    fn size(&self, row: usize) -> Option<(usize, usize)> {
        self.instances.images.as_ref()?.size(row)
    }
}
