"""Trees written on one line: ``form[/lemma[/XPOS]]:UPOS:head:relation``, relations may hold ":"."""

from __future__ import annotations

from babi_cascade.pipeline.trees import Token, Tree


def tree(text: str) -> Tree:
    tokens = []
    place = 0
    for number, item in enumerate(text.split(), start=1):
        names, upos, head, relation = item.split(":", 3)
        form, lemma, xpos = [*names.split("/"), "", ""][:3]
        tokens.append(
            Token(
                number,
                form,
                lemma or form.lower(),
                upos,
                xpos or "_",
                int(head),
                relation,
                "_",
                place,
                place + len(form),
            )
        )
        place += len(form) + 1
    return Tree(tuple(tokens), " ".join(t.form for t in tokens))
