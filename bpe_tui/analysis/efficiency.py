"""How evenly a text uses its vocabulary: entropy and Rényi efficiency of the distribution of tokens."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

ALPHA = 2.5
"""The order that predicted translation quality best in Zouhar et al. 2023."""


def entropy(counts: npt.NDArray[np.integer], alpha: float = 1.0) -> float:
    """Give the Rényi entropy of order `alpha` of a distribution, in bits, from how often each token occurs.

    H_α = log2(Σ p^α) / (1 − α); for α = 1 its limit, Shannon's entropy −Σ p log2 p; for α = ∞ the min-entropy
    −log2 max p. Tokens that do not occur add nothing. 0 for an empty text.
    Source: Rényi 1961, "On measures of entropy and information". Raises ValueError for a negative `alpha`.
    """
    if alpha < 0:
        raise ValueError(f"the order of a Rényi entropy is at least 0, not {alpha}")
    used = counts[counts > 0].astype(np.float64)
    if len(used) == 0:
        return 0.0
    shares = used / used.sum()
    if math.isinf(alpha):
        return abs(float(np.log2(shares.max())))
    if alpha == 1.0:
        return abs(float(np.sum(shares * np.log2(shares))))
    return abs(float(np.log2(np.sum(shares**alpha)) / (1 - alpha)))


def renyi_efficiency(
    counts: npt.NDArray[np.integer], alpha: float = ALPHA, vocab_size: int | None = None
) -> float | None:
    """Give the Rényi efficiency of order `alpha`: H_α / log2(vocabulary size), from 0 to 1.

    1 means that all tokens are equally frequent; low means that a few tokens, or many rare ones, dominate.
    `vocab_size` is the number of different tokens in the text if it is not given, as in `tokenization-scorer`. None if
    the vocabulary has fewer than two tokens, for which it is not defined.
    Source: Zouhar et al. 2023, "Tokenization and the Noiseless Channel" (ACL), definition 4.3.
    """
    size = int(np.count_nonzero(counts)) if vocab_size is None else vocab_size
    return entropy(counts, alpha) / math.log2(size) if size >= 2 else None
