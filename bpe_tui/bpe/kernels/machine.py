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
INNER: dict[str, Any] = {"cache": True, "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""How kernels are compiled that only kernels call: without an entry from Python, which takes half the time."""

POLL = 16384
"""Units of work between two looks at a cancel flag: well under a millisecond."""


@intrinsic
def prefetch(context: Any, array: Any, index: Any) -> Any:
    """Ask the processor to fetch `array[index]` to its cache. Never faults, changes nothing."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        kind = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, kind, kind, kind]),
            "llvm.prefetch.p0",
        )
        builder.call(function, [pointer, kind(0), kind(3), kind(1)])
        return context.get_dummy_value()

    return void(array, int64), code
