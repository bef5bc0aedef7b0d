// What the text of a program tells of its kernels, against what the driver's compiler tells of the
// same: whatever is believed of a text must be so. Programs are random, and use every way of the
// preprocessor to make a signature other than it looks.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "layers/opencl/objects/parameters.hpp"
#include "opencl/types.hpp"

namespace reel::layer {
namespace {

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  struct Program {
    std::string text, options;
    std::vector<std::string> kernels;
  };

  Program program() {
    Program made;
    options_.clear();
    for (int i = 0; i < 10; ++i) {
      const std::string name = fmt::format("k{}", number_++);
      made.kernels.push_back(name);
      made.text += definition(name);
    }
    made.options = options_;
    return made;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool maybe(std::uint32_t one_in) { return below(one_in) == 0; }
  template <std::size_t N>
  std::string one_of(const char* const (&list)[N]) {
    return list[below(N)];
  }
  std::string fresh(const char* stem) { return fmt::format("{}_{}", stem, number_++); }

  std::string type() {
    return one_of({"float", "int", "uint", "unsigned int", "uchar4", "short", "ulong2", "unsigned",
                   "long", "float16", "unsigned char"});
  }

  // As it is, or made by a macro of the text or of the options.
  std::string spelled(const std::string& word) {
    if (!maybe(8)) return word;
    const std::string name = fresh("M");
    if (maybe(2) && word.find(' ') == std::string::npos)
      options_ += fmt::format(" -D{}{}={}", maybe(2) ? " " : "", name, word);
    else
      before_ += fmt::format("#define {} {}\n", name, word);
    return name;
  }

  std::string noise() {
    return maybe(5) ? one_of({" /* const */ ", " // const *, )\n ", " \\\n ", "\n",
                              " /* \n#if 0\n */ ", " /**/ "})
                    : " ";
  }

  std::string parameter(bool is_const, int index) {
    const std::string name = fmt::format("p{}", index), space = maybe(2) ? "global" : "__global";
    switch (below(12)) {
      case 0: {  // a pointer behind a name
        const std::string pointer = fresh("T");
        before_ +=
            fmt::format("typedef {} {}{}* {};\n", space, is_const ? "const " : "", type(), pointer);
        return pointer + " " + name;
      }
      case 1: {  // a type behind a name
        const std::string other = fresh("T");
        before_ += fmt::format("typedef {}{} {};\n", is_const ? "const " : "", type(), other);
        return fmt::format("{} {}* {}", space, other, name);
      }
      case 2:
        return spelled(type()) + noise() + name;
      case 3:
        return fmt::format("constant{}{}* {}", noise(), type(), name);
      case 4:
        return fmt::format("local{}{}* {}", noise(), type(), name);
      case 5: {
        const std::string record = fresh("S");
        before_ += fmt::format("struct {} {{ int a; float b; }};\n", record);
        return fmt::format("{} {}struct {}* {}", space, is_const ? "const " : "", record, name);
      }
      case 6:
        return fmt::format("{} {}* const {}", space, type(), name);
      case 7:
        return fmt::format("{} {}{} {}[]", space, is_const ? "const " : "", type(), name);
      default: {
        const std::string c = is_const ? spelled("const") : "";
        const std::string t = spelled(type());
        return maybe(2) ? fmt::format("{}{}{} {}{}*{}{}", spelled(space), noise(), c, t, noise(),
                                      maybe(3) ? " restrict " : " ", name)
                        : fmt::format("{} {} {}{}* {}", c, space, t, noise(), name);
      }
    }
  }

  std::string parameters() {
    std::string list;
    const int count = 1 + static_cast<int>(below(3));
    for (int i = 0; i < count; ++i) list += (i ? "," + noise() : "") + parameter(maybe(2), i);
    return list;
  }

  // "kernel void NAME(…) { }", perhaps not quite.
  std::string plain(const std::string& name) {
    std::string head = one_of({"kernel", "__kernel"}) + noise();
    if (maybe(6)) head += "__attribute__((reqd_work_group_size(4, 1, 1))) ";
    const std::string list = parameters();
    std::string text = std::exchange(before_, {});
    if (maybe(8)) text += fmt::format("kernel void {}({});\n", name, list);
    return text + head + "void " + name + noise() + "(" + list + ")" + noise() + "{ }\n";
  }

  std::string definition(const std::string& name) {
    switch (below(16)) {
      case 0:  // one of two, by a condition
        return fmt::format("#if{}\n{}#else\n{}#endif\n",
                           one_of({" 0", " 1", "def cl_khr_fp64", "def NOT_THERE",
                                   "ndef cl_khr_fp16", " defined(__OPENCL_VERSION__)"}),
                           plain(name), plain(name));
      case 1:  // a dead one first
        return "#if 0\n don't /* \n" + plain(name) + " */\n#endif\n" + plain(name);
      case 2:  // in a comment
        return "/* kernel void " + name + "(global const float* p0) { } */\n" + plain(name);
      case 3:  // swallowed by a macro
      {
        const std::string eat = fresh("EAT");
        return fmt::format("#define {}(...)\n{}(kernel void {}(global const int* p0) {{ }})\n{}",
                           eat, eat, name, plain(name));
      }
      case 4: {  // a name that stands for another
        const std::string other = fresh("other");
        return fmt::format(
                   "#define {} {}\nkernel void {}(global const float* p0) {{ }}\n#undef {}\n", name,
                   other, name, name) +
               plain(name);
      }
      case 5: {  // made as a whole
        const std::string make = fresh("MAKE");
        return fmt::format(
            "#define {}(name, q) kernel void name(global q float* p0) {{ }}\n{}({}, {})\n", make,
            make, name, maybe(2) ? "const" : "");
      }
      case 6:  // const is none
        return fmt::format("#define const\n{}#undef const\n", plain(name));
      case 7:  // half or float
        return fmt::format(
            "#ifdef cl_khr_fp16\n#define R{0} half\n#else\n#define R{0} float\n#endif\n"
            "kernel void {0}(global {1}R{0}* p0, R{0} p1) {{ }}\n",
            name, maybe(2) ? "const " : "");
      case 8:  // a condition inside
        return fmt::format("kernel void {}(global\n#if{}\nconst\n#endif\nint* p0, int p1) {{ }}\n",
                           name, one_of({" 0", " 1", "def NOT_THERE"}));
      case 9:  // of another spelling
        return fmt::format("%:define Q{0} const\nkernel void {0}(global Q{0} int* p0) {{ }}\n",
                           name);
      case 10:  // half of it in a string, before
        return fmt::format(
                   "constant char text_{0}[] = \"kernel void {0}(global const int* p0) {{ }}\";\n",
                   name) +
               plain(name);
      case 11:  // lines that go on inside a word
        return fmt::format("ker\\\nnel void {}(glo\\\nbal {}int* p0) {{ }}\n", name,
                           maybe(2) ? "con\\\nst " : "");
      default:
        return plain(name);
    }
  }

  std::mt19937 random_;
  std::uint32_t number_ = 0;
  std::string options_, before_;
};

class Compiler : public testing::Test {
 protected:
  void SetUp() override {
    cl_platform_id platform = nullptr;
    ASSERT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS) << "There is no OpenCL driver.";
    ASSERT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), CL_SUCCESS);
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
  }
  void TearDown() override {
    if (context_) clReleaseContext(context_);
  }

  cl_program build(const std::string& text, const std::string& options) {
    const char* lines = text.c_str();
    cl_program program = clCreateProgramWithSource(context_, 1, &lines, nullptr, nullptr);
    const std::string all = "-cl-kernel-arg-info" + options;
    if (clBuildProgram(program, 1, &device_, all.c_str(), nullptr, nullptr) == CL_SUCCESS)
      return program;
    clReleaseProgram(program);
    return nullptr;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
};

struct Told {
  std::string type;
  cl_kernel_arg_address_qualifier address = 0;
  cl_kernel_arg_type_qualifier qualifiers = 0;
};

Told ask(cl_kernel kernel, cl_uint index) {
  Told told;
  char type[256] = "";
  EXPECT_EQ(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr),
            0);
  told.type = type;
  EXPECT_EQ(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof told.address,
                               &told.address, nullptr),
            0);
  EXPECT_EQ(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof told.qualifiers,
                               &told.qualifiers, nullptr),
            0);
  return told;
}

void expect_so(const Parameter& believed, const Told& told, const std::string& where) {
  if (told.address == CL_KERNEL_ARG_ADDRESS_PRIVATE) {
    EXPECT_EQ(believed.kind, ArgumentKind::value) << where;
    EXPECT_TRUE(!believed.size_bytes || believed.size_bytes == builtin_type_bytes(told.type))
        << where;
    EXPECT_TRUE(!believed.element || believed.element == builtin_element(told.type)) << where;
    return;
  }
  if (told.address == CL_KERNEL_ARG_ADDRESS_LOCAL) {
    EXPECT_EQ(believed.kind, ArgumentKind::shared) << where;
    return;
  }
  EXPECT_EQ(believed.kind, ArgumentKind::buffer) << where;
  EXPECT_TRUE(!believed.element || believed.element == pointed_element(told.type)) << where;
  EXPECT_TRUE(believed.access != Access::read || told.address == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
              (told.qualifiers & CL_KERNEL_ARG_TYPE_CONST))
      << where;
}

TEST_F(Compiler, WhatIsBelievedOfATextIsWhatTheCompilerSees) {
  std::uint32_t seed = std::random_device()();
  if (const char* given = std::getenv("REEL_TEST_SEED"))
    seed = static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10));
  RecordProperty("seed", std::to_string(seed));
  Generator generator(seed);
  int built = 0, kernels = 0, believed = 0;
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    const Generator::Program program = generator.program();
    cl_program handle = build(program.text, program.options);
    if (!handle) continue;
    ++built;
    for (const std::string& name : program.kernels) {
      cl_int status = 0;
      cl_kernel kernel = clCreateKernel(handle, name.c_str(), &status);
      if (!kernel) continue;
      ++kernels;
      cl_uint count = 0;
      clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
      if (const auto found = parameters_in_source(program.text, program.options, name)) {
        ++believed;
        const std::string where = fmt::format("REEL_TEST_SEED={} {} with '{}':\n{}", seed, name,
                                              program.options, program.text);
        ASSERT_EQ(found->size(), count) << where;
        for (cl_uint at = 0; at < count; ++at) expect_so((*found)[at], ask(kernel, at), where);
      }
      clReleaseKernel(kernel);
    }
    clReleaseProgram(handle);
  }
  // It tells something: most programs are right, and a part of the plain ones is believed.
  EXPECT_GT(built, 10);
  EXPECT_GT(believed, kernels / 50) << kernels;
  std::printf("%d programs, %d kernels, %d believed (REEL_TEST_SEED=%u)\n", built, kernels,
              believed, seed);
}

}  // namespace
}  // namespace reel::layer
