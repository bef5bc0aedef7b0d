// Which words of a program a kernel is made of: what changes elsewhere is no change of it.
#include "opencl/kernel_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reel {
namespace {

// Parts of a program; `scale` uses all but `blend` and what is its own, `blend` uses `mix2`.
struct Program {
  std::string top = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  std::string macro = "#define TILE 16\n";
  std::string type = "typedef struct { int rows, columns; } Shape __attribute__((packed));\n";
  std::string table = "__constant float weights[4] = {1, 2, 3, 4};\n";
  std::string helper =
      "static inline __attribute__((always_inline)) float weight(int i) { return weights[i % 4]; "
      "}\n";
  std::string scale =
      "kernel __attribute__((reqd_work_group_size(TILE, 1, 1)))\n"
      "void scale(global float* x, Shape shape) {\n"
      "#ifdef FAST\n  x[0] = native_exp(x[0]);\n#endif\n"
      "  x[get_global_id(0)] *= weight(shape.rows);\n}\n";
  std::string mix = "static inline float2 mix2(float2 a, float2 b) { return 0.5f * (a + b); }\n";
  std::string blend =
      "kernel void blend(global float2* x, global float2* y) {\n"
      "#pragma unroll\n  for (int i = 0; i < 4; ++i) x[i] = mix2(x[i], y[i]); }\n";

  std::string text() const { return top + macro + type + table + helper + scale + mix + blend; }
};

// Changes `part` of a program and says of which kernels the text is another one then.
std::string changed(std::string Program::*part, const std::string& from, const std::string& to) {
  const Program before;
  Program after;
  const std::size_t at = (after.*part).find(from);
  EXPECT_NE(at, std::string::npos) << from;
  (after.*part).replace(at, from.size(), to);
  std::string list;
  for (const char* kernel : {"scale", "blend"})
    if (opencl_kernel_text(before.text(), kernel) != opencl_kernel_text(after.text(), kernel))
      list += std::string(list.empty() ? "" : " ") + kernel;
  return list;
}

TEST(OpenclKernelText, HasWhatTheKernelUsesAndNothingElse) {
  EXPECT_EQ(changed(&Program::scale, "*=", "/="), "scale");
  EXPECT_EQ(changed(&Program::scale, "native_exp", "exp"), "scale");
  EXPECT_EQ(changed(&Program::scale, "ifdef FAST", "ifndef FAST"), "scale");
  EXPECT_EQ(changed(&Program::helper, "% 4", "& 3"), "scale");
  EXPECT_EQ(changed(&Program::table, "2, 3", "3, 2"), "scale");
  EXPECT_EQ(changed(&Program::type, "int rows", "long rows"), "scale");
  EXPECT_EQ(changed(&Program::macro, "16", "32"), "scale");
  EXPECT_EQ(changed(&Program::mix, "0.5f", "0.4f"), "blend");
  EXPECT_EQ(changed(&Program::blend, "unroll", "nounroll"), "blend");
}

TEST(OpenclKernelText, TakesWhatEverybodyMayUseForEverybodys) {
  EXPECT_EQ(changed(&Program::top, "enable", "disable"), "scale blend");
  EXPECT_EQ(changed(&Program::top, "#pragma", "#ifdef X\n#endif\n#pragma"), "scale blend");
}

TEST(OpenclKernelText, CommentsAndSpacesAreNoChange) {
  EXPECT_EQ(changed(&Program::scale, "x[0] = ", "x[0]   =  /* quickly */ "), "");
  EXPECT_EQ(changed(&Program::top, "#pragma", "// what it needs\n#pragma"), "");
}

TEST(OpenclKernelText, IsTheWholeTextWhereItCantBeTakenApart) {
  const auto both = [](const std::string& before, const std::string& after) {
    return opencl_kernel_text(before, "a") != opencl_kernel_text(after, "a");
  };
  const std::string b = "kernel void b(global int* x) { x[0] = 1; }",
                    c = "kernel void b(global int* x) { x[0] = 2; }";
  // A macro makes the kernel.
  const std::string made = "#define K(n) kernel void n(global int* x)\nK(a) { x[0] = 3; }\n";
  EXPECT_TRUE(both(made + b, made + c));
  // A macro makes names.
  const std::string pasted = "#define U(n) b##n\nkernel void a(global int* x) { U(1)(x); }\n";
  EXPECT_TRUE(both(pasted + b, pasted + c));
  // Braces don't match: a condition cuts through a function.
  const std::string cut =
      "kernel void a(global int* x)\n#ifdef X\n{ x[0] = 3;\n#else\n{\n#endif\n}\n";
  EXPECT_TRUE(both(cut + b, cut + c));
  // And nothing of the kind: only b changed.
  const std::string plain = "kernel void a(global int* x) { x[0] = 3; }\n";
  EXPECT_FALSE(both(plain + b, plain + c));
}

// Whatever a text holds, it is read to its end, and equal texts are equal.
TEST(OpenclKernelText, ReadsAnyText) {
  const std::string text = Program().text();
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string part = text.substr(0, cut);
    EXPECT_EQ(opencl_kernel_text(part, "blend"), opencl_kernel_text(part, "blend"));
    // A cut before the end of the kernel is a change of it.
    if (cut + 2 < text.size()) {
      EXPECT_NE(opencl_kernel_text(part, "blend"), opencl_kernel_text(text, "blend")) << cut;
    }
  }
}

}  // namespace
}  // namespace reel
