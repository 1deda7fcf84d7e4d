"""files.py dask|xarray FILE AXIS ANSWER.npy: argmax by another program, for files.sh; the answer must be that of
argmax-cl. Chunks as the library chooses them."""
import sys

import numpy as np


def argmax(how, path, axis):
    if how == "dask":
        import dask.array
        return dask.array.from_array(np.load(path, mmap_mode="r"), chunks="auto").argmax(axis).compute()
    import xarray
    return xarray.open_dataset(path, chunks="auto")["t"].argmax(["time", "y", "x"][axis]).values


how, path, axis, answer = sys.argv[1:]
if not np.array_equal(argmax(how, path, int(axis)), np.load(answer).squeeze(int(axis))):
    sys.exit(f"{how}: another answer than argmax-cl's")
