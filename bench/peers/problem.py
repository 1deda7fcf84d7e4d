"""One line of the problem grammar (tests/problem/problem.h), and its data as NumPy makes them."""
import numpy as np


class Recent(dict):
    """The few things that were wanted last; `make` makes one that is not there."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def want(self, key, make):
        value = self.pop(key, None)
        while value is None and len(self) >= self.most:
            del self[next(iter(self))]
        self[key] = make() if value is None else value
        return self[key]


class Problem:
    def __init__(self, text):
        words = text.split()
        self.text, self.op, self.dtype = text, words[0], words[1]
        self.shape = tuple(int(n) for n in words[2].split("x"))
        pairs = dict(word.split("=", 1) for word in words[3:] if "=" in word)
        self.last, self.value = "last" in words, "value" in words
        self.axes = sorted(int(n) for n in pairs.get("axes", ",".join(map(str, range(len(self.shape))))).split(","))
        self.kept = [d for d in range(len(self.shape)) if d not in self.axes]
        self.ignore_nan = pairs.get("nan") == "ignore"
        self.data, self.offset = pairs.get("data", "random"), int(pairs.get("offset", 0))
        packed = [int(np.prod(self.shape[i + 1:], dtype=np.int64)) for i in range(len(self.shape))]
        self.strides = [int(n) for n in pairs["strides"].split(",")] if "strides" in pairs else packed
        self.packed = self.strides == packed and self.offset == 0
        reach = [(n - 1) * s for n, s in zip(self.shape, self.strides)]
        if "offset" not in pairs:
            self.offset = -sum(r for r in reach if r < 0)
        self.extent = self.offset + sum(r for r in reach if r > 0) + 1
        self.negative = any(s < 0 for s in self.strides)
        self.floating = self.dtype.startswith(("float", "bfloat"))
        self.numpy_type = np.dtype("uint16" if self.dtype == "bfloat16" else self.dtype)
        self.bytes = self.extent * self.numpy_type.itemsize
        self.data_key, self.made = (self.dtype, self.extent, self.data), self.extent

    def share(self, largest):
        """Use the first elements of data that all problems of the type have in common, `largest` of them."""
        self.data_key, self.made = (self.dtype, "shared", largest), largest

    def make(self):
        """The buffer's elements as a flat array; bfloat16 as its bits."""
        random, size = np.random.default_rng(1), self.numpy_type.itemsize
        words = random.integers(0, 1 << 64, (self.made * size + 7) // 8, dtype=np.uint64)
        if self.floating:  # below 2 in magnitude, as in the benchmark
            words &= np.uint64(~sum(1 << (8 * size * i + 8 * size - 2) for i in range(8 // size)) & (1 << 64) - 1)
        flat = words.view(self.numpy_type)[:self.made]
        if self.data in ("increasing", "decreasing"):
            flat.sort()
            flat = flat[::-1].copy() if self.data == "decreasing" else flat
        elif self.data == "constant":
            flat[:] = 1
        elif self.data == "ties":
            flat[:] = random.integers(0, 5, self.extent).astype(self.numpy_type)
        elif self.data in ("nan", "allnan") and self.floating:
            nan = 0x7fc0 if self.dtype == "bfloat16" else np.nan
            flat[slice(None) if self.data == "allnan" else random.integers(0, self.extent, self.extent // 8)] = nan
        return flat

    def view(self, flat, module=np):
        """The tensor that the flat array holds."""
        return module.lib.stride_tricks.as_strided(flat[self.offset:], self.shape,
                                                   [s * self.numpy_type.itemsize for s in self.strides])


def reduced_last(p, x, transpose, reshape):
    """What a user does for several axes: the reduced ones last and joined. For one axis: none of it."""
    if not p.kept:
        return reshape(x, (-1,)), 0
    if len(p.axes) == 1:
        return x, p.axes[0]
    return reshape(transpose(x, p.kept + p.axes), [p.shape[d] for d in p.kept] + [-1]), len(p.kept)


def numbers(p, flat):
    """The flat array as numbers that NumPy compares: bfloat16 as float32, float16 as integers of the same order unless
    there are NaNs among them, since NumPy compares float16 very slowly."""
    if p.dtype == "bfloat16":
        return (flat.astype(np.uint32) << 16).view(np.float32)
    if p.dtype == "float16" and not p.data.endswith("nan"):
        bits = flat.view(np.int16)
        return np.where(bits < 0, np.int16(-32768) - bits, bits)
    return flat


class Reference:
    """NumPy's answers, or those of the first outputs where all of them would take minutes."""

    MOST = 1 << 26  # elements that NumPy looks at

    def __init__(self, p, flat, most=MOST):
        self.p, self.right = p, None
        x = p.view(flat)
        self.cut = self.axis = None
        if p.kept and x.size > most:
            self.axis = max(p.kept, key=lambda d: p.shape[d])
            self.cut = max(1, p.shape[self.axis] * most // x.size)
            x = x[tuple(slice(self.cut) if d == self.axis else slice(None) for d in range(x.ndim))]
        if p.last or p.ignore_nan and p.data.endswith("nan") or x.size > 16 * most:
            return
        x = numbers(p, np.ascontiguousarray(x)) if x.size * x.itemsize <= 1 << 32 else x
        if len(p.axes) > 1 and p.kept:
            x = x.transpose(p.kept + p.axes).reshape([x.shape[d] for d in p.kept] + [-1])
        axis = None if not p.kept else p.axes[0] if len(p.axes) == 1 else -1
        self.right = getattr(np, p.op)(x, axis=axis)

    def agrees(self, got):
        """Whether a peer's indices are these; None: nobody knows."""
        if self.right is None:
            return None
        got = np.asarray(got).reshape([self.p.shape[d] for d in self.p.kept])
        if self.cut is not None:
            got = np.take(got, range(self.cut), axis=self.p.kept.index(self.axis))
        return bool(np.array_equal(got, self.right))
