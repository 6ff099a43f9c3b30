"""The presets: lists of names of feature groups. Asking for them costs no import."""

PAPER, EXTENDED = "paper", "extended"
DEFAULT_PRESET = EXTENDED

PRESETS: dict[str, tuple[str, ...]] = {
    EXTENDED: (
        "role-match",
        "recency",
        "nearest",
        "role-agnostic",
        "times",
        "adjacency",
        "length",
        "chain",
        "answer-copy",
        "answer-identity",
        "answer-fact-pairs",
        "answer-fillers",
        "answer-last-mentions",
        "answer-kinds",
        "answer-parts",
    ),
    PAPER: (
        "word-pairs",
        "pair-distance",
        "pair-order",
        "verb-pairs",
        "verb-argument-pairs",
        "empty-fact",
        "shared-word",
        "answer-bias",
        "answer-question-words",
        "answer-word-pairs",
        "answer-verb-pairs",
        "answer-verb-argument-pairs",
    ),
}
"""By name; what each is made for: "extended" passes all tasks, "paper" has the groups of appendix B."""
