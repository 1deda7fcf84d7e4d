"""where=, masked arrays and argminmax, beside a plain loop over NumPy's own answers."""

import tracemalloc

import numpy as np
import pytest

import argmax_cl
from argmax_cl import _reduce

from test_host import drawn, view

ALL = "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 ? >f4 M8[s] m8[D]".split()


def chosen_of(numpys, row, keep, last=False, ignore=False):
    """NumPy's answer for the elements that count, as an index into all of the row; -1 without any."""
    if ignore and row.dtype.kind == "f":
        keep = keep & ~np.isnan(row)
    places = np.flatnonzero(keep)
    if not places.size:
        return -1
    if last:
        places = places[::-1]
    return int(places[numpys(row[places])])


def beside(numpys, a, axis, where, **rules):
    """The answers for each slice, in one dimension."""
    keep = np.broadcast_to(where, a.shape) != 0
    if axis is None:
        return np.array([chosen_of(numpys, a.reshape(-1), keep.reshape(-1), **rules)])
    rows, keeps = (np.moveaxis(x, axis, -1).reshape(-1, a.shape[axis]) for x in (a, keep))
    return np.array([chosen_of(numpys, row, kept, **rules) for row, kept in zip(rows, keeps)])


def values_of(a, axis, index):
    """The elements at the indices in one dimension, and what stands for no winner."""
    rows = a.reshape(1, -1) if axis is None else np.moveaxis(a, axis, -1).reshape(-1, a.shape[axis])
    got = rows[np.arange(len(index)), index].astype(a.dtype.newbyteorder("="))
    got[index < 0] = {"f": np.nan, "M": "NaT", "m": "NaT"}.get(a.dtype.kind, 0)
    return got


def drawn_mask(rng, shape):
    """Of a shape that broadcasts to the given one, of other strides at times, with all, some or no elements."""
    shape = tuple(1 if rng.random() < 0.3 else int(size) for size in shape)
    shape = shape[int(rng.integers(0, len(shape) + 1)) if rng.random() < 0.3 else 0 :]
    mask = rng.random(shape) < rng.choice([0, 0.1, 0.5, 0.9, 1])
    if rng.random() < 0.4:
        mask = (mask * rng.integers(1, 256, shape)).astype(np.uint8)
    if rng.random() < 0.5 and mask.ndim:  # the same by other strides
        wide = np.zeros(tuple(2 * size for size in mask.shape[::-1]), mask.dtype)
        part = wide.T[(slice(None, None, -2),) * mask.ndim]
        part[...] = mask
        mask = part
    return mask


@pytest.mark.parametrize("dtype", ALL)
def test_random_masks(dtype):
    rng = np.random.default_rng([11, ALL.index(dtype)])
    for _ in range(2):
        a = view(rng, drawn(rng, dtype, tuple(rng.integers(1, 9, rng.integers(1, 4)))))
        axis = None if rng.random() < 0.3 else int(rng.integers(-a.ndim, a.ndim))
        where, last = drawn_mask(rng, a.shape), bool(rng.random() < 0.5)
        ignore = bool(rng.random() < 0.5)
        rules = dict(last=last, nan="ignore" if ignore else "propagate")
        pairs = [(argmax_cl.argmax, np.argmax), (argmax_cl.argmin, np.argmin)]
        for ours, numpys in pairs:
            index, value = ours(a, axis, where=where, values=True, **rules)
            expected = beside(numpys, a, axis, where, last=last, ignore=ignore)
            np.testing.assert_array_equal(np.ravel(index), expected)
            np.testing.assert_array_equal(np.ravel(value), values_of(a, axis, expected))
            assert value.dtype == a.dtype.newbyteorder("=")
        several = (last, not last) if rng.random() < 0.5 else last
        both = argmax_cl.argminmax(a, axis, where=where, values=True, last=several, nan=rules["nan"])
        for i, numpys in enumerate((np.argmin, np.argmax)):
            expected = beside(numpys, a, axis, where, last=several[i] if several is not last else last, ignore=ignore)
            np.testing.assert_array_equal(np.ravel(both[i]), expected)
            np.testing.assert_array_equal(np.ravel(both[2 + i]), values_of(a, axis, expected))


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", ">f4", "M8[s]"])
def test_masked_arrays(dtype):
    rng = np.random.default_rng(13)
    for trial in range(2):
        a = view(rng, drawn(rng, dtype, (3, 8, 4)))
        hidden = rng.random(a.shape) < 0.5
        hidden[..., 0] |= trial == 0
        masked = np.ma.masked_array(a, hidden)
        where = drawn_mask(rng, a.shape)
        for axis, ours, numpys in ((None, argmax_cl.argmax, np.argmax), (-1, argmax_cl.argmin, np.argmin)):
            index = ours(masked, axis)
            assert type(index) in (np.ndarray, np.int64)
            np.testing.assert_array_equal(np.ravel(index), beside(numpys, a, axis, ~hidden))
            index, value = ours(masked, axis, where=where, values=True)
            expected = beside(numpys, a, axis, ~hidden & (np.broadcast_to(where, a.shape) != 0))
            np.testing.assert_array_equal(np.ravel(index), expected)
            np.testing.assert_array_equal(np.ravel(value), values_of(a, axis, expected))
            assert type(value) in (np.ndarray, a.dtype.newbyteorder("=").type)


def test_masked_arrays_without_a_mask_and_with_nothing_else():
    a = np.ma.masked_array([1.0, 3, 2])
    assert argmax_cl.argmax(a) == 1 and argmax_cl.argmin(a) == 0
    assert argmax_cl.argmax(np.ma.masked_all(4)) == argmax_cl.argmax(np.ma.masked) == -1
    assert argmax_cl.argmax(np.ma.masked_array([[1, 9], [3, 9]], [[0, 1], [0, 1]]), 0).tolist() == [1, -1]
    assert argmax_cl.argmax([5, 6, 7], where=np.ma.masked_array([1, 1, 1], [0, 0, 1], bool)) == 1


def test_a_masked_nan_or_nat_does_not_propagate():
    a, where = np.array([1, np.nan, 3]), np.array([True, False, True])
    assert argmax_cl.argmax(a, where=where) == 2 and argmax_cl.argmax(a, where=~where) == 1
    assert argmax_cl.argmax(a, where=~where, nan="ignore") == -1
    times = np.array([4, "NaT", 5], "M8[s]")
    assert argmax_cl.argminmax(times, where=where) == (0, 2) and argmax_cl.argminmax(times) == (1, 1)


def test_no_winner():
    where = np.zeros(3, bool)
    for dtype in (np.uint32, np.uint64, np.int32):
        index, value = argmax_cl.argmin(np.arange(3), where=where, index_dtype=dtype, values=True)
        assert index == np.array(-1).astype(dtype) and value == 0
    for times in (np.arange(3).astype("M8[ns]"), np.array([1, "NaT", 2], "m8[D]")):
        for ours in (argmax_cl.argmax, argmax_cl.argmin):
            assert np.isnat(ours(times, where=where, values=True)[1])
        assert np.isnat(argmax_cl.argminmax(times, where=where, values=True)[2:]).all()


def test_where_is_one_number_or_a_tensor_of_bytes():
    a = np.array([[3, 9, 1], [4, 0, 8]])
    for nothing in (True, None, np.True_, 1 == 1, np.uint8(7)):
        assert argmax_cl.argmax(a, where=nothing) == 1
    assert argmax_cl.argmax(a, where=False) == argmax_cl.argmax(a, where=np.uint8(0)) == -1
    assert argmax_cl.argmax(a, 1, where=[[True], [False]]).tolist() == [1, -1]
    assert argmax_cl.argmax(a, 1, where=np.array([-1, 0, 1], np.int8)).tolist() == [0, 2]
    assert argmax_cl.argmax(a, (0, 1), where=[True, False, True], last=True, keepdims=True).tolist() == [[5]]
    b = np.array([True, False, True])  # its own mask
    assert argmax_cl.argmin(b, where=b) == 0 and argmax_cl.argmax(b, where=b, last=True) == 2
    assert argmax_cl.argmax(np.float32(3), where=False) == -1 and argmax_cl.argmax(2.5, where=True) == 0
    assert argmax_cl.argmax(np.empty((0, 3)), 1, where=np.ones(3, bool)).shape == (0,)


def test_many_ranks():
    rng = np.random.default_rng(2)
    a, where = rng.integers(0, 9, (2,) * 11), rng.random((2, 1, 2)) < 0.5
    for axis in (None, 0, 5, -1):
        np.testing.assert_array_equal(np.ravel(argmax_cl.argmax(a, axis, where=where)), beside(np.argmax, a, axis, where))


def test_masks_are_read_in_place_and_broadcast_by_strides(monkeypatch):
    a = np.zeros((64, 1 << 16), np.float32)
    packed, handed = np.ones(a.shape, bool), []
    asked = _reduce.prepared
    monkeypatch.setattr(_reduce, "prepared", lambda *rest: handed.append(rest[-1]) or asked(*rest))
    masks = [packed, packed[:, ::-1], np.ones((1, 1 << 16), bool), np.ones((64, 1), np.uint8), np.True_]
    strides = [None, (1 << 16, -1), (0, 1), (1, 0), (0, 0)]
    argmax_cl.argmax(a, 1, where=packed)
    for where, expected in zip(masks, strides):
        tracemalloc.start()
        argmax_cl.argmax(a, 1, where=where)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert handed[-1] == expected and most < 1 << 16, (handed[-1], most)
    hidden = np.ma.masked_array(a, np.broadcast_to(np.zeros(1 << 16, bool), a.shape), copy=False)
    tracemalloc.start()
    argmax_cl.argmax(hidden, 1)
    assert tracemalloc.get_traced_memory()[1] < 1 << 18 and handed[-1] == (0, 1)
    tracemalloc.stop()


@pytest.mark.parametrize("dtype", ALL)
def test_argminmax(dtype):
    rng = np.random.default_rng([17, ALL.index(dtype)])
    for _ in range(2):
        a = view(rng, drawn(rng, dtype, tuple(rng.integers(1, 9, rng.integers(0, 4)))))
        axis = None if rng.random() < 0.3 else int(rng.integers(-max(a.ndim, 1), max(a.ndim, 1)))
        last = tuple(bool(one) for one in rng.random(2) < 0.5)
        got = argmax_cl.argminmax(a, axis, last=last, values=True, keepdims=True)
        for i, numpys in enumerate((np.argmin, np.argmax)):
            likewise = numpys(a, axis, keepdims=True)
            assert type(got[i]) is type(likewise) and (got[i].dtype, got[i].shape) == (likewise.dtype, likewise.shape)
            if a.ndim:
                expected = beside(numpys, a, axis, True, last=last[i])
                np.testing.assert_array_equal(np.ravel(got[i]), expected)
                np.testing.assert_array_equal(np.ravel(got[2 + i]), values_of(a, axis, expected))
            assert got[2 + i].dtype == a.dtype.newbyteorder("=")


def test_argminmax_out_and_errors():
    for a in (np.array([[3, 9, 1], [4, 0, 8]]), np.array([[3, "NaT", 1], [4, 0, 8]], "m8[s]")):
        out = np.empty(2, np.int64), np.empty(2, np.int32), np.empty(2, a.dtype), np.empty(2, a.dtype)
        assert argmax_cl.argminmax(a, 1, out=out, values=True) is out
        for got, expected in zip(out, argmax_cl.argminmax(a, 1, values=True)):
            np.testing.assert_array_equal(got, expected)
        assert argmax_cl.argminmax(a, 1, out=out[:2]) == out[:2]
    for arguments in (dict(out=np.empty(2, int)), dict(out=out[:2], values=True), dict(last=(True,)), dict(out=out[:1])):
        with pytest.raises(ValueError):
            argmax_cl.argminmax([[1, 2], [3, 4]], 1, **arguments)
    with pytest.raises(ValueError, match="empty sequence"):
        argmax_cl.argminmax([])
