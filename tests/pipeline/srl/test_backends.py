"""The back ends of roles: what they give, what they say when something is missing."""

import stat
import sys
from io import StringIO
from pathlib import Path

import pytest

from babi_cascade.pipeline.backends import role_labeller
from babi_cascade.pipeline.coref import Clusters, Mention, replace_mentions
from babi_cascade.pipeline.errors import MissingRequirement, ReadingError
from babi_cascade.pipeline.frames import extract_frames
from babi_cascade.pipeline.srl.model_header import LabellerError
from babi_cascade.pipeline.srl.senna import Senna, SennaError, roles_in
from babi_cascade.pipeline.trees import ConlluSentence, Tree, write_conllu
from tests.pipeline.frames.small_trees import tree
from tests.pipeline.told import as_written

KIM = "Kim:PROPN:2:nsubj sold/sell:VERB:0:root a:DET:4:det kite:NOUN:2:obj to:ADP:6:case Lee:PROPN:2:obl"
WANTS = tree(
    "Kim:PROPN:2:nsubj wants/want:VERB:0:root to:PART:4:mark sell:VERB:2:xcomp the:DET:6:det"
    " jars/jar:NOUN:4:obj of:ADP:8:case jam:NOUN:6:nmod to:ADP:10:case Lee:PROPN:4:obl"
    " tomorrow:NOUN:4:obl:tmod .:PUNCT:2:punct"
)

# Written by hand after SENNA's documentation, not recorded: SENNA may not be redistributed and could not be
# run for these tests. With -srl it prints word, verb or "-", and one column a verb.
DOCUMENTED = """\
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


def said(sentence: Tree, text: str) -> list[str]:
    return [str(frame) for frame in extract_frames(sentence, roles_in(sentence, rows(text)))]


def annotations(path: Path, *sentences: ConlluSentence) -> Path:
    stream = StringIO()
    write_conllu(sentences, stream)
    path.write_text(stream.getvalue(), encoding="utf-8")
    return path


def test_none_leaves_sentences_without_frames() -> None:
    assert role_labeller("none").label(as_written(tree(KIM), Tree(()))) == [None, None]


def test_the_shipped_labeller_gives_propbank_roles() -> None:
    assert role_labeller("stanza").label(as_written(tree(KIM))) == [
        {2: {1: "ARG0", 4: "ARG1", 6: "ARG2"}}
    ]


def test_a_missing_model_names_its_command(tmp_path: Path) -> None:
    with pytest.raises(MissingRequirement, match=r"scripts/train_srl\.py CORPORA_DIR"):
        role_labeller("stanza", model=tmp_path / "roles.npz").check()


def test_a_damaged_model_is_refused_early(tmp_path: Path) -> None:
    (tmp_path / "roles.npz").write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(LabellerError, match="damaged"):
        role_labeller("stanza", model=tmp_path / "roles.npz").check()


def test_conllu_gives_the_roles_of_the_file(tmp_path: Path) -> None:
    roles = {2: {1: "ARG0", 4: "ARG1", 6: "ARG2"}, 4: {6: "ARG0"}}
    sentence = ConlluSentence(tree(KIM), rolesets={2: "sell.01", 4: "kite.01"}, roles=roles)
    labeller = role_labeller("conllu", files=[annotations(tmp_path / "mine.conllu", sentence)])
    assert labeller.label(as_written(tree(KIM), Tree(()))) == [roles, {}]
    assert [str(f) for f in extract_frames(tree(KIM), roles)] == [
        "sell(nsubj/ARG0 kim; obj/ARG1 kite; obl:to/ARG2 lee)",
        "kite(obl:to/ARG0 lee)",  # a predicate that the grammar does not see
    ]
    assert labeller.fingerprint.startswith("conllu-")
    with pytest.raises(
        ReadingError, match=r"mine\.conllu: found no annotation of the sentence 'Who \?'"
    ):
        labeller.label(as_written(tree("Who:PRON:0:root ?:PUNCT:1:punct")))


def test_given_roles_are_carried_to_what_stands_for_a_pronoun(tmp_path: Path) -> None:
    they = tree("Then:ADV:3:advmod they:PRON:3:nsubj sold/sell:VERB:0:root it:PRON:3:obj")
    both = tree("Kim:PROPN:4:nsubj and:CCONJ:3:cc Lee:PROPN:1:conj left/leave:VERB:0:root")
    roles = {3: {2: "ARG0", 4: "ARG1", 1: "ARGM-TMP"}}
    sentence = ConlluSentence(they, rolesets={3: "sell.01"}, roles=roles)
    labeller = role_labeller("conllu", files=[annotations(tmp_path / "mine.conllu", sentence)])
    clusters = Clusters.of([[Mention(0, 1, 3, 1, "list"), Mention(1, 2, 2, 2, "pronoun")]])
    replaced = replace_mentions([both, they], clusters)[1]
    assert replaced.text == "Then Kim and Lee sold it"
    (carried,) = labeller.label([replaced])
    assert carried == {5: {2: "ARG0", 6: "ARG1", 1: "ARGM-TMP"}}
    assert [str(frame) for frame in extract_frames(replaced.tree, carried)] == [
        "sell(nsubj/ARG0 kim & lee; obj/ARG1 it) @then"
    ]


def test_conllu_names_the_missing_file(tmp_path: Path) -> None:
    with pytest.raises(
        MissingRequirement,
        match=r"needs the file .*gone\.conllu; get it with: babi-cascade annotate",
    ):
        role_labeller("conllu", files=[tmp_path / "gone.conllu"]).check()


def test_senna_says_where_it_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SENNA", raising=False)
    with pytest.raises(
        MissingRequirement, match=r"needs SENNA; get it with: download senna-v3\.0\.tgz"
    ):
        role_labeller("senna").check()
    with pytest.raises(MissingRequirement, match="an executable SENNA in "):
        role_labeller("senna", folder=tmp_path).check()


def test_the_phrases_of_senna_are_known_by_their_heads() -> None:
    assert roles_in(WANTS, rows(DOCUMENTED)) == {
        2: {1: "ARG0", 4: "ARG1", 11: "ARGM-TMP"},
        4: {1: "ARG0", 6: "ARG1", 10: "ARG2", 11: "ARGM-TMP"},
    }
    assert said(WANTS, DOCUMENTED)[1] == (
        "sell(nsubj/ARG0 kim; obj/ARG1 jar of jam; obl:to/ARG2 lee) @tomorrow"
    )


def test_senna_in_a_folder_beside_us_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "tools"
    folder.mkdir()
    program = folder / "senna"
    said = "\\n".join(" ".join(row) for row in rows(DOCUMENTED))
    program.write_text(f"#!/bin/sh\ncat > /dev/null\nprintf '{said}\\n\\n'\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    labeller = role_labeller("senna", folder="tools")
    monkeypatch.chdir("/")
    assert labeller.label(as_written(WANTS)) == [roles_in(WANTS, rows(DOCUMENTED))]


def test_senna_questions_negation_and_other_tags() -> None:
    who = tree(
        "Who:PRON:4:nsubj did/do:AUX:4:aux not:PART:4:advmod sing:VERB:0:root ?:PUNCT:4:punct"
    )
    (frame,) = extract_frames(
        who, roles_in(who, rows("Who - S-A0\ndid - O\nnot - S-AM-NEG\nsing sing S-V\n? - O\n"))
    )
    assert frame.negated
    assert frame.asks is not None
    assert (frame.asks.word, frame.asks.relation, frame.asks.role) == ("who", "nsubj", "ARG0")
    # -iobtags: the end of a span is not marked
    old = tree("Old:ADJ:2:amod Kim:PROPN:3:nsubj sang/sing:VERB:0:root songs/song:NOUN:3:obj")
    assert said(old, "Old - B-A0\nKim - I-A0\nsang sang B-V\nsongs - B-A1") == [
        "sing(nsubj/ARG0 old kim; obj/ARG1 song)"
    ]
    man = tree("man:NOUN:0:root who:PRON:3:nsubj left/leave:VERB:1:acl:relcl")
    assert roles_in(man, rows("man - B-A0\nwho - S-R-A0\nleft left S-V")) == {
        3: {1: "ARG0", 2: "R-ARG0"}
    }
    assert roles_in(tree("Rain:NOUN:0:root .:PUNCT:1:punct"), rows("Rain -\n. -")) == {}


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


def words(text: str) -> Tree:
    return tree(" ".join(f"{word}:X:0:dep" for word in text.split()))


def test_senna_is_run_once_for_all_sentences(stand_in: Path) -> None:
    labeller = role_labeller("senna", folder=stand_in)
    texts = ["Kim danced .", "Rain .", "Lee jumped and Kim laughed .", "long " * 2000]
    found = labeller.label(as_written(*map(words, texts), Tree(())))
    assert found == [{2: {1: "ARG0"}}, {}, {2: {1: "ARG0"}, 5: {4: "ARG0"}}, None, None]
    assert (stand_in / "calls").read_text() == "x"
    assert labeller.version == "senna-v3.0"
    assert labeller.fingerprint.startswith("senna-srl-")


def test_senna_that_fails_says_so(stand_in: Path) -> None:
    with pytest.raises(SennaError, match="failed with code 1: cannot allocate"):
        Senna(stand_in).label(as_written(words("crash now")))


def test_senna_that_gives_too_few_words_says_so(stand_in: Path) -> None:
    program = stand_in / "senna-linux64"
    program.write_text("#!/bin/sh\ncat >/dev/null\necho 'Kim -'\n")
    with pytest.raises(SennaError, match="gave 1 words, not 3"):
        Senna(stand_in).label(as_written(words("Kim danced .")))


def test_senna_folder_from_the_environment(stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SENNA", str(stand_in))
    assert role_labeller("senna", pos_verbs=True).fingerprint.startswith("senna-pos-")
