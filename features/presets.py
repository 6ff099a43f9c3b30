"""The names of the presets, apart from the groups themselves: asking for them costs no import."""

PAPER, EXTENDED = "paper", "extended"
DEFAULT_PRESET = EXTENDED
