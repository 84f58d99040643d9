"""Fitting the weights of one phase to labels, by Adam on minibatches."""

from libc.stdint cimport uint16_t

from tavli_fast._core.constants cimport CLIPPED, LANES
from tavli_fast._core.net.outcomes cimport equity_of

cdef extern from "net/adam.h" nogil:
    enum:
        MOST_FEATURES "TF_MOST_FEATURES"
    ctypedef struct Sparse "tf_sparse":
        int n
    void read_features "tf_read_features"(
        Sparse* inputs, const float* features, int count, int width)
    void add_gradient "tf_add_gradient"(
        float* values, float* gradient, const float* weights, const Sparse* inputs, int features,
        const float* label, int width, int outputs, int clipped)
    void adam_step "tf_adam_step"(
        float* weights, float* gradient, float* mean, float* square, long n, int boards,
        float rate, float mean_part, float square_part)


def fit(
    float[::1] weights not None, float[::1] mean not None, float[::1] square not None,
    float[::1] gradient not None, double[::1] parts not None, const float[:, ::1] features not None,
    const uint16_t[:, ::1] labels not None, const float[::1] rates not None, int width,
    int outputs, int activation, int batch
):
    """Change the weights, a block of one phase as `net/adam.h` has it, by a step for each minibatch
    of `batch` boards (the last may be smaller), with its rate; `mean`, `square` and `gradient` have
    as many floats, the last all 0. `parts` are 0.9 and 0.999 to the power of the steps so far, and
    move on. Labels are outcomes in units of 1/65535. Return the sum of the squared differences
    between the equities of the net, each board's before the step that it had a part in, and of the
    labels."""
    cdef Sparse inputs
    cdef float values[8]
    cdef float label[8]
    cdef Py_ssize_t n = features.shape[0], first, i
    cdef int count = <int>features.shape[1], k, here, step = 0
    cdef long floats = weights.shape[0]
    cdef bint clipped = activation == CLIPPED
    cdef double total = 0, difference
    if not (
        count <= MOST_FEATURES
        and floats == <long>width * (count + 1 + outputs) + LANES
        and mean.shape[0] == square.shape[0] == gradient.shape[0] == floats
        and labels.shape[0] == n
        and labels.shape[1] == 6
        and rates.shape[0] == (n + batch - 1) // batch
    ):
        raise ValueError("the shapes of the arrays do not fit each other")
    with nogil:
        first = 0
        while first < n:
            here = <int>min(<Py_ssize_t>batch, n - first)
            for i in range(first, first + here):
                for k in range(6):
                    label[k] = labels[i, k] * <float>(1 / 65535.0)
                read_features(&inputs, &features[i, 0], count, width)
                # The number of outputs and the activation as constants: sums stay in registers.
                if outputs == 5 and clipped:
                    add_gradient(
                        values, &gradient[0], &weights[0], &inputs, count, label, width, 5, 1
                    )
                else:
                    add_gradient(
                        values, &gradient[0], &weights[0], &inputs, count, label, width, outputs,
                        clipped,
                    )
                if outputs == 5:
                    values[5] = 0
                difference = equity_of(values) - equity_of(label)
                total += difference * difference
            parts[0] *= 0.9
            parts[1] *= 0.999
            adam_step(
                &weights[0], &gradient[0], &mean[0], &square[0], floats, here, rates[step],
                <float>(1 - parts[0]), <float>(1 - parts[1]),
            )
            first += here
            step += 1
    return total
