"""The back ends: what they give, what they say when something is missing."""

import stat
import sys
from io import StringIO
from pathlib import Path

import pytest

from babi_cascade.pipeline.srl import BACKENDS, MissingRequirement, RoleBackend, role_backend
from babi_cascade.pipeline.srl.backend import as_tree
from babi_cascade.pipeline.srl.conllu import Conllu
from babi_cascade.pipeline.srl.labeller import LabellerError
from babi_cascade.pipeline.srl.none import Nothing
from babi_cascade.pipeline.srl.senna import Senna, SennaError, parsed
from babi_cascade.pipeline.srl.stanza import Stanza
from babi_cascade.pipeline.trees import ConlluSentence, write_conllu
from tests.pipeline.srl.small_trees import tree

KIM = "Kim:PROPN:2:nsubj sold/sell:VERB:0:root a:DET:4:det kite:NOUN:2:obj to:ADP:6:case Lee:PROPN:2:obl"

# The layout that SENNA 3.0 documents and prints with -srl: word, verb or "-", one column a verb.
RECORDED = """\
            Kim\t              -\t       S-A0\t       S-A0
          wants\t          wants\t        S-V\t          O
             to\t              -\t       B-A1\t          O
           sell\t           sell\t       I-A1\t        S-V
            the\t              -\t       I-A1\t       B-A1
           jars\t              -\t       I-A1\t       I-A1
             of\t              -\t       I-A1\t       I-A1
           jam\t              -\t       I-A1\t       E-A1
             to\t              -\t       I-A1\t       B-A2
            Lee\t              -\t       E-A1\t       E-A2
       tomorrow\t              -\t   S-AM-TMP\t   S-AM-TMP
              .\t              -\t          O\t          O
"""


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_every_back_end_follows_the_protocol() -> None:
    assert set(BACKENDS) == {"stanza", "senna", "conllu", "none"}
    for backend in (Stanza(), Senna(), Conllu(), Nothing()):
        assert backend.name in BACKENDS
        assert isinstance(backend.requires, str)
        assert all(callable(getattr(backend, name)) for name in ("label", "check"))
    assert isinstance(role_backend("none"), RoleBackend)


def test_an_unknown_back_end_lists_the_known() -> None:
    with pytest.raises(ValueError, match="expected one of stanza, senna, conllu, none"):
        role_backend("magic")


def test_none_gives_nothing() -> None:
    assert role_backend("none").label(["Kim sang.", tree(KIM)]) == [[], []]


def test_stanza_names_the_command_for_a_missing_model(tmp_path: Path) -> None:
    with pytest.raises(MissingRequirement, match=r"scripts/train_srl\.py CORPORA_DIR"):
        role_backend("stanza", model=tmp_path / "roles.npz")


def test_stanza_refuses_a_damaged_model_early(tmp_path: Path) -> None:
    (tmp_path / "roles.npz").write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(LabellerError, match="damaged"):
        role_backend("stanza", model=tmp_path / "roles.npz")


def test_stanza_wants_trees() -> None:
    with pytest.raises(TypeError, match="takes parsed trees"):
        Stanza().label(["Kim sang."])


def test_conllu_uses_the_roles_of_the_file(tmp_path: Path) -> None:
    stream = StringIO()
    sentence = ConlluSentence(
        tree(KIM),
        rolesets={2: "sell.01", 4: "kite.01"},
        roles={2: {1: "ARG0", 4: "ARG1", 6: "ARG2"}, 4: {6: "ARG0"}},
    )
    write_conllu([sentence], stream)
    path = tmp_path / "mine.conllu"
    path.write_text(stream.getvalue(), encoding="utf-8")
    backend = role_backend("conllu", files=[path])
    (frames,) = backend.label([tree(KIM)])
    assert [str(f) for f in frames] == [
        "sell(nsubj/ARG0 kim; obj/ARG1 kite; obl:to/ARG2 lee)",
        "kite(obl:to/ARG0 lee)",
    ]
    assert backend.label(["Kim sold a kite to Lee"]) == [frames]
    assert backend.fingerprint.startswith("conllu-")
    with pytest.raises(
        ValueError, match=r"mine\.conllu: found no annotation of the sentence 'Who\?'"
    ):
        backend.label(["Who?"])


def test_conllu_names_the_missing_file(tmp_path: Path) -> None:
    with pytest.raises(
        MissingRequirement,
        match=r"needs the file .*gone\.conllu; get it with: babi-cascade annotate",
    ):
        role_backend("conllu", files=[tmp_path / "gone.conllu"])


def test_senna_says_where_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SENNA", raising=False)
    with pytest.raises(
        MissingRequirement, match=r"needs SENNA; get it with: download senna-v3\.0\.tgz"
    ):
        role_backend("senna")
    with pytest.raises(MissingRequirement, match="an executable SENNA in "):
        role_backend("senna", folder=tmp_path)


def test_senna_in_a_folder_beside_us_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tools"
    folder.mkdir()
    program = folder / "senna"
    said = "\\n".join(" ".join(row) for row in rows(RECORDED))
    program.write_text(f"#!/bin/sh\ncat > /dev/null\nprintf '{said}\\n\\n'\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    backend = role_backend("senna", folder="tools")
    monkeypatch.chdir("/")
    (frames,) = backend.label(["Kim wants to sell the jars of jam to Lee tomorrow ."])
    assert [frame.predicate for frame in frames] == ["wants", "sell"]


def test_senna_output_becomes_frames() -> None:
    sentence = as_tree("Kim wants to sell the jars of jam to Lee tomorrow.")
    want, sell = parsed(sentence, rows(RECORDED))
    assert str(want).startswith("wants(nsubj/ARG0 kim; obl:to/ARG1 sell")
    assert want.time == sell.time == "tomorrow"
    assert str(sell) == "sell(nsubj/ARG0 kim; obj/ARG1 jars of jam; obl:to/ARG2 lee) @tomorrow"
    jars = sell.arguments[1]
    assert (jars.head, jars.head_id, jars.text) == ("jars", 6, "jars of jam")


def test_senna_questions_negation_and_other_tags() -> None:
    sentence = as_tree("Who did not sing?")
    (frame,) = parsed(sentence, rows("Who - S-A0\ndid - O\nnot - S-AM-NEG\nsing sing S-V\n? - O\n"))
    assert frame.negated
    assert frame.asks is not None
    assert (frame.asks.word, frame.asks.relation, frame.asks.role) == ("who", "nsubj", "ARG0")
    # -iobtags: the end of a span is not marked
    (iob,) = parsed(
        as_tree("Old Kim sang songs"), rows("Old - B-A0\nKim - I-A0\nsang sang B-V\nsongs - B-A1")
    )
    assert str(iob) == "sang(nsubj/ARG0 old kim; obj/ARG1 songs)"
    assert parsed(as_tree("Rain."), rows("Rain -\n. -")) == []


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """A program that behaves as SENNA is documented to: every word that ends in "ed" is a verb."""
    program = tmp_path / "senna-v3.0" / "senna-linux64"
    program.parent.mkdir()
    program.write_text(
        f"#!{sys.executable}\n"
        "import sys\n"
        "assert sys.argv[1] == '-path' and '-usrtokens' in sys.argv and '-srl' in sys.argv, sys.argv\n"
        "open(sys.argv[2] + 'calls', 'a').write('x')\n"
        "for line in sys.stdin:\n"
        "    words = line.split()\n"
        "    if 'crash' in words: sys.exit('cannot allocate')\n"
        "    verbs = [i for i, w in enumerate(words) if w.endswith('ed')]\n"
        "    for i, w in enumerate(words):\n"
        "        tags = ['S-V' if i == v else 'S-A0' if i == v - 1 else 'O' for v in verbs]\n"
        "        print('%15s\\t%15s' % (w, w if i in verbs else '-'), *('%10s' % t for t in tags),"
        " sep='\\t')\n"
        "    print()\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program.parent


def test_senna_is_run_once_for_all_sentences(stand_in: Path) -> None:
    backend = role_backend("senna", folder=stand_in)
    frames = backend.label(
        ["Kim danced.", "", "Rain.", "Lee jumped and Kim laughed.", "long " * 2000]
    )
    assert [[f.predicate for f in found] for found in frames] == [
        ["danced"], [], [], ["jumped", "laughed"], [],
    ]  # fmt: skip
    assert (stand_in / "calls").read_text() == "x"
    assert backend.version == "senna-v3.0"
    assert backend.fingerprint.startswith("senna-srl-")


def test_senna_that_fails_says_so(stand_in: Path) -> None:
    with pytest.raises(SennaError, match="failed with code 1: cannot allocate"):
        Senna(stand_in).label(["crash now"])


def test_senna_that_gives_too_few_words_says_so(stand_in: Path) -> None:
    program = stand_in / "senna-linux64"
    program.write_text("#!/bin/sh\ncat >/dev/null\necho 'Kim -'\n")
    with pytest.raises(SennaError, match="gave 1 words, not 3"):
        Senna(stand_in).label(["Kim danced."])


def test_senna_folder_from_the_environment(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SENNA", str(stand_in))
    assert role_backend("senna", pos_verbs=True).fingerprint.startswith("senna-pos-")
