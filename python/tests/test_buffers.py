"""Buffers and NumPy arrays."""

import numpy as np
import pytest

import reel


def test_an_array_comes_back_as_it_went_in(device):
    array = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    buffer = device.buffer(array, "a")
    assert buffer.label == "a" and buffer.size_bytes == 48
    found = buffer.read()
    assert found.dtype == np.int16 and found.shape == (2, 3, 4)
    np.testing.assert_array_equal(found, array)


def test_a_size_is_zero_bytes_and_a_shape_is_zeros(device):
    assert device.buffer(size_bytes=16).read().tolist() == [0] * 16
    zeros = device.buffer((2, 2), dtype=np.float64).read()
    assert zeros.shape == (2, 2) and zeros.dtype == np.float64 and not zeros.any()


def test_any_buffer_protocol_object_is_written(device):
    buffer = device.buffer(size_bytes=8)
    buffer.write(b"abcd")
    buffer.write(memoryview(bytearray(b"efgh")), offset_bytes=4)
    assert buffer.read().tobytes() == b"abcdefgh"
    assert buffer.read("S8")[0] == b"abcdefgh"


def test_what_is_not_contiguous_is_written_in_c_order(device):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(device.buffer(array[:, ::2]).read(), array[:, ::2])
    np.testing.assert_array_equal(device.buffer(np.asfortranarray(array)).read(), array)


def test_a_slice_is_a_range_of_elements(device):
    buffer = device.buffer(np.arange(8, dtype=np.float32))
    assert buffer[2:4].read(np.float32).tolist() == [2, 3]
    assert (buffer[2:4].offset_bytes, buffer[2:4].size_bytes) == (8, 8)
    buffer[2:4].write(np.array([20, 30], dtype=np.float32))
    assert buffer.read().tolist() == [0, 1, 20, 30, 4, 5, 6, 7]
    with pytest.raises(ValueError, match="no gaps: its step is 1, not 2"):
        buffer[::2]


def test_reading_as_another_type_must_fit(device):
    buffer = device.buffer(np.zeros(3, dtype=np.float32))
    assert len(buffer.read(np.uint16)) == 6
    with pytest.raises(ValueError, match="12 bytes are no whole number of float64 elements, which have 8 bytes each"):
        buffer.read(np.float64)
    with pytest.raises(TypeError, match="can't be read as object"):
        buffer.read(object)


def test_what_is_no_memory_is_refused(device):
    with pytest.raises(TypeError, match="not from a list"):
        device.buffer([1, 2, 3])
    with pytest.raises(TypeError, match="holds Python objects"):
        device.buffer(np.array([object()]))
    with pytest.raises(ValueError, match="can't have the shape"):
        device.buffer((2, -1), dtype=np.uint8)
    with pytest.raises(TypeError, match="dtype is for a buffer made of a size or shape"):
        device.buffer(np.zeros(2), dtype=np.float32)


def test_writing_past_the_end_names_both_sizes(device):
    buffer = device.buffer(np.zeros(4, dtype=np.float32), "kv")
    with pytest.raises(reel.Error, match="kv") as caught:
        buffer.write(np.zeros(5, dtype=np.float32))
    assert caught.value.code == reel.Code.INVALID_ARGUMENT
    with pytest.raises(reel.Error, match="kv"):
        buffer.range(8, 16)


def test_a_freed_buffer_can_not_be_used(device):
    buffer = device.buffer(label="gone", size_bytes=16)
    buffer.free()
    for use in (buffer.read, lambda: buffer.write(b"x"), lambda: device.stream().fill(buffer, 0)):
        with pytest.raises(reel.Error, match="gone") as caught:
            use()
        assert caught.value.code == reel.Code.INVALID_ARGUMENT


def test_too_large_a_buffer_is_an_error_and_no_crash(device):
    with pytest.raises(reel.Error):
        device.buffer((1 << 40, 1 << 40), dtype=np.float64)


def test_reprs_say_what_they_are(device):
    buffer = device.buffer(np.zeros((2, 2), dtype=np.float32), "w")
    assert repr(buffer) == "<reel.Buffer 'w', 16 bytes, float32 (2, 2)>"
    assert repr(buffer[1:2]) == "<reel.BufferRange bytes 4 to 8 of 'w'>"
    assert repr(device).startswith("<reel.Device ")


def test_a_buffer_is_an_array_by_a_copy_and_has_a_length(device):
    buffer = device.buffer(np.arange(6, dtype=np.float32).reshape(2, 3))
    array = np.asarray(buffer)
    assert array.dtype == np.float32 and array.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.asarray(buffer, dtype=np.int32).dtype == np.int32
    assert len(buffer) == 6 and len(buffer[:len(buffer)].read(np.float32)) == 6
    assert buffer and len(device.buffer(size_bytes=3)) == 3
    with pytest.raises(ValueError, match="is a copy"):
        buffer.__array__(copy=False)


def test_a_number_says_what_it_counts(device):
    assert device.buffer(16, dtype=np.float32).size_bytes == 64
    assert device.buffer(size_bytes=16).size_bytes == 16
    for wrong in (lambda: device.buffer(16), lambda: device.buffer((4, 4))):
        with pytest.raises(TypeError, match="leaves open what it counts: give size_bytes"):
            wrong()
    with pytest.raises(TypeError, match="a dtype goes with a shape"):
        device.buffer(size_bytes=16, dtype=np.float32)
    for wrong in (lambda: device.buffer(), lambda: device.buffer(b"abc", size_bytes=3)):
        with pytest.raises(TypeError, match="made of an array, a shape with its dtype, or size_bytes"):
            wrong()


def test_shared_virtual_memory_is_a_buffer(device):
    buffer = device.shared_virtual_buffer(size_bytes=64, label="shared")
    stream = device.stream()
    stream.fill(buffer, np.uint32(7))
    assert stream.read_now(buffer, np.uint32).tolist() == [7] * 16 and buffer.label == "shared"


def test_bytes_go_from_one_device_to_another(device, host):
    x = device.buffer(np.arange(100, dtype=np.uint16), "x")
    y = host.buffer((100,), "y", dtype=np.uint16)
    reel.copy_between(host.stream(), y, device.stream(), x)
    assert y.read().tolist() == list(range(100))


def test_the_host_sees_the_bytes_of_a_mapped_buffer(device, tmp_path):
    if not device.info.maps_memory:
        with pytest.raises(reel.Error, match="can't be mapped"):
            device.host_visible_buffer(size_bytes=64)
        return
    x, y = device.host_visible_buffer(size_bytes=16, label="x"), device.buffer(size_bytes=16)
    stream = device.stream()
    with reel.capture(tmp_path / "mapped.reel", contents="all"):
        for value in (7, 9):
            x.mapped()[:] = value
            stream.host_wrote(x)
            stream.copy(y, x)
            assert stream.read_now(y).tolist() == [value] * 16
    assert reel.replay(tmp_path / "mapped.reel").verified
    with pytest.raises(ValueError, match="is not mapped"):
        y.mapped()


def test_images_are_made_bound_and_viewed(device):
    if not device.info.takes_images:
        with pytest.raises(reel.Error, match="no images"):
            device.image_buffer(4, 4)
        return
    double = device.kernel("double_pixels", opencl_c="""
kernel void double_pixels(read_only image2d_t from, write_only image2d_t to) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(to, at, 2 * read_imagef(from, at));
}""", glsl="""#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, rgba32f) uniform readonly image2D source;
layout(set = 1, binding = 3, rgba32f) uniform writeonly image2D target;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  imageStore(target, at, 2 * imageLoad(source, at));
}""", declared_layout=True)
    if device.info.backend == "vulkan":
        assert [(p.descriptor, p.descriptor_set, p.binding) for p in double.parameters] == [
            ("storage image", 0, 0), ("storage image", 1, 3)]
    stream = device.stream()
    shape = {"channel_order": "RGBA", "channel_type": "32 float"}
    source, image = (device.image_buffer(4, 2, **shape, label=label) for label in ("source", "image"))
    pixels = np.arange(32, dtype=np.float32)
    stream.write(source, pixels)
    stream.dispatch(double, None, reel.inp(source), reel.out(image), items=(4, 2))
    assert stream.read_now(image, np.float32).tolist() == [2 * i for i in range(32)]
    storage = device.buffer(pixels, "pixels")
    try:
        view = device.image_view(storage, 4, 2, **shape, label="view")
    except reel.Error as error:
        # PoCL 3.1 and Vulkan have none of two dimensions.
        assert "'view'" in str(error) and ("CL_INVALID_OPERATION" in str(error) or "1d_buffer" in str(error))
    else:
        stream.dispatch(double, None, reel.inp(view), reel.out(image), items=(4, 2))
        assert stream.read_now(image, np.float32).tolist() == [2 * i for i in range(32)]
    with pytest.raises(ValueError, match="is no format of pixels"):
        device.image_buffer(4, 4, channel_order="green")
    with pytest.raises(ValueError, match="An image is '1d'"):
        device.image_buffer(4, 4, type="4d")
