"""The 20 tasks, one small module each; ``TASKS`` finds them by number."""

from __future__ import annotations

from babi_cascade.simulation.tasks.agents_motivations import AgentsMotivations
from babi_cascade.simulation.tasks.base import Task
from babi_cascade.simulation.tasks.basic_coreference import BasicCoreference
from babi_cascade.simulation.tasks.basic_deduction import BasicDeduction
from babi_cascade.simulation.tasks.basic_induction import BasicInduction
from babi_cascade.simulation.tasks.compound_coreference import CompoundCoreference
from babi_cascade.simulation.tasks.conjunction import Conjunction
from babi_cascade.simulation.tasks.counting import Counting
from babi_cascade.simulation.tasks.indefinite_knowledge import IndefiniteKnowledge
from babi_cascade.simulation.tasks.lists_sets import ListsSets
from babi_cascade.simulation.tasks.path_finding import PathFinding
from babi_cascade.simulation.tasks.positional_reasoning import PositionalReasoning
from babi_cascade.simulation.tasks.simple_negation import SimpleNegation
from babi_cascade.simulation.tasks.single_supporting_fact import SingleSupportingFact
from babi_cascade.simulation.tasks.size_reasoning import SizeReasoning
from babi_cascade.simulation.tasks.three_arg_relations import ThreeArgRelations
from babi_cascade.simulation.tasks.three_supporting_facts import ThreeSupportingFacts
from babi_cascade.simulation.tasks.time_reasoning import TimeReasoning
from babi_cascade.simulation.tasks.two_arg_relations import TwoArgRelations
from babi_cascade.simulation.tasks.two_supporting_facts import TwoSupportingFacts
from babi_cascade.simulation.tasks.yes_no_questions import YesNoQuestions

TASKS: dict[int, Task] = {
    task.number: task
    for task in (
        SingleSupportingFact(), TwoSupportingFacts(), ThreeSupportingFacts(), TwoArgRelations(),
        ThreeArgRelations(), YesNoQuestions(), Counting(), ListsSets(), SimpleNegation(),
        IndefiniteKnowledge(), BasicCoreference(), Conjunction(), CompoundCoreference(),
        TimeReasoning(), BasicDeduction(), BasicInduction(), PositionalReasoning(),
        SizeReasoning(), PathFinding(), AgentsMotivations(),
    )
}  # fmt: skip

__all__ = ["TASKS", "Task"]
