"""raw_calls.py - PyOpenCL near the API: programs, local memory, images, maps, shared memory, events."""

import hashlib
import warnings

import numpy as np
import pyopencl as cl

warnings.simplefilter("ignore")

SOURCE = """
kernel void transpose(global const float* from, global float* to, local float* tile, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
  tile[ly * get_local_size(0) + lx] = from[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  to[x * height + y] = tile[ly * get_local_size(0) + lx];
}
kernel void invert(read_only image2d_t from, write_only image2d_t to) {
  const sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(to, at, 255u - read_imageui(from, near, at));
}
kernel void twice(global int* values) { values[get_global_id(0)] *= 2; }
"""


def digest(label, values):
    print(label, hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:16])


context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
program = cl.Program(context, SOURCE).build(options=["-cl-std=CL1.2"])
flags = cl.mem_flags
numbers = np.random.default_rng(8)

matrix = numbers.random((32, 64), dtype=np.float32)
from_buffer = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=matrix)
to_buffer = cl.Buffer(context, flags.WRITE_ONLY, matrix.nbytes)
done = program.transpose(
    queue, (64, 32), (8, 8), from_buffer, to_buffer, cl.LocalMemory(8 * 8 * 4), np.int32(64), np.int32(32)
)
found = np.empty((64, 32), np.float32)
cl.enqueue_copy(queue, found, to_buffer, wait_for=[done], is_blocking=True)
assert (found == matrix.T).all()
digest("transposed", found)

picture = numbers.integers(0, 256, (20, 30, 4), dtype=np.uint8)
picture_format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
image = cl.Image(context, flags.READ_ONLY | flags.COPY_HOST_PTR, picture_format, shape=(30, 20), hostbuf=picture)
inverted = cl.Image(context, flags.WRITE_ONLY, picture_format, shape=(30, 20))
program.invert(queue, (30, 20), None, image, inverted)
result = np.empty_like(picture)
cl.enqueue_copy(queue, result, inverted, origin=(0, 0), region=(30, 20))
assert (result == 255 - picture).all()
digest("inverted", result)

values = np.arange(1000, dtype=np.int32)
buffer = cl.Buffer(context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=values)
program.twice(queue, values.shape, None, buffer)
mapped, _ = cl.enqueue_map_buffer(queue, buffer, cl.map_flags.READ | cl.map_flags.WRITE, 0, values.shape, values.dtype)
mapped[5] = 4711
mapped.base.release(queue)
program.twice(queue, values.shape, None, buffer)
out = np.empty_like(values)
cl.enqueue_copy(queue, out, buffer)
digest("mapped", out)

shared = cl.SVM(cl.csvm_empty(context, 512, np.int32))
with shared.map_rw(queue) as array:
    array[:] = np.arange(512)
program.twice(queue, (512,), None, shared)
with shared.map_ro(queue) as array:
    digest("shared", array)
queue.finish()
