"""pyopencl arrays stay on their device."""

import numpy as np
import pytest

cl = pytest.importorskip("pyopencl")
cl_array = pytest.importorskip("pyopencl.array")

import argmax_cl  # noqa: E402


@pytest.fixture(scope="module", params=[0, cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE])
def queue(request):
    device = cl.get_platforms()[0].get_devices()[0]
    return cl.CommandQueue(cl.Context([device]), properties=request.param)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u2", "i8"])
def test_arrays_and_slices(queue, dtype):
    host = np.random.default_rng(5).integers(0, 9, (6, 20, 4)).astype(dtype)
    whole = cl_array.to_device(queue, host)
    for part in (np.s_[:], np.s_[2:5], np.s_[1::2, 3:, 1], np.s_[:, ::3]):
        for axis in (None, 0, -1):
            index, value = argmax_cl.argmax(whole[part], axis, values=True)
            assert isinstance(index, cl_array.Array) and index.events
            np.testing.assert_array_equal(index.get(), host[part].argmax(axis))
            np.testing.assert_array_equal(value.get(), host[part].max(axis))


def test_wait_for_and_event(queue):
    a = cl_array.to_device(queue, np.zeros(1 << 20, np.float32))
    gate = cl.UserEvent(queue.context)
    index = argmax_cl.argmin(a, queue=queue, wait_for=[gate])
    queue.flush()
    complete = cl.command_execution_status.COMPLETE
    assert index.events[-1].command_execution_status != complete
    gate.set_status(complete)
    index.events[-1].wait()
    assert index.get() == 0


def test_out_and_host_input_on_a_queue(queue):
    a = cl_array.to_device(queue, np.array([[1, 5], [7, 2]], np.int32))
    out = cl_array.empty(queue, 2, np.uint32)
    assert argmax_cl.argmax(a, 1, out=out) is out and out.get().tolist() == [1, 0]
    assert argmax_cl.argmax(np.array([1, 5, 2]), queue=queue) == 1


def test_errors(queue):
    a = cl_array.to_device(queue, np.zeros(4, np.complex64))
    with pytest.raises(TypeError, match="complex64"):
        argmax_cl.argmax(a)
    with pytest.raises(ValueError, match="queue"):
        argmax_cl.argmax(cl_array.to_device(queue, np.zeros(4)).with_queue(None))
    with pytest.raises(ValueError, match="empty sequence"):
        argmax_cl.argmax(cl_array.empty(queue, (3, 0), np.float32), 1)
    with pytest.raises(TypeError, match="wait_for"):
        argmax_cl.argmax([1], wait_for=[])
