"""The dependency parser: Stanza's deep biaffine model, without pretrained vectors."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from stanza.models import parser as stanza_parser
from stanza.models.common import utils
from stanza.models.common.vocab import VOCAB_PREFIX_SIZE
from stanza.models.depparse.data import DataLoader, Dataset
from stanza.models.depparse.model import GraphParser
from stanza.models.depparse.trainer import GraphTrainer, Trainer
from torch import Tensor, nn

from scripts.nlp import characters
from scripts.nlp.corpora import Token, Tree, map_tokens
from scripts.nlp.loop import Budget, Trainable, length_bucketed, train
from scripts.nlp.tagger import TreeDocument, write_note

# Relations cost (deep_biaff_hidden_dim)² × relations a word, so that layer is kept small.
SETTINGS = (
    "--no_pretrain --no_ufeats --no_upos --no_xpos --shorthand en_babi --lang en "
    "--word_emb_dim 100 --word_cutoff 3 --char_emb_dim 50 --char_hidden_dim 100 "
    "--transformed_dim 100 --hidden_dim 256 --num_layers 2 --deep_biaff_hidden_dim 100 "
    "--no_linearization --no_distance --dropout 0.33 --word_dropout 0.2 --optim adam "
    "--second_optim adam --lr 0.002 --weight_decay 0 --beta2 0.95 --max_grad_norm 2.0 "
    "--augment_nopunct 0.1 --cpu"
)
TOKENS_PER_BATCH = 800
PEAK_LR = 2e-3
TAG_WEIGHT = 0.5


class GoldArcParser(GraphParser):  # type: ignore[misc]
    """Stanza's graph parser with a cheaper and richer training step; prediction is Stanza's.

    Cheaper: the relation of a word is scored for its gold head only, the one score the loss reads,
    not for all pairs of words. Richer: the tags are no input (so that a tagging error cannot mislead
    the parser, and no jackknifed tagger is needed) but a second task: two linear layers predict
    them from the same states while training. They are not part of the saved model.
    """

    def __init__(self, args: Any, vocab: Any, *more: Any, **named: Any) -> None:
        super().__init__(args, vocab, *more, **named)
        width = 2 * args["hidden_dim"]
        for column in ("upos", "xpos"):
            self.add_unsaved_module(f"aux_{column}", nn.Linear(width, len(vocab[column])))

    def forward(self, word: Tensor, word_mask: Tensor, *rest: Any) -> tuple[Any, list[Any]]:
        """The loss of a training batch, or Stanza's scores in evaluation."""
        if not self.training:
            scores: tuple[Any, list[Any]] = super().forward(word, word_mask, *rest)
            return scores
        head, deprel = rest[7], rest[8]
        states = self.drop(self.embed(word, word_mask, *rest))
        arcs = self.unlabeled(states, states).squeeze(3)
        itself = torch.eye(arcs.size(1), dtype=torch.bool).unsqueeze(0)
        arcs = arcs.masked_fill(itself, -torch.inf)[:, 1:]
        arcs = arcs.masked_fill(word_mask.unsqueeze(1), -torch.inf)
        real = ~word_mask[:, 1:]
        loss = self.crit(arcs[real], head[real])

        scorer = self.deprel
        rows = torch.arange(word.size(0)).unsqueeze(1).expand_as(head)
        dependents = scorer.dropout(torch.relu(scorer.W1(states[:, 1:][real])))
        heads = scorer.dropout(torch.relu(scorer.W2(states)))[rows[real], head[real]]
        ones = dependents.new_ones(dependents.size(0), 1)
        bilinear = scorer.scorer.W_bilin
        d, relations = bilinear.input2_size, bilinear.output_size
        left = torch.cat([dependents, ones], 1) @ bilinear.weight.reshape(-1, d * relations)
        right = torch.cat([heads, ones], 1).unsqueeze(1)
        labels = torch.bmm(right, left.view(-1, d, relations)).squeeze(1) + bilinear.bias
        loss = loss + self.crit(labels, deprel[real] - VOCAB_PREFIX_SIZE)
        words = states[:, 1:][real]
        loss = loss + TAG_WEIGHT * self.crit(self.aux_upos(words), rest[2][:, 1:][real])
        loss = loss + TAG_WEIGHT * self.crit(self.aux_xpos(words), rest[3][:, 1:][real])
        return loss / real.sum(), []


class GoldArcTrainer(GraphTrainer):  # type: ignore[misc]
    """Stanza's trainer around GoldArcParser; saves ordinary Stanza model files."""

    @staticmethod
    def build_model(*args: Any, **kwargs: Any) -> GoldArcParser:
        """The model to train."""
        return GoldArcParser(*args, **kwargs)


def train_parser(
    trees: Sequence[Tree],
    dev: Mapping[str, Sequence[Tree]],
    out: Path,
    *,
    epochs: float,
    minutes: float = 1e9,
    seed: int = 1,
) -> None:
    """Train on ``trees`` and save Stanza's model file to ``out``."""
    args = stanza_parser.parse_args([*SETTINGS.split(), "--seed", str(seed)])
    utils.set_random_seed(seed)
    characters.install()
    data = Dataset(TreeDocument(trees), args, None)
    trainer = GoldArcTrainer(args=args, vocab=data.vocab, pretrain=None, device="cpu")

    def evaluate(_done: float) -> str:
        scores = {name: attachment(parse(trainer, d), d) for name, d in dev.items()}
        trainer.model.train()
        return " ".join(f"{name} {uas:.2f}/{las:.2f}" for name, (uas, las) in scores.items())

    model = Trainable(
        name=out.stem,
        module=trainer.model,
        optimizers=trainer.optimizer,
        update=lambda batch: float(trainer.update(batch)[0]),
        evaluate=evaluate,
    )
    spent = train(
        model,
        length_bucketed(data.lengths, TOKENS_PER_BATCH, random.Random(seed)),
        lambda indices: DataLoader.collate([data[i] for i in indices]),
        Budget(int(epochs * sum(data.lengths) / TOKENS_PER_BATCH), PEAK_LR, minutes),
        out.with_suffix(".checkpoint"),
    )
    write_note(out, spent, TOKENS_PER_BATCH)
    trainer.save(str(out), skip_modules=True)


def load_parser(path: Path) -> Trainer:
    """A trained parser."""
    return Trainer.load(str(path), None, device="cpu")


def parse(trainer: Trainer, trees: Sequence[Tree]) -> list[Tree]:
    """The trees with predicted heads and relations, from the tags and lemmas they carry."""
    data = Dataset(TreeDocument(trees), trainer.args, None, vocab=trainer.vocab, evaluation=True)
    order = sorted(range(len(trees)), key=lambda i: len(trees[i].tokens))
    parsed: dict[int, Tree] = {}
    trainer.model.eval()
    with torch.no_grad():
        for start in range(0, len(order), 100):
            chunk = order[start : start + 100]
            predicted = trainer.predict(DataLoader.collate([data[i] for i in chunk]))
            for index, arcs in zip(chunk, predicted, strict=True):
                parsed[index] = _with_arcs(trees[index], arcs)
    return [parsed[i] for i in range(len(trees))]


def attachment(predicted: Sequence[Tree], gold: Sequence[Tree]) -> tuple[float, float]:
    """UAS and LAS in percent over all words, relation subtypes ignored."""
    words = heads = labelled = 0
    for guess, truth in zip(predicted, gold, strict=True):
        for p, g in zip(guess.tokens, truth.tokens, strict=True):
            words += 1
            if p.head == g.head:
                heads += 1
                labelled += p.deprel.split(":")[0] == g.deprel.split(":")[0]
    return 100 * heads / words, 100 * labelled / words


def _with_arcs(tree: Tree, arcs: Sequence[Sequence[Any]]) -> Tree:
    def change(index: int, token: Token) -> Token:
        return replace(token, head=int(arcs[index][0]), deprel=str(arcs[index][1]))

    return map_tokens(tree, change)
