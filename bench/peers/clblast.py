"""CLBlast's ixMAX on the same OpenCL device: flat inputs. Its times are wall times, its index is uint32."""
import ctypes
import ctypes.util

import numpy as np

from .host import HostPeer

FUNCTIONS = {"float32": "CLBlastiSmax", "float64": "CLBlastiDmax", "float16": "CLBlastiHmax"}


class ClblastPeer(HostPeer):
    name = "clblast"

    def __init__(self, selector):
        import pyopencl as cl
        library = ctypes.util.find_library("clblast")
        if library is None:
            raise ImportError("no libclblast")
        self.cl, self.library, self.version = cl, ctypes.CDLL(library), library
        devices = [d for platform in cl.get_platforms() for d in platform.get_devices()]
        named = [d for d in devices if not selector or selector.isdigit() or selector.lower() in d.name.lower()]
        device = devices[int(selector)] if selector and selector.isdigit() else named[0]
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context, device)
        self.index = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 8)

    def prepare(self, p, flat):
        if p.kept or p.op != "argmax" or p.dtype not in FUNCTIONS or p.last or p.ignore_nan or p.value or not p.packed:
            return None
        flags = self.cl.mem_flags
        x = self.cl.Buffer(self.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=flat)
        search = getattr(self.library, FUNCTIONS[p.dtype])
        queue = ctypes.c_void_p(self.queue.int_ptr)

        def run():
            code = search(ctypes.c_size_t(flat.size), ctypes.c_void_p(self.index.int_ptr), ctypes.c_size_t(0),
                          ctypes.c_void_p(x.int_ptr), ctypes.c_size_t(0), ctypes.c_size_t(1), ctypes.byref(queue), None)
            if code != 0:
                raise RuntimeError(f"CLBlast's status is {code}")
            self.queue.finish()
        return run

    def answer(self, result):
        index = np.zeros(1, np.uint32)
        self.cl.enqueue_copy(self.queue, index, self.index)
        return index.astype(np.int64)
