"""Writes one small table in every format, by the tools people write them with.

    pip install numpy pandas pyarrow safetensors ml_dtypes polars && python make.py

Row i has the features 0.75 i − 1 + 0.25 j and the class wren, auk, gull by i mod 3.
"""
import numpy as np, pandas as pd, pyarrow as pa, pyarrow.parquet as pq, polars as pl
import json, ml_dtypes
from safetensors.numpy import save_file

x = (np.arange(18).reshape(6, 3) * 0.25 - 1).astype("f4")
names = np.array(["wren", "auk", "gull"])
y = np.arange(6) % 3
text = names[y]

for kind in ["f2", "f4", "f8", ">f4", "i2"]:
    np.save(f"{kind.replace('>', 'big-')}.npy", (x * 4 if kind == "i2" else x).astype(kind))
np.save("fortran.npy", np.asfortranarray(x))
np.save("pickled.npy", x.astype(object), allow_pickle=True)
np.save("cube.npy", x.reshape(6, 3, 1))
np.save("y-int16.npy", y.astype("i2"))
np.save("y-text.npy", text)
np.save("y-bytes.npy", text.astype("S"))
np.save("y-float.npy", y.astype("f8"))
np.save("y-fraction.npy", y + 0.5)
np.save("y-short.npy", y[:5])
open("y.txt", "w").write("".join(f"{t}\n" for t in text))
pd.DataFrame({"file": range(6), "label": text}).to_csv("y.csv", index=False)

np.savez("stored.npz", features=x, labels=y, class_names=names)
np.savez_compressed("deflated.npz", x=x.astype("f8"), y=text)
np.savez("positional.npz", x, y)
np.savez("pickled.npz", features=x, labels=text.astype(object))
np.savez("nameless.npz", something=x)

meta = {"class_names": json.dumps(names.tolist())}
for kind, type in [("f16", "f2"), ("bf16", ml_dtypes.bfloat16), ("f32", "f4"), ("f64", "f8")]:
    save_file({"features": x.astype(type), "labels": y.astype("i8")}, f"{kind}.safetensors", meta)

frame = pd.DataFrame(x, columns=["a", "b", "c"])
frame["label"] = text
frame.to_csv("index.csv")
frame.to_csv("plain.csv", index=False)
frame.to_csv("headless.csv", index=False, header=False)
frame.to_csv("tabs.tsv", index=False, sep="\t")
frame.to_parquet("pandas.parquet")
frame.astype({"a": "f8"}).to_parquet("gzip.parquet", compression="gzip")
pl.DataFrame(frame.to_dict("list")).write_parquet("polars-zstd.parquet")
pq.write_table(pa.Table.from_pandas(frame.astype({"c": "f8"})), "zstd-v2.parquet", compression="zstd",
               data_page_version="2.0", use_dictionary=["label"])
days = pd.date_range("2024-02-28", periods=6)
dates = pa.table({
    "day": pa.array(days.date), "seen": pa.array(days + pd.Timedelta("12:30:00.25"), pa.timestamp("us", "UTC")),
    "clip": pa.array(x.tolist(), pa.list_(pa.float32())), "box": pa.array([[1.0, 2.0]] * 6, pa.list_(pa.float64())),
    "a": pa.array(x[:, 0]), "label": pa.array(text),
})
pq.write_table(dates, "dates.parquet")
frame.iloc[[0, 1, 2, 3]].assign(b=[1, None, 2, 3]).to_parquet("null.parquet")
pq.write_table(pa.table({
    "id": pa.array([f"image {i}" for i in range(6)]),
    "embedding": pa.array(x.tolist(), pa.list_(pa.float32())),
    "label": pa.array(y, pa.int64()),
}), "list.parquet", row_group_size=4)
pq.write_table(pa.table({
    "features": pa.array([r.astype("f2") for r in x], pa.list_(pa.float16(), 3)),
    "kind": pa.array(text).dictionary_encode(),
}), "fixed.parquet", compression="none")
pq.write_table(pa.table({
    "features": pa.array([[1.0, 2.0], [3.0]], pa.list_(pa.float32())), "label": pa.array([0, 1])
}), "ragged.parquet")

with open("list.jsonl", "w") as lists, open("keys.jsonl", "w") as keys:
    for (a, b, c), name in zip(x.tolist(), text.tolist()):
        lists.write(json.dumps({"features": [a, b, c], "label": name}) + "\n")
        keys.write(json.dumps({"a": a, "b": b, "label": name, "c": c}) + "\n")
