"""The decorators of the kernels: numba, with the machine code kept between runs.

numba notices a change in the file of the kernel that Python calls, but not in the files of the kernels that
this one calls in turn. So kernels that call each other stand in one file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile at the first call; exact arithmetic, in the order that is written."""
    return cast(Function, njit(cache=True)(function))


def compiled_maximum(function: Function) -> Function:
    """Compile a loop whose maximum may be taken in any order.

    There are no NaNs, and no sum is reordered: the result is the same, bit for bit.
    """
    return cast(Function, njit(cache=True, fastmath={"nnan", "nsz"})(function))
