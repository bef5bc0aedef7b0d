// Replays of what only foreign programs do. On OpenCL, the one device that takes it.
#include <gmock/gmock.h>

#include <fstream>
#include <numeric>

#include "backends/opencl/device/context.hpp"
#include "expect_error.hpp"
#include "opencl/opencl_device.hpp"
#include "recording/captured.hpp"
#include "reel/replay.hpp"
#include "replay/foreign_document.hpp"
#include "replay/told.hpp"

namespace reel::test {
namespace {

using testing::HasSubstr;

constexpr auto order_r = ChannelOrder::r, order_rgba = ChannelOrder::rgba;
constexpr auto unorm_8 = ChannelType::unorm8, uint_8 = ChannelType::uint8,
               half_16 = ChannelType::float16, float_32 = ChannelType::float32;
constexpr std::uint32_t clamp_to_edge = 0x1131, nearest = 0x1140, linear = 0x1141;

class ForeignTest : public OpenclTest {
 protected:
  ForeignDocument document(std::uint32_t devices = 1) {
    return ForeignDocument(folder_.path("x" + std::to_string(documents_++) + ".reel"),
                           device.info(), devices);
  }
  // In every order, with nothing left out.
  void expect_equal(const Trace& trace) {
    for (const ReplayOrder order : every_order) {
      const ReplayReport report = replay(trace, {.order = order});
      EXPECT_EQ(report.verdict(), Verdict::equal) << to_string(order) << ": " << told(report);
      for (const LeftOut& one : report.left_out) ADD_FAILURE() << one.reason;
      EXPECT_GT(report.checks, 0u);
    }
  }

  const ScratchFolder folder_;
  int documents_ = 0;
};

std::vector<std::uint32_t> numbers(std::size_t count, std::uint32_t first = 0) {
  std::vector<std::uint32_t> list(count);
  std::iota(list.begin(), list.end(), first);
  return list;
}

Bytes random_bytes(std::size_t count, unsigned seed) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    bytes[i] = static_cast<std::byte>(seed >> 24);
  }
  return bytes;
}

// --- images -------------------------------------------------------------------------------------

struct TypeCase {
  ImageType type;
  const char* name;   // image2d_t
  const char* place;  // where a pixel is, from x, y, z
  bool sampled;       // takes a sampler
  std::uint64_t width, height, depth, layers;
};

class EveryImageType : public ForeignTest, public testing::WithParamInterface<TypeCase> {};

TEST_P(EveryImageType, IsReadWrittenAndChecked) {
  const TypeCase& c = GetParam();
  const ImageShape shape{c.type, order_rgba, uint_8, 4, c.width, c.height, c.depth, c.layers, 0};
  const std::size_t pixels = c.width * c.height * c.depth * c.layers;
  const std::uint64_t rows = c.type == ImageType::d1_array ? c.layers : c.height;
  const std::uint64_t planes = c.type == ImageType::d2_array ? c.layers : c.depth;
  const std::string place = std::string(c.place);
  const std::string head =
      "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
      "#define X get_global_id(0)\n#define Y get_global_id(1)\n#define Z get_global_id(2)\n"
      "#define AT ((Z * get_global_size(1) + Y) * get_global_size(0) + X)\n";
  const std::string source = head + "kernel void take(read_only " + c.name + " image, " +
                             (c.sampled ? "sampler_t how, " : "") +
                             "global uint4* into) { into[AT] = read_imageui(image, " +
                             (c.sampled ? "how, " : "") + place + "); }\n";
  const std::string give = head + "kernel void give(write_only " + c.name +
                           " image, global const uint4* from) { write_imageui(image, " + place +
                           ", from[AT] + (uint4)(1)); }\n";
  const Bytes before = random_bytes(pixels * 4, 7);
  std::vector<std::uint32_t> wide(pixels * 4);
  Bytes after(pixels * 4);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    wide[i] = static_cast<std::uint32_t>(before[i]);
    after[i] = static_cast<std::byte>(std::min(wide[i] + 1, 255u));  // saturates
  }

  ForeignDocument d = document();
  const auto first = d.image(shape, before), second = d.image(shape, random_bytes(pixels * 4, 9));
  const auto numbers = d.buffer(pixels * 16);
  const auto take = d.kernel("take", source), put = d.kernel("give", give);
  const Grid grid{{c.width, rows, planes}, {1, 1, 1}};
  std::vector<Given> arguments{in(first, 0, pixels * 4)};
  if (c.sampled) arguments.push_back(sampler(0, clamp_to_edge, nearest));
  arguments.push_back(out(numbers, 0, pixels * 16));
  const auto c0 = d.dispatch(take, grid, arguments);
  const auto c1 = d.dispatch(put, grid, {out(second, 0, pixels * 4), in(numbers, 0, pixels * 16)});
  d.check(c0, numbers, bytes_of_all(wide));
  d.check(c1, second, after);
  d.check(c1, first, before);
  expect_equal(d.load());
}

INSTANTIATE_TEST_SUITE_P(
    Images, EveryImageType,
    testing::Values(
        TypeCase{ImageType::d1, "image1d_t", "(int)X", true, 33, 1, 1, 1},
        TypeCase{ImageType::d1_buffer, "image1d_buffer_t", "(int)X", false, 40, 1, 1, 1},
        TypeCase{ImageType::d1_array, "image1d_array_t", "(int2)(X, Y)", true, 9, 1, 1, 5},
        TypeCase{ImageType::d2, "image2d_t", "(int2)(X, Y)", true, 17, 6, 1, 1},
        TypeCase{ImageType::d2_array, "image2d_array_t", "(int4)(X, Y, Z, 0)", true, 7, 5, 1, 3},
        TypeCase{ImageType::d3, "image3d_t", "(int4)(X, Y, Z, 0)", true, 6, 5, 4, 1}),
    [](const auto& about) { return std::string("of_") + to_string(about.param.type); });

TEST_F(ForeignTest, FormatsAreReadAsTheyWereRecorded) {
  ForeignDocument d = document();
  const std::vector<float> reals{1.5f, -2.25f, 0.125f, 3e8f, 1, 2, 3, 4};
  const Bytes half_bytes = bytes_of_all(std::vector<std::uint16_t>{0x3c00, 0xc100});
  const auto floats =
      d.image({ImageType::d2, order_rgba, float_32, 16, 2, 1, 1, 1, 0}, bytes_of_all(reals));
  const auto halves = d.image({ImageType::d2, order_r, half_16, 2, 2, 1, 1, 1, 0}, half_bytes);
  const auto norms = d.image({ImageType::d2, order_rgba, unorm_8, 4, 2, 1, 1, 1, 0},
                             bytes_of_all(std::vector<std::uint32_t>{0xff00ff00, 0x00ffffff}));
  const auto result = d.buffer(64), copied = d.buffer(4);
  const auto kernel =
      d.kernel("take",
               "kernel void take(read_only image2d_t a, read_only image2d_t b, sampler_t how,\n"
               "                 global float4* to) {\n"
               "  const int x = get_global_id(0);\n"
               "  to[x] = read_imagef(a, how, (int2)(x, 0));\n"
               "  to[2 + x] = read_imagef(b, how, (int2)(x, 0));\n}\n");
  d.dispatch(
      kernel, {{2, 1, 1}, {1, 1, 1}},
      {in(floats, 0, 32), in(norms, 0, 8), sampler(0, clamp_to_edge, nearest), out(result, 0, 64)});
  // Only moved: kernels on PoCL 3.1 read 234 from any half.
  const auto c1 = d.work(WorkKind::copy, {in(halves, 0, 4), out(copied, 0, 4)});
  std::vector<float> expected = reals;
  for (const float f : {0.0f, 1.0f, 0.0f, 1.0f, 1.0f, 1.0f, 1.0f, 0.0f}) expected.push_back(f);
  d.check(c1, result, bytes_of_all(expected));
  d.check(c1, copied, half_bytes);
  expect_equal(d.load());
}

TEST_F(ForeignTest, ASamplerFiltersAsItIsRecorded) {
  ForeignDocument d = document();
  const auto image = d.image({ImageType::d2, order_r, float_32, 4, 4, 1, 1, 1, 0},
                             bytes_of_all(std::vector<float>{0, 4, 8, 12}));
  const auto result = d.buffer(8);
  const auto kernel =
      d.kernel("take",
               "kernel void take(read_only image2d_t a, sampler_t how, global float* to, int i) {\n"
               "  to[i] = read_imagef(a, how, (float2)(0.5f, 0.5f)).x;\n}\n");
  // In the middle of the image, between two pixels; in its first pixel.
  d.dispatch(kernel, {},
             {in(image, 0, 16), sampler(1, clamp_to_edge, linear), both(result, 0, 8), value(0)});
  const auto c1 = d.dispatch(
      kernel, {},
      {in(image, 0, 16), sampler(0, clamp_to_edge, nearest), both(result, 0, 8), value(1)});
  d.check(c1, result, bytes_of_all(std::vector<float>{6, 0}));
  expect_equal(d.load());
}

TEST_F(ForeignTest, AnImageMadeOnABufferShowsItsBytes) {
  ForeignDocument d = document();
  const auto parent = d.buffer(1024, bytes_of_all(numbers(256)));
  const auto view = d.view({ImageType::d1_buffer, order_r, ChannelType::uint32, 4, 64, 1, 1, 1, 0});
  const auto result = d.buffer(256);
  const auto read =
      d.kernel("take",
               "kernel void take(read_only image1d_buffer_t a, global uint* to) {\n"
               "  to[get_global_id(0)] = read_imageui(a, (int)get_global_id(0)).x;\n}\n");
  const auto add =
      d.kernel("add", "kernel void add(global uint* x) { x[get_global_id(0)] += 5; }\n");
  d.dispatch(add, {{256, 1, 1}, {1, 1, 1}}, {both(parent, 0, 1024)});
  const auto c1 = d.dispatch(read, {{64, 1, 1}, {1, 1, 1}},
                             {as_image(in(parent, 0, 256), view), out(result, 0, 256)});
  d.check(c1, result, bytes_of_all(numbers(64, 5)));
  d.check(c1, parent, bytes_of_all(numbers(256, 5)));
  expect_equal(d.load());
}

// Not on PoCL 3.1, which makes no such images: then the command is named, and the rest is run.
TEST_F(ForeignTest, ATwoDimensionalImageOnABufferIsReadOrNamed) {
  ForeignDocument d = document();
  const auto parent = d.buffer(4096, bytes_of_all(numbers(1024)));
  const auto view = d.view({ImageType::d2, order_r, ChannelType::uint32, 4, 8, 4, 1, 1, 128});
  const auto result = d.buffer(128), other = d.buffer(4);
  const auto read =
      d.kernel("take",
               "kernel void take(read_only image2d_t a, sampler_t how, global uint* to) {\n"
               "  const int x = get_global_id(0), y = get_global_id(1);\n"
               "  to[y * 8 + x] = read_imageui(a, how, (int2)(x, y)).x;\n}\n");
  const auto set = d.kernel("set", "kernel void set(global uint* x) { *x = 9; }\n");
  const auto c0 = d.dispatch(read, {{8, 4, 1}, {1, 1, 1}},
                             {as_image(in(parent, 1024, 512), view),
                              sampler(0, clamp_to_edge, nearest), out(result, 0, 128)});
  const auto c1 = d.dispatch(set, {}, {out(other, 0, 4)});
  std::vector<std::uint32_t> expected;
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) expected.push_back(256 + 32 * y + x);
  d.check(c0, result, bytes_of_all(expected));
  d.check(c1, other, bytes_of_all(std::vector<std::uint32_t>{9}));
  const Trace trace = d.load();
  const ReplayReport report = replay(trace);
  if (report.left_out.empty()) {
    EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
    return;
  }
  ASSERT_EQ(report.left_out.size(), 1u);
  EXPECT_EQ(report.left_out[0].command, c0);
  EXPECT_EQ(report.verdict(), Verdict::not_proved);
  EXPECT_EQ(report.equal_checks, 1u);
}

TEST_F(ForeignTest, ADifferenceInAnImageIsOfItsChannels) {
  ForeignDocument d = document();
  const ImageShape shape{ImageType::d2, order_rgba, uint_8, 4, 4, 3, 1, 1, 0};
  const auto image = d.image(shape, Bytes(48));
  const auto kernel =
      d.kernel("set",
               "kernel void set(write_only image2d_t a) {\n"
               "  write_imageui(a, (int2)(get_global_id(0), get_global_id(1)), (uint4)(3));\n}\n");
  const auto c0 = d.dispatch(kernel, {{4, 3, 1}, {1, 1, 1}}, {out(image, 0, 48)});
  Bytes wrong(48, std::byte{3});
  wrong[4 * (4 * 2 + 1) + 2] = std::byte{4};
  d.contents(ContentRole::check, c0, image, 0, wrong);
  const Trace trace = d.load();
  const ReplayReport report = replay(trace);
  ASSERT_EQ(report.differences.size(), 1u);
  const Difference& found = report.differences[0];
  EXPECT_EQ(found.expected, "4");
  EXPECT_EQ(found.found, "3");
  EXPECT_EQ(found.type, ElementType::u8);
  EXPECT_EQ(pixel_text(shape, found.offset_bytes), "pixel (1, 2)");
}

TEST(ForeignMemory, IsRefusedWhereADeviceHasNone) {
  const Device host = open_device("host");
  const ImageShape shape{ImageType::d2, order_rgba, uint_8, 4, 4, 3, 1, 1, 0};
  expect_error(Code::unsupported, {"'x'", "host", "no images"},
               [&] { host.image_buffer(shape, "x"); });
}

TEST_F(ForeignTest, ImagesOfNoSizeAreRefused) {
  ImageShape shape{ImageType::d1, order_rgba, uint_8, 4, 4, 3, 1, 1, 0};
  expect_error(Code::invalid_argument, {"'x'", "1d"}, [&] { device.image_buffer(shape, "x"); });
  shape.type = ImageType::d2;
  const Buffer small = device.buffer(40, "small");
  expect_error(Code::invalid_argument, {"48 bytes", "'small'"},
               [&] { device.image_view(small, shape, "x"); });
}

// --- transfers ----------------------------------------------------------------------------------

TEST_F(ForeignTest, RectanglesAreListsOfRanges) {
  ForeignDocument d = document();
  const auto from = d.buffer(64, bytes_of_all(numbers(16)));
  const auto to = d.buffer(64);
  // Two columns of four to the right half.
  d.work(WorkKind::copy, {in(from, 0, 8), out(to, 8, 8), in(from, 16, 8), out(to, 24, 8),
                          in(from, 32, 8), out(to, 40, 8)});
  d.work(WorkKind::fill, {out(to, 0, 4), out(to, 16, 4)}, 0x07070707, 4);
  const auto c2 = d.work(WorkKind::write, {out(to, 48, 4), out(to, 60, 4)});
  d.contents(ContentRole::written, c2, to, 48, bytes_of_all(std::vector<std::uint32_t>{100}));
  d.contents(ContentRole::written, c2, to, 60, bytes_of_all(std::vector<std::uint32_t>{200}));
  d.work(WorkKind::copy, {});
  d.work(WorkKind::write, {});
  const auto c5 = d.work(WorkKind::read, {in(to, 0, 8), in(to, 32, 32)});
  d.check(c5, to,
          bytes_of_all(std::vector<std::uint32_t>{0x07070707, 0, 0, 1, 0x07070707, 0, 4, 5, 0, 0, 8,
                                                  9, 100, 0, 0, 200}));
  expect_equal(d.load());
}

TEST_F(ForeignTest, TransfersOfImagesAreThoseOfTheirBytes) {
  ForeignDocument d = document();
  const ImageShape shape{ImageType::d3, order_rgba, float_32, 16, 3, 4, 2, 1, 0};
  const Bytes pixels = random_bytes(384, 3);
  const auto a = d.image(shape, pixels), b = d.image(shape);
  const auto buffer = d.buffer(400, random_bytes(400, 5));
  Bytes in_b(384), in_buffer = random_bytes(400, 5);
  const auto move = [](const Bytes& from, std::size_t at, Bytes& to, std::size_t where,
                       std::size_t size) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at), size,
                to.begin() + static_cast<std::ptrdiff_t>(where));
  };
  // From image to image, to a buffer, and back: whole, boxes, and parts of pixels.
  d.work(WorkKind::copy, {in(a, 0, 384), out(b, 0, 384)});
  move(pixels, 0, in_b, 0, 384);
  d.work(WorkKind::copy, {in(a, 16, 160), out(b, 192, 160)});
  move(pixels, 16, in_b, 192, 160);
  d.work(WorkKind::copy, {in(b, 5, 70), out(buffer, 3, 70)});
  move(in_b, 5, in_buffer, 3, 70);
  d.work(WorkKind::copy, {in(buffer, 1, 33), out(b, 77, 33)});
  move(in_buffer, 1, in_b, 77, 33);
  const auto c4 = d.work(WorkKind::fill, {out(b, 48, 96), out(b, 302, 6)}, 0x0201, 2);
  for (std::size_t i = 0; i < 96; ++i) in_b[48 + i] = static_cast<std::byte>(1 + i % 2);
  for (std::size_t i = 0; i < 6; ++i) in_b[302 + i] = static_cast<std::byte>(1 + i % 2);
  d.check(c4, b, Bytes(in_b.begin() + 1, in_b.begin() + 350), 1);
  const auto c5 = d.work(WorkKind::write, {out(b, 10, 37)});
  const Bytes given = random_bytes(37, 8);
  d.contents(ContentRole::written, c5, b, 10, given);
  move(given, 0, in_b, 10, 37);
  d.check(c5, b, in_b);
  d.check(c5, buffer, in_buffer);
  expect_equal(d.load());
}

// --- launches and arguments ---------------------------------------------------------------------

constexpr const char* places_cl =
    "kernel void places(global uint* to) {\n"
    "  const uint i = get_global_id(0) + 100 * get_global_id(1);\n"
    "  to[get_global_id(0) - get_global_offset(0) +\n"
    "     get_global_size(0) * (get_global_id(1) - get_global_offset(1))] = i;\n}\n";

TEST_F(ForeignTest, OffsetsMoveTheFirstItem) {
  ForeignDocument d = document();
  const auto to = d.buffer(32);
  const auto kernel = d.kernel("places", places_cl);
  const auto c0 = d.dispatch(kernel, {{2, 2, 1}, {2, 1, 1}, {7, 3, 0}}, {out(to, 0, 32)});
  d.check(c0, to, bytes_of_all(std::vector<std::uint32_t>{307, 308, 309, 310, 407, 408, 409, 410}));
  expect_equal(d.load());
}

TEST_F(ForeignTest, AGroupSizeMayBeTheDriversChoice) {
  ForeignDocument d = document();
  const auto to = d.buffer(4 * 33);
  const auto kernel = d.kernel("places", places_cl);
  const auto c0 =
      d.dispatch(kernel, {unset_dim, unset_dim, {0, 0, 0}, {33, 1, 1}}, {out(to, 0, 4 * 33)});
  d.check(c0, to, bytes_of_all(numbers(33)));
  expect_equal(d.load());
}

TEST_F(ForeignTest, GroupsThatAreNotFullRunOrAreNamed) {
  ForeignDocument d = document();
  const auto to = d.buffer(4 * 33), other = d.buffer(4 * 8);
  const auto kernel = d.kernel("places", places_cl, KernelForm::opencl_c, "-cl-std=CL3.0");
  const auto c0 =
      d.dispatch(kernel, {{5, 1, 1}, {8, 1, 1}, {0, 0, 0}, {33, 1, 1}}, {out(to, 0, 4 * 33)});
  const auto c1 =
      d.dispatch(kernel, {{1, 1, 1}, {8, 1, 1}, {0, 0, 0}, {8, 1, 1}}, {out(other, 0, 32)});
  d.check(c0, to, bytes_of_all(numbers(33)));
  d.check(c1, other, bytes_of_all(numbers(8)));
  const ReplayReport report = replay(d.load());
  if (device.info().takes_partial_groups) {
    EXPECT_EQ(report.verdict(), Verdict::equal) << told(report);
    return;
  }
  ASSERT_EQ(report.left_out.size(), 1u);
  EXPECT_THAT(report.left_out[0].reason, HasSubstr("every group is full"));
  EXPECT_EQ(report.equal_checks, 1u) << told(report);
}

TEST_F(ForeignTest, ValuesMayBeLarge) {
  ForeignDocument d = document();
  const auto to = d.buffer(4096);
  const auto kernel = d.kernel("unpack",
                               "typedef struct { float v[1024]; } Big;\n"
                               "kernel void unpack(Big big, global float* to) {\n"
                               "  to[get_global_id(0)] = big.v[get_global_id(0)];\n}\n");
  std::vector<float> all(1024);
  std::iota(all.begin(), all.end(), 0.5f);
  const auto c0 = d.dispatch(kernel, {{16, 1, 1}, {64, 1, 1}},
                             {bytes_value(bytes_of_all(all)), out(to, 0, 4096)});
  d.check(c0, to, bytes_of_all(all));
  expect_equal(d.load());
}

TEST_F(ForeignTest, APointerMayPointToNothing) {
  ForeignDocument d = document();
  const auto to = d.buffer(4);
  const auto kernel =
      d.kernel("is_null",
               "kernel void is_null(global const int* x, global int* to) { *to = x ? *x : 42; }\n");
  const auto c0 = d.dispatch(kernel, {}, {null_pointer(), out(to, 0, 4)});
  d.check(c0, to, bytes_of_all(std::vector<std::int32_t>{42}));
  expect_equal(d.load());
}

TEST_F(ForeignTest, APointerIntoSharedVirtualMemoryMayBeginAnywhere) {
  ForeignDocument d = document();
  const auto memory = d.buffer(256, bytes_of_all(numbers(64)), BufferKind::svm);
  const auto kernel =
      d.kernel("add", "kernel void add(global uint* x) { x[get_global_id(0)] += 1000; }\n");
  const auto c0 = d.dispatch(kernel, {{3, 1, 1}, {1, 1, 1}}, {both(memory, 20, 236)});
  auto expected = numbers(64);
  for (std::size_t i = 5; i < 8; ++i) expected[i] += 1000;
  d.check(c0, memory, bytes_of_all(expected));
  expect_equal(d.load());
}

// --- kernels ------------------------------------------------------------------------------------

TEST_F(ForeignTest, PartsAreCompiledAndLinked) {
  ForeignDocument d = document();
  const auto to = d.buffer(4);
  const auto kernel = d.kernel("answer",
                               R"({"link_options": "", "parts": [
        {"source": "#include \"twice.h\"\nkernel void answer(global int* to) { *to = twice(N); }",
         "options": "-DN=21", "headers": [{"name": "twice.h", "source": "int twice(int x);"}]},
        {"source": "int twice(int x) { return 2 * x; }", "options": ""}]})",
                               KernelForm::opencl_parts);
  const auto c0 = d.dispatch(kernel, {}, {out(to, 0, 4)});
  d.check(c0, to, bytes_of_all(std::vector<std::int32_t>{42}));
  expect_equal(d.load());
}

// What the driver makes of a source.
std::string binary_of(const std::string& source) {
  const opencl::Api& cl = opencl::api();
  const opencl::FoundDevice found = opencl::find_devices().front();
  const opencl::DeviceContext context(found);
  const char* text = source.c_str();
  opencl::ProgramHandle program(
      cl.create_program_with_source(context.get(), 1, &text, nullptr, nullptr));
  const cl_device_id id = context.device();
  EXPECT_EQ(cl.build_program(program.get(), 1, &id, "", nullptr, nullptr), CL_SUCCESS);
  std::size_t size = 0;
  cl.get_program_info(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
  std::string binary(size, '\0');
  char* place = binary.data();
  cl.get_program_info(program.get(), CL_PROGRAM_BINARIES, sizeof place, &place, nullptr);
  return binary;
}

TEST_F(ForeignTest, ABinaryOfThisDriverIsTakenAsItIs) {
  ForeignDocument d = document();
  const auto to = d.buffer(4);
  const auto kernel =
      d.kernel("answer", binary_of("kernel void answer(global int* to, int x) { *to = x + 2; }\n"),
               KernelForm::opencl_binary);
  const auto c0 = d.dispatch(kernel, {}, {out(to, 0, 4), value(40)});
  d.check(c0, to, bytes_of_all(std::vector<std::int32_t>{42}));
  expect_equal(d.load());
}

TEST_F(ForeignTest, AKernelThatDoesntBuildCostsOnlyWhatNeedsIt) {
  ForeignDocument d = document();
  const auto x = d.buffer(4), y = d.buffer(4), z = d.buffer(4);
  const auto bad = d.kernel("no_such", "not a binary at all", KernelForm::opencl_binary);
  const auto one = d.kernel("one", "kernel void one(global int* to) { *to += 1; }\n");
  const auto c0 = d.dispatch(bad, {}, {both(x, 0, 4)});
  const auto c1 = d.dispatch(one, {}, {both(x, 0, 4)});
  const auto c2 = d.dispatch(one, {}, {both(y, 0, 4)});
  const auto c3 = d.work(WorkKind::copy, {in(x, 0, 4), out(z, 0, 4)});
  const auto c4 = d.dispatch(one, {}, {both(z, 0, 4)});
  d.check(c2, y, bytes_of_all(std::vector<std::int32_t>{1}));
  d.check(c4, z, bytes_of_all(std::vector<std::int32_t>{7}));
  const Trace trace = d.load();
  const ReplayReport report = replay(trace);
  std::vector<std::uint32_t> left_out;
  for (const LeftOut& one_out : report.left_out) left_out.push_back(one_out.command);
  EXPECT_THAT(left_out, testing::ElementsAre(c0, c1, c3, c4));
  EXPECT_THAT(report.left_out[0].reason, HasSubstr("binary"));
  EXPECT_THAT(report.left_out[1].reason, HasSubstr("c0 would have written"));
  EXPECT_EQ(report.verdict(), Verdict::not_proved);
  EXPECT_EQ(report.equal_checks, 1u);
  EXPECT_EQ(report.commands, 1u);
}

// --- what can't be run again --------------------------------------------------------------------

class NotReplayable : public ForeignTest {
 protected:
  // c0 can't be run; c1 needs what it wrote, c2 doesn't.
  ForeignDocument made() {
    ForeignDocument d = document();
    const auto one = d.kernel("one", "kernel void one(global int* to) { *to += 1; }\n");
    for (int i = 0; i < 2; ++i) d.buffer(4);
    for (const std::uint32_t b : {0u, 0u, 1u}) d.dispatch(one, {}, {both(b, 0, 4)});
    d.check(2, 1, bytes_of_all(std::vector<std::int32_t>{1}));
    d.note("not_replayable", "c0 'one': it was enqueued by the device.");
    return d;
  }
};

TEST_F(NotReplayable, CommandsAreNamedWithThoseThatNeedThem) {
  ForeignDocument d = made();
  d.check(1, 0, bytes_of_all(std::vector<std::int32_t>{11}));
  const ReplayReport report = replay(d.load());
  ASSERT_EQ(report.left_out.size(), 2u);
  EXPECT_EQ(report.left_out[0].reason, "c0 'one': it was enqueued by the device.");
  EXPECT_THAT(report.left_out[1].reason, HasSubstr("which c0 would have written"));
  EXPECT_EQ(report.verdict(), Verdict::not_proved);
  EXPECT_EQ(report.skipped, 2u);
  EXPECT_EQ(report.equal_checks, 1u);
}

TEST_F(NotReplayable, WhatTheyWroteIsPutWhereItIsKnown) {
  ForeignDocument d = made();
  d.contents(ContentRole::written, 0, 0, 0, bytes_of_all(std::vector<std::int32_t>{10}));
  d.check(1, 0, bytes_of_all(std::vector<std::int32_t>{11}));
  const Trace trace = d.load();
  for (const ReplayOrder order : every_order) {
    const ReplayReport report = replay(trace, {.order = order});
    ASSERT_EQ(report.left_out.size(), 1u);
    EXPECT_EQ(report.equal_checks, 2u) << told(report);
    EXPECT_EQ(report.different_checks, 0u) << told(report);
    EXPECT_EQ(report.verdict(), Verdict::not_proved);
  }
}

TEST_F(NotReplayable, ADifferenceInTheRestIsStillFound) {
  ForeignDocument d = made();
  d.contents(ContentRole::written, 0, 0, 0, bytes_of_all(std::vector<std::int32_t>{10}));
  d.check(1, 0, bytes_of_all(std::vector<std::int32_t>{12}));
  EXPECT_EQ(replay(d.load()).verdict(), Verdict::different);
}

TEST_F(NotReplayable, WhereNothingIsLeftTheReasonIsTheError) {
  ForeignDocument d = document();
  const auto one = d.kernel("one", "kernel void one(global int* to) { *to += 1; }\n");
  const auto x = d.buffer(4);
  d.dispatch(one, {}, {both(x, 0, 4), opaque()});
  const Trace trace = d.load();
  expect_error(Code::unsupported, {"Argument 1", "c0"}, [&] { replay(trace); });
}

TEST_F(ForeignTest, UndefinedMemoryIsNotTakenForZeros) {
  ForeignDocument d = document();
  const auto one = d.kernel("one", "kernel void one(global int* to) { *to += 1; }\n");
  const auto unknown = d.undefined_buffer(4), written = d.undefined_buffer(4);
  const auto c0 = d.dispatch(one, {}, {both(unknown, 0, 4)});
  d.work(WorkKind::fill, {out(written, 0, 4)}, 5, 4);
  const auto c2 = d.dispatch(one, {}, {both(written, 0, 4)});
  d.check(c2, written, bytes_of_all(std::vector<std::int32_t>{6}));
  const ReplayReport report = replay(d.load());
  ASSERT_EQ(report.left_out.size(), 1u);
  EXPECT_EQ(report.left_out[0].command, c0);
  EXPECT_THAT(report.left_out[0].reason, HasSubstr("bytes 0 to 4 of"));
  EXPECT_EQ(report.equal_checks, 1u) << told(report);
}

TEST_F(ForeignTest, DevicesThatShareBuffersAreReplayedAsOne) {
  ForeignDocument d = document(2);
  const auto side = d.stream(1);
  const auto one = d.kernel("one", "kernel void one(global int* to) { *to += 1; }\n");
  const auto x = d.buffer(4, {}, BufferKind::buffer, 1);
  d.dispatch(one, {}, {both(x, 0, 4)});
  const auto c1 = d.dispatch(one, {}, {both(x, 0, 4)}, side);
  d.check(c1, x, bytes_of_all(std::vector<std::int32_t>{2}));
  const ReplayReport report = replay(d.load());
  EXPECT_EQ(report.different_checks, 0u) << told(report);
  EXPECT_EQ(report.equal_checks, 1u) << told(report);
}

TEST_F(ForeignTest, APartIsExtractedWithItsImagesAndSamplers) {
  ForeignDocument d = document();
  const auto image = d.image({ImageType::d2, order_r, float_32, 4, 4, 1, 1, 1, 0},
                             bytes_of_all(std::vector<float>{1, 2, 3, 4}));
  const auto result = d.buffer(16);
  const auto kernel =
      d.kernel("take",
               "kernel void take(read_only image2d_t a, sampler_t how, global float* to) {\n"
               "  const int x = get_global_id(0);\n"
               "  to[x] = read_imagef(a, how, (int2)(x, 0)).x;\n}\n");
  const auto c0 =
      d.dispatch(kernel, {unset_dim, unset_dim, {0, 0, 0}, {4, 1, 1}},
                 {in(image, 0, 16), sampler(0, clamp_to_edge, nearest), out(result, 0, 16)});
  d.check(c0, result, bytes_of_all(std::vector<float>{1, 2, 3, 4}));
  const Trace trace = d.load();
  extract(trace, {c0}, folder_.path("part.reel"));
  const Trace part = Trace::load(folder_.path("part.reel"));
  ASSERT_EQ(part.commands().size(), 1u);
  EXPECT_TRUE(part.problems().empty());
  const TraceWork& work = part.work_of(part.commands()[0]);
  EXPECT_EQ(work.group_size, unset_dim);
  EXPECT_EQ(work.items, (Dim3{4, 1, 1}));
  EXPECT_EQ(part.arguments(work)[1].kind, ArgumentKind::sampler);
  expect_equal(part);
}

}  // namespace
}  // namespace reel::test
