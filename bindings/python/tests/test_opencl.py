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


def test_masks_and_both_extrema(queue):
    rng = np.random.default_rng(6)
    host = rng.integers(0, 9, (6, 20, 4)).astype(np.float32)
    whole = cl_array.to_device(queue, host)
    for shape, kind in (((6, 20, 4), np.uint8), ((20, 4), bool), ((6, 1, 1), np.int8), ((), np.uint8)):
        where = (rng.random(shape) < 0.5).astype(kind)
        mask = cl_array.to_device(queue, np.asarray(where))
        for axis in (None, 1):
            got = argmax_cl.argminmax(whole, axis, where=mask, values=True, last=(False, True))
            assert all(isinstance(one, cl_array.Array) and one.events for one in got) and mask.events
            for one, expected in zip(got, argmax_cl.argminmax(host, axis, where=where, values=True, last=(False, True))):
                np.testing.assert_array_equal(one.get(), expected)
            one = argmax_cl.argmax(whole[1::2, 3:], axis, where=mask[1::2, 3:]) if shape == (6, 20, 4) else None
            if one is not None:
                np.testing.assert_array_equal(one.get(), argmax_cl.argmax(host[1::2, 3:], axis, where=where[1::2, 3:]))
    np.testing.assert_array_equal(argmax_cl.argmin(whole, 1, where=whole > 3).get(), argmax_cl.argmin(host, 1, where=host > 3))
    out = tuple(cl_array.empty(queue, (), np.int32) for _ in range(2))
    assert argmax_cl.argminmax(whole, out=out) is out and out[1].get() == host.argmax()


def test_errors_of_masks(queue):
    a = cl_array.to_device(queue, np.zeros((4, 3), np.float32))
    for where, kind in ((np.ones(3, bool), TypeError), (cl_array.to_device(queue, np.ones(3)), TypeError),
                        (cl_array.to_device(queue, np.ones(4, np.uint8)), ValueError),
                        (cl_array.to_device(queue, np.ones((1, 4, 3), np.uint8)), ValueError)):  # fmt: skip
        with pytest.raises(kind, match="where"):
            argmax_cl.argmax(a, 1, where=where)
    with pytest.raises(TypeError, match="where"):
        argmax_cl.argmax(np.zeros(3), where=cl_array.to_device(queue, np.ones(3, np.uint8)))
