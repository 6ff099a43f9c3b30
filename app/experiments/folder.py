"""The folder of a run: finished units, each with its signature, so that a stopped run can go on.

A unit is written in one piece as soon as it is done. The next start takes it over only under the very same
signature. A folder of other settings is refused: nobody could tell afterwards which figure came from where.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.app.results.records import (
    ResultError,
    TaskResult,
    load_json,
    save_json,
    save_json_lines,
)
from babi_cascade.app.results.signature import Signature
from babi_cascade.pipeline.stories.errors import visible
from babi_cascade.pipeline.stories.saving import replacing
from babi_cascade.pipeline.stories.wording import counted

_OWN = (
    "units/*.json", "predictions/qa*.jsonl", "errors/*.txt", "results.json", "ablation.*",
    "compare.*", "curve.*",
)  # fmt: skip


_NAMED = 3
"""How many of many units are named."""


class Record(Protocol):
    """What a unit leaves behind."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        ...


Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder and the units in it."""

    path: Path

    @property
    def stories(self) -> Path:
        """Where simulated stories go."""
        return self.path / "stories"

    @property
    def results(self) -> Path:
        """The record of a whole run."""
        return self.path / "results.json"

    def predictions(self, task: int) -> Path:
        """The file of the predictions of a task."""
        return self.path / "predictions" / f"qa{task}.jsonl"

    def save_unit(self, name: str, signature: Signature, result: Record) -> None:
        """Keep a finished unit."""
        save_json(self._unit(name), {"signature": str(signature), "result": result.to_json()})

    def save_predictions(self, task: int, records: Iterable[Mapping[str, Any]]) -> None:
        """Keep the predictions of a task."""
        save_json_lines(self.predictions(task), records)

    def save_error(self, name: str, details: str) -> Path:
        """Keep what is known of a unit that failed."""
        path = self.path / "errors" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as stream:
            stream.write(visible(details))
        return path

    def done(
        self,
        wanted: Mapping[str, Signature],
        *,
        needs: Callable[[TaskResult], Path] | None = None,
        notice: Callable[[str], None] | None = None,
    ) -> dict[str, TaskResult]:
        """Return the finished ones of the wanted units.

        A unit counts only if it can be read and the file beside it that it ``needs`` is there.
        """
        found = self.records(wanted, TaskResult.from_json, notice=notice)
        return {n: result for n, result in found.items() if needs is None or needs(result).exists()}

    def records(
        self,
        wanted: Iterable[str],
        read: Callable[[Mapping[str, Any]], Kept],
        *,
        notice: Callable[[str], None] | None = None,
    ) -> dict[str, Kept]:
        """Return the finished ones of the wanted units, whatever kind of record they have.

        ``read`` makes a record from its JSON form, and raises `ResultError` where that is damaged.
        """
        found = {}
        for name in wanted:
            if not self._unit(name).exists():
                continue
            try:
                found[name] = read(load_json(self._unit(name)).get("result", {}))
            except ResultError as error:
                if notice is not None:
                    notice(f"{self._unit(name)}: damaged, done anew ({error})")
        return found

    def refuse_others(
        self,
        signature: Signature,
        wanted: Mapping[str, Signature] | None = None,
        *,
        ignore: Collection[str] = ("data",),
    ) -> None:
        """Refuse a folder with units of other settings, and say which.

        A unit that is ``wanted`` must have the signature it would get; any other, such as one of a task that
        is not asked for now, must differ from ``signature`` in nothing but what is to be ignored.
        """
        for path in sorted((self.path / "units").glob("*.json")):
            try:
                found = Signature.parse(str(load_json(path).get("signature", "")))
            except ResultError:
                continue  # a damaged unit is no result of anything
            if wanted is not None and path.stem in wanted:
                differences = wanted[path.stem].differences(found)
            else:
                differences = signature.differences(found, ignore=ignore)
            if differences:
                held = other_command(signature, found, path.stem) or (
                    f"other settings ({path.name}): now {listed(differences)}"
                )
                raise TrackError(
                    f"{self.path}: holds results of {held}; choose another --out, or --force to start afresh"
                )

    def mention_others(
        self, wanted: Collection[str], record: str, notice: Callable[[str], None]
    ) -> None:
        """Tell of finished units that nobody asked for this time: the record of the whole lacks them."""
        names = sorted(path.stem for path in (self.path / "units").glob("*.json"))
        others = [name for name in names if name not in wanted]
        if others:
            kept = counted(len(others), "finished unit that was", "finished units that were")
            them = "it" if len(others) == 1 else "them"
            some = ", ".join(others[:_NAMED]) + (", …" if others[_NAMED:] else "")
            notice(
                f"{self.path}: keeps {kept} not asked for now ({some}); ask for {them} too to have {them} "
                f"in {record}"
            )

    def clear(self) -> None:
        """Remove what earlier runs wrote; nothing else."""
        for pattern in _OWN:
            for path in self.path.glob(pattern):
                path.unlink()

    def _unit(self, name: str) -> Path:
        return self.path / "units" / f"{name}.json"


def other_command(mine: Signature, found: Signature, unit: str) -> str | None:
    """Return the command that left a unit, if its signatures have other parts than mine.

    `run` and `ablate` say every setting in a part of its own, `compare` and `curve` all of a system in one;
    to list the differences between such signatures would help nobody.
    """
    own, theirs = dict(mine.parts), dict(found.parts)
    if "preset" in theirs and "preset" not in own:
        return "`ablate`" if "." in unit else "`run`"
    if "preset" in own and "settings" in theirs:
        return "`curve`" if "size" in theirs else "`compare`"
    return None


def listed(differences: Sequence[str]) -> str:
    """Join differences for one line."""
    return "; ".join(differences)
