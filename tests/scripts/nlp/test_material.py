"""The trees that training makes: well formed, in agreement, and with the relations they should have."""

from __future__ import annotations

import random

import pytest

from scripts.nlp.clauses import clauses
from scripts.nlp.corpora import Tree, read_trees, to_conllu
from scripts.nlp.invented import invented
from scripts.nlp.loop import Budget, learning_rate, length_bucketed
from scripts.nlp.phrases import NounPhrases, harvest, is_plural
from scripts.nlp.substitution import substituted
from scripts.nlp.tokenizer import paragraphs
from scripts.nlp.transformations import transformed

ROWS = {
    "give": [
        ("Peter", "Peter", "PROPN", "NNP", 2, "nsubj"),
        ("gave", "give", "VERB", "VBD", 0, "root"),
        ("him", "he", "PRON", "PRP", 2, "iobj"),
        ("the", "the", "DET", "DT", 5, "det"),
        ("spoon", "spoon", "NOUN", "NN", 2, "obj"),
        (".", ".", "PUNCT", ".", 2, "punct"),
    ],
    "walk": [
        ("She", "she", "PRON", "PRP", 2, "nsubj"),
        ("walks", "walk", "VERB", "VBZ", 0, "root"),
        ("to", "to", "ADP", "IN", 5, "case"),
        ("the", "the", "DET", "DT", 5, "det"),
        ("pond", "pond", "NOUN", "NN", 2, "obl"),
        (".", ".", "PUNCT", ".", 2, "punct"),
    ],
    "fond": [
        ("Ducks", "duck", "NOUN", "NNS", 3, "nsubj"),
        ("are", "be", "AUX", "VBP", 3, "cop"),
        ("fond", "fond", "ADJ", "JJ", 0, "root"),
        ("of", "of", "ADP", "IN", 6, "case"),
        ("green", "green", "ADJ", "JJ", 6, "amod"),
        ("ponds", "pond", "NOUN", "NNS", 3, "obl"),
    ],
    "older": [
        ("Anna", "Anna", "PROPN", "NNP", 3, "nsubj"),
        ("is", "be", "AUX", "VBZ", 3, "cop"),
        ("older", "old", "ADJ", "JJR", 0, "root"),
    ],
}


@pytest.fixture
def trees() -> list[Tree]:
    lines = []
    for name, rows in ROWS.items():
        lines.append(f"# sent_id = {name}")
        for number, (form, lemma, upos, xpos, head, deprel) in enumerate(rows, 1):
            columns = (number, form, lemma, upos, xpos, "_", head, deprel, "_", "_")
            lines.append("\t".join(map(str, columns)))
        lines.append("")
    return list(read_trees(lines, "toy")) * 2


def test_multi_word_tokens_become_words_without_a_space() -> None:
    block = (
        "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tdo\tdo\tAUX\tVBP\t_\t3\taux\t_\t_\n"
        "2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
        "3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No\n"
        "4\t!\t!\tPUNCT\t!\t_\t3\tpunct\t_\t_\n"
    )
    (tree,) = read_trees(block.splitlines(), "toy")
    assert tree.text == "don't go!"
    assert [token.xpos for token in tree.tokens] == ["VBP", "RB", "VB", "."]
    (again,) = read_trees(to_conllu([tree]).splitlines(), "toy")
    assert again.tokens == tree.tokens


def test_made_trees_are_trees_and_are_the_same_for_the_same_seed(trees: list[Tree]) -> None:
    lexicon, pool = harvest(trees), list(clauses(trees))
    made = transformed(pool, lexicon, 400, seed=5)
    assert made == transformed(pool, lexicon, 400, seed=5)
    for tree in made:
        heads = [token.head for token in tree.tokens]
        assert heads.count(0) == 1
        for number in range(1, len(heads) + 1):
            seen = set()
            while number:
                assert number not in seen, tree.text
                seen.add(number)
                number = heads[number - 1]
        assert all(token.deprel and token.form for token in tree.tokens), tree.text


def test_a_stranded_preposition_belongs_to_the_question_word(trees: list[Tree]) -> None:
    made = transformed(list(clauses(trees)), harvest(trees), 600, seed=2)
    stranded = [t for t in made if t.text.startswith(("What", "Who")) and t.text.endswith(" of?")]
    assert stranded
    for tree in stranded:
        assert tree.tokens[-2].deprel == "case"
        assert tree.tokens[-2].head == 1


def test_subjects_agree_with_the_copula(trees: list[Tree]) -> None:
    nouns = NounPhrases(harvest(trees), random.Random(0))
    assert is_plural(nouns.pair())
    assert is_plural(nouns.bare_plural())
    assert not is_plural(nouns.name())


def test_substitution_keeps_the_relations(trees: list[Tree]) -> None:
    originals = {tree.source: tree for tree in trees}
    for variant in substituted(trees, harvest(trees), 40, seed=1):
        original = originals[variant.source.removesuffix("#other")]
        kept = [t.deprel for t in variant.tokens if t.deprel != "det"]
        assert kept in (
            [t.deprel for t in original.tokens if t.deprel != "det"],
            [t.deprel for t in original.tokens[:-1] if t.deprel != "det"],
        )


def test_tokenizer_labels_fit_the_text(trees: list[Tree]) -> None:
    text, labels, order = paragraphs(trees, random.Random(0))
    assert len(text) == len(labels)
    assert labels.count("2") == len(order)
    assert labels.count("1") + labels.count("2") == sum(len(tree.tokens) for tree in trees)


def test_batches_hold_sentences_of_about_one_length() -> None:
    lengths = [3, 30, 3, 30, 3, 30]
    batches = length_bucketed(lengths, 61, random.Random(0))
    for _ in range(6):
        batch = next(batches)
        assert sum(lengths[i] for i in batch) <= 61


def test_the_learning_rate_rises_and_falls_to_zero() -> None:
    budget = Budget(steps=100, peak_lr=1.0, warmup=0.1)
    rates = [learning_rate(i / 100, budget) for i in range(101)]
    assert max(rates) == pytest.approx(1.0)
    assert rates[-1] == 0
    assert rates.index(max(rates)) == 10


def test_made_up_names_are_new_and_look_like_names() -> None:
    words = ["Anna", "Hanna", "Johanna", "Marianna", "Peter", "Petra", "Marten", "Martin"]
    made = invented(words, [*words, "ten"], 20, seed=4, names=True)
    assert made == invented(words, [*words, "ten"], 20, seed=4, names=True)
    assert not {name.lower() for name in made} & {word.lower() for word in [*words, "ten"]}
    assert all(name[0].isupper() and len(name) >= 3 for name in made)
    letters = set("".join(words).lower())
    assert all(set(name.lower()) & letters for name in made)
