"""The lemmatizer: Stanza's dictionary, with its small sequence model for words the dictionary does
not hold ("journeyed" → "journey")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from stanza.models import lemmatizer as stanza_lemmatizer

from scripts.nlp.corpora import Token, Tree, to_conllu

SETTINGS = (
    "--shorthand en_babi --hidden_dim 100 --emb_dim 50 --pos_dim 50 --dropout 0.2 "
    "--emb_dropout 0.2 --pos_dropout 0.2 --lr 0.003 --batch_size 128 --log_step 200 --cpu"
)


def train_lemmatizer(
    trees: Sequence[Tree],
    dev: Sequence[Tree],
    out: Path,
    work: Path,
    *,
    epochs: int,
    seed: int = 1,
) -> None:
    """Train on ``trees`` and save Stanza's model file to ``out``."""
    work.mkdir(parents=True, exist_ok=True)
    types = majority(trees)
    short = [tree for tree in types if _is_short(tree.tokens[0])]
    (work / "train.conllu").write_text(to_conllu(short), encoding="utf-8")
    (work / "dictionary.conllu").write_text(to_conllu(types), encoding="utf-8")
    (work / "dev.conllu").write_text(to_conllu(dev), encoding="utf-8")
    files = (
        f"--train_file {work}/train.conllu --secondary_file {work}/dictionary.conllu "
        f"--eval_file {work}/dev.conllu --num_epoch {epochs} "
        f"--save_dir {out.parent} --save_name {out.name} --seed {seed}"
    )
    stanza_lemmatizer.main([*SETTINGS.split(), *files.split()])


def majority(trees: Sequence[Tree]) -> list[Tree]:
    """One pseudo-sentence a word type, with its most frequent lemma: the sequence model then learns
    from types, not tokens, and is not spent on "the"."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for tree in trees:
        for token in tree.tokens:
            counts.setdefault((token.form, token.upos), Counter())[token.lemma] += 1
    words = [
        Token(form, found.most_common(1)[0][0], upos, "_", 0, "root")
        for (form, upos), found in sorted(counts.items())
    ]
    return [Tree(f"type:{i}", (word,)) for i, word in enumerate(words)]


def _is_short(word: Token) -> bool:
    """Long words cost the sequence model time and teach it little that short ones do not."""
    return len(word.form) < 14
