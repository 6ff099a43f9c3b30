"""Pass: constructions of grammar that say outright that two phrases mean the same."""

from __future__ import annotations

from babi_cascade.pipeline.coref.document import Document, Node, agree, nested


class PreciseConstructs:
    """Apposition, predicate nominative, role appositive, relative pronoun, acronym, demonym."""

    name = "precise constructs"

    def run(self, document: Document) -> None:
        """Look for each construction in every sentence, then for acronyms over the whole story."""
        for nodes in document.sentences:
            heads: dict[int, Node] = {}
            for node in nodes:
                if node.mention.kind != "list":
                    heads.setdefault(node.mention.head, node)
            for node in nodes:
                if node.mention.kind == "list":
                    continue
                for other in (
                    self._apposition(node, heads),
                    self._predicate(node, heads),
                    self._role(node, heads),
                    self._relative(node, heads),
                ):
                    if other is not None:
                        document.join(other, node)
        self._acronyms(document)
        self._demonyms(document)

    def _apposition(self, node: Node, heads: dict[int, Node]) -> Node | None:
        """Find "Kofi" for "the baker" in "Kofi, the baker, sings"."""
        if node.token.relation != "appos":
            return None
        other = heads.get(node.token.head)
        if other is None or other.pronoun or node.pronoun or not agree(other.entity, node.entity):
            return None
        return other

    def _predicate(self, node: Node, heads: dict[int, Node]) -> Node | None:
        """Find "Kofi" for "the baker" in "Kofi is the baker": only a definite one is the same."""
        tree, token = node.tree, node.token
        subject = tree.child(token, "nsubj")
        if node.pronoun or subject is None or tree.child(token, "cop") is None:
            return None
        if tree.child(token, "case") is not None or node.determiner != "the":
            return None
        if any(t.lemma.lower() in ("not", "n't", "never") for t in tree.children(token, "advmod")):
            return None
        other = heads.get(subject.id)
        if other is None or other.form in ("this", "that", "there", "it"):
            return None
        return other if agree(other.entity, node.entity) and not nested(other, node) else None

    def _role(self, node: Node, heads: dict[int, Node]) -> Node | None:
        """Find the name for the role in "[the painter] Amara": one lies within the other, for once."""
        if node.token.deprel not in ("compound", "nmod:desc") or node.name:
            return None
        other = heads.get(node.token.head)
        if other is None or not other.name or node.mention.animacy != "animate":
            return None
        return other

    def _relative(self, node: Node, heads: dict[int, Node]) -> Node | None:
        """Find "the man" for "who" in "the man who sings"."""
        if not node.pronoun or node.form not in ("who", "whom", "whose", "which", "that"):
            return None
        for verb in node.tree.ancestors(node.token):
            if verb.deprel == "acl:relcl":
                return heads.get(verb.head)
        return None

    def _acronyms(self, document: Document) -> None:
        """Join "WHO" with "the World Health Organization"."""
        spelled: dict[str, Node] = {}
        short: dict[str, Node] = {}
        for node in document.nodes:
            if node.pronoun or node.mention.kind == "list":
                continue
            form = node.token.form
            single = node.mention.start == node.mention.end or len(node.words) == 1
            if single and form.isupper() and len(form) > 1:
                short.setdefault(form.replace(".", ""), node)
                continue
            initials = _initials(node)
            if len(initials) > 1:
                spelled.setdefault(initials, node)
        for letters, node in short.items():
            full = spelled.get(letters)
            if full is not None and not full.mention.contains(node.mention):
                document.join(full, node)

    def _demonyms(self, document: Document) -> None:
        """Join "the French" with "France": a people is not its country for "they", so only names."""
        places: dict[str, Node] = {}
        for node in document.nodes:
            if not node.name:
                continue
            for country in sorted(document.lexicon.demonyms.get(node.text, ())):
                earlier = places.get(country)
                if earlier is not None and node.mention.number == "sing":
                    document.join(earlier, node)
                    break
            places.setdefault(node.text, node)


def _initials(node: Node) -> str:
    """Return the first letters of the capitalised words, for phrases short enough to be names."""
    mention = node.mention
    if mention.end - mention.start > 12:
        return ""
    words = node.tree.tokens[mention.start - 1 : mention.end]
    return "".join(token.form[0] for token in words if token.form[:1].isupper())
