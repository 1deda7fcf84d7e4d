"""The C library: its structs and functions (argmax_cl/argmax_cl.h), its errors as exceptions, its handles."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
import threading
from collections.abc import Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p, sizeof
from pathlib import Path
from typing import Any



class Error(RuntimeError):
    """A call that the library refused, or that failed. The message says which argument, what it was, what was
    expected; status is the argmax_cl_status, opencl_error the code of the OpenCL call behind it, or 0."""

    def __init__(self, message: str, status: int = 0, opencl_error: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.opencl_error = opencl_error


class ArgumentError(Error, ValueError):
    """An argument that does not fit."""


class DtypeError(Error, TypeError):
    """A dtype that the operator does not have."""


class MemoryLimitError(Error, MemoryError):
    """The host's memory or the device's limit does not suffice."""


# By argmax_cl_status; all others are Error.
_EXCEPTIONS: dict[int, type[Error]] = {
    2: DtypeError, 18: MemoryLimitError, 19: MemoryLimitError,
    **dict.fromkeys((1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 24, 25), ArgumentError),
}  # fmt: skip


class Tensor(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("dtype", c_int), ("rank", c_uint32), ("sizes", POINTER(c_uint64)),
                ("strides", POINTER(c_int64)), ("offset", c_uint64)]  # fmt: skip


class Desc(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("input", POINTER(Tensor)), ("index", POINTER(Tensor)),
                ("value", POINTER(Tensor)), ("axis_count", c_uint32), ("axes", POINTER(c_uint32)),
                ("direction", c_int), ("nan_mode", c_int), ("strategy", c_char_p), ("tuning", c_char_p),
                ("mask", POINTER(Tensor)), ("max_index", POINTER(Tensor)), ("max_value", POINTER(Tensor)),
                ("max_direction", c_int)]  # fmt: skip


class Pointers(ctypes.Structure):
    """argmax_cl_host_arrays and argmax_cl_buffers."""

    _fields_ = [("struct_size", c_size_t), ("input", c_void_p), ("index", c_void_p), ("value", c_void_p),
                ("mask", c_void_p), ("max_index", c_void_p), ("max_value", c_void_p)]  # fmt: skip


def _load() -> ctypes.CDLL:
    """The library that ARGMAX_CL_LIBRARY names, otherwise the one in this package, otherwise the system's."""
    names = {"win32": "argmax_cl.dll", "darwin": "libargmax_cl.dylib"}
    packaged = Path(__file__).with_name(names.get(sys.platform, "libargmax_cl.so"))
    path = os.environ.get("ARGMAX_CL_LIBRARY") or (
        str(packaged) if packaged.exists() else ctypes.util.find_library("argmax_cl"))  # fmt: skip
    if not path:
        raise ImportError("argmax_cl: the library was found neither in the package nor on the system; "
                          "ARGMAX_CL_LIBRARY may name its file")  # fmt: skip
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"argmax_cl: {path} cannot be loaded: {error} (it needs the OpenCL loader, "
                          "libOpenCL.so.1; Debian: ocl-icd-libopencl1)") from error  # fmt: skip


_library = _load()
_library.argmax_cl_last_error.restype = c_char_p
_library.argmax_cl_version.restype = c_char_p
_library.argmax_cl_list_devices.argtypes = [c_uint32, POINTER(c_void_p), POINTER(c_uint32)]
_library.argmax_cl_create.argtypes = [POINTER(c_void_p), c_void_p, c_void_p]
_library.argmax_cl_create_default.argtypes = [POINTER(c_void_p), c_char_p]
for _name in ("argmax_cl_host", "argmin_cl_host", "argminmax_cl_host"):
    getattr(_library, _name).argtypes = [c_void_p, POINTER(Desc), POINTER(Pointers), c_void_p]
for _name in ("argmax_cl", "argmin_cl", "argminmax_cl"):
    getattr(_library, _name).argtypes = [c_void_p, c_void_p, POINTER(Desc), POINTER(Pointers), c_uint32, c_void_p,
                                         POINTER(c_void_p)]  # fmt: skip
HOST: dict[str, Any] = {"argmax": _library.argmax_cl_host, "argmin": _library.argmin_cl_host,
                        "argminmax": _library.argminmax_cl_host}  # fmt: skip
ENQUEUE: dict[str, Any] = {"argmax": _library.argmax_cl, "argmin": _library.argmin_cl,
                           "argminmax": _library.argminmax_cl}  # fmt: skip


def check(status: int) -> None:
    if status:
        raise _EXCEPTIONS.get(status, Error)(
            _library.argmax_cl_last_error().decode(errors="replace"), status, _library.argmax_cl_last_opencl_error())


def version() -> str:
    """The library's version, "major.minor.patch"."""
    text: bytes = _library.argmax_cl_version()
    return text.decode()


_handles: dict[object, c_void_p] = {}
_lock = threading.Lock()


def handle_of(device: int | str | None) -> c_void_p:
    """The handle of a selector: None (the device thought fastest), an index, or a part of a name."""
    made = _handles.get(device)
    if made is not None:
        return made
    with _lock:
        if device not in _handles:
            made = c_void_p()
            check(_library.argmax_cl_create_default(byref(made), None if device is None else str(device).encode()))
            _handles[device] = made
        return _handles[device]


def handle_in(context: int, device: int) -> c_void_p:
    """The handle of an OpenCL context and device; it keeps both alive, so that their addresses stay theirs."""
    with _lock:
        if (context, device) not in _handles:
            made = c_void_p()
            check(_library.argmax_cl_create(byref(made), context, device))
            _handles[context, device] = made
        return _handles[context, device]


def devices() -> int:
    """How many OpenCL devices there are: argmax and argmin take device=0 to devices() - 1."""
    count = c_uint32()
    check(_library.argmax_cl_list_devices(0, None, byref(count)))
    return count.value


def tensor(dtype: int, sizes: Sequence[int] = (), strides: Sequence[int] | None = None, offset: int = 0) -> Tensor:
    """A tensor in elements; without sizes an output, whose shape follows, packed."""
    rank = len(sizes)
    return Tensor(sizeof(Tensor), dtype, rank, (c_uint64 * rank)(*sizes) if rank else None,
                  None if strides is None else (c_int64 * rank)(*strides), offset)  # fmt: skip


def _to(one: Tensor | None) -> Any:
    return None if one is None else ctypes.pointer(one)


def desc(source: Tensor, mask: Tensor | None, indices: Sequence[Tensor], values: Sequence[Tensor], axes: Sequence[int],
         last: Sequence[bool], ignore: bool) -> Desc:  # fmt: skip
    """The descriptor; one of indices, values and last, or two: the minimum's and the maximum's. No values: none are
    wanted. ctypes keeps what it points to alive."""
    index, max_index = [*indices, None][:2]
    value, max_value = [*values, None, None][:2]
    return Desc(sizeof(Desc), _to(source), _to(index), _to(value), len(axes), (c_uint32 * len(axes))(*axes),
                int(last[0]), int(ignore), None, None, _to(mask), _to(max_index), _to(max_value),
                int(last[1]) if max_index else 0)  # fmt: skip
