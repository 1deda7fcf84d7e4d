"""argmax and argmin: NumPy's rules about shapes, axes and dtypes, then one call of the library."""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Sequence
from ctypes import byref, sizeof
from typing import Any

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


@functools.lru_cache(maxsize=512)
def host_desc(code: int, itemsize: int, shape: tuple[int, ...], strides: tuple[int, ...] | None, axes: tuple[int, ...],
              last: bool, ignore: bool, index_code: int, values: bool) -> tuple[_library.Desc, int]:  # fmt: skip
    """The descriptor, and the bytes from the lowest element to the one at position 0."""
    before = 0
    if strides is not None:
        strides = tuple(stride // itemsize for stride in strides)
        before = -sum(min(0, (size - 1) * stride) for size, stride in zip(shape, strides))
    made = _library.desc(
        _library.tensor(code, shape or (1,), strides or None, before), _library.tensor(index_code),
        _library.tensor(code) if values else None, axes, last, ignore)  # fmt: skip
    return made, before * itemsize


def plain(name: str, a: Any) -> np.ndarray[Any, Any]:
    """The array as one that the library reads where it lies; copied only for another byte order or odd strides."""
    if type(a) is np.ndarray and a.dtype in CODES and a.flags.c_contiguous and a.flags.aligned:
        return a
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not taken, as their mask would be lost")
    if not isinstance(a, np.ndarray) and hasattr(a, "__dlpack__") and not hasattr(a, "__array_interface__"):
        a = np.from_dlpack(a)
    array: np.ndarray[Any, Any] = np.asarray(a)
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


def given_out(name: str, out: Any, shape: tuple[int, ...], index: np.dtype[Any]) -> None:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{name}: out: expected an array, got {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"{name}: out: output array does not match result of {name}: shape {out.shape}, expected {shape}")
    if out.dtype != index and not np.can_cast(out.dtype, np.intp, "safe"):
        raise TypeError(f"{name}: out: Cannot cast array data from {out.dtype!r} to {index!r}")
    if not out.flags.writeable:
        raise ValueError(f"{name}: out: output array is read-only")


def address(a: np.ndarray[Any, Any]) -> int:
    data: int = a.__array_interface__["data"][0]
    return data


def reduce(name: str, a: Any, axis: Any, last: bool, nan: str, keepdims: bool, index_dtype: Any, out: Any, values: bool,
           device: Any, queue: Any, wait_for: Any) -> Any:  # fmt: skip
    opencl = sys.modules.get("pyopencl.array")
    if opencl is not None and isinstance(a, opencl.Array):
        from . import _opencl

        return _opencl.reduce(name, a, axis, last, nan, keepdims, index_dtype, out, values, queue, wait_for)
    if wait_for is not None:
        raise TypeError(f"{name}: wait_for: taken with pyopencl arrays alone")
    if isinstance(a, (list, tuple)):
        a = np.asarray(a)
    given = a if isinstance(a, (np.ndarray, np.generic)) else None
    a = plain(name, a)
    index, index_code = index_code_of(index_dtype)
    axes = normalized(axis, a.ndim)
    shape = kept_shape(name, a.shape, axes, keepdims and a.ndim > 0)
    result = np.empty(shape, index)
    value = np.empty(shape, a.dtype) if values else None
    if out is not None:
        out_index, out_value = out if values else (out, None)
        given_out(name, out_index, shape, index)
        if out_value is not None and (not isinstance(out_value, np.ndarray) or out_value.shape != shape):
            raise ValueError(f"{name}: out[1]: expected an array of shape {shape}")
    if result.size:
        few, few_axes = (a, axes) if a.ndim <= MAX_RANK else of_few_ranks(a, axes)
        described, before = host_desc(
            code_of(name, few.dtype), few.dtype.itemsize, few.shape, None if few.flags.c_contiguous else few.strides,
            few_axes, bool(last), ignored(nan), index_code, values)  # fmt: skip
        pointers = _library.Pointers(sizeof(_library.Pointers), address(few) - before, address(result),
                                     None if value is None else address(value))  # fmt: skip
        handle = _library.handle_of(device) if queue is None else _library.handle_in(
            queue.context.int_ptr, queue.device.int_ptr)  # fmt: skip
        _library.check(_library.HOST[name](handle, byref(described), byref(pointers), None))
    else:
        ignored(nan)
    if value is not None and given is not None and value.dtype != given.dtype and given.dtype.kind in "mM":
        value = value + 1 if name == "argmax" and np.isnat(given).any() else value
        value = value.view(given.dtype.newbyteorder("="))
    if out is None:
        return (result[()], value[()]) if value is not None else result[()]
    out_index[...] = result
    if value is not None and out_value is not None:
        out_value[...] = value
    return out


_PARAMETERS = """

    a            an array of any strides (an array-like, __array_interface__, the buffer protocol, DLPack on the host),
                 read where it lies; or a pyopencl array or a slice of one, which stays on the device
    axis         an axis, several, or None for all: the index counts in the row-major flattening of the reduced axes
    last         the last of equal extrema instead of the first
    nan          "propagate": a NaN beats every number; "ignore": it never wins, and a slice of NaNs alone gives -1
    keepdims     keep the reduced axes, with size 1
    index_dtype  int64, int32, uint64 or uint32
    out          where to put the indices; with values a pair of arrays
    values       give (indices, values) instead of indices
    device       an index below devices(), or a part of a device's or platform's name; None: the fastest
    queue        a pyopencl queue: its device computes; for a pyopencl array in place of the array's own queue
    wait_for     pyopencl events to wait for, with a pyopencl array; its results carry an event in .events

    Shapes: (n0, n1, ...) -> the same without the reduced axes, a scalar when none is left.
    Raises ValueError, TypeError, AxisError, MemoryError or argmax_cl.Error, of which the library's own all are."""


def argmax(a: Any, axis: int | Sequence[int] | None = None, *, last: bool = False, nan: str = "propagate",
           keepdims: bool = False, index_dtype: Any = np.int64, out: Any = None, values: bool = False,
           device: int | str | None = None, queue: Any = None, wait_for: Any = None) -> Any:  # fmt: skip
    """The index of the largest element along an axis, along several, or of all.

    >>> argmax([[1, 2, 3], [3, 0, 4]], axis=0)
    array([1, 0, 1])
    >>> argmax([[1, 2, 3], [3, 0, 4]], axis=(0, 1), keepdims=True)
    array([[5]])"""
    return reduce("argmax", a, axis, last, nan, keepdims, index_dtype, out, values, device, queue, wait_for)


def argmin(a: Any, axis: int | Sequence[int] | None = None, *, last: bool = False, nan: str = "propagate",
           keepdims: bool = False, index_dtype: Any = np.int64, out: Any = None, values: bool = False,
           device: int | str | None = None, queue: Any = None, wait_for: Any = None) -> Any:  # fmt: skip
    """The index of the smallest element along an axis, along several, or of all.

    >>> argmin([3, 1, 1], values=True)
    (np.int64(1), np.int64(1))"""
    return reduce("argmin", a, axis, last, nan, keepdims, index_dtype, out, values, device, queue, wait_for)


argmax.__doc__ = f"{argmax.__doc__}{_PARAMETERS}"
argmin.__doc__ = f"{argmin.__doc__}{_PARAMETERS}"
