"""What all kernels share: how they are compiled, and the few words of the processor that Numba has none for.

Every module of kernels imports this one before any kernel is made, which also tells Numba where to keep machine code.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba import int64, void
from numba.core import cgutils
from numba.extending import intrinsic

from bpe_tui.bpe.kernels import cache_folder

numba.config.CACHE_DIR = str(cache_folder())

Array = Any
"""Numba sees the exact types in each kernel's signature; there is nothing more for mypy to check."""

OUTER: dict[str, Any] = {"cache": True, "nogil": True}
"""How kernels are compiled that Python calls."""
_INSIDE: dict[str, Any] = {"cache": True, "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
INNER: dict[str, Any] = {**_INSIDE, "forceinline": True}
"""How kernels are compiled that only kernels call: without an entry from Python, which takes half the time, and as a
part of those that call them."""
LOOP: dict[str, Any] = _INSIDE
"""How loops are compiled that kernels call and that have the registers to themselves."""

POLL = 16384
"""Units of work between two looks at a cancel flag: well under a millisecond."""


def pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any, kind: Any) -> Any:
    """Give, in the making of an intrinsic, a pointer to `array[index]` as if something of that kind lay there."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), kind.as_pointer())


@intrinsic
def prefetch(context: Any, array: Any, index: Any) -> Any:
    """Ask the processor to fetch `array[index]` to its cache. Never faults, changes nothing."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = pointer(context, builder, signature.args[0], *arguments, ir.IntType(8))
        kind = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, kind, kind, kind]),
            "llvm.prefetch.p0",
        )
        builder.call(function, [place, kind(0), kind(3), kind(1)])
        return context.get_dummy_value()

    return void(array, int64), code
