from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.background import stems_in
from babi_cascade.pipeline.stories.book import Book, Index, open_book

TEXTS = ["Mary's wolves slept.", "The red square is small.", "A wolf saw Mary.", "Écoute, la Mary!"]


def test_words_lead_to_the_sentences_that_have_them_in_any_form():
    index = Index.of(TEXTS)
    assert index.having(["wolf"]).tolist() == [0, 2]
    assert index.having(["mary"]).tolist() == [0, 2, 3]
    assert index.having(["red square"]).tolist() == [1]
    assert index.having(["red", "wolf"]).tolist() == []
    assert index.having(["écoute"]).tolist() == [3]
    assert index.having(["unicorn"]).tolist() == []


@given(
    st.lists(st.text(alphabet="ab'é -S.", max_size=12), max_size=8), st.text("ab'éS", max_size=4)
)
def test_the_index_finds_what_a_walk_through_the_text_finds(texts, word):
    wanted = set(stems_in(word))
    walked = [i for i, t in enumerate(texts) if wanted and wanted <= set(stems_in(t))]
    assert Index.of(texts).having([word]).tolist() == walked


def test_a_book_is_its_sentences():
    book = Book.of(TEXTS)
    assert [s.text for s in book] == TEXTS
    assert [s.line for s in book[1:3]] == [2, 3]
    assert book[-1].text == TEXTS[-1]


class TestKeeping:
    def test_what_was_kept_is_the_same(self, tmp_path: Path):
        path = tmp_path / "book.npz"
        Book.of(TEXTS).save(path)
        kept = Book.load(path)
        assert kept is not None
        assert list(kept) == list(Book.of(TEXTS))
        assert kept.words.having(["wolf"]).tolist() == [0, 2]
        assert [p.name for p in tmp_path.iterdir()] == ["book.npz"]

    @pytest.mark.parametrize("damage", [b"", b"PK\x03\x04", b"nothing of the kind"])
    def test_what_is_damaged_is_made_anew(self, tmp_path: Path, damage: bytes):
        text, keep = tmp_path / "text.txt", tmp_path / "kept"
        text.write_text("A wolf slept. Mary sang.")
        open_book(text, keep)
        (kept,) = keep.iterdir()
        kept.write_bytes(damage)
        assert [s.text for s in open_book(text, keep)] == ["A wolf slept.", "Mary sang."]
        assert Book.load(kept) is not None

    def test_an_index_that_leads_outside_is_not_used(self, tmp_path: Path):
        path = tmp_path / "book.npz"
        book = Book.of(TEXTS)
        book.words.places = np.full_like(book.words.places, 99)
        book.save(path)
        assert Book.load(path) is None

    def test_another_text_is_another_book(self, tmp_path: Path):
        text = tmp_path / "text.txt"
        for content in ("One.", "Two."):
            text.write_text(content)
            assert open_book(text, tmp_path / "kept")[0].text == content

    def test_what_is_no_text_is_named(self, tmp_path: Path):
        for name, content in (("empty.txt", b" "), ("bytes.txt", b"\xff")):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(UserError, match=name):
                open_book(tmp_path / name)
