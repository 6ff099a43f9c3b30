#!/usr/bin/env python3
"""Measure labellers of semantic roles on up_english_ewt by one scorer: the arguments of verbs, end to end.

    scripts/score_srl.py CORPORA_DIR
    scripts/score_srl.py CORPORA_DIR --srl clearnlp --clearnlp FOLDER

The words are the corpus', everything else is the labeller's: verbs, trees, arguments, roles. An argument
counts where the highest word of its phrase, in the gold tree, is the head that the corpus names, and its role
is the same; what marks a pronoun that refers (R-) or a part that continues (C-) does not count. A labeller
that tells roles by function (ClearNLP: GOL) is read as the train file reads where it says the same of the
same verb.
Predicates are the words with the tag of a verb; --all adds nouns and adjectives (ClearNLP has none of them).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.backends import role_labeller
from babi_cascade.pipeline.coref.replace import Replaced
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.srl.clearnlp import ClearNLP
from babi_cascade.pipeline.trees import ConlluSentence, Roles, Token, Tree, read_conllu
from scripts.nlp.role_scores import RoleScores, score_roles
from scripts.nlp.role_spelling import (
    bare,
    heads_of,
    learned,
    placed,
    roles_of,
)  # fmt: skip

LABELLERS = ("stanza", "clearnlp", "senna")


def main(words: Sequence[str] | None = None) -> int:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument("--srl", choices=LABELLERS, default=LABELLERS[0])
    parser.add_argument("--model", type=Path, help="another model of our labeller")
    parser.add_argument("--clearnlp", type=Path, help="folder of ClearNLP")
    parser.add_argument("--senna", type=Path, help="folder of SENNA")
    parser.add_argument("--trees", type=Path, help="trees of the dev file (default: parse it)")
    parser.add_argument("--genre", help="only sentences of a genre: answers, email, …")
    parser.add_argument("--all", action="store_true", help="nouns and adjectives as predicates too")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    parser.add_argument("--score-only", action="store_true", help="print the labelled F1")
    options = parser.parse_args(words)
    folder = options.corpora / "up_english_ewt"
    if not folder.is_dir():
        parser.error(f"{options.corpora}: found no folder up_english_ewt, expected one there")
    gold = list(read_conllu(folder / "dev.conllu.gz"))
    if options.srl == "clearnlp":
        found = _clearnlp(options.clearnlp, gold, list(read_conllu(folder / "train.conllu.gz")))
    else:
        chosen = {"stanza": {"model": options.model}, "senna": {"folder": options.senna}}
        labeller = role_labeller(options.srl, **chosen[options.srl])
        labeller.check()
        found = _placed(labeller.label, gold, _trees(options.trees, gold), verbs=not options.all)
    scores = measured(gold, found, options.genre, verbs=not options.all)
    figures = {
        "arguments": scores.unlabelled, "arguments with roles": scores.labelled,
    }  # fmt: skip
    if options.score_only:
        print(f"{100 * scores.labelled.f1:.2f}")
    elif options.json:
        print(json.dumps({name: round(100 * each.f1, 2) for name, each in figures.items()}))
    else:
        print(*scores.lines(), sep="\n")
    return 0


def measured(
    gold: Sequence[ConlluSentence], found: Sequence[Roles], genre: str | None, *, verbs: bool
) -> RoleScores:
    """Return the scores of roles whose arguments are words of the gold trees."""
    return score_roles(
        (_bare(sentence.tree, sentence.roles, verbs), _bare(sentence.tree, roles, verbs=False))
        for sentence, roles in zip(gold, found, strict=True)
        if genre in (None, sentence.comments.get("sent_id", "").partition("-")[0])
    )


def is_verb(token: Token) -> bool:
    """Say whether a word has the tag of a verb."""
    return token.xpos.startswith("VB")


def _bare(tree: Tree, roles: Roles, verbs: bool) -> Roles:
    return {
        predicate: {word: bare(role) for word, role in arguments.items()}
        for predicate, arguments in roles.items()
        if not verbs or is_verb(tree[predicate])
    }


def _placed(
    label: Callable[[Sequence[Replaced]], Sequence[Roles | None]],
    gold: Sequence[ConlluSentence],
    trees: Sequence[Tree],
    *,
    verbs: bool,
) -> list[Roles]:
    found: list[Roles] = []
    answers = label([Replaced(tree, tree) for tree in trees])
    for sentence, tree, roles in zip(gold, trees, answers, strict=True):
        every = (roles or {}).items()
        own = {p: arguments for p, arguments in every if not verbs or is_verb(tree[p])}
        found.append(placed(own, [token.head for token in tree], sentence.tree))
    return found


def _clearnlp(
    folder: Path | None, gold: Sequence[ConlluSentence], train: Sequence[ConlluSentence]
) -> list[Roles]:
    clearnlp = ClearNLP(folder, timeout=600)
    try:
        rows = clearnlp.rows([s.tree for s in (*train, *gold)])
    finally:
        clearnlp.close()
    spelling = learned((s.tree, s.roles, r) for s, r in zip(train, rows, strict=False))
    found: list[Roles] = []
    for sentence, answer in zip(gold, rows[len(train) :], strict=True):
        roles = placed(roles_of(answer), heads_of(answer), sentence.tree)
        found.append(
            {
                predicate: {
                    word: spelling.spelled(sentence.tree[predicate].lemma, role)
                    for word, role in arguments.items()
                }
                for predicate, arguments in roles.items()
            }
        )
    return found


def _trees(path: Path | None, gold: Sequence[ConlluSentence]) -> list[Tree]:
    if path is not None:
        return [sentence.tree for sentence in read_conllu(path)]
    parser = StanzaParser()
    try:
        return parser.parse_words([[token.form for token in s.tree] for s in gold])
    finally:
        parser.close()


if __name__ == "__main__":
    sys.exit(main())
