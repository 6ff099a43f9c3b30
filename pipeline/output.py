"""Stories as they were read, for people and for other programs: frame listings and CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator

from babi_cascade.pipeline.coref import Replaced
from babi_cascade.pipeline.coref.entities import with_entities
from babi_cascade.pipeline.frames import Frame
from babi_cascade.pipeline.read import ReadStory
from babi_cascade.pipeline.trees import ConlluSentence, conllu_sentence


def conllu_sentences(story: ReadStory, name: str) -> tuple[ConlluSentence, ...]:
    """Return a story as sentences with roles in columns and entities in MISC.

    Words and trees are those of the sentences as written, so that the file can be given back (``--conllu``);
    ``read_as`` says how a sentence reads after coreference. The roles are those of the frames, each on the
    written word that its argument stands for.
    """
    sentences = []
    for number, (text, replaced, read) in enumerate(
        zip(story.texts, story.replaced, story.sentences, strict=True), start=1
    ):
        comments = {"sent_id": f"{name}-{number}", "text": text}
        if number == 1:
            comments = {"newdoc id": name, **comments}
        if read.text != text:
            comments["read_as"] = read.text
        frames = {replaced.origin(f.token): f for f in read.frames if replaced.kept(f.token)}
        rolesets = {place: frame.predicate.replace(" ", "_") for place, frame in frames.items()}
        roles = {place: _roles(replaced, frame) for place, frame in frames.items()}
        bare = conllu_sentence(replaced.written, comments)
        sentences.append(ConlluSentence(replaced.written, comments, bare.misc, rolesets, roles))
    return with_entities(sentences, story.clusters)


def frame_listing(story: ReadStory, disagreements: bool = False) -> Iterator[str]:
    """Yield a readable listing: each sentence, how it reads without pronouns, and its frames.

    With `disagreements`, arguments that only the labeller or only the tree has stand below their frame.
    """
    for number, (text, read) in enumerate(zip(story.texts, story.sentences, strict=True), start=1):
        yield f"{number} {text}"
        if read.text != text:
            yield f"    = {read.text}"
        for frame in read.frames:
            yield f"    {frame}"
            if disagreements:
                yield from (f"    ! {each}" for each in frame.disagreements)


def _roles(replaced: Replaced, frame: Frame) -> dict[int, str]:
    """Return the roles of a frame on the words as written, that of what is asked for among them."""
    roles = {a.head_id: a.role for a in frame.arguments}
    if frame.asks is not None:
        roles[frame.asks.token] = frame.asks.role
    return {
        replaced.origin(word): role for word, role in roles.items() if role and word != frame.token
    }
