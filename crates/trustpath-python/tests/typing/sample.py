"""What a user's program looks like to a type checker; test_examples.py runs mypy --strict over it."""

import numpy as np
from numpy.typing import NDArray

import trustpath
from trustpath import distributed

data = trustpath.load_dataset("cub", split="validation")
features: NDArray[np.float32] = data.data
classifier = trustpath.TrustPathClassifier(precision=0.9, suggest=3).fit(features, data.target)
again = classifier.fit(features, data.target, origins=[None] * len(features))
next_origins: list[str] = classifier.suggestion_origins_
lambdas: NDArray[np.float64] = classifier.path_.lambdas
trusted: NDArray[np.bool_] = classifier.predict_credibility(features)[1]
probabilities: NDArray[np.float64] = classifier.predict_proba(features)
coordinates: NDArray[np.float64] = trustpath.reduce(features, "pca", dim=3)
vanish = trustpath.credibility(coordinates, data.target)["vanish"]
audited: trustpath.AuditResult = trustpath.audit(features, data.target, exact=True)
suspects = audited["ranking"][:3].tolist()
page: str = audited.report(source="birds")
classifier.save("model.safetensors")
loaded: trustpath.TrustPathClassifier = trustpath.TrustPathClassifier.load("model.safetensors")
page = trustpath.report(features, data.target, kind="audit")
mean = trustpath.evaluate(features, data.target, episodes=3)["accuracy"]["final"]["mean"]
far = distributed.credibility([(coordinates, data.target)])["lambda"]
labelled = distributed.label("pool", label="class", sample=1000)
wrong: int = trustpath.reduce(features, "pca")  # type: ignore[assignment]
