"""How a token is put together: its parts, their parts, and so on down to single characters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_tui.errors import TokenIdError

if TYPE_CHECKING:
    from bpe_tui.bpe.tokenizer import BPETokenizer


@dataclass(frozen=True, slots=True, eq=False)
class TokenNode:
    """A token and the two parts it was first merged from. Equal parts are one object: branches may be shared."""

    id: int
    token: str
    rank: int | None
    """The merge that first made it, from 0; None for a base token."""
    left: TokenNode | None
    right: TokenNode | None

    def __repr__(self) -> str:
        # The generated one would walk the whole tree.
        return f"TokenNode(id={self.id}, token={self.token!r}, rank={self.rank})"

    def walk(self) -> Iterator[tuple[int, TokenNode]]:
        """Give (depth, node) for every node, this one first at depth 0, a left part before its right part."""
        waiting: list[tuple[int, TokenNode]] = [(0, self)]
        while waiting:
            depth, node = waiting.pop()
            yield depth, node
            if node.left is not None and node.right is not None:
                waiting.append((depth + 1, node.right))
                waiting.append((depth + 1, node.left))

    def parts(self) -> list[TokenNode]:
        """Give this node and all that it is made of, each once however often it is used."""
        seen: dict[int, TokenNode] = {}
        waiting: list[TokenNode | None] = [self]
        while waiting:
            node = waiting.pop()
            if node is not None and node.id not in seen:
                seen[node.id] = node
                waiting += [node.left, node.right]
        return list(seen.values())


def token_tree(tokenizer: BPETokenizer, token_id: int) -> TokenNode:
    """Give the token with its parts. A token that several merges make is shown as the first of them made it.

    Raises TokenIdError when the vocabulary does not hold `token_id`.
    """
    if not 0 <= token_id < tokenizer.vocab_size:
        raise TokenIdError(
            f"there is no token {token_id:,}: the vocabulary holds {tokenizer.vocab_size:,} tokens, "
            f"0 to {tokenizer.vocab_size - 1:,}"
        )
    left, right, new_id = tokenizer.merge_ids()
    first_rank: dict[int, int] = {}
    base = {tokenizer.stoi[token] for token in tokenizer.base_tokens}
    for rank, made in enumerate(new_id.tolist()):
        if made not in base:
            first_rank.setdefault(made, rank)
    lengths = tokenizer.token_lengths()
    needed: set[int] = set()
    waiting = [token_id]
    while waiting:
        current = waiting.pop()
        if current not in needed:
            needed.add(current)
            if current in first_rank:
                rank = first_rank[current]
                waiting += [int(left[rank]), int(right[rank])]
    nodes: dict[int, TokenNode] = {}
    # Parts are shorter than wholes.
    for current in sorted(needed, key=lambda number: int(lengths[number])):
        found = first_rank.get(current)
        parts = (None, None) if found is None else (nodes[int(left[found])], nodes[int(right[found])])
        nodes[current] = TokenNode(current, tokenizer.tokens[current], found, *parts)
    return nodes[token_id]
