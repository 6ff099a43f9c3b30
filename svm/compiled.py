"""The decorator of the kernels: numba, with the machine code kept between runs.

numba notices a change in the file of the kernel that Python calls, but not in the files of the
kernels that this one calls in turn. The kernels of this room call each other across files, so what
was compiled before the newest change of any of them is thrown away here, once, on import.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

_ROOM = Path(__file__).parent


def compiled(function: Function) -> Function:
    """Compile at the first call; exact arithmetic, in the order that is written."""
    return cast(Function, njit(cache=True)(function))


def compiled_maximum(function: Function) -> Function:
    """Compile a loop whose maximum may be taken in any order.

    There are no NaNs, and no sum is reordered: the result is the same, bit for bit.
    """
    return cast(Function, njit(cache=True, fastmath={"nnan", "nsz"})(function))


def _forget_stale_code() -> None:
    sources = [*_ROOM.glob("*_kernels.py"), *_ROOM.glob("*_arrays.py")]
    newest = max(path.stat().st_mtime for path in sources)
    kept = list((_ROOM / "__pycache__").glob("*.nbi"))
    stale = [path for path in kept if path.stat().st_mtime < newest]
    for path in stale:
        path.unlink(missing_ok=True)
    if len(stale) == len(kept):
        print("compiling the SVM kernels (once, about half a minute) …", file=sys.stderr)


_forget_stale_code()
