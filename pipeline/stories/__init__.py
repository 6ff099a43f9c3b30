"""Story files in and out: the text format of the bAbI tasks, and questions as JSON lines."""

from babi_cascade.pipeline.stories.babi import write_babi
from babi_cascade.pipeline.stories.errors import ErrorHandler, Skipped, StoryError
from babi_cascade.pipeline.stories.jsonl import write_jsonl
from babi_cascade.pipeline.stories.model import Prefix, Question, Sentence, Story, tokenize
from babi_cascade.pipeline.stories.saving import save_questions, save_stories
from babi_cascade.pipeline.stories.sources import read_questions, read_stories
from babi_cascade.pipeline.stories.statistics import AnswerShare, Statistics, describe
from babi_cascade.pipeline.stories.tasks import TaskFile, find_tasks, parse_task_list

__all__ = [
    "AnswerShare",
    "ErrorHandler",
    "Prefix",
    "Question",
    "Sentence",
    "Skipped",
    "Statistics",
    "Story",
    "StoryError",
    "TaskFile",
    "describe",
    "find_tasks",
    "parse_task_list",
    "read_questions",
    "read_stories",
    "save_questions",
    "save_stories",
    "tokenize",
    "write_babi",
    "write_jsonl",
]
