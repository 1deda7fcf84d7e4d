"""What users would pick instead of argmax_cl: the peers that are installed."""
import sys


def find_peers(names, on_gpu, selector, cub=None):
    """All peers, or those named. What is not there is left out; what is there and does not start is said."""
    peers, data = [], None

    def add(name, make):
        if names and name not in names:
            return
        try:
            peers.append(make())
        except ImportError:
            pass
        except Exception as error:
            print(f"{name} is left out: {type(error).__name__}: {error}", file=sys.stderr)

    try:
        import torch
        import torch._dynamo
    except ImportError:
        torch = None
    if torch is not None and on_gpu and not torch.cuda.is_available():
        torch = None
    try:
        import cupy
    except ImportError:
        cupy = None
    from . import clblast, gpu, host, pytorch
    if on_gpu:
        if torch is None and cupy is None:
            sys.exit("--gpu: PyTorch or CuPy with a GPU is needed, to hold the inputs")
        data = gpu.Inputs(torch, cupy)
        if cupy is not None:
            add("cupy", lambda: gpu.CupyPeer(cupy, data))
        add("cub", lambda: gpu.CubPeer(data, cub))
        if torch is not None:
            add("jax", lambda: gpu.JaxPeer(data))
    else:
        add("numpy", host.NumpyPeer)
        add("opencv", host.OpenCvPeer)
        add("onnxruntime", host.OnnxPeer)
        add("clblast", lambda: clblast.ClblastPeer(selector))
    if torch is not None:
        add("torch", lambda: pytorch.TorchPeer(torch, False, data))
        add("compiled", lambda: pytorch.TorchPeer(torch, True, data))
    return peers
