"""The command that shows what the reading stages make of a text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from pipeline.cli.group import SOME_FAILED, ExampleCommand
from pipeline.cli.stories import named_sources, skip_bad_option, tasks_option
from pipeline.cli.terminal import notice, print_json, progress, tell_skipped
from pipeline.stories import Skipped, Story, read_stories


@click.command(
    cls=ExampleCommand,
    example="babi-cascade annotate stories --tasks 11 --limit 1",
)
@click.argument("paths", nargs=-1, required=True)
@tasks_option
@click.option("--text", "plain", is_flag=True,
              help="The input is running text, split into sentences by the parser.")  # fmt: skip
@click.option("--to", "form", type=click.Choice(["frames", "conllu", "json"]), default="frames",
              show_default=True, help="A listing, CoNLL-U with roles and entities, or JSON.")  # fmt: skip
@click.option("--coref", type=click.Choice(["sieve", "stanza", "corenlp", "conllu", "none"]),
              default="sieve", show_default=True, help="Coreference back end.")  # fmt: skip
@click.option("--srl", type=click.Choice(["stanza", "senna", "conllu", "none"]),
              default="stanza", show_default=True, help="Semantic role back end.")  # fmt: skip
@click.option("--stanza-models", default="shipped", show_default=True,
              help="Parser models: shipped, default (Stanza's own), or a directory.")  # fmt: skip
@click.option("--conllu", "brought", type=click.Path(path_type=Path, dir_okay=False),
              help="Your annotations: trees come from this file; entities and roles too with "
              "--coref conllu, --srl conllu.")  # fmt: skip
@click.option("--senna", "senna_folder", type=click.Path(path_type=Path, file_okay=False),
              help="Folder of SENNA, for --srl senna.  [default: $SENNA]")  # fmt: skip
@click.option("--corenlp-url", default="http://localhost:9000", show_default=True,
              help="Server for --coref corenlp.")  # fmt: skip
@click.option("--coref-model", type=click.Path(path_type=Path, dir_okay=False),
              help="Model for --coref stanza.  [default: in Stanza's folder]")  # fmt: skip
@click.option("--coref-backbone", help="Transformer of that model, if not where it was trained.")
@click.option("--jobs", type=click.IntRange(1),
              help="Processes that parse large amounts.  [default: all cores]")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="Only so many stories of each file.")
@click.option("--cache", "cache_path", type=click.Path(path_type=Path, dir_okay=False),
              help="Where annotations are kept.  [default: the user's cache folder]")  # fmt: skip
@click.option("--no-cache", is_flag=True, help="Neither read nor keep annotations.")
@skip_bad_option
def annotate(
    paths: tuple[str, ...],
    task_list: str | None,
    plain: bool,
    form: str,
    coref: str,
    srl: str,
    stanza_models: str,
    brought: Path | None,
    senna_folder: Path | None,
    corenlp_url: str,
    coref_model: Path | None,
    coref_backbone: str | None,
    jobs: int | None,
    limit: int | None,
    cache_path: Path | None,
    no_cache: bool,
    skip_bad: bool,
) -> int:
    """Show coreference and semantic roles of stories or running text.

    PATHS are directories with official file names, story files, or - for standard input; with --text,
    plain text files.
    """
    from pipeline.annotate.annotator import Annotator, Parser, default_cache_path
    from pipeline.annotate.brought import ConlluParser
    from pipeline.annotate.cache import AnnotationCache
    from pipeline.annotate.output import conllu_sentences, frame_listing
    from pipeline.annotate.parser import StanzaParser
    from pipeline.coref import backend
    from pipeline.srl import role_backend
    from pipeline.trees import write_conllu

    if brought is None and "conllu" in (coref, srl):
        raise click.UsageError("--coref conllu and --srl conllu need --conllu FILE")
    options: dict[str, dict[str, Any]] = {
        "coref stanza": {"model": coref_model, "backbone": coref_backbone},
        "coref corenlp": {"url": corenlp_url},
        "coref conllu": {"path": brought},
        "srl senna": {"folder": senna_folder},
        "srl conllu": {"files": [brought]},
    }
    resolver = backend(coref, **options.get(f"coref {coref}", {}))
    resolver.check()
    labeller = role_backend(srl, **options.get(f"srl {srl}", {}))
    parser: Parser = StanzaParser(models=stanza_models, jobs=jobs)
    if brought is not None:
        parser = ConlluParser(brought)
    cache = None if no_cache else AnnotationCache(cache_path or default_cache_path(), notice=notice)
    annotator = Annotator(parser, resolver, labeller, cache)
    skipped = Skipped()
    if plain:
        texts = [(path, tuple(annotator.sentences(text_of(path)))) for path in paths]
        stories: list[tuple[str, tuple[str, ...]]] = [entry for entry in texts if entry[1]]
    else:
        stories = list(told_stories(paths, task_list, limit, skipped if skip_bad else None))
    with progress(None, "annotating") as (bar, task):
        annotator.progress = lambda done, total: bar.update(task, completed=done, total=total)
        annotator.prepare(sentence for _, story in stories for sentence in story)
    records: list[Any] = []
    for (name, _), annotated in zip(
        stories, annotator.annotate(story for _, story in stories), strict=True
    ):
        if form == "json":
            records.append({"story": name, **annotated.to_json()})
        elif form == "conllu":
            write_conllu(conllu_sentences(annotated, name), sys.stdout)
        else:
            print(f"# {name}", *frame_listing(annotated), sep="\n")
    if form == "json":
        print_json(records)
    tell_skipped(skipped)
    return SOME_FAILED if skipped.errors else 0


def told_stories(
    paths: tuple[str, ...], task_list: str | None, limit: int | None, on_error: Any
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the sentences of every story, questions included, with a name."""
    for name, source in named_sources(paths, task_list, None):
        for number, story in enumerate(read_stories(source, on_error=on_error), start=1):
            yield f"{Path(name).stem}-{number}", sentences_of(story)
            if number == limit:
                break


def sentences_of(story: Story) -> tuple[str, ...]:
    """Return statements and questions in order."""
    return tuple(line.text for line in story.lines)


def text_of(path: str) -> str:
    """Read running text from a file or standard input."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise click.UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path}: not UTF-8 text at byte {error.start}") from error
