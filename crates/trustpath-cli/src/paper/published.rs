//! The numbers printed in the paper, in percent.

/// A mean and half the width of its 95% interval, as printed.
pub type Published = (f64, f64);

/// An accuracy as printed.
pub fn text((mean, half_width): Published) -> String {
    format!("{mean:.2} ± {half_width:.2}")
}

/// The datasets of Table 1.
pub const DATASETS: [&str; 4] = ["miniImageNet", "tieredImageNet", "CIFAR-FS", "CUB"];

/// Which of [`DATASETS`] a name means, in upper or lower case and with or without hyphens.
pub fn dataset(name: &str) -> Option<usize> {
    let plain = |name: &str| name.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>().to_lowercase();
    DATASETS.iter().position(|known| plain(known) == plain(name))
}

/// A row of Table 1: setting, model, and the accuracy at 1 and 5 shots on each of [`DATASETS`].
pub type Table1Row = (&'static str, &'static str, [[Published; 2]; 4]);

/// Table 1 (`fig:tfsl results`), the rows of ICI.
#[rustfmt::skip]
pub const TABLE1: [Table1Row; 6] = [
    ("Tran.", "ICIC", [[(71.29, 0.59), (83.12, 0.33)], [(76.13, 0.62), (86.73, 0.36)], [(78.47, 0.60), (86.41, 0.36)], [(90.38, 0.42), (94.30, 0.20)]]),
    ("Tran.", "ICIR", [[(72.39, 0.62), (83.27, 0.33)], [(77.48, 0.62), (86.84, 0.36)], [(79.19, 0.63), (86.66, 0.36)], [(90.89, 0.43), (94.36, 0.20)]]),
    ("Semi. 15/15", "ICIC", [[(70.97, 0.56), (82.69, 0.33)], [(76.00, 0.60), (86.19, 0.36)], [(78.44, 0.58), (86.10, 0.36)], [(89.89, 0.42), (94.00, 0.20)]]),
    ("Semi. 15/15", "ICIR", [[(72.32, 0.58), (82.78, 0.33)], [(76.98, 0.61), (86.24, 0.36)], [(79.20, 0.58), (86.14, 0.36)], [(90.45, 0.42), (94.00, 0.20)]]),
    ("Semi. 30/50", "ICIC", [[(71.43, 0.62), (83.41, 0.35)], [(78.01, 0.63), (86.86, 0.37)], [(80.25, 0.58), (86.99, 0.36)], [(91.75, 0.39), (94.42, 0.20)]]),
    ("Semi. 30/50", "ICIR", [[(73.12, 0.65), (83.28, 0.37)], [(78.99, 0.66), (86.76, 0.39)], [(80.74, 0.61), (87.16, 0.36)], [(92.12, 0.40), (94.52, 0.20)]]),
];

/// A printed accuracy, with half the width of its interval where one is printed.
pub type Printed = (f64, Option<f64>);

const fn bare(mean: f64) -> Option<Printed> {
    Some((mean, None))
}

const fn with(mean: f64, half_width: f64) -> Option<Printed> {
    Some((mean, Some(half_width)))
}

/// A printed accuracy as text; a dash where there is none.
pub fn printed(cell: Option<Printed>) -> String {
    match cell {
        None => "–".into(),
        Some((mean, None)) => format!("{mean:.2}"),
        Some((mean, Some(half_width))) => text((mean, half_width)),
    }
}

/// A row of Table 1 of another method: setting, model, network, and the accuracy at 1 and 5 shots on each of
/// [`DATASETS`].
pub type Competitor = (&'static str, &'static str, &'static str, [[Option<Printed>; 2]; 4]);

const LARGE: &str = "ResNet-18, 224×224";
const MIDDLE: &str = "ResNet-18, 84×84";
const OWN: &str = "ResNet-12, 84×84";
const NONE: [Option<Printed>; 2] = [None, None];

/// Table 1, the rows of other methods. Of those with a network of 224×224 all but TEAM are as reported by Chen et al. 2019,
/// ProtoNet on CIFAR-FS by Lee et al. 2019, those with MTL by Li et al. 2019, and transductive TPN on tieredImageNet and
/// CIFAR-FS by the authors of the paper.
#[rustfmt::skip]
pub const COMPETITORS: [Competitor; 19] = [
    ("In.", "Baseline", LARGE, [[with(51.75, 0.80), with(74.27, 0.63)], NONE, NONE, [with(65.51, 0.87), with(82.85, 0.55)]]),
    ("In.", "Baseline++", LARGE, [[with(51.87, 0.77), with(75.68, 0.63)], NONE, NONE, [with(67.02, 0.90), with(83.58, 0.54)]]),
    ("In.", "MatchingNet", LARGE, [[with(52.91, 0.88), with(68.88, 0.69)], NONE, NONE, [with(72.36, 0.90), with(83.64, 0.60)]]),
    ("In.", "ProtoNet", LARGE, [[with(54.16, 0.82), with(73.68, 0.65)], NONE, [bare(72.20), bare(83.50)], [with(71.88, 0.91), with(87.42, 0.48)]]),
    ("In.", "MAML", LARGE, [[with(49.61, 0.92), with(65.72, 0.77)], NONE, NONE, [with(69.96, 1.01), with(82.70, 0.65)]]),
    ("In.", "RelationNet", LARGE, [[with(52.48, 0.86), with(69.83, 0.68)], NONE, NONE, [with(67.59, 1.02), with(82.75, 0.58)]]),
    ("In.", "adaResNet", OWN, [[bare(56.88), bare(71.94)], NONE, NONE, NONE]),
    ("In.", "TapNet", OWN, [[bare(61.65), bare(76.36)], [bare(63.08), bare(80.26)], NONE, NONE]),
    ("In.", "CTM", MIDDLE, [[bare(64.12), bare(80.51)], [bare(68.41), bare(84.28)], NONE, NONE]),
    ("In.", "MetaOptNet", OWN, [[bare(64.09), bare(80.00)], [bare(65.81), bare(81.75)], [bare(72.60), bare(84.30)], NONE]),
    ("Tran.", "TPN", OWN, [[bare(59.46), bare(75.65)], [bare(58.68), bare(74.26)], [bare(65.89), bare(79.38)], NONE]),
    ("Tran.", "TEAM", LARGE, [[bare(60.07), bare(75.90)], NONE, [bare(70.43), bare(81.25)], [bare(80.16), bare(87.17)]]),
    ("Tran.", "CAN+T", OWN, [[with(67.19, 0.55), with(80.64, 0.35)], [with(73.21, 0.58), with(84.93, 0.38)], NONE, NONE]),
    ("Tran.", "DPGN", OWN, [[with(67.77, 0.32), with(84.60, 0.43)], [with(72.45, 0.51), with(87.24, 0.39)], [with(77.90, 0.50), with(90.20, 0.40)], [with(75.71, 0.47), with(91.48, 0.33)]]),
    ("Semi.", "MSkM + MTL", OWN, [[bare(62.10), bare(73.60)], [bare(68.60), bare(81.00)], NONE, NONE]),
    ("Semi.", "TPN + MTL", OWN, [[bare(62.70), bare(74.20)], [bare(72.10), bare(83.30)], NONE, NONE]),
    ("Semi.", "MSkM", OWN, [[bare(50.40), bare(64.40)], [bare(52.40), bare(69.90)], NONE, NONE]),
    ("Semi.", "TPN", OWN, [[bare(52.78), bare(66.42)], [bare(55.70), bare(71.00)], NONE, NONE]),
    ("Semi.", "LST", OWN, [[bare(70.10), bare(78.70)], [bare(77.70), bare(85.20)], NONE, NONE]),
];

/// The best printed accuracy of other methods in a setting, on one of [`DATASETS`], at 1 shot (0) or 5 shots (1).
pub fn best_competitor(setting: &str, dataset: usize, shots: usize) -> Option<(&'static str, f64)> {
    let cells = COMPETITORS.iter().filter(|row| row.0 == setting);
    cells.filter_map(|row| Some((row.1, row.3[dataset][shots]?.0))).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// The row of Table 1 for a setting and a model.
pub fn table1(setting: &str, model: &str) -> Option<&'static Table1Row> {
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

/// Features, backbone, and at 1 and 5 shots the method that the features are of, and ICIR.
type BackboneRow = (&'static str, &'static str, [Option<Printed>; 2], [Published; 2]);

/// `tab:backbone`, on miniImageNet.
pub const BACKBONES: [BackboneRow; 3] = [
    ("CAN", "ResNet-12", [with(67.19, 0.55), with(80.64, 0.35)], [(70.53, 0.63), (81.30, 0.36)]),
    ("E3BM", "WRN-28-10", [bare(71.4), bare(81.2)], [(71.39, 0.63), (82.61, 0.36)]),
    ("TAFSSL", "DenseNet", [with(77.06, 0.26), with(84.99, 0.14)], [(76.83, 0.60), (85.12, 0.32)]),
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
        all.extend(BACKBONES.iter().flat_map(|r| r.3));
        assert_eq!(all.len(), 48 + 32 + 12 + 6);
        assert!(all.iter().all(|p| (60.0..95.0).contains(&p.0) && (0.1..0.7).contains(&p.1)));
        assert_eq!(text(all[0]), "71.29 ± 0.59");
    }

    #[test]
    fn competitors_have_the_cells_of_the_paper() {
        let cells: Vec<Printed> = COMPETITORS.iter().flat_map(|row| row.3.as_flattened()).flatten().copied().collect();
        assert_eq!(cells.len(), 38 + 22 + 10 + 16);
        assert!(cells.iter().all(|cell| (45.0..95.0).contains(&cell.0)));
        assert!(cells.iter().all(|cell| cell.1.is_none_or(|half| (0.3..1.1).contains(&half))));
        // Five shots are better than one in every row.
        let rises = |pair: &[Option<Printed>; 2]| pair[0].map(|p| p.0) <= pair[1].map(|p| p.0);
        assert!(COMPETITORS.iter().all(|row| row.3.iter().all(rises)));
        assert_eq!(best_competitor("Tran.", 2, 0), Some(("DPGN", 77.90)));
        assert_eq!(best_competitor("Tran.", 3, 0), Some(("TEAM", 80.16)));
        assert_eq!(best_competitor("Semi.", 3, 0), None);
        assert_eq!(printed(COMPETITORS[0].3[0][0]), "51.75 ± 0.80");
        assert_eq!((printed(bare(71.4)), printed(None)), ("71.40".into(), "–".into()));
    }

    #[test]
    fn datasets_are_found_by_their_usual_names() {
        let datasets = ["miniImageNet", "mini-imagenet", "tiered_ImageNet", "cifar-fs", "CUB", "dino"];
        assert_eq!(datasets.map(dataset), [Some(0), Some(0), Some(1), Some(2), Some(3), None]);
    }
}
