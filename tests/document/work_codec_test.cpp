// A Command that is stored in a document and loaded again is the same Command.
#include "document/columns/work_codec.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <random>

#include "base/handles.hpp"
#include "document/document_writer.hpp"
#include "graph/fixtures.hpp"
#include "recording/captured.hpp"

namespace reel::test {
namespace {

using namespace document;

// Names every field: one more of them doesn't compile until it is compared here.
bool same(const Dispatch& a, const Dispatch& b) {
  const auto& [kernel, groups, group_size, arguments, indirect, offset, items, dimensions,
               predicate] = a;
  return kernel == b.kernel && groups == b.groups && group_size == b.group_size &&
         std::ranges::equal(arguments, b.arguments) && Argument(indirect) == Argument(b.indirect) &&
         offset == b.offset && items == b.items && dimensions == b.dimensions &&
         predicate == b.predicate;
}
bool same(const BufferRange& a, const BufferRange& b) { return Argument(a) == Argument(b); }
bool same(const Copy& a, const Copy& b) {
  const auto& [target, source] = a;
  return same(source, b.source) && same(target, b.target);
}
bool same(const Fill& a, const Fill& b) {
  const auto& [target, pattern, pattern_bytes] = a;
  return same(target, b.target) && pattern == b.pattern && pattern_bytes == b.pattern_bytes;
}
bool same(const Barrier&, const Barrier&) { return true; }
template <class T>
bool same(const T&, const T&) {
  return false;  // is not loaded
}
bool same(const Work& a, const Work& b) {
  return a.index() == b.index() &&
         std::visit(
             [&](const auto& one) { return same(one, std::get<std::decay_t<decltype(one)>>(b)); },
             a);
}

class WorkCodec : public testing::Test, protected Resolver {
 protected:
  static constexpr std::uint64_t buffer_bytes = 4096;

  WorkCodec() {
    resource_of(buffers[3])->image = ImageShape{};
    for (std::uint32_t i = 0; i < kernels.size(); ++i) resource_of(kernels[i])->id = KernelId{i};
  }

  // Numbers of the document.
  std::uint32_t index_of(const BufferResource& buffer) const {
    for (std::uint32_t i = 0; i < buffers.size(); ++i)
      if (resource_of(buffers[i]).get() == &buffer) return i;
    return no_index;
  }
  struct Ids {
    const WorkCodec& test;
    std::uint32_t kernel(const KernelResource& kernel) const {
      return static_cast<std::uint32_t>(kernel.id);
    }
    std::uint32_t buffer(const BufferResource& buffer) const { return test.index_of(buffer); }
  };

  KernelResource* kernel(std::uint32_t index) override { return resource_of(kernels[index]).get(); }
  BufferRange range(const TraceArgument& a) override {
    return {buffers[a.buffer], a.offset_bytes, a.size_bytes};
  }
  Argument memory(const TraceArgument& a) override {
    const Bound bound{range(a), a.access};
    return bound.range.buffer->image ? Argument::image(bound) : Argument(bound);
  }

  std::uint32_t number(std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
  }
  Dim3 size() { return {number(1, 9), number(1, 9), number(1, 9)}; }
  BufferRange some_range(std::uint64_t bytes) {
    const std::uint64_t begin = number(0, static_cast<std::uint32_t>(buffer_bytes - bytes));
    return {buffers[number(0, 2)], begin, bytes};
  }

  Argument argument() {
    const auto access = static_cast<Access>(number(1, 3));
    switch (number(0, 5)) {
      case 0:
        return Bound{some_range(number(1, 100)), access};
      case 1:
        return Argument::image({buffers[3], access});
      case 2:
        return Shared{number(1, 1000)};
      case 3:
        return Argument::null_pointer();
      case 4:
        return SamplerShape{};
      default: {
        std::vector<std::byte>& value = values.emplace_back(number(1, 200));
        for (std::byte& byte : value) byte = static_cast<std::byte>(number(0, 255));
        return Argument::of_bytes(value);
      }
    }
  }

  Work work() {
    switch (number(0, 5)) {
      case 0: {
        const std::uint64_t bytes = number(1, 100);
        return Copy{some_range(bytes), some_range(bytes)};
      }
      case 1: {
        const std::uint32_t bytes = 1u << number(0, 2);
        return Fill{some_range(bytes * number(1, 20)), number(0, ~0u), bytes};
      }
      case 2:
        return Barrier{};
      default:
        break;
    }
    Dispatch dispatch;
    dispatch.kernel = kernels[number(0, 1)];
    dispatch.group_size = number(0, 2) ? size() : unset_dim;
    const bool has_groups = dispatch.group_size != unset_dim;
    dispatch.groups = has_groups ? size() : Dim3(1, 1, 1);
    if (!has_groups || number(0, 1)) dispatch.items = size();
    if (number(0, 1)) dispatch.offset = {number(0, 5), number(0, 5), number(0, 5)};
    dispatch.dimensions = number(0, 3);
    auto& list = lists.emplace_back();
    for (std::uint32_t i = number(0, 6); i > 0; --i) list.push_back(argument());
    dispatch.arguments = list;
    if (number(0, 3) == 0) dispatch.indirect = some_range(12);
    if (number(0, 3) == 0) dispatch.predicate = {some_range(4), number(0, 1) == 0};
    return dispatch;
  }

  Trace stored(const std::vector<Work>& works, const std::string& path) {
    DocumentWriter writer(path, {});
    writer.add(DeviceRow{0, "host", "host", "CPU", "cpu", "", "", "", 0, 1, true, 1});
    writer.add(StreamRow{0, 0, ""});
    for (std::uint32_t i = 0; i < buffers.size(); ++i)
      writer.add(BufferRow{i, 0, buffer_bytes, "x"});
    for (std::uint32_t i = 0; i < kernels.size(); ++i) {
      KernelRow row{};
      row.id = i;
      writer.add(row);
    }
    for (std::uint32_t i = 0; i < works.size(); ++i) {
      const StoredSizes sizes = stored_sizes(works[i]);
      std::vector<TraceArgument> arguments(sizes.arguments);
      std::vector<std::byte> bytes(sizes.value_bytes);
      WorkRow row;
      store(works[i], Ids{*this}, row, arguments.data(), bytes.data());
      row.arguments = arguments;
      row.values = bytes;
      writer.add(CommandRow{.id = i,
                            .work = writer.add(row),
                            .stream = 0,
                            .launch = no_index,
                            .node = no_index,
                            .thread = 0,
                            .call_begin_ns = 0,
                            .call_end_ns = 0});
    }
    writer.close({});
    return Trace::load(path);
  }

  std::mt19937 random{17};
  std::array<Buffer, 4> buffers{make_buffer("a", buffer_bytes), make_buffer("b", buffer_bytes),
                                make_buffer("c", buffer_bytes), make_buffer("i", buffer_bytes)};
  std::array<Kernel, 2> kernels{make_kernel("k"), make_kernel("l")};
  std::deque<std::vector<Argument>> lists;
  std::deque<std::vector<std::byte>> values;
  ScratchFolder folder;
};

TEST_F(WorkCodec, GivesRandomCommandsBackWithEveryField) {
  std::vector<Work> works;
  for (int i = 0; i < 3000; ++i) works.push_back(work());
  const Trace trace = stored(works, folder.path("x.reel"));
  ASSERT_EQ(trace.commands().size(), works.size());
  for (std::uint32_t i = 0; i < works.size(); ++i) {
    const std::vector<KeptCommand> loaded = load(trace, i, *this);
    ASSERT_EQ(loaded.size(), 1u) << i << " " << kind_name(works[i]);
    ASSERT_TRUE(same(works[i], loaded[0].command.work)) << i << " " << kind_name(works[i]);
  }
}

TEST_F(WorkCodec, AGridWithoutItemsDoesNothing) {
  Dispatch dispatch;
  dispatch.kernel = kernels[0];
  dispatch.group_size = unset_dim;
  dispatch.items = {0, 1, 1};
  const Trace trace = stored({dispatch}, folder.path("x.reel"));
  const std::vector<KeptCommand> loaded = load(trace, 0, *this);
  ASSERT_EQ(loaded.size(), 1u);
  const auto& back = std::get<Dispatch>(loaded[0].command.work);
  EXPECT_EQ(back.groups.count(), 0u);
  EXPECT_FALSE(back.is_free_grid());
}

}  // namespace
}  // namespace reel::test
