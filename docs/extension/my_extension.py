"""A feature group, a coreference and a role labeller of one's own."""

from babi_cascade.features.group import SupportGroup
from babi_cascade.pipeline.coref import Clusters, Mention


class SentenceLength(SupportGroup):
    name = "sentence-length"
    description = "how many words the two sentences have"

    def of_sentence(self, sentence):
        return [str(len(sentence.words))]

    def say(self, attribute, first, second):
        return f"the {first} has {attribute[0]} words and the {second} {attribute[1]}"


class LastName:
    """A pronoun means the name that was said last."""

    name, requires, version, fingerprint = "last-name", "nothing", "1", "last-name-1"

    def check(self):
        """Raise MissingRequirement here if something is not there."""

    def resolve(self, story):
        entities, last = {}, None
        for number, tree in enumerate(story):
            for token in tree:
                mention = Mention(number, token.id, token.id, token.id)
                if token.upos == "PROPN":
                    last = token.form
                    entities.setdefault(last, []).append(mention)
                elif token.xpos == "PRP" and last is not None:
                    entities[last].append(Mention(*mention.span, token.id, "pronoun"))
        return Clusters.of(entities.values())


class Sides:
    """What stands left of a verb does it (ARG0), what hangs on the right of it has it done (ARG1)."""

    name, requires, version, fingerprint = "sides", "nothing", "1", "sides-1"

    def check(self):
        """Need nothing."""

    def label(self, sentences):
        return [
            {
                verb.id: {
                    word.id: "ARG0" if word.id < verb.id else "ARG1"
                    for word in sentence.tree
                    if word.head == verb.id and word.upos in ("NOUN", "PROPN", "PRON")
                }
                for verb in sentence.tree
                if verb.upos == "VERB"
            }
            for sentence in sentences
        ]
