"""Explanations of some questions of a run: frames, entities, the features that decided.

They need the trained model: the task is trained again with the C that the run chose, which takes a
fraction of the time of the run. What was explained is kept in the run's folder (``explained/qaN.json``), so
that the next report finds it. An explanation is shown only if the model gives the very answer and facts of
the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.app.experiments.backends import (
    STAGES,
    back_ends_named,
    reading_in,
)
from babi_cascade.app.experiments.interrupt import stopping_for_good
from babi_cascade.app.report.folders import Run
from babi_cascade.app.report.page_data import Record
from babi_cascade.app.results.predictions import SavedPrediction
from babi_cascade.app.results.records import TaskResult, load_json, save_json, section
from babi_cascade.app.results.signature import differences, version
from babi_cascade.cascade.settings import Settings, SettingsError
from babi_cascade.errors import UserError
from babi_cascade.features.registry import FeatureError
from babi_cascade.pipeline.stories.errors import StoryError
from babi_cascade.pipeline.stories.saving import refuse_links_out

if TYPE_CHECKING:
    from babi_cascade.app.experiments.data import TaskData
    from babi_cascade.cascade import Cascade
    from babi_cascade.pipeline.read import StoryReader

FORM = 3
"""Of the kept explanations."""

WRONG = 2 / 3
"""Share of the explained questions that are wrongly answered ones, if there are so many."""


@dataclass
class Explainer:
    """Explains questions of one run.

    Parameters
    ----------
    run : the run
    stories : its questions by task
    reader : the stages that read for it, see `reader_for`
    tell : gets what is being done
    """

    run: Run
    stories: Mapping[int, TaskData]
    reader: StoryReader
    tell: Callable[[str], None]
    _joint: Cascade | None = field(default=None, repr=False)

    def explain(
        self, task: TaskResult, predictions: Sequence[SavedPrediction], count: int
    ) -> dict[str, Record]:
        """Return explanations of at most ``count`` questions of a task, most of them wrong ones.

        They have their JSON form, by the id of the question.
        """
        test = {asked.id or "": asked for asked in self.stories[task.task].test}
        answers = {name: asked.answer for name, asked in test.items()}
        wanted = {each.id: each for each in choose(predictions, answers, count)}
        path = self.run.folder / "explained" / f"qa{task.task}.json"
        kept = _kept(path, self.run.signature)
        if set(wanted) <= set(kept):
            return {name: kept[name] for name in wanted}
        from babi_cascade.cascade.explanation import TOP

        self.tell(f"explaining task {task.task}")
        cascade = self._model(task)
        cascade.reader = self.reader
        explained = {}
        for asked in cascade.story_reader.read([test[name] for name in wanted if name in test]):
            name = asked.source.id or ""
            found = cascade.explain_read(asked)
            said = wanted[name]
            if (found.prediction.answer, found.prediction.support) == (said.answer, said.support):
                explained[name] = found.to_json(top=TOP)
        _keep(path, self.run.signature, kept | explained)
        return explained

    def _model(self, task: TaskResult) -> Cascade:
        """Return the model that answered, trained again."""
        if not section(self.run.settings, "data").get("joint"):
            return self._trained([self.stories[task.task]], task)
        if self._joint is None:
            self._joint = self._trained(list(self.stories.values()), task)
        return self._joint

    def _trained(self, tasks: Sequence[TaskData], result: TaskResult) -> Cascade:
        """Train as the run did, with the C it chose: each stage with its own."""
        settings = settings_of(self.run)
        reader = self.reader.replacing(settings.looks_at[1])
        read = reader.read([asked for data in tasks for asked in data.train])
        stages = (result.support_stage, result.answer_stage)
        own = [settings.cost if stage is None else stage.cost for stage in stages]
        fitted = {cost: self._fitted(replace(settings, cost=cost), read) for cost in set(own)}
        cascade = fitted[own[0]]
        if own[0] != own[1]:
            cascade.answer_stage_ = fitted[own[1]].answer_stage_
        return cascade

    def _fitted(self, settings: Settings, read: Any) -> Cascade:
        from babi_cascade.cascade import Cascade

        cascade = Cascade(**asdict(settings), reader=self.reader)
        with stopping_for_good():
            return cascade.fit_read(read)


def choose(
    predictions: Sequence[SavedPrediction], answers: Mapping[str, str | None], count: int
) -> list[SavedPrediction]:
    """Return at most ``count`` predictions spread over the file, two thirds of them wrong ones."""
    known = [each for each in predictions if each.id in answers]
    wrong = [each for each in known if each.answer != answers[each.id]]
    right = [each for each in known if each.answer == answers[each.id]]
    of_wrong = max(round(WRONG * count), count - len(right))
    chosen = spread(wrong, of_wrong)
    chosen += spread(right, count - len(chosen))
    kept = {each.id for each in chosen}
    return [each for each in known if each.id in kept]


def spread(items: Sequence[SavedPrediction], count: int) -> list[SavedPrediction]:
    """Return items at even distances."""
    if len(items) <= count:
        return list(items)
    return [items[i * len(items) // count] for i in range(count)]


def settings_of(run: Run) -> Settings:
    """Return the settings of a run; one that cannot be trained again here is refused."""
    try:
        made = Settings.from_json(run.settings.get("parameters"))
        _ = made.groups  # a file lets no other package join
        made.check()
    except (SettingsError, FeatureError) as error:
        raise UserError(f"the run cannot be trained again here: {error}") from error
    then = run.settings.get("version")
    if then != version():
        raise UserError(
            f"the run cannot be trained again here: it had version {then}, this is {version()}"
        )
    return made


def reader_for(
    run: Run, places: Mapping[str, Any], cache: Path | None, notice: Callable[[str], None] | None
) -> StoryReader:
    """Return the stages that read for a run; ``places`` are options of back ends, as the user gives them."""
    then = reading_in(run.settings)
    if not then:
        raise UserError("its settings do not say how the stories were read")
    parser, coref, srl = (then[stage] for stage in STAGES)
    reader = back_ends_named(coref, srl, parser, places, run.name).reader(cache, notice)
    other = differences(reader.reading, then)
    if other:
        raise UserError(
            f"the stories were read by other back ends than are here: now {', '.join(other)}"
        )
    return reader


def _kept(path: Path, signature: str) -> dict[str, Record]:
    """Return the explanations kept of a run; those of other settings or versions count as none."""
    if not path.is_file():
        return {}
    try:
        record = load_json(path)
    except UserError:
        return {}
    explained = record.get("explained")
    if record.get("form") != FORM or record.get("signature") != signature:
        return {}
    if not isinstance(explained, dict):
        return {}
    return {name: each for name, each in explained.items() if _is_explanation(each)}


def _is_explanation(record: Any) -> bool:
    """Say whether a record has what the page takes from it."""
    if not isinstance(record, dict):
        return False
    second = record.get("runner_up", {"support": [], "score": 0})
    return (
        isinstance(record.get("candidates"), list)
        and isinstance(record.get("story"), list)
        and all(isinstance(fact, dict) for fact in record["story"])
        and isinstance(second, dict)
        and {"support", "score"} <= second.keys()
    )


def _keep(path: Path, signature: str, explained: Mapping[str, Record]) -> None:
    """Keep explanations for the next report; a folder that cannot be written to is no obstacle."""
    try:
        refuse_links_out(path.parents[1], (), (path.parent.name,))
        save_json(path, {"form": FORM, "signature": signature, "explained": dict(explained)})
    except (OSError, StoryError):
        return
