//! The numbers printed in the paper, in percent.

/// A mean and half the width of its 95% interval, as printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published(pub f64, pub f64);

impl Published {
    /// As printed.
    pub fn text(self) -> String {
        format!("{:.2} ± {:.2}", self.0, self.1)
    }
}

/// A row of Table 1: 1 and 5 shots on each of [`DATASETS`].
#[derive(Debug)]
pub struct Row {
    /// The setting.
    pub setting: &'static str,
    /// The model.
    pub model: &'static str,
    /// Per dataset, at 1 and 5 shots.
    pub accuracy: [[Published; 2]; 4],
}

/// The datasets of Table 1.
pub const DATASETS: [&str; 4] = ["miniImageNet", "tieredImageNet", "CIFAR-FS", "CUB"];

const fn row(setting: &'static str, model: &'static str, v: [(f64, f64); 8]) -> Row {
    const fn p(v: (f64, f64)) -> Published {
        Published(v.0, v.1)
    }
    let accuracy = [[p(v[0]), p(v[1])], [p(v[2]), p(v[3])], [p(v[4]), p(v[5])], [p(v[6]), p(v[7])]];
    Row { setting, model, accuracy }
}

/// Table 1 (`fig:tfsl results`), the rows of ICI.
#[rustfmt::skip]
pub const TABLE1: [Row; 6] = [
    row("Tran.", "ICIC", [(71.29, 0.59), (83.12, 0.33), (76.13, 0.62), (86.73, 0.36), (78.47, 0.60), (86.41, 0.36), (90.38, 0.42), (94.30, 0.20)]),
    row("Tran.", "ICIR", [(72.39, 0.62), (83.27, 0.33), (77.48, 0.62), (86.84, 0.36), (79.19, 0.63), (86.66, 0.36), (90.89, 0.43), (94.36, 0.20)]),
    row("Semi. 15/15", "ICIC", [(70.97, 0.56), (82.69, 0.33), (76.00, 0.60), (86.19, 0.36), (78.44, 0.58), (86.10, 0.36), (89.89, 0.42), (94.00, 0.20)]),
    row("Semi. 15/15", "ICIR", [(72.32, 0.58), (82.78, 0.33), (76.98, 0.61), (86.24, 0.36), (79.20, 0.58), (86.14, 0.36), (90.45, 0.42), (94.00, 0.20)]),
    row("Semi. 30/50", "ICIC", [(71.43, 0.62), (83.41, 0.35), (78.01, 0.63), (86.86, 0.37), (80.25, 0.58), (86.99, 0.36), (91.75, 0.39), (94.42, 0.20)]),
    row("Semi. 30/50", "ICIR", [(73.12, 0.65), (83.28, 0.37), (78.99, 0.66), (86.76, 0.39), (80.74, 0.61), (87.16, 0.36), (92.12, 0.40), (94.52, 0.20)]),
];

/// The row of Table 1 for a setting and a model.
pub fn table1(setting: &str, model: &str) -> Option<&'static Row> {
    TABLE1.iter().find(|row| row.setting == setting && row.model == model)
}

/// `tab:Number-of-episodes`: improved and total episodes that satisfy nothing, C1, C1 and C2, all.
pub const ASSUMPTIONS: [(usize, usize); 4] = [(0, 0), (424, 793), (1035, 1164), (40, 43)];

const fn four(v: [(f64, f64); 4]) -> [Published; 4] {
    [
        Published(v[0].0, v[0].1),
        Published(v[1].0, v[1].1),
        Published(v[2].0, v[2].1),
        Published(v[3].0, v[3].1),
    ]
}

/// `tab:ablation`: selectors on miniImageNet; transductive 1 and 5 shots, semi-supervised 1 and 5 shots.
pub const SELECTORS: [(&str, [Published; 4]); 5] = [
    ("RA", four([(67.54, 0.51), (81.45, 0.32), (68.09, 0.52), (81.30, 0.33)])),
    ("NN", four([(69.80, 0.53), (82.12, 0.32), (69.99, 0.52), (81.96, 0.33)])),
    ("CO", four([(70.57, 0.54), (82.41, 0.31), (70.53, 0.52), (82.10, 0.32)])),
    ("CN", four([(67.44, 0.53), (81.44, 0.33), (67.87, 0.52), (81.49, 0.34)])),
    ("ICIR", four([(71.19, 0.58), (82.55, 0.32), (71.25, 0.55), (82.32, 0.32)])),
];

/// `tab:classifiers`: ICI with other classifiers on miniImageNet; columns as in [`SELECTORS`].
pub const CLASSIFIERS: [(&str, [Published; 4]); 3] = [
    ("kNN", four([(71.45, 0.61), (79.88, 0.38), (69.14, 0.57), (77.20, 0.38)])),
    ("SVM", four([(72.13, 0.62), (82.76, 0.34), (70.76, 0.58), (80.83, 0.35)])),
    ("LR", four([(72.39, 0.62), (83.27, 0.33), (72.32, 0.58), (82.78, 0.33)])),
];

/// `tab:stat`: improved and total episodes by tenth of the initial accuracy.
pub const INITIAL: [(usize, usize); 10] = [
    (0, 0),
    (0, 0),
    (1, 2),
    (7, 16),
    (91, 133),
    (312, 446),
    (526, 663),
    (464, 544),
    (154, 191),
    (3, 5),
];

/// `tab:reduced`, left: reduced dimensions on miniImageNet, 512 being none.
pub const DIMENSION: [(usize, Published); 6] = [
    (2, Published(70.03, 0.58)),
    (5, Published(72.39, 0.62)),
    (10, Published(71.80, 0.61)),
    (20, Published(71.17, 0.59)),
    (50, Published(69.30, 0.55)),
    (512, Published(67.08, 0.51)),
];

/// `tab:reduced`, right: reductions on miniImageNet.
pub const REDUCTIONS: [(&str, Published); 6] = [
    ("isomap", Published(71.49, 0.60)),
    ("pca", Published(71.52, 0.63)),
    ("ltsa", Published(70.10, 0.59)),
    ("mds", Published(68.05, 0.53)),
    ("lle", Published(72.39, 0.62)),
    ("se", Published(72.43, 0.63)),
];

/// `tab:backbone`: features, backbone, and ICIR at 1 and 5 shots on miniImageNet.
pub const BACKBONES: [(&str, &str, [Published; 2]); 3] = [
    ("CAN", "ResNet-12", [Published(70.53, 0.63), Published(81.30, 0.36)]),
    ("E3BM", "WRN-28-10", [Published(71.39, 0.63), Published(82.61, 0.36)]),
    ("TAFSSL", "DenseNet", [Published(76.83, 0.60), Published(85.12, 0.32)]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_agree_where_they_print_the_same_number() {
        let mini = |setting| table1(setting, "ICIR").unwrap().accuracy[0];
        let lr = CLASSIFIERS[2].1;
        assert_eq!([lr[0], lr[1]], mini("Tran."));
        assert_eq!([lr[2], lr[3]], mini("Semi. 15/15"));
        assert_eq!(DIMENSION[1].1, lr[0]);
        assert_eq!(REDUCTIONS[4].1, lr[0]);
    }

    #[test]
    fn counts_add_up_to_the_episodes_of_the_paper() {
        let total = |counts: &[(usize, usize)]| counts.iter().map(|c| c.1).sum::<usize>();
        assert_eq!(total(&ASSUMPTIONS), 2000);
        assert_eq!(total(&INITIAL), 2000);
        assert!(ASSUMPTIONS.iter().chain(&INITIAL).all(|(improved, all)| improved <= all));
    }

    #[test]
    fn every_number_is_a_percentage_with_a_narrow_interval() {
        let mut all: Vec<Published> = TABLE1.iter().flat_map(|r| r.accuracy.concat()).collect();
        all.extend(SELECTORS.iter().chain(&CLASSIFIERS).flat_map(|r| r.1));
        all.extend(DIMENSION.iter().map(|r| r.1));
        all.extend(REDUCTIONS.iter().map(|r| r.1));
        all.extend(BACKBONES.iter().flat_map(|r| r.2));
        assert_eq!(all.len(), 48 + 32 + 12 + 6);
        assert!(all.iter().all(|p| (60.0..95.0).contains(&p.0) && (0.1..0.7).contains(&p.1)));
        assert_eq!(all[0].text(), "71.29 ± 0.59");
    }
}
