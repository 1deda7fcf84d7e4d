"""argmax, argmin and argminmax: NumPy's rules about shapes, axes and dtypes, then one call of the library."""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Sequence
from ctypes import addressof, byref, c_char, sizeof
from typing import Any, NamedTuple

import numpy as np
from numpy.exceptions import AxisError

from . import _library
from ._library import DtypeError

MAX_RANK = 8
INDEX_CODES = {np.dtype(np.int64): 8, np.dtype(np.int32): 7, np.dtype(np.uint64): 12, np.dtype(np.uint32): 11}
CODES = {np.dtype(name): code for code, name in enumerate(
    "float32 float16 float64 - int8 int16 int32 int64 uint8 uint16 uint32 uint64".split(), 1) if name != "-"}  # fmt: skip
CODES[np.dtype(bool)] = CODES[np.dtype(np.uint8)]
BFLOAT16 = 4
# int8 as well, since pyopencl's comparisons give it.
MASK_CODE, MASK_DTYPES = 9, tuple(np.dtype(name) for name in ("bool", "uint8", "int8"))
NAN_MODES = {"propagate": False, "ignore": True}


def code_of(name: str, dtype: np.dtype[Any]) -> int:
    code = CODES.get(dtype)
    if code is None and dtype.name == "bfloat16":
        code = BFLOAT16
    if code is None:
        raise DtypeError(f"{name}: dtype {dtype}: expected bool, an integer of 8 to 64 bits, float16, bfloat16, "
                         "float32, float64, datetime64 or timedelta64", 2)  # fmt: skip
    return code


def index_code_of(index_dtype: Any) -> tuple[np.dtype[Any], int]:
    dtype = np.dtype(index_dtype)
    if dtype not in INDEX_CODES:
        raise DtypeError(f"index_dtype {dtype}: expected int64, int32, uint64 or uint32", 2)
    return dtype, INDEX_CODES[dtype]


def ignored(nan: str) -> bool:
    if nan not in NAN_MODES:
        raise ValueError(f"nan = {nan!r}: expected 'propagate' or 'ignore'")
    return NAN_MODES[nan]


def normalized(axis: int | Sequence[int] | None, rank: int) -> tuple[int, ...]:
    """The reduced axes, ascending, of an array whose rank counts as 1 at least."""
    if axis is None:
        return tuple(range(max(rank, 1)))
    axes = []
    for one in axis if isinstance(axis, (tuple, list)) else (axis,):
        given = operator.index(one)
        if not -max(rank, 1) <= given < max(rank, 1):
            raise AxisError(given, rank)
        axes.append(given % max(rank, 1))
    if not axes:
        raise ValueError("axis = (): expected at least one axis")
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis = {axis}: an axis is given twice")
    return tuple(sorted(axes))


def kept_shape(name: str, shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> tuple[int, ...]:
    """The result's shape; an array without elements along the reduction is refused as NumPy refuses it."""
    if shape and 0 in [shape[axis] for axis in axes]:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape) if keepdims or axis not in axes)


def placed(code: int, itemsize: int, shape: tuple[int, ...], strides: tuple[int, ...] | None) -> tuple[_library.Tensor, int]:
    """The tensor of an array, and the bytes from its lowest element to the one at position 0."""
    before = 0
    if strides is not None:
        strides = tuple(stride // itemsize for stride in strides)
        before = -sum(min(0, (size - 1) * stride) for size, stride in zip(shape, strides))
    return _library.tensor(code, shape or (1,), strides or None, before), before * itemsize


class Prepared(NamedTuple):
    """What a call has to know of its arguments but for where the data are."""

    shape: tuple[int, ...]  # of the results
    index_dtype: np.dtype[Any]
    described: _library.Desc
    before: int  # bytes from the lowest element of the array to the one at position 0
    mask_before: int


@functools.lru_cache(maxsize=512)
def prepared(name: str, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...] | None,
             axis: int | tuple[int, ...] | None, last: tuple[bool, ...], nan: str, keepdims: bool, index_dtype: Any,
             values: bool, masked: bool = False, mask_strides: tuple[int, ...] | None = None) -> Prepared:  # fmt: skip
    """last tells how many extrema there are. Kept, since all this takes longer than a small call itself."""
    code = code_of(name, dtype)
    index, index_code = index_code_of(index_dtype)
    axes = normalized(axis, len(shape))
    result = kept_shape(name, shape, axes, keepdims and bool(shape))
    source, before = placed(code, dtype.itemsize, shape, strides)
    mask, mask_before = placed(MASK_CODE, 1, shape, mask_strides) if masked else (None, 0)
    described = _library.desc(
        source, mask, [_library.tensor(index_code) for _ in last],
        [_library.tensor(code) for _ in last] if values else (), axes, last, ignored(nan))  # fmt: skip
    return Prepared(result, index, described, before, mask_before)


def packed_or_strides(a: np.ndarray[Any, Any]) -> tuple[int, ...] | None:
    return None if a.flags.c_contiguous else a.strides


def as_array(a: Any) -> np.ndarray[Any, Any]:
    if not isinstance(a, np.ndarray) and hasattr(a, "__dlpack__") and not hasattr(a, "__array_interface__"):
        a = np.from_dlpack(a)
    array: np.ndarray[Any, Any] = np.asarray(a)
    return array


def plain(name: str, a: Any) -> np.ndarray[Any, Any]:
    """The array as one that the library reads where it lies; copied only for another byte order or odd strides."""
    if type(a) is np.ndarray and a.dtype in CODES and a.flags.c_contiguous and a.flags.aligned:
        return a
    array = as_array(a)
    native = array.dtype.newbyteorder("=")
    if array.dtype.kind not in "mM":
        code_of(name, native)
    if not array.dtype.isnative:
        array = array.astype(native)
    if not array.flags.aligned or any(stride % native.itemsize for stride in array.strides):
        array = array.copy()
    if array.dtype.kind in "mM":
        missing = name == "argmax" and bool(np.isnat(array).any())
        # NaT, the smallest integer, wins an argmax too: one step further down it is the largest.
        array = array.view(np.int64) - np.int64(1) if missing else array.view(np.int64)
    return array


def of_few_ranks(a: np.ndarray[Any, Any], axes: tuple[int, ...]) -> tuple[np.ndarray[Any, Any], tuple[int, ...]]:
    """The same problem in at most MAX_RANK axes."""
    kept = [axis for axis in range(a.ndim) if axis not in axes]
    moved = a.transpose(kept + list(axes))
    return moved.reshape(math.prod(a.shape[axis] for axis in kept), -1), (1,)


def unmasked(a: np.ma.MaskedArray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """Where a is not masked; what is broadcast is turned round once."""
    if np.ma.getmask(a) is np.ma.nomask:
        return None
    mask = np.ma.getmaskarray(a)
    once = mask[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in mask.strides)]
    return np.broadcast_to(~once, mask.shape)


def counted(name: str, masked: np.ma.MaskedArray[Any, Any] | None, where: Any,
            shape: tuple[int, ...]) -> np.ndarray[Any, Any] | None:  # fmt: skip
    """A byte for each element, 0 for one that does not count; None where all do."""
    kept = None if masked is None else unmasked(masked)
    if where is None:
        return kept
    given = as_array(where.filled(False) if isinstance(where, np.ma.MaskedArray) else where)
    check_mask(name, given.dtype)
    try:
        chosen = np.broadcast_to(given, shape)
    except ValueError:
        raise no_broadcast(name, given.shape, shape) from None
    return chosen if kept is None else np.logical_and(chosen, kept)


def check_mask(name: str, dtype: np.dtype[Any]) -> None:
    if dtype not in MASK_DTYPES:
        raise DtypeError(f"{name}: where: dtype {dtype}: expected bool, uint8 or int8", 2)


def no_broadcast(name: str, given: tuple[int, ...], shape: tuple[int, ...]) -> ValueError:
    return ValueError(f"{name}: where: shape {given}: expected one that broadcasts to a's, {shape}")


def check_index(name: str, out: Any, shape: tuple[int, ...], index: np.dtype[Any]) -> None:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{name}: out: expected an array, got {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"{name}: out: output array does not match result of {name}: shape {out.shape}, expected {shape}")
    if out.dtype != index and not np.can_cast(out.dtype, np.intp, "safe"):
        raise TypeError(f"{name}: out: Cannot cast array data from {out.dtype!r} to {index!r}")
    if not out.flags.writeable:
        raise ValueError(f"{name}: out: output array is read-only")


def check_value(name: str, out: Any, position: int, shape: tuple[int, ...]) -> None:
    if out is not None and (not isinstance(out, np.ndarray) or out.shape != shape):
        raise ValueError(f"{name}: out[{position}]: expected an array of shape {shape}")


def given_outs(name: str, out: Any, count: int) -> Sequence[Any]:
    """out as a sequence: itself for one result, a tuple or a list for more."""
    if count == 1:
        return (out,)
    if not isinstance(out, (tuple, list)) or len(out) != count:
        raise ValueError(f"{name}: out: expected a tuple of {count} arrays")
    return out


def address(a: np.ndarray[Any, Any]) -> int:
    if a.flags.carray and a.size and a.dtype.isbuiltin == 1:
        return addressof(c_char.from_buffer(a.data))  # in half the time
    data: int = a.__array_interface__["data"][0]
    return data


def as_times(name: str, given: np.ndarray[Any, Any], index: np.ndarray[Any, Any], value: np.ndarray[Any, Any],
             masked: bool) -> np.ndarray[Any, Any]:  # fmt: skip
    """The values of times, from the integers that the library saw; NaT where a mask leaves nothing."""
    if name == "argmax" and np.isnat(given).any():
        value = np.asarray(value + 1)
    times: np.ndarray[Any, Any] = value.view(given.dtype.newbyteorder("="))
    if masked:
        times[index == np.array(-1).astype(index.dtype)] = "NaT"
    return times


def each_alone(a: Any, last: tuple[bool, ...], out: Any, values: bool, **others: Any) -> Any:
    """Both extrema of times with NaT among them, which is at two places of the order of integers."""
    outs = (None, None) if out is None else [part if values else part[0] for part in (out[0::2], out[1::2])]
    least, largest = (
        reduce(name, a, last=last[i : i + 1], out=outs[i], values=values, **others)
        for i, name in enumerate(("argmin", "argmax")))  # fmt: skip
    if out is not None:
        return out
    return (least[0], largest[0], least[1], largest[1]) if values else (least, largest)


def reduce(name: str, a: Any, axis: Any, last: tuple[bool, ...], nan: str, keepdims: bool, index_dtype: Any, out: Any,
           values: bool, where: Any, device: Any, queue: Any, wait_for: Any) -> Any:  # fmt: skip
    """last has one element for each extremum: of argminmax the minimum's and the maximum's. The results: an index for
    each, then with values a value for each."""
    if where is True:
        where = None
    opencl = sys.modules.get("pyopencl.array")
    if opencl is not None and isinstance(a, opencl.Array):
        from . import _opencl

        return _opencl.reduce(name, a, axis, last, nan, keepdims, index_dtype, out, values, where, queue, wait_for)
    if wait_for is not None:
        raise TypeError(f"{name}: wait_for: taken with pyopencl arrays alone")
    masked = None
    given = a
    if type(a) is not np.ndarray:
        masked = a if isinstance(a, np.ma.MaskedArray) else None
        given = as_array(a)
    count = len(last) * (2 if values else 1)
    outs = () if out is None else given_outs(name, out, count)
    times = given.dtype.kind in "mM"
    if times and len(last) == 2 and np.isnat(given).any():
        return each_alone(a, last, out, values, axis=axis, nan=nan, keepdims=keepdims, index_dtype=index_dtype,
                          where=where, device=device, queue=queue, wait_for=None)  # fmt: skip
    a = plain(name, given)
    mask = None if where is None and masked is None else counted(name, masked, where, a.shape)
    shape = None
    if a.ndim > MAX_RANK:
        axis = normalized(axis, a.ndim)
        shape = kept_shape(name, a.shape, axis, keepdims)
        if 0 not in shape:
            mask = None if mask is None else of_few_ranks(mask, axis)[0]
            a, axis = of_few_ranks(a, axis)
    elif axis is not None and type(axis) is not int:
        axis = normalized(axis, a.ndim)
    if not isinstance(index_dtype, type):
        index_dtype = np.dtype(index_dtype)
    own_shape, index, described, before, mask_before = prepared(
        name, a.dtype, a.shape, packed_or_strides(a), axis, last, nan, bool(keepdims), index_dtype, values,
        mask is not None, None if mask is None else packed_or_strides(mask))  # fmt: skip
    if shape is None:
        shape = own_shape
    results = [np.empty(shape, index)]
    if count > 1:
        results += [np.empty(shape, index if i < len(last) else a.dtype) for i in range(1, count)]
    for i, to in enumerate(outs):
        if i < len(last):
            check_index(name, to, shape, index)
        else:
            check_value(name, to, i, shape)
    if results[0].size:
        pointers = _library.Pointers(sizeof(_library.Pointers), address(a) - before, address(results[0]))
        if values:
            pointers.value = address(results[len(last)])
        if mask is not None:
            pointers.mask = address(mask) - mask_before
        if len(last) == 2:
            pointers.max_index = address(results[1])
            pointers.max_value = address(results[3]) if values else None
        handle = _library.handle_of(device) if queue is None else _library.handle_in(
            queue.context.int_ptr, queue.device.int_ptr)  # fmt: skip
        _library.check(_library.HOST[name](handle, byref(described), byref(pointers), None))
    if times and values:
        for i in range(len(last)):
            results[len(last) + i] = as_times(name, given, results[i], results[len(last) + i], mask is not None)
    if out is not None:
        for to, result in zip(outs, results):
            if to is not None:
                to[...] = result
        return out
    return results[0][()] if count == 1 else tuple(result[()] for result in results)


_PARAMETERS = """

    a            an array of any strides (an array-like, __array_interface__, the buffer protocol, DLPack on the host),
                 read where it lies; or a pyopencl array or a slice of one, which stays on the device. The masked
                 elements of a numpy.ma array never win
    axis         an axis, several, or None for all: the index counts in the row-major flattening of the reduced axes
    last         the last of equal extrema instead of the first{last}
    nan          "propagate": a NaN beats every number; "ignore": it never wins, and a slice of NaNs alone gives -1
    keepdims     keep the reduced axes, with size 1
    index_dtype  int64, int32, uint64 or uint32
    out          where to put the {indices}: {out}
    values       give {results} instead of {indices}
    where        bool, uint8 or int8, of a shape that broadcasts to a's; elements where it is False or 0 never win, and a
                 slice with none left gives -1. With a pyopencl array it is one too
    device       an index below devices(), or a part of a device's or platform's name; None: the fastest
    queue        a pyopencl queue: its device computes; for a pyopencl array in place of the array's own queue
    wait_for     pyopencl events to wait for, with a pyopencl array; its results carry an event in .events

    Where there is no winner the index has all bits set, and the value is NaN, of integers 0, of times NaT.
    Shapes: (n0, n1, ...) -> the same without the reduced axes, a scalar when none is left.
    Raises ValueError, TypeError, AxisError, MemoryError or argmax_cl.Error, of which the library's own all are."""


def argmax(a: Any, axis: int | Sequence[int] | None = None, *, last: bool = False, nan: str = "propagate",
           keepdims: bool = False, index_dtype: Any = np.int64, out: Any = None, values: bool = False, where: Any = None,
           device: int | str | None = None, queue: Any = None, wait_for: Any = None) -> Any:  # fmt: skip
    """The index of the largest element along an axis, along several, or of all.

    >>> argmax([[1, 2, 3], [3, 0, 4]], axis=0)
    array([1, 0, 1])
    >>> argmax([[1, 2, 3], [3, 0, 4]], axis=(0, 1), keepdims=True)
    array([[5]])
    >>> argmax([[1, 2, 3], [3, 0, 4]], axis=1, where=[True, True, False])
    array([1, 0])"""
    return reduce("argmax", a, axis, (bool(last),), nan, keepdims, index_dtype, out, values, where, device, queue, wait_for)


def argmin(a: Any, axis: int | Sequence[int] | None = None, *, last: bool = False, nan: str = "propagate",
           keepdims: bool = False, index_dtype: Any = np.int64, out: Any = None, values: bool = False, where: Any = None,
           device: int | str | None = None, queue: Any = None, wait_for: Any = None) -> Any:  # fmt: skip
    """The index of the smallest element along an axis, along several, or of all.

    >>> argmin([3, 1, 1], values=True)
    (np.int64(1), np.int64(1))"""
    return reduce("argmin", a, axis, (bool(last),), nan, keepdims, index_dtype, out, values, where, device, queue, wait_for)


def argminmax(a: Any, axis: int | Sequence[int] | None = None, *, last: bool | tuple[bool, bool] = False,
              nan: str = "propagate", keepdims: bool = False, index_dtype: Any = np.int64, out: Any = None,
              values: bool = False, where: Any = None, device: int | str | None = None, queue: Any = None,
              wait_for: Any = None) -> Any:  # fmt: skip
    """The indices of the smallest and of the largest element, from one read of the array.

    >>> argminmax([[1, 2, 3], [3, 0, 4]], axis=1)
    (array([0, 1]), array([2, 2]))
    >>> argminmax([2, 1, 3, 1, 3], last=(False, True), values=True)
    (np.int64(1), np.int64(4), np.int64(1), np.int64(3))"""
    pair = last if isinstance(last, (tuple, list)) else (last, last)
    if len(pair) != 2:
        raise ValueError(f"argminmax: last = {last}: expected a bool, or two: the minimum's and the maximum's")
    return reduce("argminmax", a, axis, (bool(pair[0]), bool(pair[1])), nan, keepdims, index_dtype, out, values, where,
                  device, queue, wait_for)  # fmt: skip


for _function in (argmax, argmin):
    _function.__doc__ = f"{_function.__doc__}{_PARAMETERS}".format(
        last="", indices="indices", out="with values a pair of arrays", results="(indices, values)")  # fmt: skip
argminmax.__doc__ = f"{argminmax.__doc__}{_PARAMETERS}".format(
    last=", for both or a pair of its own for each", indices="(min_indices, max_indices)",
    out="a pair of arrays, with values four", results="(min_indices, max_indices, min_values, max_values)")  # fmt: skip
