"""Options that several commands share, each defined once: back ends, their places, the system, the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.group import FILE, FOLDER
from babi_cascade.app.cli.terminal import Lines, progress
from babi_cascade.cascade.settings import CHOICES, HELP, MOST_FACTS, SUPERVISION, Settings
from babi_cascade.features.presets import REPLACED, ROLES
from babi_cascade.pipeline.backends import BACK_ENDS, Kind, join
from babi_cascade.pipeline.stories.errors import escaped

if TYPE_CHECKING:
    from babi_cascade.app.experiments.backends import BackEnds
    from babi_cascade.app.experiments.pool import Engine
    from babi_cascade.app.experiments.progress import Telling
    from babi_cascade.pipeline.read import StoryReader

    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # generic since click 8.2

Decorator = Callable[[Any], Any]

seed_option = click.option("--seed", type=int, default=0, show_default=True,
                           help="Of the simulation, the split and the learner.")  # fmt: skip


class Names(click.ParamType):  # type: ignore[type-arg]
    """Names separated by commas."""

    name = "LIST"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, ...]:
        """Return the names."""
        names = value if isinstance(value, tuple) else value.split(",")
        return tuple(name.strip() for name in names if name.strip())


_KINDS: dict[str, dict[str, Any]] = {
    "str": {"show_default": True},
    "tuple[str, ...]": {"type": Names()},
    "tuple[str, ...] | None": {"type": Names()},
    "int | None": {"type": click.IntRange(1, MOST_FACTS)},
    "float | None": {"type": click.FloatRange(0, min_open=True)},
    "Roles | None": {"type": click.Choice(ROLES)},
    "Mentions | None": {"type": click.Choice(REPLACED)},
    "State": {"type": click.Choice(CHOICES["state"]), "show_default": True},
    "Supervision": {"type": click.Choice(SUPERVISION), "show_default": True},
}
"""What a setting of some kind is on the command line."""


def setting_option(setting: Field[Any]) -> Decorator:
    """Return the option for a setting of the cascade."""
    name = setting.name.replace("_", "-")
    told = setting.metadata[HELP]
    return click.option(
        f"--{name}", default=setting.default, help=told, **_KINDS[str(setting.type)]
    )


SETTINGS: dict[str, Decorator] = {
    each.name: setting_option(each) for each in fields(Settings) if HELP in each.metadata
}
"""The system that learns: an option for each of its settings."""


class BackEndChoice(_Choice):
    """The back ends of a kind, or one of another package, which is looked for when it is named."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(list(BACK_ENDS[kind]))
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; one that nobody has is refused with the list of those that ship."""
        return str(value) if join(self.kind, value) else super().convert(value, param, ctx)


KINDS: tuple[Decorator, ...] = (
    click.option("--coref", type=BackEndChoice("coref"), default="sieve", show_default=True,
                 help="Coreference back end."),
    click.option("--srl", type=BackEndChoice("srl"), default="stanza", show_default=True,
                 help="Semantic role back end."),
)  # fmt: skip
"""Which back ends read the stories."""

ENGLISH = {
    "coref": ("sieve", "stanza", "corenlp"),
    "srl": ("stanza", "relations", "clearnlp", "senna"),
}
"""Back ends that know English and nothing else."""


def plugged_in(
    context: click.Context, param: click.Parameter, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Let other packages join that the user names; return their names."""
    if names:
        from babi_cascade.app.experiments.backends import plug_in

        for name in names:
            plug_in(name)
    return names


plugin_option = click.option(
    "--plugin", "plugins", multiple=True, metavar="NAME", callback=plugged_in,
    help="Let a model use a feature group or back end of another package; may be repeated.",
)  # fmt: skip

PLACES: tuple[Decorator, ...] = (
    click.option("--stanza-models", help="Parser models: shipped, default (Stanza's own), or a "
                 "directory.  [default: shipped]"),
    click.option("--conllu", type=FILE,
                 help="Your annotations in the place of the parser; entities and roles too with "
                 "--coref conllu, --srl conllu."),
    click.option("--senna", type=FOLDER,
                 help="Folder of SENNA, for --srl senna.  [default: $SENNA, but not for a model file]"),
    click.option("--clearnlp", type=FOLDER,
                 help="Folder of ClearNLP, for --srl clearnlp.  [default: $CLEARNLP or what "
                 "fetch-resources got, but not for a model file]"),
    click.option("--corenlp", type=FOLDER,
                 help="Folder of CoreNLP, for --coref corenlp: started when it is needed, and stopped.  "
                 "[default: $CORENLP or what fetch-resources got, but not for a model file]"),
    click.option("--corenlp-url", help="A CoreNLP server that runs already."),
    click.option("--corenlp-annotator", type=click.Choice(["dcoref", "coref"]),
                 help="CoreNLP's deterministic sieve, or its statistical successor.  [default: dcoref]"),
    click.option("--coref-model", type=FILE,
                 help="Model for --coref stanza.  [default: in Stanza's folder]"),
    click.option("--coref-backbone", help="Transformer of that model, if not where it was trained."),
    plugin_option,
)  # fmt: skip
"""Where what the back ends need is kept: never said by a file, always by the user."""

CACHE: tuple[Decorator, ...] = (
    click.option("--cache", "cache_path", type=FILE,
                 help="Where annotations are kept.  [default: the user's cache folder]"),
    click.option("--no-cache", is_flag=True, help="Neither read nor keep annotations."),
)  # fmt: skip

ENGINE: tuple[Decorator, ...] = (
    click.option("--engine", type=click.Choice(["local", "dask"]), default="local",
                 show_default=True, help="Train in processes here, or on a Dask cluster."),
    click.option("--scheduler", metavar="ADDRESS",
                 help="Of the Dask cluster, e.g. tcp://host:8786, or its scheduler file."),
)  # fmt: skip
"""Where the units of a run are done."""

PLACE_NAMES = (
    "stanza_models", "conllu", "senna", "clearnlp", "corenlp", "corenlp_url", "corenlp_annotator",
    "coref_model", "coref_backbone",
)  # fmt: skip

model_option = click.option(
    "-m", "--model", type=FILE, required=True,
    help="The model file.",
)  # fmt: skip


signature_option = click.option(
    "--signature", is_flag=True,
    help="Also print every setting that can change the result, in one line to cite.",
)  # fmt: skip

longest_story_option = click.option(
    "--longest-story", type=click.IntRange(1), metavar="N",
    help="A question with more than N facts before it is not answered.  [default: 5000]",
)  # fmt: skip


def all_of(*options: Decorator) -> Decorator:
    """Return a decorator that adds options in their order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def settings_of(chosen: dict[str, Any]) -> Settings:
    """Return the system that was chosen."""
    return Settings(**{name: chosen[name] for name in (*SETTINGS, "seed")})


def back_ends_of(chosen: dict[str, Any], jobs: int | None) -> BackEnds:
    """Return the back ends that were chosen."""
    from babi_cascade.app.experiments.backends import BackEnds

    return BackEnds(coref=chosen["coref"], srl=chosen["srl"], jobs=jobs, **places_of(chosen))


def places_of(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return where the user says that things are, less what was left to the program.

    A file of annotations that is not there is told even if nothing would ask for it.
    """
    conllu: Path | None = chosen["conllu"]
    if conllu is not None and not conllu.exists():
        raise click.UsageError(f"--conllu: {conllu}: cannot be read: no such file")
    return {name: chosen[name] for name in PLACE_NAMES if chosen[name] is not None}


def cache_of(chosen: dict[str, Any]) -> Path | None:
    """Return the file in which annotations are kept, None for none."""
    from babi_cascade.pipeline.annotator import default_cache_path

    if chosen["no_cache"]:
        return None
    path: Path | None = chosen["cache_path"]
    return path or default_cache_path()


def reader_of(chosen: dict[str, Any], jobs: int | None, telling: Telling) -> StoryReader:
    """Return the reading stages that were chosen, with the cache unless there is to be none.

    Stories of another language are read by those for English only if nobody says otherwise; this is told.
    """
    english = [f"--{kind} {chosen[kind]}" for kind in ENGLISH if chosen[kind] in ENGLISH[kind]]
    others = languages_of(chosen["directory"]) - {"en"}
    if english and others:
        telling.notice(
            f"{chosen['directory']}: stories in {', '.join(sorted(others))}, but {' and '.join(english)} "
            f"{'reads' if len(english) == 1 else 'read'} English; --coref none --srl none takes the words "
            "as they are"
        )
    return back_ends_of(chosen, jobs).reader(cache_of(chosen), telling.notice)


def languages_of(directory: Path | None) -> set[str]:
    """Return the languages of the files of a directory, as far as the simulator wrote them down there."""
    from babi_cascade.simulation.generate import RECORD, earlier_record

    if directory is None:
        return set()
    made = earlier_record(directory / RECORD).values()
    return {str(how["language"]) for how in made if isinstance(how, dict) and "language" in how}


def engine_of(chosen: dict[str, Any]) -> Engine:
    """Return where the units are to be done."""
    from babi_cascade.app.experiments.pool import engine_called

    return engine_called(chosen["engine"], chosen["scheduler"])


@contextmanager
def telling_progress(*, lines: bool = False) -> Iterator[Telling]:
    """Show on a terminal what is being done; notices are told in any case.

    With ``lines`` a pipe or a log hears of it too, a line at a time.
    """
    from babi_cascade.app.experiments.progress import Telling

    with progress(None, "starting") as (bar, task):
        told = Lines() if lines and bar.disable else None

        def move(what: str, done: int, total: int) -> None:
            bar.update(task, description=escaped(what), completed=done, total=total or None)

        yield Telling(
            move if told is None else told.progress,
            lambda line: bar.console.print(
                escaped(line), markup=False, highlight=False, soft_wrap=True
            ),
            move if told is None else told.done,
        )
