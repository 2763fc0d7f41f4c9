"""The targets of measure.py: what every page of docs/measured shows, and which commands print it."""

from dataclasses import dataclass

KINDS = ["cifar-fs-val", "cub-val", "banking77-minilm", "tiny-imagenet-efficientnet-lite0"]
LISTS = "crates/trustpath-bench/tests/lists"
METHODS = "adaptive,bavardage,unem-gaussian,paddle,icir,plain,laplacianshot,pt-map,protolp"


@dataclass
class Target:
    """A page, and the commands whose output it shows: a program or an example, or a script of this repository.

    FEATURES, KINDS and TMP in a command stand for the folder given, the files of all kinds in it, and a folder that is removed in the
    end. `> FILE` keeps the output in a file; `#` begins a heading of the page.
    """

    title: str
    about: str
    takes: str
    full: list
    small: list
    needs: tuple = ()
    checked: bool = False
    seeds: str = "0 and upwards, one for each draw"
    # By how many points a number without an interval may differ from that of the committed table.
    tolerance: float = 3.0


SKLEARN = ("numpy", "sklearn")
BENCH = "--method label --way all --shot 5 --queries rest --episodes 3 --against plain --quiet"
TEXTS = [
    "# Sentence embeddings (all-MiniLM-L6-v2)",
    f"trustpath bench --features FEATURES/banking77-minilm.npy {BENCH}",
    "# Weighted words (TF-IDF)",
    "trustpath extract --texts FEATURES/banking77-minilm.jsonl --text text --backbone tf-idf --out TMP/words.npy > TMP/0",
    f"trustpath bench --features TMP/words.npy {BENCH}",
]
TARGETS = {
    "labels": Target(
        "Accuracy of the labels",
        "Share of correct labels among the unlabeled instances of the novel classes, in percent, ± 1.96 standard errors over the draws: "
        "*plain* is logistic regression on the given labels, *label* is `trustpath label`, *gain* their paired difference, *set aside* the "
        "share that is marked as none of these, which counts as wrong. In 1:10 pools the last class has a tenth of the instances of the first.",
        "30 minutes",
        ["label_quality accuracy novel 3", "# With `--closed`", "label_quality closed novel 3"],
        ["label_quality accuracy novel 3 --at-most 25"],
        checked=True,
    ),
    "sklearn": Target(
        "scikit-learn on the same draws",
        "Accuracy in percent of classifiers of scikit-learn, with their default options, on the draws of [accuracy of the labels](labels.md).",
        "2 hours",
        ["label_quality draws novel 3 TMP/draws > TMP/0", "scripts/label_against_sklearn.py TMP/draws"],
        ["label_quality draws novel 2 TMP/draws --at-most 25 > TMP/0", "scripts/label_against_sklearn.py TMP/draws cub-1-"],
        needs=SKLEARN,
    ),
    "labellers": Target(
        "Accuracy by labeller",
        "Accuracy in percent of the plain classifier, of each labeller (`--labeller`), and of `label`, which chooses among them by held-out "
        "labels; *set aside* is the share marked as none of these, *rounds chosen* the share of draws. Pools of up to 60 instances per class.",
        "1 hour",
        ["label_quality accuracy validation 2 KINDS"],
        ["label_quality accuracy validation 1 FEATURES/cub-val.npy --at-most 22"],
        needs=("features",),
    ),
    "suggestions": Target(
        "What to label next",
        "Accuracy in percent before and after 20 more labels, chosen at random or by `--suggest 20`, on the instances that are in none of "
        "the batches, ± 1.96 standard errors. Pools of 20 classes of up to 60 instances. Without any label the batch is all there is.",
        "1 hour",
        ["label_quality next validation 5 KINDS", "# Class sizes 1:10", "label_quality next-imbalanced validation 5 KINDS",
         "# A quarter of the classes without labels", "label_quality next-missing validation 5 KINDS"],
        ["label_quality next validation 2"],
        needs=("features",),
    ),
    "promise": Target(
        "Trusted labels and none of these",
        "Where 90 % confidence that 90 % are right is asked for: *trusts in*: percent of the draws in which anything is trusted, *wrong then*: "
        "percent of wrong labels among the trusted in these draws, *draws above*: percent of all draws in which more than 10 % of the trusted are "
        "wrong, *coverage*: percent of the pool that is trusted. *on average*: the same share of wrong labels and coverage by `--average`, where "
        "draws that trust nothing count as right. *calibration error*: of the probabilities, in points, over all draws. *in interval*: "
        "percent of the draws in which the interval of the estimate contains the precision. *none of these*: percent of the instances of "
        "labelled classes that are marked so, and of the others. Pools have 20 classes of 60 instances unless the case says otherwise; of pools of more than 3,000 "
        "instances a fifth of the draws is made.",
        "1 hour",
        ["trust_quality 100 KINDS", "# From update to update", "trust_quality 16 updates KINDS",
         "# Novel classes", "trust_quality 40 cub:novel cifar-fs:novel"],
        ["trust_quality 8 cub:validation cifar-fs:validation 'case=5 classes'",
         "trust_quality 4 cub:validation cifar-fs:validation 'case=fifth missing, 5'"],
        needs=("features",), checked=True,
    ),
    "mapie": Target(
        "Trusted labels, beside MAPIE and auto-labelling",
        "Percent of the pool that is trusted where 90 % confidence that 90 % are right is asked for, and in brackets the percentage of the "
        "draws in which more than a tenth of it is wrong. Pools of 20 classes of 60 instances. *label* is `trustpath label`; the others train on "
        "one half of the labels and choose a threshold on the other: on the probabilities that trustpath finds from that half (*same "
        "labeller*) or those of logistic regression (*plain*), by MAPIE's learn then test (*LTT*) or by the estimated error alone "
        "(*auto-labelling*). Last: the paired difference to the better LTT, ± 1.96 standard errors.",
        "15 minutes",
        ["scripts/coverage_against_mapie.py 20 KINDS"],
        ["scripts/coverage_against_mapie.py 3 FEATURES/banking77-minilm.npy"],
        needs=("features", *SKLEARN, "mapie"),
    ),
    "predictions": Target(
        "Predictions for new instances",
        "A random part of the features with all given labels is the pool, and the model that it trains predicts the rest. Accuracy in the "
        "pool and of the predictions, in percent ± 1.96 standard errors over the draws, and their paired difference; percent of wrong labels "
        "among the trusted where a precision of 0.9 is asked for; percent that is trusted, and the ratio of the two; how far the "
        "probabilities exceed the accuracy; percent marked as none of these (of unknown classes); percent of the pool that has the same label "
        "and verdict when it is predicted.",
        "30 minutes",
        ["prediction_quality 8 KINDS", "# A fifth of the classes without labels", "prediction_quality 8 KINDS missing=0.2"],
        ["prediction_quality 3 cub:validation labels=5"],
        needs=("features",),
    ),
    "audit": Target(
        "Finding wrong labels",
        "A share of the labels (*wrong*, in percent) is replaced by any other class (*random*) or by the most similar one (*similar*). "
        "AUROC of the ranking, share of wrong labels among as many first ones as are wrong, both beside those of the confidence of a "
        "cross-validated classifier (up to 500 labels); precision and recall of the suspects; the estimated share of wrong labels, its 90 % "
        "interval, and in how many draws that contains the truth. All in percent.",
        "1 hour",
        ["label_quality audit FEATURES 4"],
        ["label_quality audit validation 2 --at-most 200"],
        needs=("features",), checked=True, tolerance=5.0,
    ),
    "cleanlab": Target(
        "Finding wrong labels, beside cleanlab",
        "The same labels with the same mistakes, by `trustpath audit` and by cleanlab on a cross-validated logistic regression of "
        "scikit-learn, both with default options; means over the draws, in percent, and estimated over actual number of wrong labels.",
        "4 hours",
        ["scripts/audit_against_cleanlab.py FEATURES"],
        ["scripts/audit_against_cleanlab.py FEATURES 50"],
        needs=("features", *SKLEARN, "cleanlab"),
    ),
    "peers": Target(
        "Other methods on four kinds of features",
        "Accuracy of the adaptive mode in percent, and paired differences of other methods to it in points, ± the 95 % interval, bold where "
        "a method is ahead beyond it. First the summary over all settings. Times are processor milliseconds of one thread.",
        "1 hour",
        [f"peers grid FEATURES/cifar-fs-val.npy 200 {METHODS} > TMP/0.tsv",
         *(f"peers grid FEATURES/{kind}.npy 200 {METHODS} --filter 'n = 75,' > TMP/{kind}.tsv" for kind in KINDS[1:]),
         "scripts/peers_tables.py TMP/0.tsv " + " ".join(f"TMP/{kind}.tsv" for kind in KINDS[1:])],
        [f"peers grid FEATURES/cub-val.npy 10 {METHODS} --filter '5-way 1-shot, n = 75,' > TMP/0.tsv", "scripts/peers_tables.py TMP/0.tsv"],
        needs=("features",), seeds="17",
    ),
    "grid": Target(
        "Methods by class balance, pool size, ways and shots", "Written by `trustpath paper grid`.", "1 hour",
        ["trustpath paper grid --episodes 200 --quiet --out TMP/report"],
        ["trustpath paper grid --dataset cub --method plain --method adaptive --episodes 2 --quiet --out TMP/report"],
        seeds="0",
    ),
    "paper": Target(
        "The paper's results",
        "Written by `trustpath paper`, which says what the paper reports, and whether the same conclusion holds. The first table lists every "
        "conclusion: *no* is a contradiction.",
        "1 hour",
        ["trustpath paper all --episodes 2000 --quiet --out TMP/report"],
        ["trustpath paper all --episodes 10 --quiet --out TMP/report"],
        checked=True, seeds="0",
    ),
    "adaptive": Target(
        "The adaptive mode by shape of the pool",
        "Accuracy of the adaptive mode and of the nearest prototype in percent, their paired difference, ± the 95 % interval, the share of "
        "pools that are taken to be balanced, and milliseconds per episode.",
        "1 hour",
        ["# Validation classes", "adaptive grid 200", "# All instances of the validation classes", "adaptive large",
         "# Fixed lists of novel classes",
         f"adaptive list {LISTS}/cifar-fs-1shot-transductive {LISTS}/cifar-fs-1shot-imbalanced {LISTS}/cub-1shot-transductive"],
        ["adaptive grid 20 'cub 5-way 1-shot n=75'"],
        seeds="77",
    ),
    "parity": Target(
        "Agreement with the official code",
        "Fixed lists of episodes, on the official code's own coordinates and on ours: the share of episodes with exactly the official "
        "accuracy, the paired difference ± the 95 % interval, and whether that is shown to be within 0.3 points.",
        "1 minute", [f"parity {LISTS} FEATURES"], [f"parity {LISTS} FEATURES"],
        needs=("features",), seeds="none: the lists are fixed",
    ),
    "scale": Target(
        "Large pools",
        "Real features repeated with jitter (see `scripts/scale.py`): time, peak memory and accuracy of `label` and `audit`, and of other "
        "programs on the same files, with a limit of two minutes each.",
        "1 hour, 6 GiB of disk",
        ["scripts/scale.py 1000 10000 100000 1000000 --limit 120", "# Ten million instances", "scripts/scale.py 10000000 --dims 64 --limit 0",
         "# A thousand classes", "scripts/scale.py 10000 100000 --classes 1000 --limit 0"],
        ["scripts/scale.py 1000 10000 --limit 0"],
        needs=SKLEARN, seeds="0",
    ),
    "speed": Target(
        "Time of an episode and of a path",
        "One thread, synthetic features: complete episodes, their stages, and the path alone.",
        "2 minutes", ["speed", "speed parts"], ["speed parts"], seeds="0 to 19",
    ),
    "speed-python": Target(
        "The paper's loop in scikit-learn",
        "Processor time per episode, from raw features to final labels, of the same loop in scikit-learn and here, in turns.",
        "5 minutes",
        [f"scripts/compare_with_python.py FEATURES/{kind}.npy FEATURES/{kind}-labels.npy" for kind in ("cifar-fs-val", "cub-val")],
        ["scripts/compare_with_python.py"],
        needs=("features", *SKLEARN), seeds="0",
    ),
    "stopping": Target(
        "When labelling stops",
        "Simulated sessions in which every question is answered correctly: after which share of labels the page says *enough*, and the "
        "precision of the trusted labels then and at the first update with the wanted coverage, in percent; how often the predicted number "
        "of labels was in its range, and labels needed over labels expected (10 % and 90 % quantiles).",
        "1 hour", ["stopping 3 KINDS"], ["stopping 1 FEATURES/banking77-minilm.npy"], needs=("features",),
    ),
    "updates": Target(
        "Time of an update in the browser",
        "Processor seconds of the server for the first model and for each update, one thread (see `scripts/serve_updates.py`).",
        "2 minutes",
        ["scripts/serve_updates.py FEATURES/cifar-fs-val.npy FEATURES/cifar-fs-val-labels.npy target/release/trustpath 10000 5"],
        ["scripts/serve_updates.py FEATURES/cifar-fs-val.npy FEATURES/cifar-fs-val-labels.npy target/release/trustpath 2000 2"],
        needs=("features", "numpy"), seeds="0",
    ),
    "texts": Target(
        "Accuracy by representation of texts",
        "Banking77, five labels per class, the complete dataset as one pool: accuracy of `label` and of the plain classifier.",
        "5 minutes",
        TEXTS,
        [line.replace("--episodes 3", "--episodes 2") for line in TEXTS],
        needs=("features",), seeds="0",
    ),
    "networks": Target(
        "Speed of the networks on a processor",
        "Images and texts per second of this program, onnxruntime and PyTorch, in turns, the best of all turns.",
        "10 minutes",
        ["crates/trustpath-vision/benches/against_python.py --backbone resnet12",
         "crates/trustpath-vision/benches/against_python.py --backbone efficientnet-lite0",
         "crates/trustpath-text/benches/against_python.py FEATURES/banking77-minilm.jsonl"],
        ["crates/trustpath-vision/benches/against_python.py --backbone resnet12 --turns 1"],
        needs=("features", "torch", "torchvision", "onnx", "onnxruntime", "transformers"), seeds="0",
    ),
    "training": Target(
        "Speed of training on a GPU",
        "Images per second of a plain PyTorch loop; set it beside the column `images/s` of `trustpath train --epochs 1`.",
        "5 minutes", ["crates/trustpath-vision/benches/train_against_pytorch.py"], ["crates/trustpath-vision/benches/train_against_pytorch.py 5"],
        needs=("torch", "a GPU"), seeds="none",
    ),
}
