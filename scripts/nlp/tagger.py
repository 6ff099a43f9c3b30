"""The tagger: Stanza's model, data set and update step; batches of sentences of one length."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from stanza.models import tagger as stanza_tagger
from stanza.models.common import utils
from stanza.models.pos.data import Dataset
from stanza.models.pos.trainer import Trainer

from scripts.nlp import characters
from scripts.nlp.corpora import Token, Tree, map_tokens
from scripts.nlp.loop import Budget, Trainable, length_bucketed, train

SETTINGS = (
    "--no_pretrain --shorthand en_babi --lang en --word_emb_dim 100 --word_cutoff 3 "
    "--char_emb_dim 50 --char_hidden_dim 100 --transformed_dim 100 --hidden_dim 128 "
    "--num_layers 2 --deep_biaff_hidden_dim 200 "
    "--share_hid --dropout 0.4 --word_dropout 0.2 --beta2 0.99 --max_grad_norm 2.0 "
    "--augment_nopunct 0.1 --cpu"
)
TOKENS_PER_BATCH = 800
PEAK_LR = 3e-3


class TreeDocument:
    """The part of Stanza's Document that its data sets read, straight from the trees (building
    real documents of half a million words takes minutes)."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.trees = trees

    def get(self, fields: Sequence[str], as_sentences: bool = True) -> list[list[list[Any]]]:
        """One list of field values a word, grouped by sentence."""
        names = {"text": "form"}
        columns = [None if f == "feats" else names.get(f, f) for f in fields]
        return [
            [[getattr(token, c) if c else None for c in columns] for token in tree.tokens]
            for tree in self.trees
        ]


def train_tagger(
    trees: Sequence[Tree],
    dev: Sequence[Tree],
    out: Path,
    *,
    epochs: float,
    minutes: float = 1e9,
    seed: int = 1,
) -> None:
    """Train on ``trees`` and save Stanza's model file to ``out``."""
    args = stanza_tagger.parse_args([*SETTINGS.split(), "--seed", str(seed)])
    utils.set_random_seed(seed)
    characters.install()
    doc = TreeDocument(trees)
    vocab = Dataset.init_vocab([doc], args)
    data = Dataset(doc, args, None, vocab=vocab, evaluation=False)
    for column in data.has_tags:
        data.has_tags[column] = True  # an empty column (features) is learned as always empty
    trainer = Trainer(args=args, vocab=vocab, device="cpu")
    lengths = [len(tree.tokens) for tree in trees]

    def evaluate(done: float) -> str:
        tagged = tag(trainer, dev)
        pairs = [(p, g) for t, d in zip(tagged, dev, strict=True)
                 for p, g in zip(t.tokens, d.tokens, strict=True)]  # fmt: skip
        upos = sum(p.upos == g.upos for p, g in pairs) / len(pairs)
        trainer.model.train()
        return f"UPOS {100 * upos:.2f}"

    spent = train(
        Trainable("tagger", trainer.model, trainer.optimizers, trainer.update, evaluate),
        length_bucketed(lengths, TOKENS_PER_BATCH, random.Random(seed)),
        lambda indices: data.collate_fn([data[i] for i in indices]),
        Budget(int(epochs * sum(lengths) / TOKENS_PER_BATCH), PEAK_LR, minutes),
        out.with_suffix(".checkpoint"),
    )
    write_note(out, spent, TOKENS_PER_BATCH)
    trainer.save(str(out))


def write_note(model: Path, spent: dict[str, str | float], tokens_per_batch: int) -> None:
    """Leave beside a model what its training took, for the model card."""
    note = spent | {"tokens": float(spent["steps"]) * tokens_per_batch}
    Path(f"{model}.json").write_text(json.dumps(note, allow_nan=False) + "\n", encoding="utf-8")


def load_tagger(path: Path) -> Trainer:
    """A trained tagger."""
    return Trainer(model_file=str(path), device="cpu", args={"charlm": False})


def tag(trainer: Trainer, trees: Sequence[Tree]) -> list[Tree]:
    """The trees with predicted universal and Penn tags in place of the gold ones."""
    if not trees:
        return []
    data = Dataset(TreeDocument(trees), trainer.args, None, vocab=trainer.vocab, evaluation=True)
    order = sorted(range(len(trees)), key=lambda i: len(trees[i].tokens))
    tagged: dict[int, Tree] = {}
    with torch.no_grad():
        for start in range(0, len(order), 200):
            chunk = order[start : start + 200]
            predicted = trainer.predict(data.collate_fn([data[i] for i in chunk]))
            for index, rows in zip(chunk, predicted, strict=True):
                tagged[index] = _with_tags(trees[index], rows)
    return [tagged[i] for i in range(len(trees))]


def _with_tags(tree: Tree, rows: Sequence[Sequence[str]]) -> Tree:
    def change(index: int, token: Token) -> Token:
        return replace(token, upos=rows[index][0], xpos=rows[index][1])

    return map_tokens(tree, change)
