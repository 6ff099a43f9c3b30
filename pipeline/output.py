"""Annotated stories for people and for other programs: frame listings and CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from babi_cascade.pipeline.annotator import Annotated
from babi_cascade.pipeline.coref.entities import with_entities
from babi_cascade.pipeline.coref.replace import replace_mentions
from babi_cascade.pipeline.frames import Frame
from babi_cascade.pipeline.trees import ConlluSentence, conllu_sentence


def conllu_sentences(story: Annotated, name: str) -> tuple[ConlluSentence, ...]:
    """Return a story as sentences with roles in columns and entities in MISC."""
    sentences = []
    for number, (text, tree, frames) in enumerate(
        zip(story.sentences, story.trees, story.frames, strict=True), start=1
    ):
        comments = {"sent_id": f"{name}-{number}", "text": text}
        if number == 1:
            comments = {"newdoc id": name, **comments}
        rolesets = {frame.token: frame.predicate.replace(" ", "_") for frame in frames}
        roles = {
            frame.token: {a.head_id: a.role for a in frame.arguments if a.head_id != frame.token}
            for frame in frames
        }
        bare = conllu_sentence(tree, comments)
        sentences.append(ConlluSentence(tree, comments, bare.misc, rolesets, roles))
    return with_entities(sentences, story.clusters)


def frame_listing(story: Annotated) -> Iterator[str]:
    """Yield a readable listing: each sentence, what pronouns stand for, and its frames."""
    changed = _without_pronouns(story)
    for number, (text, frames) in enumerate(zip(story.sentences, story.frames, strict=True)):
        yield f"{number + 1} {text}"
        if number in changed:
            yield f"    = {changed[number]}"
        if frames:
            yield _shown(frames)


def _without_pronouns(story: Annotated) -> dict[int, str]:
    """Return the sentences in which a pronoun stands for something, by their places."""
    if not any(m.kind == "pronoun" for entity in story.clusters for m in entity):
        return {}
    replaced = replace_mentions(story.trees, story.clusters, kinds=["pronoun"])
    return {place: new.text for place, new in enumerate(replaced) if new.changes}


@lru_cache(maxsize=10_000)
def _shown(frames: tuple[Frame, ...]) -> str:
    """Return frames as lines; stories repeat their sentences, so most are made once."""
    return "\n".join([f"    {frame}" for frame in frames])
