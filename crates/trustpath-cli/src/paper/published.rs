//! The numbers printed in the paper, in percent.

/// A mean and half the width of its 95% interval, as printed.
pub type Published = (f64, f64);

/// An accuracy as printed.
pub fn text((mean, half_width): Published) -> String {
    format!("{mean:.2} ± {half_width:.2}")
}

/// The datasets of Table 1.
pub const DATASETS: [&str; 4] = ["miniImageNet", "tieredImageNet", "CIFAR-FS", "CUB"];

/// A row of Table 1: setting, model, and the accuracy at 1 and 5 shots on each of [`DATASETS`].
pub type Row = (&'static str, &'static str, [[Published; 2]; 4]);

/// Table 1 (`fig:tfsl results`), the rows of ICI.
#[rustfmt::skip]
pub const TABLE1: [Row; 6] = [
    ("Tran.", "ICIC", [[(71.29, 0.59), (83.12, 0.33)], [(76.13, 0.62), (86.73, 0.36)], [(78.47, 0.60), (86.41, 0.36)], [(90.38, 0.42), (94.30, 0.20)]]),
    ("Tran.", "ICIR", [[(72.39, 0.62), (83.27, 0.33)], [(77.48, 0.62), (86.84, 0.36)], [(79.19, 0.63), (86.66, 0.36)], [(90.89, 0.43), (94.36, 0.20)]]),
    ("Semi. 15/15", "ICIC", [[(70.97, 0.56), (82.69, 0.33)], [(76.00, 0.60), (86.19, 0.36)], [(78.44, 0.58), (86.10, 0.36)], [(89.89, 0.42), (94.00, 0.20)]]),
    ("Semi. 15/15", "ICIR", [[(72.32, 0.58), (82.78, 0.33)], [(76.98, 0.61), (86.24, 0.36)], [(79.20, 0.58), (86.14, 0.36)], [(90.45, 0.42), (94.00, 0.20)]]),
    ("Semi. 30/50", "ICIC", [[(71.43, 0.62), (83.41, 0.35)], [(78.01, 0.63), (86.86, 0.37)], [(80.25, 0.58), (86.99, 0.36)], [(91.75, 0.39), (94.42, 0.20)]]),
    ("Semi. 30/50", "ICIR", [[(73.12, 0.65), (83.28, 0.37)], [(78.99, 0.66), (86.76, 0.39)], [(80.74, 0.61), (87.16, 0.36)], [(92.12, 0.40), (94.52, 0.20)]]),
];

/// The row of Table 1 for a setting and a model.
pub fn table1(setting: &str, model: &str) -> Option<&'static Row> {
    TABLE1.iter().find(|row| row.0 == setting && row.1 == model)
}

/// `tab:Number-of-episodes`: improved and total episodes that satisfy nothing, C1, C1 and C2, all.
pub const ASSUMPTIONS: [(usize, usize); 4] = [(0, 0), (424, 793), (1035, 1164), (40, 43)];

/// `tab:ablation`: selectors on miniImageNet; transductive 1 and 5 shots, semi-supervised 1 and 5 shots.
pub const SELECTORS: [(&str, [Published; 4]); 5] = [
    ("RA", [(67.54, 0.51), (81.45, 0.32), (68.09, 0.52), (81.30, 0.33)]),
    ("NN", [(69.80, 0.53), (82.12, 0.32), (69.99, 0.52), (81.96, 0.33)]),
    ("CO", [(70.57, 0.54), (82.41, 0.31), (70.53, 0.52), (82.10, 0.32)]),
    ("CN", [(67.44, 0.53), (81.44, 0.33), (67.87, 0.52), (81.49, 0.34)]),
    ("ICIR", [(71.19, 0.58), (82.55, 0.32), (71.25, 0.55), (82.32, 0.32)]),
];

/// `tab:classifiers`: ICI with other classifiers on miniImageNet; columns as in [`SELECTORS`].
pub const CLASSIFIERS: [(&str, [Published; 4]); 3] = [
    ("kNN", [(71.45, 0.61), (79.88, 0.38), (69.14, 0.57), (77.20, 0.38)]),
    ("SVM", [(72.13, 0.62), (82.76, 0.34), (70.76, 0.58), (80.83, 0.35)]),
    ("LR", [(72.39, 0.62), (83.27, 0.33), (72.32, 0.58), (82.78, 0.33)]),
];

/// `tab:stat`: improved and total episodes by tenth of the initial accuracy.
#[rustfmt::skip]
pub const INITIAL: [(usize, usize); 10] =
    [(0, 0), (0, 0), (1, 2), (7, 16), (91, 133), (312, 446), (526, 663), (464, 544), (154, 191), (3, 5)];

/// `tab:reduced`, left: reduced dimensions on miniImageNet, 512 being none.
pub const DIMENSION: [(usize, Published); 6] = [
    (2, (70.03, 0.58)),
    (5, (72.39, 0.62)),
    (10, (71.80, 0.61)),
    (20, (71.17, 0.59)),
    (50, (69.30, 0.55)),
    (512, (67.08, 0.51)),
];

/// `tab:reduced`, right: reductions on miniImageNet.
pub const REDUCTIONS: [(&str, Published); 6] = [
    ("isomap", (71.49, 0.60)),
    ("pca", (71.52, 0.63)),
    ("ltsa", (70.10, 0.59)),
    ("mds", (68.05, 0.53)),
    ("lle", (72.39, 0.62)),
    ("se", (72.43, 0.63)),
];

/// `tab:backbone`: features, backbone, and ICIR at 1 and 5 shots on miniImageNet.
pub const BACKBONES: [(&str, &str, [Published; 2]); 3] = [
    ("CAN", "ResNet-12", [(70.53, 0.63), (81.30, 0.36)]),
    ("E3BM", "WRN-28-10", [(71.39, 0.63), (82.61, 0.36)]),
    ("TAFSSL", "DenseNet", [(76.83, 0.60), (85.12, 0.32)]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_agree_where_they_print_the_same_number() {
        let mini = |setting| table1(setting, "ICIR").unwrap().2[0];
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
        let mut all: Vec<Published> = TABLE1.iter().flat_map(|r| r.2.concat()).collect();
        all.extend(SELECTORS.iter().chain(&CLASSIFIERS).flat_map(|r| r.1));
        all.extend(DIMENSION.iter().map(|r| r.1));
        all.extend(REDUCTIONS.iter().map(|r| r.1));
        all.extend(BACKBONES.iter().flat_map(|r| r.2));
        assert_eq!(all.len(), 48 + 32 + 12 + 6);
        assert!(all.iter().all(|p| (60.0..95.0).contains(&p.0) && (0.1..0.7).contains(&p.1)));
        assert_eq!(text(all[0]), "71.29 ± 0.59");
    }
}
