"""pyopencl arrays: nothing leaves the device."""

from __future__ import annotations

from ctypes import byref, c_void_p, sizeof
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

from . import _library
from ._reduce import MASK_CODE, check_mask, code_of, given_outs, ignored, index_code_of, kept_shape, no_broadcast, normalized


def place(name: str, what: str, code: int, a: Any, stretched: tuple[int, ...] | None = None) -> _library.Tensor:
    """An array's tensor, in the shape that it has or is stretched to by strides of 0."""
    itemsize = a.dtype.itemsize
    if not isinstance(a.base_data, cl.MemoryObjectHolder):
        raise TypeError(f"{name}: {what}: expected an array in an OpenCL buffer, not in {type(a.base_data).__name__}")
    if a.offset % itemsize or any(stride % itemsize for stride in a.strides):
        raise ValueError(f"{name}: {what}: expected offset and strides in whole elements")
    sizes = a.shape if stretched is None else stretched
    own = [0 if size == 1 else stride // itemsize for size, stride in zip(a.shape, a.strides)]
    strides = [0] * (len(sizes) - len(own)) + own
    return _library.tensor(code, sizes or (1,), strides or (1,), a.offset // itemsize)


def place_mask(name: str, where: Any, shape: tuple[int, ...]) -> _library.Tensor:
    if not isinstance(where, cl_array.Array):
        raise TypeError(f"{name}: where: expected a pyopencl array, as a is one, not {type(where).__name__}")
    check_mask(name, np.dtype(where.dtype))
    own = where.shape
    if len(own) > len(shape) or any(size not in (1, to) for size, to in zip(own, shape[len(shape) - len(own) :])):
        raise no_broadcast(name, own, shape)
    return place(name, "where", MASK_CODE, where, shape)


def spread(a: Any, target: tuple[int, ...], code: int, name: str, what: str) -> _library.Tensor:
    """A packed output, as the library's full-rank one."""
    if not isinstance(a, cl_array.Array) or not a.flags.c_contiguous:
        raise TypeError(f"{name}: {what}: expected a contiguous pyopencl array")
    if a.shape != target:
        raise ValueError(f"{name}: {what}: shape {a.shape}, expected {target}")
    made = _library.tensor(code)
    made.offset = a.offset // a.dtype.itemsize
    return made


def reduce(name: str, a: Any, axis: Any, last: tuple[bool, ...], nan: str, keepdims: bool, index_dtype: Any, out: Any,
           values: bool, where: Any, queue: Any, wait_for: Any) -> Any:  # fmt: skip
    queue = queue or a.queue
    if queue is None:
        raise ValueError(f"{name}: the array has no queue: expected queue=")
    code = code_of(name, np.dtype(a.dtype))
    axes = normalized(axis, len(a.shape))
    shape = kept_shape(name, a.shape, axes, keepdims)
    mask = None if where is None else place_mask(name, where, a.shape)
    extrema = len(last)
    count = extrema * (2 if values else 1)
    if out is None:
        index_type = index_code_of(index_dtype)[0]
        outs: Any = tuple(cl_array.empty(queue, shape, index_type if i < extrema else a.dtype) for i in range(count))
    else:
        outs = given_outs(name, out, count)
    result = out if out is not None else outs if count > 1 else outs[0]
    ignore = ignored(nan)
    if not outs[0].size:
        return result
    tensors = [spread(one, shape, index_code_of(one.dtype)[1] if i < extrema else code_of(name, one.dtype), name,
                      f"out[{i}]" if count > 1 else "out") for i, one in enumerate(outs)]  # fmt: skip
    described = _library.desc(place(name, "a", code, a), mask, tensors[:extrema], tensors[extrema:], axes, last, ignore)
    buffers = _library.Pointers(sizeof(_library.Pointers), a.base_data.int_ptr, outs[0].base_data.int_ptr)
    if values:
        buffers.value = outs[extrema].base_data.int_ptr
    if where is not None:
        buffers.mask = where.base_data.int_ptr
    if extrema == 2:
        buffers.max_index = outs[1].base_data.int_ptr
        buffers.max_value = outs[3].base_data.int_ptr if values else None
    arrays = [*outs, a, *(() if where is None else (where,))]
    waits = [*(wait_for or ()), *(event for array in arrays for event in array.events)]
    events = (c_void_p * len(waits))(*[event.int_ptr for event in waits])
    done = c_void_p()
    handle = _library.handle_in(queue.context.int_ptr, queue.device.int_ptr)
    _library.check(_library.ENQUEUE[name](handle, queue.int_ptr, byref(described), byref(buffers), len(waits),
                                          events if waits else None, byref(done)))  # fmt: skip
    event = cl.Event.from_int_ptr(done.value or 0, retain=False)
    for array in arrays:
        array.add_event(event)
    return result
