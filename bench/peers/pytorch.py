"""PyTorch, eager and compiled, on the CPU (wall times) or on a GPU (times by events)."""
import time

from .problem import reduced_last


class TorchPeer:
    def __init__(self, torch, compiled, data=None):
        """`data`: the inputs on the GPU (gpu.Inputs); without it PyTorch works on the CPU."""
        self.torch, self.compiled, self.data = torch, compiled, data
        self.name, self.version = "compiled" if compiled else "torch", torch.__version__

    def prepare(self, p, flat):
        torch = self.torch
        if p.last or p.ignore_nan or p.negative or p.dtype in ("uint16", "uint32", "uint64"):
            return None
        there = torch.from_numpy(flat) if self.data is None else self.data.torch(p, flat)
        if p.dtype == "bfloat16":
            there = there.view(torch.bfloat16)
        x = torch.as_strided(there, p.shape, p.strides, p.offset)
        search = torch.argmax if p.op == "argmax" else torch.argmin
        both = torch.max if p.op == "argmax" else torch.min

        def function(x):
            y, axis = reduced_last(p, x, torch.permute, torch.reshape)
            if p.value:
                value, index = both(y, dim=axis)
                return index, value
            return search(y, dim=axis)
        if self.compiled:
            torch._dynamo.reset()
            function = torch.compile(function, dynamic=False)

        def run():
            with torch.no_grad():
                return function(x)
        return run

    def answer(self, result):
        return (result[0] if isinstance(result, tuple) else result).cpu().numpy()

    def seconds(self, run):
        if self.data is not None:
            return self.data.seconds(run)
        start = time.perf_counter()
        run()
        return time.perf_counter() - start
