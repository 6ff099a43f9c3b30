"""The 20 tasks, one small module each; ``TASKS`` finds them by number."""

from __future__ import annotations

from simulation.tasks.agents_motivations import AgentsMotivations
from simulation.tasks.base import Task
from simulation.tasks.basic_coreference import BasicCoreference
from simulation.tasks.basic_deduction import BasicDeduction
from simulation.tasks.basic_induction import BasicInduction
from simulation.tasks.compound_coreference import CompoundCoreference
from simulation.tasks.conjunction import Conjunction
from simulation.tasks.counting import Counting
from simulation.tasks.indefinite_knowledge import IndefiniteKnowledge
from simulation.tasks.lists_sets import ListsSets
from simulation.tasks.path_finding import PathFinding
from simulation.tasks.positional_reasoning import PositionalReasoning
from simulation.tasks.simple_negation import SimpleNegation
from simulation.tasks.single_supporting_fact import SingleSupportingFact
from simulation.tasks.size_reasoning import SizeReasoning
from simulation.tasks.three_arg_relations import ThreeArgRelations
from simulation.tasks.three_supporting_facts import ThreeSupportingFacts
from simulation.tasks.time_reasoning import TimeReasoning
from simulation.tasks.two_arg_relations import TwoArgRelations
from simulation.tasks.two_supporting_facts import TwoSupportingFacts
from simulation.tasks.yes_no_questions import YesNoQuestions

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
