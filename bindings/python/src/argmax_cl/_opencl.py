"""pyopencl arrays: nothing leaves the device."""

from __future__ import annotations

from ctypes import byref, c_void_p, sizeof
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from . import _library
from ._reduce import code_of, ignored, index_code_of, kept_shape, normalized


def place(name: str, what: str, code: int, a: Any) -> _library.Tensor:
    itemsize = a.dtype.itemsize
    if not isinstance(a.base_data, cl.MemoryObjectHolder):
        raise TypeError(f"{name}: {what}: expected an array in an OpenCL buffer, not in {type(a.base_data).__name__}")
    if a.offset % itemsize or any(stride % itemsize for stride in a.strides):
        raise ValueError(f"{name}: {what}: expected offset and strides in whole elements")
    if not a.shape:
        return _library.tensor(code, (1,), (1,), a.offset // itemsize)
    return _library.tensor(code, a.shape, [stride // itemsize for stride in a.strides], a.offset // itemsize)


def spread(a: Any, target: tuple[int, ...], code: int, name: str, what: str) -> _library.Tensor:
    """A packed output, as the library's full-rank one."""
    if not isinstance(a, cl_array.Array) or not a.flags.c_contiguous:
        raise TypeError(f"{name}: {what}: expected a contiguous pyopencl array")
    if a.shape != target:
        raise ValueError(f"{name}: {what}: shape {a.shape}, expected {target}")
    made = _library.tensor(code)
    made.offset = a.offset // a.dtype.itemsize
    return made


def reduce(name: str, a: Any, axis: Any, last: bool, nan: str, keepdims: bool, index_dtype: Any, out: Any, values: bool,
           queue: Any, wait_for: Any) -> Any:  # fmt: skip
    queue = queue or a.queue
    if queue is None:
        raise ValueError(f"{name}: the array has no queue: expected queue=")
    code = code_of(name, np.dtype(a.dtype))
    axes = normalized(axis, len(a.shape))
    shape = kept_shape(name, a.shape, axes, keepdims)
    if out is None:
        index_type, index_code = index_code_of(index_dtype)
        index: Any = cl_array.empty(queue, shape, index_type)
        value: Any = cl_array.empty(queue, shape, a.dtype) if values else None
    else:
        index, value = out if values else (out, None)
        index_code = index_code_of(index.dtype)[1]
    result = (index, value) if values else index
    ignore = ignored(nan)
    if not index.size:
        return result
    described = _library.desc(
        place(name, "a", code, a), spread(index, shape, index_code, name, "out"),
        None if value is None else spread(value, shape, code_of(name, value.dtype), name, "out[1]"),
        axes, last, ignore)  # fmt: skip
    addresses = [array.base_data.int_ptr for array in (a, index, value) if array is not None]
    buffers = _library.Pointers(sizeof(_library.Pointers), *addresses)
    waits = [*(wait_for or ()), *a.events, *index.events, *(() if value is None else value.events)]
    events = (c_void_p * len(waits))(*[event.int_ptr for event in waits])
    done = c_void_p()
    handle = _library.handle_in(queue.context.int_ptr, queue.device.int_ptr)
    _library.check(_library.ENQUEUE[name](handle, queue.int_ptr, byref(described), byref(buffers), len(waits),
                                          events if waits else None, byref(done)))  # fmt: skip
    event = cl.Event.from_int_ptr(done.value or 0, retain=False)
    for array in (index,) if value is None else (index, value):
        array.add_event(event)
    a.add_event(event)
    return result
