"""The command that shows what the reading stages make of a text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from babi_cascade.app.cli.group import example_command
from babi_cascade.app.cli.options import CACHE, KINDS, PLACES, all_of, back_ends_of, cache_of
from babi_cascade.app.cli.outlet import data_stream, say
from babi_cascade.app.cli.stories import named_sources, skip_bad_option, tasks_option, text_of
from babi_cascade.app.cli.terminal import notice, print_json, progress
from babi_cascade.features.presets import PRONOUNS, REPLACED
from babi_cascade.pipeline.stories import ErrorHandler, Sentence, Story, read_stories

WITHOUT_ROLES = ("none", "relations")
"""Back ends that give no roles; nothing can disagree with the tree."""


@example_command("babi-cascade annotate stories --tasks 11 --limit 1")
@click.argument("paths", nargs=-1, required=True)
@tasks_option
@click.option("--text", "plain", is_flag=True,
              help="The input is running text, split into sentences by the parser.")  # fmt: skip
@click.option("--to", "form", type=click.Choice(["frames", "conllu", "json"]), default="frames",
              show_default=True, help="A listing, CoNLL-U with roles and entities, or JSON.")  # fmt: skip
@click.option("--disagreements", is_flag=True,
              help="In the listing, show arguments that only the labeller or only the tree has.")  # fmt: skip
@all_of(*KINDS, *PLACES)
@click.option("--replace", type=click.Choice(REPLACED), default=PRONOUNS, show_default=True,
              help="Which mentions the first one of their entity replaces.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(1),
              help="Processes that parse large amounts.  [default: all cores]")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="Only so many stories of each file.")
@all_of(*CACHE)
@skip_bad_option
def annotate(
    paths: tuple[str, ...],
    task_list: str | None,
    plain: bool,
    form: str,
    jobs: int | None,
    limit: int | None,
    disagreements: bool,
    on_error: ErrorHandler | None,
    replace: str,
    **chosen: Any,
) -> int:
    """Show stories or running text as the cascade gets them: entities, replaced mentions, frames.

    PATHS are directories with official file names, story files, or - for standard input; with --text,
    plain text files.
    """
    from babi_cascade.pipeline.output import conllu_sentences, frame_listing
    from babi_cascade.pipeline.read import StoryReader
    from babi_cascade.pipeline.trees import write_conllu

    annotator = back_ends_of(chosen, jobs).annotator(cache_of(chosen), notice)
    reader = StoryReader(annotator, replace)
    if plain:
        texts = [(path, story_of(annotator.sentences(text_of(path)))) for path in paths]
        stories: list[tuple[str, Story]] = [entry for entry in texts if entry[1].lines]
    else:
        stories = list(told_stories(paths, task_list, limit, on_error))
    with progress(None, "annotating") as (bar, task):
        annotator.progress = lambda done, total: bar.update(task, completed=done, total=total)
        annotator.parse(line.text for _, story in stories for line in story.lines)
    records: list[Any] = []
    lines = disagreed = 0
    for (name, _), read in zip(
        stories,
        reader.stories((story for _, story in stories), entities=form != "frames"),
        strict=True,
    ):
        lines += len(read.sentences)
        disagreed += sum(any(f.disagreements for f in s.frames) for s in read.sentences)
        if form == "json":
            records.append({"story": name, **read.to_json()})
        elif form == "conllu":
            write_conllu(conllu_sentences(read, name), data_stream())
        else:
            for line in (f"# {name}", *frame_listing(read, disagreements)):
                say(line)
    if form == "json":
        print_json(records)
    if disagreed and chosen["srl"] not in WITHOUT_ROLES:
        seen = "" if disagreements else "; --disagreements shows where"
        notice(f"labeller and tree disagree in {disagreed} of {lines} sentences{seen}")
    return 0


def told_stories(
    paths: tuple[str, ...],
    task_list: str | None,
    limit: int | None,
    on_error: ErrorHandler | None,
) -> Iterator[tuple[str, Story]]:
    """Yield every story with a name."""
    for name, source in named_sources(paths, task_list, None):
        for number, story in enumerate(read_stories(source, on_error=on_error), start=1):
            yield f"{Path(name).stem}-{number}", story
            if number == limit:
                break


def story_of(sentences: list[str]) -> Story:
    """Return running text as a story of statements: nobody asks anything about it."""
    return Story(tuple([Sentence(line, text) for line, text in enumerate(sentences, start=1)]))
