"""The dependency parser: Stanza's deep biaffine model, over words known from larger corpora.

The vectors of words are part of the model's own word layer, not a file of pretrained vectors beside it:
Stanza cannot read such a file in half precision. A word is the sum of its vector, which stays as it is,
and of what the treebanks teach about it if it is frequent there; the sum is what is saved.
"""

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

from scripts.nlp import characters, short_lstm
from scripts.nlp.corpora import Token, Tree, map_tokens
from scripts.nlp.loop import Budget, Trainable, length_bucketed, train
from scripts.nlp.tagger import TreeDocument, write_note
from scripts.nlp.vectors import Vectors, read_vectors

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
AVERAGE_FROM = 0.6


class WordVectors(nn.Module):
    """Fixed vectors of all words plus learned ones of the first ``learned`` words; zero at first."""

    def __init__(self, fixed: Tensor, learned: int) -> None:
        super().__init__()
        self.register_buffer("fixed", fixed, persistent=False)
        self.learned = nn.Embedding(learned + 1, fixed.shape[1], padding_idx=learned)
        nn.init.zeros_(self.learned.weight)

    def forward(self, words: Tensor) -> Tensor:
        """The vectors of the words with these numbers."""
        return self.fixed[words] + self.learned(words.clamp(max=self.learned.padding_idx))

    def summed(self) -> Tensor:
        """The vectors as they are saved."""
        total = self.fixed.clone()
        total[: self.learned.padding_idx] += self.learned.weight[:-1]
        return total


class GoldArcParser(GraphParser):  # type: ignore[misc]
    """Stanza's graph parser with a cheaper and richer training step; prediction is Stanza's.

    Cheaper: the relation of a word is scored for its gold head only, the one score the loss reads,
    not for all pairs of words. Richer: the tags are no input (so that a tagging error cannot mislead
    the parser, and no jackknifed tagger is needed) but a second task: two linear layers predict
    them from the same states while training. They are not part of the saved model. Products of matrices
    are computed in bfloat16 while training; the weights, their updates and prediction are not.
    """

    def __init__(self, args: Any, vocab: Any, emb_matrix: Any = None, **named: Any) -> None:
        super().__init__(args, vocab, **named)
        self.word_emb = WordVectors(*emb_matrix)
        width = 2 * args["hidden_dim"]
        for column in ("upos", "xpos"):
            self.add_unsaved_module(f"aux_{column}", nn.Linear(width, len(vocab[column])))

    def forward(self, word: Tensor, word_mask: Tensor, *rest: Any) -> tuple[Any, list[Any]]:
        """The loss of a training batch, or Stanza's scores in evaluation."""
        if not self.training:
            scores: tuple[Any, list[Any]] = super().forward(word, word_mask, *rest)
            return scores
        with torch.autocast("cpu", torch.bfloat16):
            return self._loss(word, word_mask, *rest), []

    def _loss(self, word: Tensor, word_mask: Tensor, *rest: Any) -> Tensor:
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
        total: Tensor = loss / real.sum()
        return total


class VectorDataset(Dataset):  # type: ignore[misc]
    """Stanza's data set whose words are, after the treebanks' frequent ones, those with a vector."""

    def __init__(self, trees: Sequence[Tree], args: Any, vectors: Vectors) -> None:
        self.vectors = vectors
        self.learned = 0
        super().__init__(TreeDocument(trees), args, None)

    def init_vocab(self, data: Any) -> Any:
        """Stanza's vocabularies, the one of words extended."""
        vocab = super().init_vocab(data)
        words = vocab["word"]
        self.learned = len(words)
        words._id2unit += [word for word in self.vectors if word not in words]
        words._unit2id = {word: place for place, word in enumerate(words._id2unit)}
        return vocab

    @property
    def emb(self) -> tuple[Tensor, int]:
        """The vectors in the order of the vocabulary, none is zero; and how many words are learned."""
        words = list(self.vocab["word"])
        fixed = torch.zeros(len(words), len(next(iter(self.vectors.values()))))
        for place, word in enumerate(words):
            if word in self.vectors:
                fixed[place] = torch.from_numpy(self.vectors[word])
        return fixed, self.learned


class GoldArcTrainer(GraphTrainer):  # type: ignore[misc]
    """Stanza's trainer around GoldArcParser; saves ordinary Stanza model files."""

    @staticmethod
    def build_model(*args: Any, **kwargs: Any) -> GoldArcParser:
        """The model to train."""
        return GoldArcParser(*args, **kwargs)


def train_parser(
    trees: Sequence[Tree],
    dev: Mapping[str, Sequence[Tree]],
    vectors: Path,
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
    short_lstm.install()
    forms = {token.form.lower() for tree in trees for token in tree.tokens}
    data = VectorDataset(trees, args, read_vectors(vectors, forms))
    trainer = GoldArcTrainer(args=args, vocab=data.vocab, pretrain=data, device="cpu")

    for group in (g for each in trainer.optimizer.values() for g in each.param_groups):
        group["fused"], group["foreach"] = True, False

    def evaluate(_done: float) -> str:
        scores = {name: attachment(parse(trainer, d), d) for name, d in dev.items()}
        trainer.model.train()
        return " ".join(f"{name} {uas:.2f}/{las:.2f}" for name, (uas, las) in scores.items())

    model = Trainable(
        name=out.stem,
        module=trainer.model,
        optimizers=trainer.optimizer,
        update=lambda batch: float(trainer.update(batch)[0]),
        average_from=AVERAGE_FROM,
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
    trainer.model.word_emb = nn.Embedding.from_pretrained(trainer.model.word_emb.summed())
    trainer.save(str(out), skip_modules=True)


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
