"""argmax, argmin and both at once along any axes of an array, on any OpenCL device, with NumPy's habits.

>>> import numpy as np, argmax_cl
>>> a = np.array([[1, 7, 3, 7], [-5, -2, -9, -4]], dtype=np.float32)
>>> argmax_cl.argmax(a, axis=1)
array([1, 1])
>>> argmax_cl.argmax(a, axis=1, last=True, values=True)
(array([3, 1]), array([ 7., -2.], dtype=float32))
>>> int(argmax_cl.argmin(a))
6
>>> argmax_cl.argminmax(a, axis=1, where=a < 7)
(array([0, 2]), array([2, 1]))
"""

from ._library import ArgumentError, DtypeError, Error, MemoryLimitError, devices, version
from ._reduce import argmax, argmin, argminmax

__version__ = version()
__all__ = ["ArgumentError", "DtypeError", "Error", "MemoryLimitError", "argmax", "argmin", "argminmax", "devices",
           "version"]  # fmt: skip
