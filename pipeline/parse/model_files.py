"""Files of Stanza models, looked at before anything in them is loaded: weights and plain values, or refused.

PyTorch keeps weights as pickles, and a pickle can name any function to be called. Stanza loads with
``weights_only``, so that PyTorch itself refuses such a file, but late and in many lines. Here the
instructions of a pickle are read one by one, none is carried out, and every name must be one that weights
need. Neither torch nor Stanza is imported for it.
"""

from __future__ import annotations

import pickletools
import struct
import zipfile
from pathlib import Path
from typing import IO

from babi_cascade.pipeline.parse.errors import ParserError

_STORAGES = (
    "Double", "Float", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool",
)  # fmt: skip
ALLOWED = frozenset(
    {
        "collections OrderedDict", "collections Counter", "_codecs encode", "builtins set",
        "__builtin__ set", "torch Size", "torch device", "torch._utils _rebuild_tensor",
        "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter",
        "torch.nn.parameter Parameter", *(f"torch {kind}Storage" for kind in _STORAGES),
    }
)  # fmt: skip
"""What weights and vocabularies are made with; PyTorch allows all of it, and little more."""

NAMING = frozenset({"GLOBAL"})
"""The instruction that names a function or class in the pickles that PyTorch writes."""

CALLING = frozenset(
    {"STACK_GLOBAL", "INST", "OBJ", "NEWOBJ_EX", "EXT1", "EXT2", "EXT4", "NEXT_BUFFER"}
)
"""Instructions by which other pickles get at functions, and which PyTorch never writes."""

ARCHIVE = b"PK\x03\x04"
"""The first bytes of a file in the newer form; PyTorch goes by them too."""

LEGACY_PICKLES = 5
"""The older form of a file: a magic number, a version, a word on the machine, the values, the storages."""

LEGACY_MAGIC = 0x1950A86A20F9469CFC6C


def check_model_file(path: Path) -> None:
    """Raise a ParserError of one line unless a file is the weights of a model."""
    try:
        with path.open("rb") as stream:
            newer = stream.read(len(ARCHIVE)) == ARCHIVE
            stream.seek(0)
            if newer:
                _check_archive(path, stream)
            else:
                _check_legacy(path, stream)
    except ParserError:
        raise
    except OSError as error:
        raise ParserError(f"{path}: cannot be read: {error.strerror or error}") from error
    # What the modules of the library raise on damaged files is not said in their documentation.
    except (
        ValueError, KeyError, IndexError, EOFError, NotImplementedError, RuntimeError, MemoryError,
        OverflowError, struct.error, zipfile.BadZipFile, RecursionError,
    ) as error:  # fmt: skip
        raise _refused(path, "it is damaged, or no model at all") from error


def _check_archive(path: Path, stream: IO[bytes]) -> None:
    with zipfile.ZipFile(stream) as archive:
        members = archive.infolist()
        if any(member.compress_type != zipfile.ZIP_STORED for member in members):
            raise _refused(path, "parts of it are compressed, which PyTorch never does")
        if sum(member.file_size for member in members) > path.stat().st_size:
            raise _refused(path, "its parts are larger than it is")
        pickles = [member for member in members if member.filename.endswith(".pkl")]
        if [Path(member.filename).name for member in pickles] != ["data.pkl"]:
            raise _refused(path, "it is no archive of weights")
        with archive.open(pickles[0]) as values:
            _check_pickle(path, values)


def _check_legacy(path: Path, stream: IO[bytes]) -> None:
    for number in range(LEGACY_PICKLES):
        first = _check_pickle(path, stream)
        if number == 0 and first != LEGACY_MAGIC:
            raise _refused(path, "it is a pickle, but none of weights")


def _check_pickle(path: Path, stream: IO[bytes]) -> object:
    """Read the instructions of one pickle; return the first value that it holds."""
    first: object = None
    for operation, value, _ in pickletools.genops(stream):
        if operation.name in CALLING or (operation.name in NAMING and value not in ALLOWED):
            told = f"{operation.name} {value or ''}".strip()[:100]
            raise _refused(path, f"its pickle would run more than loading weights ({told!r})")
        if first is None and operation.name != "PROTO":
            first = value
    return first


def _refused(path: Path, reason: str) -> ParserError:
    return ParserError(f"{path}: refused as a Stanza model: {reason}")
