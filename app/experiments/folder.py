"""The folder of a run: finished units, each with its settings, so that a stopped run can go on.

A unit is written in one piece as soon as it is done. The next start takes it over only under the very same
settings. A folder of other settings is refused: nobody could tell afterwards which figure came from where.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babi_cascade.app.results.records import TaskResult, load_json, save_json, save_json_lines
from babi_cascade.app.results.signature import SettingsRecord, differences
from babi_cascade.app.results.table import FORMAT
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import visible
from babi_cascade.pipeline.stories.saving import refuse_links_out, replacing
from babi_cascade.pipeline.stories.wording import counted, some_of

LOCK = ".lock"
TABLES = ("results.json", "ablation.*", "compare.*", "curve.*", "resources.*", "long.*")
UNITS = {"units": "*.json", "predictions": "qa*.jsonl", "errors": "*.txt"}
"""What runs write and remove in their folder; none of it may be a link to somewhere else."""

_DRAFT = ".????????????????.tmp"
"""What `pipeline.stories.saving.replacing` calls a file that is not finished."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder, and the command whose units are in it."""

    path: Path
    command: str

    @property
    def stories(self) -> Path:
        """Where simulated stories go."""
        return self.path / "stories"

    def predictions(self, task: int) -> Path:
        """The file of the predictions of a task."""
        return self.path / "predictions" / f"qa{task}.jsonl"

    def save_unit(self, name: str, settings: SettingsRecord, result: TaskResult) -> None:
        """Keep a finished unit."""
        record = {
            "format": FORMAT,
            "command": self.command,
            "settings": settings,
            "result": result.to_json(),
        }
        save_json(self._unit(name), record)

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
        wanted: Iterable[str],
        *,
        with_predictions: bool = False,
        notice: Callable[[str], None] | None = None,
    ) -> dict[str, TaskResult]:
        """Return the finished ones of the wanted units; some count only if their predictions are there."""
        found = {}
        for name in wanted:
            if not self._unit(name).exists():
                continue
            try:
                result = TaskResult.from_json(load_json(self._unit(name)).get("result", {}))
            except UserError as error:
                if notice is not None:
                    notice(f"{self._unit(name)}: damaged, done anew ({error})")
                continue
            if not with_predictions or self.predictions(result.task).exists():
                found[name] = result
        return found

    def refuse_others(
        self, shared: SettingsRecord, wanted: Mapping[str, SettingsRecord] | None = None
    ) -> None:
        """Refuse a folder with units of another command or of other settings, and say which.

        A unit that is ``wanted`` must have the settings it would get; any other, such as one of a task that
        is not asked for now, must have those that are ``shared``.
        """
        for path, record in self._records():
            if record.get("format") != FORMAT:
                self._refuse(f"an earlier version ({path.name})")
            if record.get("command") != self.command:
                self._refuse(f"`{record.get('command')}`")
            own = record.get("settings")
            found = own if isinstance(own, dict) else {}
            if wanted is not None and path.stem in wanted:
                different = differences(wanted[path.stem], found)
            else:
                different = differences(shared, found, only=shared)
            if different:
                self._refuse(f"other settings ({path.name}): now {'; '.join(different)}")

    def mention_others(
        self, wanted: Collection[str], record: str, notice: Callable[[str], None]
    ) -> None:
        """Tell of finished units that nobody asked for this time: the record of the whole lacks them."""
        names = sorted(path.stem for path in (self.path / "units").glob("*.json"))
        others = [name for name in names if name not in wanted]
        if others:
            kept = counted(len(others), "finished unit that was", "finished units that were")
            them = "it" if len(others) == 1 else "them"
            notice(
                f"{self.path}: keeps {kept} not asked for now ({some_of(others)}); ask for {them} too to "
                f"have {them} in {record}"
            )

    def clear(self) -> None:
        """Remove what earlier runs wrote; nothing else."""
        for pattern in (*TABLES, *(f"{folder}/{files}" for folder, files in UNITS.items())):
            for path in self.path.glob(pattern):
                path.unlink()

    def _unit(self, name: str) -> Path:
        return self.path / "units" / f"{name}.json"

    def _records(self) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield the units that can be read; a damaged one is no result of anything."""
        for path in sorted((self.path / "units").glob("*.json")):
            try:
                record = load_json(path)
            except UserError:
                continue
            if "result" in record:
                yield path, record

    def _refuse(self, held: str) -> None:
        raise UserError(
            f"{self.path}: holds results of {held}; choose another --out, or --force to start afresh"
        )


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; folders that are made for it and stay empty are gone afterwards.

    Two runs at once would do everything twice and write over each other. The system lets go of the lock
    however its holder ends, so that a killed run leaves nothing to be cleared away by hand.
    """
    from filelock import FileLock, Timeout

    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        refuse_links_out(folder, (LOCK, *TABLES, "curve-*"), (*UNITS, "stories"))
        lock.acquire(blocking=False)
    except Timeout:
        raise UserError(
            f"{folder}: another run is going on in this folder; wait for it, or choose another --out"
        ) from None
    except OSError as error:
        raise UserError(f"{folder}: cannot write there: {error.strerror}") from error
    try:
        for draft in (*folder.glob(_DRAFT), *folder.glob(f"*/{_DRAFT}")):
            if not draft.parent.is_symlink() or draft.parent == folder:
                draft.unlink(missing_ok=True)  # of a run that was killed while it wrote
        yield
    finally:
        with suppress(OSError):
            # While it is held: who waits for it sees that the file is gone.
            (folder / LOCK).unlink()
        lock.release()
        with suppress(OSError):
            for each in missing:
                each.rmdir()
