//! The pool of a session, with the pipelines of `trustpath label` and `trustpath audit`.

use rayon::ThreadPool;
use trustpath::label::{Labelling, Strategy, Trust, label_first};
use trustpath::spec::LabelSpec;
use trustpath::{Audit, Observer, audit, label};
use trustpath_explain::LabelledRows;
use trustpath_serve::Source;
use trustpath_table::PartlyLabelledTable;

use crate::args::Instances;
use crate::features::{Rows, named};

/// What a session works on.
pub struct PoolSource {
    pub instances: Instances,
    pub threads: ThreadPool,
    pub spec: LabelSpec,
    pub trust: Trust,
    /// The column of texts that an instance is shown by.
    pub text: Option<String>,
}

impl Source for PoolSource {
    fn pool(&self) -> &PartlyLabelledTable {
        &self.instances.pool
    }

    fn label(
        &self,
        labels: &[Option<usize>],
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Labelling, String> {
        let pool = self.pool();
        self.threads.install(|| {
            let rows = Rows::all(pool);
            let features = rows.features().map_err(|e| e.to_string())?;
            let labels = label(&features, labels).classes(classes).spec(&self.spec);
            labels.run_observed(observer).map_err(|error| named(pool, error).to_string())
        })
    }

    fn label_first(&self, observer: &mut (dyn Observer + Send)) -> Result<Vec<usize>, String> {
        let pool = self.pool();
        // The margin needs labels.
        let strategy = match self.spec.strategy {
            Strategy::Margin => Strategy::default(),
            strategy => strategy,
        };
        self.threads.install(|| {
            let rows = Rows::all(pool);
            let features = rows.features().map_err(|e| e.to_string())?;
            let (batch, limits) = (self.spec.suggest, self.spec.limits());
            let found = label_first(&features, strategy, batch, limits, observer);
            found.map_err(|error| named(pool, error).to_string())
        })
    }

    fn audit(
        &self,
        labelled: &LabelledRows,
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Audit, String> {
        let pool = self.pool();
        self.threads.install(|| {
            let rows = Rows::some(pool, &labelled.rows);
            let features = rows.features().map_err(|e| e.to_string())?;
            let found = audit(&features, &labelled.labels).classes(classes).run_observed(observer);
            found.map_err(|error| named(pool, labelled.error_in_all_rows(error)).to_string())
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

    fn size(&self, row: usize) -> Option<(usize, usize)> {
        self.instances.images.as_ref()?.size(row)
    }
}
