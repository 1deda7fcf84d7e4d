"""Peers on an NVIDIA GPU: CuPy, JAX, CUB. All read the same bytes, which are copied there once and stay until others
are needed; the caches are flushed before each repetition on less than 256 MiB. Times are the device's, by events; JAX
gives out none, so its times are wall times."""
import ctypes
import os
import shutil
import subprocess
import tempfile
import time

import numpy as np

from .problem import Recent, reduced_last

FLUSH_BELOW = 256 << 20


class Inputs:
    """A problem's data on the GPU, as PyTorch holds them or, without it, CuPy."""

    def __init__(self, torch=None, cupy=None):
        self.owner, self.cupy_module = torch, cupy
        self.tensors, self.tensor = Recent(3), None
        self.small, self.scratch = False, None
        if torch is not None:
            self.scratch = torch.zeros(FLUSH_BELOW // 4, dtype=torch.int32, device="cuda")

    def put(self, p, flat):
        self.small, self.tensor = p.bytes < FLUSH_BELOW, None
        self.tensor = self.tensors.want(p.data_key, lambda: self.owner.from_numpy(flat).to("cuda") if self.owner else
                                        self.cupy_module.asarray(flat))

    def torch(self, p, flat):
        self.put(p, flat)
        return self.tensor

    def cupy(self, p, flat):
        self.put(p, flat)
        return self.cupy_module.asarray(self.tensor)

    def pointer(self, p, flat):
        self.put(p, flat)
        return self.tensor.data_ptr() if self.owner else self.tensor.data.ptr

    def flush(self):
        if self.small and self.scratch is not None:
            self.scratch.max()

    def seconds(self, run):
        self.flush()
        events = self.owner.cuda.Event if self.owner else None
        if events is None:
            begin, end = self.cupy_module.cuda.Event(), self.cupy_module.cuda.Event()
            begin.record()
            run()
            end.record()
            end.synchronize()
            return 1e-3 * self.cupy_module.cuda.get_elapsed_time(begin, end)
        begin, end = events(enable_timing=True), events(enable_timing=True)
        begin.record()
        run()
        end.record()
        self.owner.cuda.synchronize()
        return 1e-3 * begin.elapsed_time(end)


class CupyPeer:
    name = "cupy"

    def __init__(self, cupy, data):
        self.cupy, self.data, self.version = cupy, data, cupy.__version__

    def prepare(self, p, flat):
        if p.dtype == "bfloat16" or p.last or p.ignore_nan and p.floating:
            return None
        cupy, x = self.cupy, p.view(self.data.cupy(p, flat), self.cupy)
        search = getattr(cupy, p.op)

        def run():
            y, axis = reduced_last(p, x, cupy.transpose, cupy.reshape)
            index = search(y, axis=axis)
            return (index, cupy.take_along_axis(y, cupy.expand_dims(index, axis), axis)) if p.value else index
        return run

    def answer(self, result):
        return (result[0] if isinstance(result, tuple) else result).get()

    def seconds(self, run):
        """By CuPy's own events: its stream may be another one than PyTorch's."""
        self.data.flush()
        self.cupy.cuda.Device().synchronize()
        begin, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        begin.record()
        run()
        end.record()
        end.synchronize()
        return 1e-3 * self.cupy.cuda.get_elapsed_time(begin, end)


class JaxPeer:
    name = "jax"

    def __init__(self, data):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() != "gpu":
            raise ImportError("JAX has no GPU")
        self.jax, self.data, self.version = jax, data, jax.__version__

    def prepare(self, p, flat):
        if p.dtype == "bfloat16" or p.last or p.ignore_nan or not p.packed or p.value:
            return None
        jax, jnp = self.jax, self.jax.numpy
        there = self.data.torch(p, flat)
        try:
            whole = jax.dlpack.from_dlpack(there)
        except Exception:  # versions differ in what they take; a copy measures the same
            whole = jax.device_put(flat)
        search = jnp.argmax if p.op == "argmax" else jnp.argmin

        @jax.jit
        def function(x):
            y, axis = reduced_last(p, jnp.reshape(x, p.shape), jnp.transpose, jnp.reshape)
            return search(y, axis=axis)
        return lambda: function(whole).block_until_ready()

    def answer(self, result):
        return np.asarray(result)

    def seconds(self, run):
        self.data.flush()
        if self.data.owner:
            self.data.owner.cuda.synchronize()
        start = time.perf_counter()
        run()
        return time.perf_counter() - start


class CubPeer:
    """cub_argmax.cu, compiled for the GPU that is there."""
    name = "cub"
    TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
             "float64"]

    def __init__(self, data, library=None):
        """`library`: cub_argmax.cu already compiled; without it nvcc does that now."""
        self.library, self.data, self.job = ctypes.CDLL(library or self.compile()), data, ctypes.c_void_p()
        number = self.library.cub_version()
        self.version = f"{number // 100000}.{number // 100 % 1000}.{number % 100}"

    def compile(self):
        nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
        if nvcc is None:
            raise ImportError("no nvcc")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cub_argmax.cu")
        self.folder = tempfile.TemporaryDirectory(prefix="argmax_cl_cub_")
        path = os.path.join(self.folder.name, "libcub_argmax.so")
        options = ["-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC"]
        done = subprocess.run([nvcc, *options, "-o", path, source], capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(f"nvcc: {' '.join(done.stderr.split())[-300:]}")
        return path

    def must(self, code):
        if code != 0:
            raise RuntimeError(f"CUB's cudaError_t is {code}")

    def prepare(self, p, flat):
        rows = p.axes == list(range(len(p.shape) - len(p.axes), len(p.shape)))
        if not rows or not p.packed or p.op != "argmax" or p.last or p.value or p.ignore_nan:
            return None
        self.close()
        pointer = self.data.pointer(p, flat)
        self.count = int(np.prod([p.shape[d] for d in p.kept], dtype=np.int64))
        length = int(np.prod([p.shape[d] for d in p.axes], dtype=np.int64))
        if self.count > 1 and length >= 1 << 31:
            return None
        self.must(self.library.cub_open(self.TYPES.index(p.dtype), ctypes.c_void_p(pointer), ctypes.c_int64(self.count),
                                        ctypes.c_int64(length), ctypes.byref(self.job)))
        return lambda: self.run()

    def run(self):
        seconds = ctypes.c_double()
        self.must(self.library.cub_run(self.job, ctypes.byref(seconds)))
        return seconds.value

    def answer(self, result):
        indices = np.empty(self.count, np.int64)
        self.must(self.library.cub_answer(self.job, indices.ctypes.data_as(ctypes.c_void_p)))
        return indices

    def seconds(self, run):
        self.data.flush()
        if self.data.owner:
            self.data.owner.cuda.synchronize()
        return run()

    def close(self):
        if self.job:
            self.library.cub_close(self.job)
            self.job = ctypes.c_void_p()
