"""Training of the small English models that ship in ``data/models/en``.

The order of the data flow: ``corpora`` (read and normalise the treebanks), ``substitution`` and
``clauses``/``transformations`` (more trees from the gold trees), ``tagger``, ``lemmatizer``,
``parser``, ``tokenizer`` (Stanza's models and update steps), ``evaluate``, ``card``; ``steps`` runs
them in this order and skips what is already done.
"""
