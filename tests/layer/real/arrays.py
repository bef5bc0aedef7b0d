"""arrays.py - PyOpenCL as people use it: arrays, elementwise kernels, reductions, scans, random access."""

import hashlib
import warnings

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel

warnings.simplefilter("ignore")


def digest(label, values):
    print(label, hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:16])


context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
numbers = np.random.default_rng(7)
a = cl_array.to_device(queue, numbers.random(10_000, dtype=np.float32))
b = cl_array.to_device(queue, numbers.random(10_000, dtype=np.float32))

digest("sum of arrays", (a + 2 * b - a / 3).get())
digest("slice", (a[100:5000:1] * b[200:5100]).get())
digest("fill", cl_array.zeros(queue, 333, np.int32).fill(7).get())
digest("arange", cl_array.arange(queue, 0, 1000, 3, dtype=np.int64).get())
print("total", float(cl_array.sum(a.astype(np.float64)).get()).hex())
print("dot", float(cl_array.dot(a, b, dtype=np.float64).get()).hex())
print("largest", float(cl_array.max(a).get()).hex())

norm = ElementwiseKernel(context, "float *x, const float *y, float by", "x[i] = sqrt(x[i] * x[i] + by * y[i] * y[i])", "norm")
norm(a, b, np.float32(0.5))
digest("elementwise", a.get())

counts = ReductionKernel(context, np.int32, neutral="0", reduce_expr="a+b", map_expr="x[i] > t", arguments="const float *x, float t")
print("greater", int(counts(a, np.float32(0.7)).get()))

running = GenericScanKernel(
    context, np.int32, arguments="const int *in, int *out", input_expr="in[i]", scan_expr="a+b", neutral="0", output_statement="out[i] = item;"
)
given = cl_array.to_device(queue, numbers.integers(0, 100, 7777, dtype=np.int32))
sums = cl_array.empty_like(given)
running(given, sums)
digest("scan", sums.get())
assert (sums.get() == np.cumsum(given.get())).all()

index = cl_array.to_device(queue, numbers.permutation(10_000).astype(np.int32))
digest("take", cl_array.take(b, index).get())
queue.finish()
