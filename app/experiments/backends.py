"""The reading stages that a user chooses: parser, coreference, roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babi_cascade.errors import UserError
from babi_cascade.pipeline.annotator import Annotator
from babi_cascade.pipeline.backends import (
    BACK_ENDS,
    Coreference,
    Kind,
    RoleLabeller,
    coreference,
    join,
    role_labeller,
)
from babi_cascade.pipeline.parse import Parser
from babi_cascade.pipeline.parse.cache import AnnotationCache
from babi_cascade.pipeline.parse.given import ConlluParser
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories.errors import shown

NONE = "none"
CONLLU = "conllu"
STAGES = ("parser", "coref", "srl")

SAID_BY_USER: dict[tuple[str, str], tuple[str, ...]] = {
    ("parser", CONLLU): ("conllu",),
    ("coref", CONLLU): ("conllu",),
    ("coref", "corenlp"): ("corenlp", "corenlp_url"),
    ("srl", CONLLU): ("conllu",),
    ("srl", "clearnlp"): ("clearnlp",),
    ("srl", "senna"): ("senna",),
}
"""Back ends that start a program, ask a server or read a file of the user's: an option that allows it."""


@dataclass(frozen=True, slots=True)
class BackEnds:
    """Back ends by name, with the options of those that need some.

    Parameters
    ----------
    coref, srl : names of the back ends, or back ends themselves; with "none" for both nothing is parsed, and
        Stanza is not needed: sentences are their words
    stanza_models : "shipped", "default" or a directory
    conllu : a file of the user's own trees, which takes the place of the parser
    senna, clearnlp, corenlp : folders of these programs
    corenlp_url : address of a CoreNLP server that runs already
    corenlp_annotator : "dcoref" (default) or "coref"
    coref_model, coref_backbone : of the Stanza coreference
    jobs : processes that parse
    """

    coref: str | Coreference = "sieve"
    srl: str | RoleLabeller = "stanza"
    stanza_models: str = "shipped"
    conllu: Path | None = None
    senna: Path | None = None
    clearnlp: Path | None = None
    corenlp: Path | None = None
    corenlp_url: str | None = None
    corenlp_annotator: str | None = None
    coref_model: Path | None = None
    coref_backbone: str | None = None
    jobs: int | None = None

    def reader(
        self, cache: Path | None = None, notice: Callable[[str], None] | None = None
    ) -> StoryReader:
        """Return the reading stages; what is missing is told now rather than after other work."""
        if self.coref == self.srl == NONE:
            return StoryReader()
        return StoryReader(self.annotator(cache, notice))

    def annotator(
        self, cache: Path | None = None, notice: Callable[[str], None] | None = None
    ) -> Annotator:
        """Return the stages that annotate; there is a parser in any case."""
        if self.conllu is None and CONLLU in (self.coref, self.srl):
            raise UserError("--coref conllu and --srl conllu need --conllu FILE")
        coref, srl = self.coref, self.srl
        if isinstance(coref, str):
            coref = coreference(coref, **self._options("coref", coref))
        if isinstance(srl, str):
            srl = role_labeller(srl, **self._options("srl", srl))
        coref.check()
        srl.check()
        parser: Parser = StanzaParser(models=self.stanza_models, jobs=self.jobs)
        if self.conllu is not None:
            parser = ConlluParser(self.conllu)
        _ = parser.fingerprint  # without its models, or the file, there is none
        kept = None if cache is None else AnnotationCache(cache, notice=notice)
        return Annotator(parser, coref, srl, cache=kept)

    def _options(self, stage: str, name: str) -> dict[str, Any]:
        """Return the options of the back end of a stage, less those that were not given."""
        every: dict[tuple[str, str], dict[str, Any]] = {
            ("coref", "stanza"): {"model": self.coref_model, "backbone": self.coref_backbone},
            ("coref", "corenlp"): {
                "url": self.corenlp_url,
                "folder": self.corenlp,
                "annotator": self.corenlp_annotator,
            },
            ("coref", CONLLU): {"path": self.conllu},
            ("srl", "clearnlp"): {"folder": self.clearnlp},
            ("srl", "senna"): {"folder": self.senna},
            ("srl", CONLLU): {"files": self.conllu and [self.conllu]},
        }
        own = every.get((stage, name), {})
        return {name: value for name, value in own.items() if value is not None}


def back_ends_named(
    coref: str, srl: str, parser: str, places: Mapping[str, Any], source: str, *,
    jobs: int | None = None,
) -> BackEnds:  # fmt: skip
    """Return the back ends that a file names.

    A file chooses among names that are known here, and nothing else: which program is started, which server
    is asked and which file is read is what the user says in ``places``, never what the file says, and neither
    a default nor the environment stands in for it.

    Parameters
    ----------
    coref, srl : names of the back ends
    parser : what the fingerprint of the parser begins with
    places : options of `BackEnds`, as the user gives them now
    source : the file, for messages
    jobs : processes that parse
    """
    kinds: tuple[tuple[Kind, str], ...] = (("coref", coref), ("srl", srl))
    for kind, name in kinds:
        known = BACK_ENDS[kind]
        if name not in known:
            raise UserError(
                f"{source}: found --{kind} {shown(name)}, expected one of {', '.join(known)}; one of another "
                "package is named again with --plugin (load(…, plugins=[…]) in Python)"
            )
    chosen = {"parser": parser, "coref": coref, "srl": srl}
    if coref == srl == NONE:
        del chosen["parser"]
    for stage, name in chosen.items():
        options = SAID_BY_USER.get((stage, name), ())
        if options and all(places.get(option) is None for option in options):
            raise UserError(
                f"{source}: stories were read by the {stage} back end {name}; say again with "
                f"{' or '.join(map(as_option, options))} where it is: no file decides what is started, "
                "asked or read"
            )
    return BackEnds(coref=coref, srl=srl, jobs=jobs, **places)


def plug_in(name: str) -> None:
    """Let what an installed package offers under a name be used: back ends and feature groups."""
    from babi_cascade.features import registry

    found = [join(kind, name) for kind in BACK_ENDS]
    if not any((*found, registry.join(name))):
        raise UserError(
            f"--plugin: found no feature group or back end {name!r} among those of installed packages"
        )


def as_option(name: str) -> str:
    """Return the option of the command line that sets a field of `BackEnds`."""
    return "--" + name.replace("_", "-")


def reading_in(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what settings in a file say of how stories were read; nothing if they do not say it."""
    reading = settings.get("reading")
    if not isinstance(reading, dict) or not set(STAGES) <= set(reading):
        return {}
    return reading if all(isinstance(value, str) for value in reading.values()) else {}
