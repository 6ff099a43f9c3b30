"""Supporting facts learned from answers: for questions whose facts nobody told, those that explain the answer.

Which facts a question rests on is hidden; what is known is that they hang together with the question and that
the answer follows from them. A log-linear model of both (`svm.latent`) is learned by the likelihood of the
answers, and the facts that it finds most probable, given the answer, take the place of labels. It always looks
at the groups of the extended preset: what is a fact of a question does not depend on who learns from it.

How many facts a kind of question needs, one, two, all that name something of the question (a chain) or three,
is chosen by how many answers are found on folds of the training stories.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.cascade.stages import AnswerStage, SupportStage, story_numbers
from babi_cascade.cascade.training import folds
from babi_cascade.features.answer_case import AnswerCase, ChosenFact
from babi_cascade.features.answer_encoder import places_of
from babi_cascade.features.answer_parts import SEQUENCE, SEPARATOR, WORD, items
from babi_cascade.features.cases import OLDER
from babi_cascade.features.group import Attribute
from babi_cascade.features.presets import EXTENDED, RELATIONS
from babi_cascade.features.registry import ANSWER, SUPPORT, choose, made
from babi_cascade.features.story_cases import Numbers
from babi_cascade.features.support_encoder import FACTS
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.arrays import Ints, Longs
from babi_cascade.svm.latent_arrays import SLOTS, LatentArrays

CHAIN = "chain"
MODES: tuple[int | str, ...] = (1, 2, CHAIN, 3)
"""How many facts, in the order in which they are tried."""

GOOD_ENOUGH = 0.99
"""Once so many held-out answers are found, nothing larger is tried."""

N_FOLDS = 3
RARE_KIND = 20
"""Kinds with fewer questions decide together."""

LONG_STORY = 16
"""Of more facts only the latest, and the nearest and last of those that match, are looked at."""

MOST_CHOICES = 4000
"""Choices of facts that are looked at for one question."""


@dataclass(frozen=True, slots=True)
class Imputation:
    """What was learned about facts that nobody told, and its certificate.

    Attributes
    ----------
    n_told, n_imputed : questions with facts of their own, and those that got some
    likelihood : mean log-likelihood of the answers of the latter; of chains there is none
    explained : share of the latter whose answer is the best one to their facts
    modes : by kind of question, how many facts were looked for and the share of held-out answers that this finds
    """

    n_told: int
    n_imputed: int
    likelihood: float
    explained: float
    modes: Mapping[str, tuple[str, float]]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "n_told": self.n_told,
            "n_imputed": self.n_imputed,
            "likelihood": self.likelihood,
            "explained": self.explained,
            "modes": {kind: [mode, share] for kind, (mode, share) in self.modes.items()},
        }


class Imputer:
    """Finds the facts that answers rest on.

    Parameters
    ----------
    seed : of the folds and of the order of the examples
    progress : gets short texts about what is being done
    """

    def __init__(self, seed: int = 0, progress: Callable[[str], None] | None = None) -> None:
        self.seed = seed
        self.progress = progress

    def impute(
        self, read: Sequence[ReadQuestion], known: Sequence[bool]
    ) -> tuple[list[tuple[int, ...]], Imputation]:
        """Return the facts of every question, as positions, where ``known`` says whose facts are told."""
        examples = _Examples(read, known)
        modes, shares = self._choose_modes(examples)
        return self._settle(examples, modes, shares)

    def _choose_modes(
        self, examples: _Examples
    ) -> tuple[dict[str, int | str], dict[str, float]]:
        """Return for every kind how many facts do best on held-out answers, and how well."""
        stories = story_numbers(examples.read)
        parts = folds(stories, self.seed, N_FOLDS)
        modes: dict[str, int | str] = {}
        shares: dict[str, float] = {}
        for mode in MODES:
            open_kinds = [
                kind for kind in examples.members
                if shares.get(kind, 0.0) < GOOD_ENOUGH and examples.allows(kind, mode)
            ]  # fmt: skip
            if not open_kinds or not parts:
                continue
            right = (
                self._chain_right(examples, open_kinds, parts) if mode == CHAIN
                else self._tuple_right(examples, open_kinds, int(mode), parts)
            )  # fmt: skip
            for kind in open_kinds:
                share = float(np.mean(right[examples.members[kind]]))
                if self.progress is not None:
                    self.progress(f"facts from answers: {mode} for {kind}: {100 * share:.1f} %")
                if kind not in shares or share > shares[kind]:
                    modes[kind], shares[kind] = mode, share
        for kind in examples.members:
            modes.setdefault(kind, 1)
            shares.setdefault(kind, 0.0)
        return modes, shares

    def _tuple_right(
        self, examples: _Examples, kinds: Sequence[str], most: int, parts: Sequence[Longs]
    ) -> NDArray[np.bool_]:
        """Say which answers of some kinds are found when their stories are held out."""
        from babi_cascade.svm.latent import LatentChoice

        sizes = dict.fromkeys(kinds, most)
        arrays = examples.arrays(sizes)
        own = np.concatenate([examples.members[kind] for kind in kinds])
        right = np.zeros(len(examples.read), bool)
        for part in parts:
            train = np.setdiff1d(own, part)
            test = np.intersect1d(own, part)
            if len(train) and len(test):
                model = LatentChoice(seed=self.seed).fit(arrays, train)
                right[test] = model.right(arrays, test)
        return right

    def _chain_right(
        self, examples: _Examples, kinds: Sequence[str], parts: Sequence[Longs]
    ) -> NDArray[np.bool_]:
        """Say the same for chains, whose facts are given: only the answer is left to learn."""
        right = np.zeros(len(examples.read), bool)
        for kind in kinds:
            own = examples.members[kind]
            supports = [examples.chain(i) for i in own]
            read = [with_facts(examples.read[i], s) for i, s in zip(own, supports, strict=True)]
            stage = SupportStage(examples.groups, None, RELATIONS)
            stage.encoder.fit(read)
            answers = AnswerStage(made(choose(EXTENDED).answer, ANSWER, roles=RELATIONS), stage)
            held_out = [np.flatnonzero(np.isin(own, part)) for part in parts]
            held_out = [part for part in held_out if 0 < len(part) < len(own)]
            right[own] = answers.held_out_right(read, supports, held_out, self.seed)
        return right

    def _settle(
        self, examples: _Examples, modes: Mapping[str, int | str], shares: Mapping[str, float]
    ) -> tuple[list[tuple[int, ...]], Imputation]:
        """Learn from everything with the chosen numbers of facts, and take the most probable ones."""
        from babi_cascade.svm.latent import LatentChoice

        supports = [examples.chain(i) for i in range(len(examples.read))]
        sizes = {kind: mode for kind, mode in modes.items() if isinstance(mode, int)}
        likelihood, explained, n_imputed = 0.0, 1.0, examples.known.count(False)
        own = [i for kind in sizes for i in examples.members[kind]]
        if own:
            arrays = examples.arrays(sizes)
            every = np.array(sorted(own), np.int64)
            model = LatentChoice(seed=self.seed).fit(arrays, every)
            found = model.explain(arrays, every)
            for i, choice in zip(every, found.choices, strict=True):
                supports[i] = tuple(int(p) for p in choice if p >= 0)
            hidden = ~np.array(examples.known)[every]
            if hidden.any():
                likelihood = float(np.mean(found.likelihood[hidden]))
                explained = float(np.mean(found.answered[hidden]))
        for i, told in enumerate(examples.known):
            if told:
                supports[i] = examples.read[i].support or ()
        told_modes = {kind: (str(modes[name]), shares[name]) for kind, name in examples.names.items()}
        n_told = len(examples.read) - n_imputed
        return supports, Imputation(n_told, n_imputed, likelihood, explained, told_modes)


def with_facts(asked: ReadQuestion, positions: Sequence[int]) -> ReadQuestion:
    """Return a question with other supporting facts."""
    lines = tuple(asked.source.facts[position].line for position in positions)
    return replace(asked, source=replace(asked.source, support=lines))


def without_facts(asked: ReadQuestion) -> ReadQuestion:
    """Return a question as if nobody had told its supporting facts."""
    return replace(asked, source=replace(asked.source, support=None))


class _Examples:
    """Training questions as the numbers of the latent model; tables are made once for all numbers of facts."""

    def __init__(self, read: Sequence[ReadQuestion], known: Sequence[bool]) -> None:
        self.read = [
            asked if told else without_facts(asked) for asked, told in zip(read, known, strict=True)
        ]
        self.known = list(known)
        self.groups = made(choose(EXTENDED).support, SUPPORT, roles=RELATIONS)
        stage = SupportStage(self.groups, None, RELATIONS)
        self.encoder = stage.encoder.fit(self.read)
        self.stories = self.encoder.stories
        self.outlines = [self.stories.outline(asked.question) for asked in self.read]
        cases = self.encoder.encode(self.read).cases
        assert cases is not None
        self.cases = cases
        self._answer_groups = made(choose(EXTENDED).answer, ANSWER, roles=RELATIONS)
        things = self.stories.items.things
        self._item_ok = np.array([bool(case.match) for case in things], np.uint8)
        self._item_late = np.array(
            [
                case.rank != OLDER or any(m.rank != OLDER for m in case.mentions)
                for case in things
            ],
            np.uint8,
        )
        pairs = self.stories.pairs.things
        self._pair_ok = np.array([bool(case.match) for case in pairs], np.uint8)
        self._pair_near = np.array(
            [
                bool(case.match)
                and (
                    case.flags.nearest or case.flags.last
                    or case.question_flags.nearest or case.question_flags.last
                )
                for case in pairs
            ],
            np.uint8,
        )  # fmt: skip
        self._n = np.array([asked.n_facts for asked in self.read], np.int64)
        self._name_kinds()
        self._number_tellings()

    def _name_kinds(self) -> None:
        """Tell kinds apart, the rare ones together: ``names`` by kind, ``members`` by name."""
        counts: dict[str, int] = {}
        for outline in self.outlines:
            counts[outline.kind] = counts.get(outline.kind, 0) + 1
        self.names = {kind: kind if n >= RARE_KIND else "others" for kind, n in counts.items()}
        members: dict[str, list[int]] = {}
        for i, outline in enumerate(self.outlines):
            members.setdefault(self.names[outline.kind], []).append(i)
        self.members = {name: np.array(own, np.int64) for name, own in members.items()}
        self._most_told = {
            name: max((len(self.read[i].support or ()) for i in own if self.known[i]), default=0)
            for name, own in self.members.items()
        }
        sizes: dict[str, set[int]] = {}
        for asked, outline in zip(self.read, self.outlines, strict=True):
            sizes.setdefault(outline.kind, set()).add(len(items(asked.source.answer or "")))
        several = {
            outline.kind
            for asked, outline in zip(self.read, self.outlines, strict=True)
            if SEPARATOR in (asked.source.answer or "")
        }
        self._n_parts = {
            kind: max(own) if kind in several and len(own) == 1 else 0 for kind, own in sizes.items()
        }

    def allows(self, name: str, mode: int | str) -> bool:
        """Say whether the facts that were told are not more than this."""
        most = self._most_told[name]
        return mode == CHAIN or most <= int(mode)

    def chain(self, i: int) -> tuple[int, ...]:
        """Return all facts that name something of the question."""
        start = self.cases.item_start[i]
        own = self.cases.items[start : start + self._n[i]]
        return tuple(np.flatnonzero(self._item_ok[own]).tolist())

    # -- choices of facts ------------------------------------------------------------------------------

    def _choices(self, sizes: Mapping[str, int]) -> tuple[Longs, Ints, Ints]:
        """Return the candidate choices of every question, and which of them is known to be true."""
        from babi_cascade.svm.latent_kernels import enumerate_choices

        room = np.empty((MOST_CHOICES, SLOTS), np.int32)
        found: list[Ints] = []
        given = np.full(len(self.read), -1, np.int32)
        for i, asked in enumerate(self.read):
            most = sizes.get(self.names[self.outlines[i].kind])
            if most is None:
                found.append(room[:0].copy())
                continue
            n = int(self._n[i])
            item, pair = self.cases.item_start[i], self.cases.pair_start[i]
            count = enumerate_choices(
                n, most, self._item_ok, self._item_late, self._pair_ok, self._pair_near,
                self.cases.items[item : item + n], self.cases.pairs[pair : pair + n * n],
                LONG_STORY, room,
            )  # fmt: skip
            own = room[:count].copy()
            if self.known[i]:
                told = list(asked.support or ())[-SLOTS:]
                label = np.array([told + [-1] * (SLOTS - len(told))], np.int32)
                same = np.flatnonzero((own == label).all(axis=1))
                given[i] = same[0] if len(same) else len(own)
                own = own if len(same) else np.concatenate((own, label))
            found.append(own)
        first = np.cumsum([0, *map(len, found)], dtype=np.int64)
        return first, np.concatenate(found), given

    # -- answers ---------------------------------------------------------------------------------------

    def _number_tellings(self) -> None:
        """Number the pairs of a question and a fact by their sentences."""
        numbers: dict[tuple[int, int], int] = {}
        self._told_pairs: list[tuple[int, int]] = []  # example and position of the first of each
        told = np.empty(int(self._n.sum()), np.int32)
        for i, asked in enumerate(self.read):
            start = int(self.cases.item_start[i])
            for p, fact in enumerate(asked.facts):
                key = (id(asked.question), id(fact))
                number = numbers.get(key)
                if number is None:
                    number = numbers[key] = len(numbers)
                    self._told_pairs.append((i, p))
                told[start + p] = number
        self._told = told
        self._context: Numbers[Attribute] = Numbers()
        self._copies: Numbers[Attribute] = Numbers()
        self._texts: Numbers[str] = Numbers()
        self._rows: dict[tuple[int, int], _Row] = {}
        self._next_rows: dict[tuple[int, int], list[Ints]] = {}
        self._kind_numbers = {kind: k for k, kind in enumerate(self.names)}
        self._part_names = [WORD] + [
            f"{SEQUENCE} {t + 1}" for t in range(max(self._n_parts.values(), default=0))
        ]
        for asked, outline in zip(self.read, self.outlines, strict=True):
            answer = asked.source.answer or ""
            for text in items(answer) if self._n_parts[outline.kind] else [answer]:
                self._texts.of(text)
        self._n_classes = len(self._texts.things)
        self._known: dict[tuple[int, int], dict[int, None]] = {}
        for asked, outline in zip(self.read, self.outlines, strict=True):
            kind = self._kind_numbers[outline.kind]
            answer = asked.source.answer or ""
            if not self._n_parts[outline.kind]:
                self._known.setdefault((kind, 0), {})[self._texts.of(answer)] = None
                continue
            for t in range(self._n_parts[outline.kind]):  # items may stand at any place
                own = self._known.setdefault((kind, t + 1), {})
                own.update(dict.fromkeys(self._texts.of(item) for item in items(answer)))

    def _parts_of(self, i: int) -> list[int]:
        """Return the rows of the tables that the parts of an answer look at."""
        n = self._n_parts[self.outlines[i].kind]
        return list(range(1, n + 1)) if n else [0]

    def _contexts_of(self, case: AnswerCase) -> list[Attribute]:
        return [
            (name, *a) for name, group in self._answer_groups.items() for a in group.of_context(case)
        ]

    def _copies_of(self, case: AnswerCase, text: str, places: Any) -> list[Attribute]:
        return [
            (name, *a)
            for name, group in self._answer_groups.items()
            for a in group.of_places(case, text, places)
        ]

    def _case(self, i: int, positions: Sequence[int], slot: int, part: str) -> AnswerCase:
        """Return a question with one or two of its facts, in slots from ``slot`` on."""
        asked = self.read[i]
        facts = tuple(
            ChosenFact(
                FACTS[slot + number],
                self.stories.outline(asked.story[p]),
                self.stories.match(asked.question, asked.story[p]),
            )
            for number, p in enumerate(positions)
        )
        between = {}
        if len(positions) == 2:
            one, two = (asked.story[p] for p in positions)
            between = {(0, 1): self.stories.match(one, two)}
        sentences = (asked.question, *[asked.story[p] for p in positions])
        return AnswerCase(self.outlines[i], facts, between, part, sentences)

    def _row(self, number: int, slot: int) -> _Row:
        """Return what a fact says in a slot: contexts by part, and the texts that it names."""
        known = self._rows.get((number, slot))
        if known is None:
            i, p = self._told_pairs[number]
            contexts = [np.zeros(0, np.int32)] * len(self._part_names)
            for part in self._parts_of(i):
                case = self._case(i, [p], slot, self._part_names[part])
                contexts[part] = _numbers(self._context, self._contexts_of(case))
            texts: list[int] = []
            copies: list[int] = []
            if self._parts_of(i) == [0]:
                case = self._case(i, [p], slot, WORD)
                empty = self._case(i, [], slot, WORD)
                for text, places in places_of(case.facts).items():
                    asked_for = set(self._copies_of(empty, text, ()))
                    own = [a for a in self._copies_of(case, text, places) if a not in asked_for]
                    texts += [self._texts.of(text)] * (len(own) + 1)
                    copies += [-1, *(self._copies.of(a) for a in own)]
            known = self._rows[number, slot] = _Row(
                contexts, np.array(texts, np.int32), np.array(copies, np.int32)
            )
        return known

    def _next_row(self, case: int, slot: int, i: int, positions: Sequence[int]) -> list[Ints]:
        """Return what two facts in neighbouring slots say beyond what each says alone, by part."""
        known = self._next_rows.get((case, slot))
        if known is None:
            known = [np.zeros(0, np.int32)] * len(self._part_names)
            for part in self._parts_of(i):
                name = self._part_names[part]
                alone = {
                    a
                    for number, p in enumerate(positions)
                    for a in self._contexts_of(self._case(i, [p], slot + number, name))
                }
                both = self._contexts_of(self._case(i, positions, slot, name))
                known[part] = _numbers(self._context, [a for a in both if a not in alone])
            self._next_rows[case, slot] = known
        return known

    def arrays(self, sizes: Mapping[str, int]) -> LatentArrays:
        """Return the latent model's examples, where ``sizes`` says how many facts a kind has at most."""
        first, choices, given = self._choices(sizes)
        owner = np.repeat(np.arange(len(self.read)), np.diff(first))
        n_parts = len(self._part_names)
        nothing = np.zeros(0, np.int32)
        # Which facts stand in which slot, and which pairs in neighbouring ones.
        told_rows: dict[int, _Row] = {}
        next_rows: dict[int, list[Ints]] = {}
        for slot in range(SLOTS):
            there = choices[:, slot] >= 0
            at = self.cases.item_start[owner[there]] + choices[there, slot]
            for number in np.unique(self._told[at]).tolist():
                told_rows[number * SLOTS + slot] = self._row(number, slot)
            if slot + 1 < SLOTS:
                there = choices[:, slot + 1] >= 0
                own = owner[there]
                i, j = choices[there, slot].astype(np.int64), choices[there, slot + 1]
                case = self.cases.pairs[self.cases.pair_start[own] + i * self._n[own] + j]
                for number, at in zip(*np.unique(case, return_index=True), strict=True):
                    next_rows[int(number) * 2 + slot] = self._next_row(
                        int(number), slot, int(own[at]), [int(i[at]), int(j[at])]
                    )
        base: list[Ints] = []
        for kind in self.names:
            for size in range(SLOTS + 1):
                for part in self._part_names:
                    base.append(
                        _numbers(self._context, [("kind", kind, part), ("size", kind, str(size), part)])
                    )
        asked_ptr, asked_texts, asked_ids = self._asked_rows()
        nowhere = self._nowhere()
        told_ptr, told_ids = _csr(
            [
                row
                for number in range(len(self._told_pairs) * SLOTS)
                for row in (
                    told_rows[number].contexts if number in told_rows else [nothing] * n_parts
                )
            ]
        )
        next_ptr, next_ids = _csr(
            [
                row
                for number in range(len(self._pair_ok) * 2)
                for row in next_rows.get(number, [nothing] * n_parts)
            ]
        )
        empty = _Row([], nothing, nothing)
        copied = [told_rows.get(n, empty) for n in range(len(self._told_pairs) * SLOTS)]
        copy_ptr, copy_texts = _csr([row.texts for row in copied])
        base_ptr, base_ids = _csr(base)
        part_rows = [self._parts_of(i) for i in range(len(self.read))]
        known = [
            np.array(list(self._known.get((kind, part), {})), np.int32)
            for kind in range(len(self.names))
            for part in range(n_parts)
        ]
        known_ptr, known_texts = _csr(known)
        return LatentArrays(
            first=first,
            choices=choices,
            given=given,
            item_case=self.cases.items,
            item_start=self.cases.item_start,
            pair_case=self.cases.pairs,
            pair_start=self.cases.pair_start,
            n_items=self._n.astype(np.int32),
            item_ptr=self.cases.item_ptr,
            item_ids=self.cases.item_ids,
            pair_ptr=self.cases.pair_ptr,
            pair_ids=self.cases.pair_ids,
            n_item_attributes=len(self.encoder.item_attributes_),
            n_pair_attributes=len(self.encoder.pair_attributes_),
            told=self._told,
            kind=np.array([self._kind_numbers[o.kind] for o in self.outlines], np.int32),
            part_first=np.cumsum([0, *map(len, part_rows)], dtype=np.int64),
            part_row=np.array([row for own in part_rows for row in own], np.int32),
            true=np.array(
                [t for i in range(len(self.read)) for t in self._true(i)], np.int32
            ),
            n_part_rows=n_parts,
            base_ptr=base_ptr,
            base_ids=base_ids,
            told_ptr=told_ptr,
            told_ids=told_ids,
            next_ptr=next_ptr,
            next_ids=next_ids,
            copy_ptr=copy_ptr,
            copy_texts=copy_texts,
            copy_ids=np.concatenate([nothing, *(row.copies for row in copied)]),
            asked_ptr=asked_ptr,
            asked_texts=asked_texts,
            asked_ids=asked_ids,
            nowhere=nowhere,
            known_ptr=known_ptr,
            known_texts=known_texts,
            n_copies=len(self._copies.things),
            n_classes=self._n_classes,
            n_texts=len(self._texts.things),
        )

    def _true(self, i: int) -> list[int]:
        answer = self.read[i].source.answer or ""
        own = items(answer) if self._n_parts[self.outlines[i].kind] else [answer]
        return [self._texts.of(text) for text in own]

    def _nowhere(self) -> int:
        """Return the attribute of a text that no chosen fact names."""
        found = self._copies_of(self._case(0, [], 0, WORD), "", ())
        return self._copies.of(found[0]) if found else -1

    def _asked_rows(self) -> tuple[Longs, Ints, Ints]:
        """Return the attributes of the texts that questions name."""
        texts: list[Ints] = []
        ids: list[Ints] = []
        nothing = np.zeros(0, np.int32)
        known: dict[int, tuple[Ints, Ints]] = {}
        for i, outline in enumerate(self.outlines):
            key = id(self.read[i].question)
            if key not in known:
                own_texts: list[int] = []
                own_ids: list[int] = []
                if self._parts_of(i) == [0]:
                    case = self._case(i, [], 0, WORD)
                    usual = set(self._copies_of(case, "", ()))
                    for text in dict.fromkeys(filler for _, filler in outline.roles):
                        for a in self._copies_of(case, text, ()):
                            if a not in usual:
                                own_texts.append(self._texts.of(text))
                                own_ids.append(self._copies.of(a))
                known[key] = (np.array(own_texts, np.int32), np.array(own_ids, np.int32))
            texts.append(known[key][0])
            ids.append(known[key][1])
        ptr, joined = _csr(texts)
        return ptr, joined, np.concatenate([nothing, *ids])


@dataclass(frozen=True, slots=True)
class _Row:
    """What one fact says in one slot."""

    contexts: list[Ints]  # by part
    texts: Ints
    copies: Ints  # an attribute of each text, -1 for none


def _numbers(numbers: Numbers[Attribute], attributes: Sequence[Attribute]) -> Ints:
    return np.array([numbers.of(a) for a in attributes], np.int32)


def _csr(rows: Sequence[Ints]) -> tuple[Longs, Ints]:
    ptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return ptr, np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32, copy=False)
