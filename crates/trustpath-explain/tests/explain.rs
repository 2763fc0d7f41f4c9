//! Reasons, notes, columns, percentages and model files, on small pools whose verdicts are set by hand.

use std::collections::BTreeMap;

use trustpath::label::{Labelling, Trust, Verdict};
use trustpath::spec::LabelSpec;
use trustpath::trust::{Calibration, Estimate, HeldOut, Promise};
use trustpath::{Features, Origin, audit, label};
use trustpath_explain::{
    AuditResult, AuditedRows, DataInfo, Extractor, FrontEnd, LabelResult, PredictResult, Predictions, ResultColumns,
    SavedModel, SavedPool,
};
use trustpath_table::{Column, Tensor};

const ROWS: usize = 60;
const DIMS: usize = 6;
const STRICT: Promise = Promise { precision: 0.99, confidence: 0.9 };

/// Instance `i` leans towards axis `i mod 3`.
fn values(rows: usize, noise: f64) -> Vec<f64> {
    let value = |at: usize| {
        let noise = noise * ((at * at) as f64 * 0.7).sin();
        if at % DIMS == at / DIMS % 3 { 2.0 } else { 0.5 + noise }
    };
    (0..rows * DIMS).map(value).collect()
}

/// The names of the columns of the table.
fn columns(result: &impl ResultColumns) -> Vec<String> {
    result.table().unwrap().columns().iter().map(|(name, _)| name.clone()).collect()
}

/// A labelled pool, and the names that explain it.
struct ExplainedPool {
    labelling: Labelling,
    ids: Vec<String>,
    labels: Vec<Option<usize>>,
    classes: Vec<String>,
    trust: Trust,
    closed: bool,
    front_end: FrontEnd,
}

impl ExplainedPool {
    /// The first `given` instances have labels.
    fn new(given: usize, spec: LabelSpec) -> Self {
        let labels: Vec<Option<usize>> = (0..ROWS).map(|row| (row < given).then_some(row % 3)).collect();
        let values = values(ROWS, 0.3);
        let features = Features::new(&values[..], ROWS, DIMS).unwrap();
        let labelling = label(&features, &labels).classes(3).spec(&spec).run().unwrap();
        Self {
            labelling,
            ids: (0..ROWS).map(|row| format!("n{row}")).collect(),
            labels,
            classes: ["auk", "gull", "tern"].map(String::from).to_vec(),
            trust: spec.trust().unwrap(),
            closed: spec.closed,
            front_end: FrontEnd::CommandLine,
        }
    }

    fn data(&self) -> DataInfo<'_> {
        let Self { ids, labels, classes, .. } = self;
        DataInfo { source: "pool.csv", dims: DIMS, ids, labels, classes }
    }

    fn result(&self) -> LabelResult<'_> {
        let Self { labelling, trust, closed, front_end, .. } = self;
        let (trust, closed, front_end) = (*trust, *closed, *front_end);
        LabelResult { data: self.data(), labelling, trust, closed, front_end }
    }

    /// The reason for a row with this verdict and this credibility of its label.
    fn reason(&mut self, row: usize, verdict: Verdict, fit: f64) -> String {
        self.labelling.verdicts[row] = verdict;
        self.labelling.credibility[row] = fit;
        (self.labelling.judged_as[row], self.labelling.rival[row]) = (0, 1);
        self.result().reason(row)
    }

    fn facts(&self) -> Vec<String> {
        self.result().facts().into_iter().map(|(name, value)| format!("{name}: {value}")).collect()
    }

    /// Held-out labels with these outcomes, spread evenly over the ranks of the pool, best first.
    fn calibrate(&mut self, right: &[bool]) {
        let n = right.len() as f64;
        let label = |(at, &right): (usize, &bool)| {
            let (class, predicted, stands_in) = (at % 3, at % 3, false);
            HeldOut { rank: (at + 1) as f64 / n, right, weight: 1.0, class, predicted, stands_in }
        };
        let held_out = right.iter().enumerate().map(label).collect();
        let calibration = Calibration { held_out, ..Calibration::default() };
        self.labelling.trusted.calibration = calibration;
    }

    /// An estimated precision of the trusted labels.
    fn estimate(&mut self, precision: f64, labels: usize) {
        let interval = (precision - 0.105, precision + 0.042);
        self.labelling.trusted.estimate = Some(Estimate { precision, interval, labels });
    }
}

#[test]
fn every_verdict_has_its_reason() {
    let mut pool = ExplainedPool::new(15, LabelSpec::default());
    for (verdict, fit, expected) in [
        (Verdict::Given, 0.9, "given as auk; credibility 0.90 against gull"),
        (Verdict::Given, 0.3, "given as auk, but gull fits better (credibility 0.30)"),
        (Verdict::Trusted, 0.9, "fits auk; credibility 0.90 against gull"),
        (Verdict::Doubtful, 0.55, "auk and gull compete (credibility 0.55)"),
        (Verdict::Doubtful, 0.3, "labelled auk, but gull fits better (credibility 0.30)"),
        (Verdict::NoneOfThese, 0.1, "unlike every labelled class; comes nearest to auk"),
    ] {
        let reason = pool.reason(20, verdict, fit);
        let (fits, nearest) = reason.split_once("; nearest labelled: ").unwrap();
        assert_eq!(fits, expected);
        for near in nearest.split(", ") {
            let row: usize = near[1..near.find(' ').unwrap()].parse().unwrap();
            let name = &pool.classes[pool.labels[row].unwrap()];
            assert_eq!(near, format!("n{row} ({name})"));
        }
    }
}

#[test]
fn columns_are_those_of_the_result_in_a_fixed_order() {
    let pool = ExplainedPool::new(24, LabelSpec { suggest: 2, ..LabelSpec::default() });
    let table = pool.result().table().unwrap();
    let expected =
        ["id", "label", "probability", "credibility", "distance", "round", "verdict", "reason", "suggested", "origin"];
    assert_eq!(columns(&pool.result()), expected);
    let column = |name: &str| &table.columns().iter().find(|(n, _)| n == name).unwrap().1;
    assert_eq!(column("id"), &Column::Text(pool.ids.clone()));
    assert_eq!(column("credibility"), &Column::Number(pool.labelling.credibility.clone()));
    let Column::OptionalText(labels) = column("label") else { panic!("labels may be missing") };
    assert_eq!(labels[1].as_deref(), Some("gull"));
    let Column::OptionalCount(ranks) = column("suggested") else { panic!("ranks may be missing") };
    assert_eq!(ranks[pool.labelling.suggestions[1].row], Some(2));
    assert_eq!(ranks.iter().flatten().count(), 2);
    let Column::Text(reasons) = column("reason") else { panic!("reasons are texts") };
    assert_eq!(reasons[7], pool.result().reason(7));

    assert_eq!(columns(&ExplainedPool::new(24, LabelSpec::default()).result()), expected[..8], "without suggestions");
    assert!(LabelResult::columns().iter().all(|column| column.doc.ends_with('.')));
    assert!(AuditResult::columns().iter().all(|column| column.doc.ends_with('.')));
    assert!(PredictResult::columns().iter().all(|column| column.doc.ends_with('.')));
}

#[test]
fn facts_say_how_labels_were_made_and_how_good_they_are() {
    let mut pool = ExplainedPool::new(24, LabelSpec::default());
    pool.estimate(0.956, 1);
    pool.labelling.labeller = "adaptive";
    pool.labelling.trusted.rows = vec![30];
    pool.labelling.copies = 0;
    pool.labelling.trusted.cut = Some(0.831);
    pool.labelling.trusted.curve = vec![(0.8, 30), (0.9, 1)];
    pool.labelling.novelty.as_mut().unwrap().known = 0.79;
    let mut expected = vec![
        "labelled by: adaptive",
        "promise: with 90 % confidence at least 90 % of the trusted labels are right",
        "estimate: 96 % are right; 95 % interval 85 to 100 %",
        "trusted at: 80 %: 30, 90 %: 1",
        "checked by: the 24 given labels, taken to be a random part of the pool or of each class",
        "lowest trusted: probability 0.83",
        "of unknown classes: about 21 % of the unlabeled instances",
    ];
    assert_eq!(pool.facts(), expected);
    pool.labelling.origins = [0, 10, 5];
    assert_eq!(pool.facts()[4], "checked by: 10 labels drawn at random");
    pool.labelling.origins = [4, 10, 1];
    assert_eq!(pool.facts()[4], "checked by: 10 labels drawn at random and 4 that are taken to be");
    pool.labelling.trusted.trust = Trust::Average(0.9);
    assert!(pool.facts()[1].starts_with("promise: weak: 90 % right on average"), "{:?}", pool.facts());
    // Nothing is promised where trust is not by precision.
    pool.labelling.trusted.trust = Trust::Credibility(0.5);
    expected.drain(3..5);
    expected.remove(1);
    assert_eq!(pool.facts(), expected);
    pool.labelling.labeller = "rounds";
    pool.labelling.rounds.truncate(1);
    let rounds = pool.labelling.rounds.len();
    let expected = if rounds == 1 { "self-training, 1 round" } else { "self-training, 0 rounds" };
    assert_eq!(pool.facts()[0], format!("labelled by: {expected}"));
}

#[test]
fn verdicts_are_counted_with_their_share_of_the_unlabeled() {
    let mut pool = ExplainedPool::new(15, LabelSpec { suggest: 22, ..LabelSpec::default() });
    pool.labelling.verdicts[15..].fill(Verdict::Trusted);
    pool.labelling.verdicts[15..25].fill(Verdict::Doubtful);
    pool.labelling.verdicts[25..28].fill(Verdict::NoneOfThese);
    let text = pool.result().text("1.0 s");
    let head = "pool.csv: 60 instances, 6 features each; 15 labels of 3 classes given\n\n";
    assert!(text.starts_with(head), "{text}");
    for (name, value) in
        [("given", "15"), ("trusted", "32 (71 %)"), ("doubtful", "10 (22 %)"), ("none of these", "3 (7 %)")]
    {
        let is_there = text.lines().any(|l| l.trim().starts_with(name) && l.ends_with(value));
        assert!(is_there, "{name} {value}: {text}");
    }
    assert!(text.contains(" and 2 more\n") && text.ends_with("\n1.0 s\n"), "{text}");
}

#[test]
fn a_good_pool_and_a_pool_without_unlabeled_instances_have_no_notes() {
    let pool = ExplainedPool::new(24, LabelSpec::default());
    assert!(!pool.labelling.trusted.rows.is_empty());
    assert_eq!(pool.result().notes(), [""; 0]);
    for trust in [Trust::Credibility(0.5), Trust::Precision(STRICT), Trust::PerClass(STRICT), Trust::Average(0.99)] {
        let mut all = ExplainedPool::new(ROWS, LabelSpec::default());
        all.trust = trust;
        assert_eq!(all.result().notes(), [""; 0]);
        assert!(all.facts().iter().all(|fact| !fact.starts_with("labelled by")));
    }
}

#[test]
fn one_label_per_class_is_too_few_to_trust_and_for_unknown_classes() {
    let pool = ExplainedPool::new(3, LabelSpec::default());
    assert!(pool.labelling.trusted.rows.is_empty());
    let notes = pool.result().notes();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert_eq!(
        notes[0],
        "Nothing is trusted yet: it takes 90 % confidence that 90 % are right, and no label could be held out to check it, since every class has only one. --suggest says what to label next; the most probable labels come first when the table is sorted by probability."
    );
    assert!(notes[1].starts_with("Instances of unknown classes are not detected: "), "{notes:?}");
    let closed = || LabelSpec { closed: true, ..LabelSpec::default() };
    assert_eq!(ExplainedPool::new(3, closed()).result().notes().len(), 1);
    let trusting = LabelSpec { credibility: Some(0.5), ..closed() };
    let note = &ExplainedPool::new(3, trusting).result().notes()[0];
    assert!(note.starts_with("The precision of the trusted labels cannot be estimated"), "{note}");
    // Where every instance is none of these there is no label whose precision could be estimated.
    let mut pool = ExplainedPool::new(3, closed());
    pool.labelling.verdicts[3..].fill(Verdict::NoneOfThese);
    assert_eq!(pool.result().notes(), [""; 0]);
}

#[test]
fn uneven_and_picked_labels_are_warned_of() {
    let mut pool = ExplainedPool::new(24, LabelSpec { average: true, ..LabelSpec::default() });
    pool.labelling.trusted.calibration.added = 3.0;
    let notes = pool.result().notes();
    assert!(notes.iter().any(|note| note.contains("far fewer labels than others")), "{notes:?}");
    pool.labelling.picked = true;
    let note = pool.result().notes().remove(0);
    assert!(note.starts_with("The given labels are more typical than the pool"), "{note}");
    assert!(note.contains("detection of unknown classes is off") && note.contains("--suggest"));
    pool.closed = true;
    assert!(pool.result().notes()[0].contains("probably lower than the one promised"));
}

#[test]
fn credible_labels_that_are_probably_wrong_are_warned_of() {
    let spec = LabelSpec { credibility: Some(0.5), ..LabelSpec::default() };
    let mut pool = ExplainedPool::new(24, spec);
    pool.labelling.verdicts[24..].fill(Verdict::Trusted);
    pool.estimate(0.76, 40);
    let notes = pool.result().notes();
    assert!(notes[0].starts_with("About 24 % of the trusted labels are probably wrong. "), "{notes:?}");
    assert!(notes[0].contains("--precision 0.9"), "{notes:?}");
    pool.estimate(0.9, 40);
    assert_eq!(pool.result().notes(), [""; 0]);
}

#[test]
fn a_precision_that_cannot_be_promised_is_explained() {
    let mut pool = ExplainedPool::new(15, LabelSpec { precision: Some(STRICT.precision), ..LabelSpec::default() });
    assert!(pool.labelling.trusted.rows.is_empty());
    pool.calibrate(&[true; 15]);
    let note = pool.result().notes().remove(0);
    assert!(
        note.starts_with("Nothing is trusted yet: it takes 90 % confidence that 99 % are right, and about "),
        "{note}"
    );
    assert!(note.contains(" labels have to be held out for that, and there are 15."), "{note}");
    assert!(!note.contains("--average"), "{note}");
    // The weaker promise is named where it would trust something.
    pool.calibrate(&[true; 120]);
    let weaker = pool.labelling.trusted.calibration.trusted(ROWS - 15, Trust::Average(STRICT.precision));
    assert!(weaker > 0);
    let note = pool.result().notes().remove(0);
    assert!(note.contains(&format!("--average trusts {weaker} labels by a weaker promise")), "{note}");
    pool.front_end = FrontEnd::Python;
    assert!(pool.result().notes().remove(0).contains(" average trusts "));
    pool.calibrate(&[false; 120]);
    let note = pool.result().notes().remove(0);
    assert!(note.contains("too many of the 120 labels that could be held out are wrong"), "{note}");
}

#[test]
fn a_page_shows_all_rows_with_facts_and_notes() {
    let pool = ExplainedPool::new(3, LabelSpec { suggest: 1, ..LabelSpec::default() });
    let (page, rows) = pool.result().page();
    assert_eq!(rows, (0..ROWS).collect::<Vec<_>>());
    assert_eq!((page.facts, page.notes), (pool.result().facts(), pool.result().notes()));
    assert_eq!(page.counts.unwrap().iter().sum::<usize>(), ROWS);
    assert_eq!(page.instances[50].reason, pool.result().reason(50));
    assert_eq!(page.instances[pool.labelling.suggestions[0].row].suggested, Some(1));
    let accepted = pool.labelling.accepted_in.iter().flatten().count();
    assert_eq!(page.rounds.iter().flat_map(|round| &round.accepted).sum::<usize>(), accepted);
}

#[test]
fn audits_are_explained_in_terms_of_all_rows() {
    // Rows 0, 5, 10 … have no label, and row 7 has a wrong one.
    let labels: Vec<Option<usize>> =
        (0..ROWS).map(|row| (row % 5 != 0).then_some(if row == 7 { 2 } else { row % 3 })).collect();
    let labelled = AuditedRows::new(&labels);
    assert_eq!((labelled.rows.len(), labelled.rows[4]), (48, 6));
    let zero = labelled.error_in_all_rows(trustpath::Error::ZeroVector { row: 4 });
    assert!(matches!(zero, trustpath::Error::ZeroVector { row: 6 }));
    let values = values(ROWS, 0.3);
    let part: Vec<f64> = labelled.rows.iter().flat_map(|row| &values[row * DIMS..][..DIMS]).copied().collect();
    let features = Features::new(&part[..], 48, DIMS).unwrap();
    let audited = audit(&features, &labelled.labels).classes(3).run().unwrap();
    let pool = ExplainedPool::new(15, LabelSpec::default());
    let data = DataInfo { labels: &labels, ..pool.data() };
    let result = AuditResult { data, labelled: &labelled, audit: &audited, front_end: FrontEnd::CommandLine };
    // 48 labels are too few for a probability.
    let expected = ["id", "label", "suggested", "credibility", "suggested_credibility", "score", "verdict", "reason"];
    assert_eq!(columns(&result), expected);
    let table = result.table().unwrap();
    let first = |column: usize| match &table.columns()[column].1 {
        Column::Text(texts) => texts[0].clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!([0, 1, 2, 6].map(first), ["n7", "tern", "gull", "fits"]);
    assert!(first(7).starts_with("gull would fit better ("), "{}", first(7));
    assert!(result.reason(0).starts_with("fits gull ("), "{}", result.reason(0));
    let text = result.text("2.0 s").unwrap();
    let head = "pool.csv: 48 labelled instances, 6 features each; 3 classes\n0 suspects (0.0 %), 2.0 s\n";
    assert!(text.starts_with(head) && text.contains("n7"), "{text}");
    assert!(text.contains("too few labels to say how many are wrong (48; it takes 100)"), "{text}");
    let (page, rows) = result.page();
    assert_eq!(rows, labelled.rows);
    assert_eq!(page.instances[5].id, "n7");
    assert_eq!(page.notes, result.notes());
}

#[test]
fn an_audit_says_what_it_estimates_and_what_people_said() {
    // 180 instances of three classes and one of a fourth; every twentieth label is wrong.
    let n = 181;
    let values = values(n, 0.6);
    let wrong = |row: usize| row % 20 == 7;
    let label = |row: usize| if wrong(row) { (row + 1) % 3 } else { row % 3 };
    let labels: Vec<Option<usize>> = (0..n).map(|row| Some(if row == 180 { 3 } else { label(row) })).collect();
    let ids: Vec<String> = (0..n).map(|row| format!("n{row}")).collect();
    let classes: Vec<String> = ["auk", "gull", "tern", "egret"].map(String::from).to_vec();
    let labelled = AuditedRows::new(&labels);
    let features = Features::new(&values[..], n, DIMS).unwrap();
    let answers = labelled.answers(&[(7, 1), (8, 2)]);
    assert_eq!(answers, [(7, 1), (8, 2)]);
    let data = DataInfo { source: "pool.csv", dims: DIMS, ids: &ids, labels: &labels, classes: &classes };
    let audited = audit(&features, &labelled.labels).verified(&answers).run().unwrap();
    let result = AuditResult { data, labelled: &labelled, audit: &audited, front_end: FrontEnd::Python };
    assert_eq!([7, 8, 180].map(|at| result.verdict(at)), ["corrected", "confirmed", "not judged"]);
    assert!(result.reason(7).starts_with("tern was corrected to gull"), "{}", result.reason(7));
    assert!(result.reason(8).starts_with("tern was confirmed"));
    assert!(result.reason(180).starts_with("no other label is egret"));
    let suspects: Vec<usize> = (0..n).filter(|&at| audited.suspect[at]).collect();
    assert!(suspects.len() >= 7 && suspects.iter().filter(|&&at| wrong(at)).count() >= 7);
    let notes = result.notes().join(" ");
    let said = [
        "of 181 labels are wrong",
        "90 % interval",
        "80 % was asked for",
        "2 labels were checked by a person, 1 wrong",
        "1 label is the only one of its class",
    ];
    assert!(said.iter().all(|part| notes.contains(part)), "{notes}");
    assert!(columns(&result).contains(&"probability_wrong".to_owned()));
    assert!(result.text("1 s").unwrap().contains("probability wrong"));
    assert!(result.page().0.facts.iter().any(|(name, _)| name == "estimated wrong"));
    // The option that lists more is spelled as the front end spells it.
    let mut none = audited.clone();
    none.wrong.as_mut().unwrap().among_suspects = f64::NAN;
    let front_ends = [(FrontEnd::Python, "a lower precision to"), (FrontEnd::CommandLine, "a lower --precision to")];
    for (front_end, remedy) in front_ends {
        let notes = AuditResult { audit: &none, front_end, ..result }.notes().join(" ");
        assert!(notes.contains("No suspects") && notes.contains(remedy), "{notes}");
    }
}

#[test]
fn predictions_have_columns_and_a_summary() {
    let pool = ExplainedPool::new(15, LabelSpec::default());
    let values = values(ROWS, 0.3);
    let features = Features::new(&values[..], ROWS, DIMS).unwrap();
    let mut predictions = Predictions::default();
    predictions.append(pool.labelling.model.predict(&features).unwrap());
    let result = PredictResult { data: pool.data(), predictions: &predictions, unlike: false };
    assert_eq!(columns(&result), ["id", "label", "probability", "credibility", "verdict", "rival"]);
    let trusted = predictions.verdicts.iter().filter(|v| **v == Verdict::Trusted).count();
    let text = result.text("1.0 s");
    let head = format!("pool.csv: 60 instances, {trusted} trusted, ");
    assert!(text.starts_with(&head) && text.ends_with("\n1.0 s\n"), "{text}");
}

#[test]
fn a_model_is_read_as_it_was_written_and_others_are_refused() {
    let pool = ExplainedPool::new(15, LabelSpec::default());
    let saved = SavedModel {
        model: pool.labelling.model.clone(),
        class_names: pool.classes.clone(),
        class_type: Some("<U4".into()),
        columns: Some((0..DIMS).map(|column| format!("f{column}")).collect()),
        centre: Some(vec![0.5; DIMS]),
        extractor: Some(Extractor { description: "a network".into(), identity: 7 }),
        representation: BTreeMap::from([(
            "text.idf".to_owned(),
            Tensor::F32 { shape: vec![2], values: vec![0.5, 2.0] },
        )]),
        pool: Some(SavedPool {
            features: vec![0.5; 2 * DIMS],
            ids: vec!["a".into(), "b\n".into()],
            labels: vec![None, Some(1)],
            origins: vec![Origin::Unknown, Origin::Random],
        }),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.safetensors");
    saved.write(&path).unwrap();
    assert_eq!(SavedModel::read(&path).unwrap(), saved);
    let bytes = saved.to_bytes().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(SavedModel::from_bytes(bytes, "memory").unwrap(), saved);
    let plain =
        SavedModel { class_type: None, columns: None, centre: None, extractor: None, pool: None, ..saved.clone() };
    assert_eq!(SavedModel::from_bytes(plain.to_bytes().unwrap(), "memory").unwrap(), plain);

    let other = Extractor { description: "another".into(), identity: 8 };
    let error = saved.check_extractor(&other, &path).unwrap_err().to_string();
    assert!(error.contains("features by a network, not by another"), "{error}");
    plain.check_extractor(&other, &path).unwrap();
    let refused = |change: &dyn Fn(&mut SavedModel), expected: &str| {
        let mut changed = saved.clone();
        change(&mut changed);
        let error = SavedModel::from_bytes(changed.to_bytes().unwrap(), "m").unwrap_err();
        let sentence = error.to_string();
        assert!(sentence.starts_with("m is not a usable model: ") && sentence.contains(expected), "{sentence}");
    };
    let pool = |change: fn(&mut SavedPool)| move |m: &mut SavedModel| change(m.pool.as_mut().unwrap());
    refused(&pool(|p| p.features.truncate(DIMS)), "the pool that it keeps");
    refused(&pool(|p| p.labels[0] = Some(9)), "the pool that it keeps");
    refused(&pool(|p| p.ids.truncate(1)), "the pool that it keeps");
    refused(&|m| m.class_names.truncate(2), "the number of its class names");
    refused(&|m| m.centre = Some(vec![0.0; 2]), "its centre");
    refused(&|m| m.model.projection.mean.truncate(2), "do not fit together");
    refused(&|m| m.model.trust.cut = f64::NAN, "its tensor curve has another shape or type");
    let mut bytes = saved.to_bytes().unwrap();
    let at = bytes.windows(7).position(|part| part == b"label-3").unwrap();
    bytes[at + 6] = b'9';
    let error = SavedModel::from_bytes(bytes, "m").unwrap_err().to_string();
    assert!(error.contains("was not saved by trustpath label"), "{error}");
}
