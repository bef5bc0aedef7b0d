// ops.cpp - the matmul of ops/ on the host device against OpenBLAS, in one run.
//
// For the shapes of a forward pass, of one token (sgemv) and of 32 (sgemm), both on one thread:
// OpenBLAS as it is set up here, the host device as it runs a small launch. Ends with 1 when a
// result was wrong, never because it was slow.
#include "ops/ops.hpp"

#include <cblas.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <random>

#include "reel/stream.hpp"
#include "shared/rounds.hpp"

namespace bench {
namespace {

constexpr const char* by_blas = "OpenBLAS, one thread";

struct Product {
  std::uint32_t rows, columns, vectors;
  std::vector<float> weights, x, expected;

  Product(std::uint32_t m, std::uint32_t n, std::uint32_t v)
      : rows(m),
        columns(n),
        vectors(v),
        weights(std::size_t{m} * n),
        x(std::size_t{n} * v),
        expected(std::size_t{m} * v) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> between(-1, 1);
    for (float& value : weights) value = between(random);
    for (float& value : x) value = between(random);
    multiply(expected);
  }
  void multiply(std::vector<float>& y) const {
    const auto m = static_cast<int>(rows), n = static_cast<int>(columns),
               v = static_cast<int>(vectors);
    if (v == 1)
      cblas_sgemv(CblasRowMajor, CblasNoTrans, m, n, 1, weights.data(), n, x.data(), 1, 0, y.data(),
                  1);
    else
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, v, m, n, 1, x.data(), n, weights.data(),
                  n, 0, y.data(), m);
  }
  // Rounding to 8 bits moves each product by at most 1/254 of its weight's largest neighbour.
  std::string compare(const std::vector<float>& found, double tolerance) const {
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!(std::abs(found[i] - expected[i]) <= tolerance * std::sqrt(columns)))
        return "element " + std::to_string(i) + " is " + std::to_string(found[i]) + ", expected " +
               std::to_string(expected[i]);
    return {};
  }
};

Mode ours(const reel::Device& device, const std::shared_ptr<const Product>& product,
          reel::ops::Format format) {
  const auto ops = std::make_shared<reel::ops::Ops>(device);
  const auto matrix = std::make_shared<reel::ops::Matrix>(
      make_matrix(device, product->weights, product->rows, product->columns, format, "weights"));
  const reel::Buffer x = device.buffer_of(product->x, "x"),
                     y = device.buffer(product->expected.size() * 4, "y");
  const reel::Stream stream = device.stream("multiply");
  return {std::string("reel::ops, ") + to_string(format),
          [=](std::uint64_t passes) {
            for (; passes; --passes) {
              ops->matmul(stream, {.matrix = *matrix, .x = x, .y = y, .rows = product->vectors});
              stream.synchronize();
            }
          },
          [=](std::uint64_t) {
            return product->compare(y.read<float>(), format == reel::ops::Format::q8 ? 0.01 : 1e-5);
          },
          {{by_blas, 2}}};
}

Group group_of(const reel::Device& device, std::uint32_t rows, std::uint32_t columns,
               std::uint32_t vectors) {
  const auto product = std::make_shared<const Product>(rows, columns, vectors);
  const auto y = std::make_shared<std::vector<float>>(product->expected.size());
  return {device.info().id,
          std::to_string(rows) + " x " + std::to_string(columns) + ", " + std::to_string(vectors) +
              (vectors == 1 ? " token (sgemv)" : " tokens (sgemm)"),
          1,
          {{by_blas,
            [=](std::uint64_t passes) {
              for (; passes; --passes) product->multiply(*y);
            },
            [=](std::uint64_t) { return product->compare(*y, 1e-5); }},
           ours(device, product, reel::ops::Format::f32),
           ours(device, product, reel::ops::Format::q8)}};
}

int measure_all(const RunOptions& options) {
  openblas_set_num_threads(1);
  Run run(options);
  run.begin("per product");
  const reel::Device device = reel::open_device("host");
  for (const std::uint32_t vectors : {1u, 32u})
    for (const auto& [rows, columns] : {std::pair{352u, 128u}, {1024u, 128u}, {1024u, 1024u}})
      run.measure(group_of(device, rows, columns, vectors));
  return run.end();
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  CLI::App app("The matmul of ops/ on the host device against OpenBLAS.");
  bench::RunOptions options;
  add_run_options(app, options);
  return bench::run_program(app, argc, argv, "ops", [&] { return bench::measure_all(options); });
}
