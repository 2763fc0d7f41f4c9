"""Writes crates/trustpath-text/src/tokenizer/characters.txt: what the tokenizer of BERT does to single characters.

Needs `pip install tokenizers`, whose behaviour it records, character by character, without Hangul and ideographs, which
follow rules:

    python scripts/tokenizer_characters.py > crates/trustpath-text/src/tokenizer/characters.txt
"""

from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer


def ranges(codes):
    """Neighbouring numbers as ranges."""
    found = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return [f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in found]


def show(kind, items, width=12):
    """Lines of a few items each."""
    for at in range(0, len(items), width):
        print(kind, *items[at : at + width])


def main():
    normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=False)
    plain = BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    splitter = BertPreTokenizer()
    codes = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    hangul = range(0xAC00, 0xD7A4)
    removed, marks, punctuation, decomposed = [], [], [], []
    for code in codes:
        text = chr(code)
        normal = normalizer.normalize_str(text)
        if plain.normalize_str(text) == "":
            removed.append(code)
        elif normal == "":
            marks.append(code)
        elif normal.strip() not in (text, "") and code not in hangul:
            decomposed.append(f"{code:x}=" + "+".join(f"{ord(c):x}" for c in normal.strip()))
        if len(splitter.pre_tokenize_str(f"a{text}b")) == 3:
            punctuation.append(code)
    print("# Written by scripts/tokenizer_characters.py. Hexadecimal code points; what each line lists comes first.")
    show("removed", ranges(removed))
    show("mark", ranges(marks))
    show("punctuation", ranges(punctuation))
    show("decomposed", decomposed)


if __name__ == "__main__":
    main()
