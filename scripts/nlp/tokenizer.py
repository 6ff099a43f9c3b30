"""The tokenizer: Stanza's own training loop over paragraphs made of the treebanks' sentences."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stanza.models import tokenizer as stanza_tokenizer

from scripts.nlp.corpora import Tree, to_conllu

SETTINGS = (
    "--lang en --shorthand en_babi --hidden_dim 64 --emb_dim 32 --no_use_mwt "
    "--batch_size 32 --max_seqlen 150 --lr0 0.004 --report_steps 200 --cpu"
)


def train_tokenizer(
    trees: Sequence[Tree], dev: Sequence[Tree], out: Path, work: Path, *, steps: int, seed: int = 1
) -> None:
    """Train on ``trees`` and save Stanza's model file to ``out``."""
    work.mkdir(parents=True, exist_ok=True)
    for name, part in (("train", trees), ("dev", dev)):
        rng = random.Random(seed)
        text, labels, order = paragraphs(part, rng)
        (work / f"{name}.txt").write_text(text, encoding="utf-8")
        (work / f"{name}.toklabels").write_text(labels, encoding="utf-8")
        (work / f"{name}.conllu").write_text(to_conllu(order), encoding="utf-8")
    (work / "mwt.json").write_text("[]", encoding="utf-8")  # no multi-word tokens
    files = (
        f"--txt_file {work}/train.txt --label_file {work}/train.toklabels "
        f"--dev_txt_file {work}/dev.txt --dev_label_file {work}/dev.toklabels "
        f"--dev_conll_gold {work}/dev.conllu --mwt_json_file {work}/mwt.json "
        f"--save_dir {out.parent} --save_name {out.name} "
        f"--steps {steps} --eval_steps {max(1, steps // 4)} --seed {seed}"
    )
    stanza_tokenizer.main([*SETTINGS.split(), *files.split()])


def paragraphs(trees: Sequence[Tree], rng: random.Random) -> tuple[str, str, list[Tree]]:
    """Text and character labels (0 inside, 1 end of a word, 2 end of a sentence) in paragraphs of
    one to six sentences, and the sentences in the order of the text."""
    texts, labels = list[str](), list[str]()
    start = 0
    while start < len(trees):
        size = rng.randint(1, 6)
        part = trees[start : start + size]
        start += size
        text, label = "", ""
        for tree in part:
            last = len(tree.tokens) - 1
            for i, token in enumerate(tree.tokens):
                space = " " if token.space_after or i == last else ""
                text += token.form.replace(" ", "") + space
                label += "0" * (len(token.form.replace(" ", "")) - 1)
                label += ("2" if i == last else "1") + "0" * len(space)
        texts.append(text.rstrip())
        labels.append(label[: len(text.rstrip())])
    spaced = [
        replace(
            tree,
            tokens=tuple(replace(token, form=token.form.replace(" ", "")) for token in tree.tokens),
        )
        for tree in trees
    ]
    return "\n\n".join(texts) + "\n\n", "\n\n".join(labels) + "\n\n", spaced
