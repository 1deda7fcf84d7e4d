"""Peers that work on the CPU: NumPy, OpenCV, ONNX Runtime. Their times are wall times."""
import time

import numpy as np

from .problem import reduced_last


class HostPeer:
    """prepare() gives a function that solves the problem once, or None where the peer lacks what it needs."""

    def answer(self, result):
        return np.asarray(result[0] if isinstance(result, tuple) else result)

    def seconds(self, run):
        start = time.perf_counter()
        run()
        return time.perf_counter() - start


class NumpyPeer(HostPeer):
    name, version = "numpy", np.__version__

    def prepare(self, p, flat):
        if p.dtype == "bfloat16" or p.last:
            return None
        x = p.view(flat)
        search = getattr(np, ("nan" if p.ignore_nan and p.floating else "") + p.op)

        def run():
            y, axis = reduced_last(p, x, np.transpose, np.reshape)
            index = search(y, axis=axis)
            if p.value:
                return index, np.take_along_axis(y, np.expand_dims(index, axis), axis)
            return index
        return run


class OpenCvPeer(HostPeer):
    """minMaxLoc for flat inputs, reduceArgMax along one axis of two; its indices are int32."""
    name = "opencv"

    def __init__(self):
        import cv2
        self.cv2, self.version = cv2, cv2.__version__

    def prepare(self, p, flat):
        if not p.packed or p.value or p.ignore_nan or p.dtype == "bfloat16" or len(p.shape) > 2:
            return None
        x = p.view(flat)
        if p.kept:
            search = self.cv2.reduceArgMax if p.op == "argmax" else self.cv2.reduceArgMin
            return lambda: search(x, p.axes[0], lastIndex=p.last)
        if p.last or x.size % 8192:
            return None
        square = x.reshape(-1, 8192)

        def run():
            column, row = self.cv2.minMaxLoc(square)[3 if p.op == "argmax" else 2]
            return row * 8192 + column
        return run


class OnnxPeer(HostPeer):
    """One ArgMax or ArgMin node."""
    name = "onnxruntime"

    def __init__(self):
        import onnx
        import onnxruntime
        onnxruntime.set_default_logger_severity(4)
        self.onnx, self.runtime, self.version = onnx, onnxruntime, onnxruntime.__version__

    def prepare(self, p, flat):
        if len(p.axes) > 1 and p.kept or p.value or p.ignore_nan or not p.packed or p.bytes > 1 << 31:
            return None
        helper, x = self.onnx.helper, p.view(flat)
        x = x if p.kept else x.reshape(-1)
        kind = self.onnx.TensorProto.BFLOAT16 if p.dtype == "bfloat16" else helper.np_dtype_to_tensor_dtype(x.dtype)
        node = helper.make_node("ArgMax" if p.op == "argmax" else "ArgMin", ["x"], ["y"], keepdims=0,
                                axis=p.axes[0] if p.kept else 0, select_last_index=int(p.last))
        graph = helper.make_graph([node], "search", [helper.make_tensor_value_info("x", kind, x.shape)],
                                  [helper.make_tensor_value_info("y", self.onnx.TensorProto.INT64, None)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        session = self.runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        value = self.runtime.OrtValue.ortvalue_from_numpy(x)

        def run():
            return session.run_with_ort_values(["y"], {"x": value})[0]
        return run

    def answer(self, result):
        return result.numpy()
