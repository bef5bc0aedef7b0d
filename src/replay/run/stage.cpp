#include "replay/run/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "document/columns/work_codec.hpp"
#include "replay/page_reader.hpp"
#include "replay/run/kernels.hpp"
#include "replay/run/predicates.hpp"
#include "replay/script/addresses.hpp"
#include "replay/verifier.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"

namespace reel::rerun {

namespace {

// Given to a device and not taken yet: some queue might keep all of it.
constexpr std::uint64_t most_given_bytes = 32 * page_bytes;

void check_here(const Command& command, const DeviceState& device) {
  check(is_decided_here(command, device.info()) ? without_predicate(command) : command, device);
}

[[noreturn]] void fail_damaged(const Trace& trace, const TraceContents& row, std::uint32_t number) {
  const std::uint64_t begin = row.offset_bytes + number * page_bytes;
  fail(Code::damaged_document,
       "Bytes {} to {} of {} do not match their hash in the document; see reel verify.", begin,
       std::min(row.offset_bytes + row.size_bytes, begin + page_bytes),
       describe_buffer(trace, row.buffer));
}

}  // namespace

Stage::Stage(const Trace& trace, const Script& script, std::vector<Device> device_of,
             const std::map<std::uint32_t, Replacement>& replacements, Obstacles* obstacles)
    : trace_(trace),
      script_(script),
      device_of_(std::move(device_of)),
      buffers_(trace.buffers().size()),
      works_(trace.works().size()) {
  check_memory();
  kernels_ = build_kernels(trace_, script_.kernels, device_of_, replacements, obstacles);
  elements_ = ElementTypes(trace_, kernels_);
  for (const std::uint32_t b : script_.buffers) {
    try {
      buffers_[b] = make_buffer(trace_.buffers()[b]);
    } catch (const Error& error) {
      if (!obstacles || error.code() != Code::unsupported) throw;  // an image of another device
      obstacles->buffers.emplace(b, Obstacle{error.code(), error.what()});
    }
  }
}

Buffer Stage::make_buffer(const TraceBuffer& buffer) const {
  const Device& device = device_of_[buffer.device];
  if (buffer.image) return device.image_buffer(*buffer.image, buffer.label);
  if (buffer.kind == BufferKind::svm)
    return device.shared_virtual_buffer(buffer.size_bytes, buffer.label);
  if (buffer.memory.address && script_.addresses)
    return device.addressed_buffer(buffer.size_bytes, buffer.label);
  return device.buffer(buffer.size_bytes, buffer.label);
}

std::uint64_t Stage::address_of(std::uint32_t buffer) const {
  return buffers_[buffer] ? buffers_[buffer].device_address() : 0;
}

void Stage::patch_contents(std::uint32_t contents, std::uint64_t begin,
                           std::span<std::byte> bytes) const {
  if (!script_.addresses) return;
  const auto found = script_.addresses->contents.find(contents);
  if (found == script_.addresses->contents.end()) return;
  patch(found->second, begin, bytes, [&](std::uint32_t buffer) { return address_of(buffer); });
}

void Stage::patch_values(std::uint32_t work, KeptCommand& dispatch) const {
  if (!script_.addresses) return;
  std::vector<Argument> arguments = dispatch.arguments;
  bool is_changed = false;
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    const auto found = script_.addresses->values.find({work, i});
    if (found == script_.addresses->values.end()) continue;
    const auto given = arguments[i].value();
    std::vector<std::byte> bytes(given.begin(), given.end());
    patch(found->second, 0, bytes, [&](std::uint32_t buffer) { return address_of(buffer); });
    arguments[i] = Argument::of_bytes(patched_.emplace_back(std::move(bytes)));
    is_changed = true;
  }
  if (is_changed) dispatch.keep_arguments(std::move(arguments));
}

bool Stage::to_recorded(std::span<std::byte> bytes) const {
  if (!script_.addresses) return false;
  struct Here {
    std::uint64_t begin, end, recorded;
  };
  std::vector<Here> all;
  for (const std::uint32_t b : script_.buffers)
    if (const std::uint64_t begin = address_of(b))
      all.push_back(
          {begin, begin + trace_.buffers()[b].size_bytes, trace_.buffers()[b].memory.address});
  std::ranges::sort(all, {}, &Here::begin);
  bool found = false;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); at += 4) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    const auto next = std::ranges::upper_bound(all, word, {}, &Here::begin);
    if (next == all.begin() || word >= std::prev(next)->end) continue;
    word = word - std::prev(next)->begin + std::prev(next)->recorded;
    std::memcpy(bytes.data() + at, &word, sizeof word);
    at += 4;
    found = true;
  }
  return found;
}

bool Stage::find_unfit(Obstacles& obstacles) {
  bool found = false;
  for (const auto* actions : {&script_.before, &script_.actions})
    for (const Action& action : *actions) {
      if (action.kind != Action::Kind::run) continue;
      try {
        commands(action.command);
      } catch (const Error& error) {
        obstacles.commands.emplace(action.command, Obstacle{error.code(), error.what()});
        found = true;
      }
    }
  return found;
}

// Before anything is allocated: a device that runs out half way may take the machine with it.
void Stage::check_memory() const {
  std::map<const DeviceState*, std::uint64_t> needed;
  for (const std::uint32_t b : script_.buffers) {
    const TraceBuffer& buffer = trace_.buffers()[b];
    const DeviceState& device = *state_of(device_of_[buffer.device]);
    const DeviceInfo& info = device.info();
    if (buffer.size_bytes > info.max_buffer_bytes)
      fail(Code::out_of_memory, "{} has {} bytes; {} allows {} for one buffer.",
           describe_buffer(trace_, b), buffer.size_bytes, info.id, info.max_buffer_bytes);
    needed[&device] += buffer.size_bytes;
    if (needed[&device] > info.memory_bytes)
      fail(Code::out_of_memory,
           "The {} buffers of the document need more than the {} bytes of memory that {} has; "
           "replay a part of it (--from, --to), or on another device.",
           script_.buffers.size(), info.memory_bytes, info.id);
  }
}

Stream& Stage::transfers(const Device& device) {
  for (auto& [owner, stream] : transfers_)
    if (owner == device) return stream;
  return transfers_.emplace_back(device, device.stream("replay transfers")).second;
}

std::uint64_t Stage::restore(const std::function<void(std::uint64_t)>& done, bool all) {
  const auto is_wanted = [&](std::uint32_t buffer) { return all || script_.is_written[buffer]; };
  const auto synchronize = [&] {
    for (const auto& [device, stream] : transfers_) stream.synchronize();
  };
  std::vector<std::uint32_t> contents;
  for (const std::uint32_t i : script_.at_start)
    if (is_fresh_ || is_wanted(trace_.contents()[i].buffer)) contents.push_back(i);
  PageReader pages(trace_, std::move(contents));
  if (!is_fresh_) {
    for (const std::uint32_t b : script_.buffers)
      if (is_wanted(b)) transfers(device_of_buffer(b)).fill(buffers_[b], std::uint8_t{0}, "zero");
    synchronize();  // into a device that has nothing to do Vulkan writes without staging
  }
  std::uint64_t total = 0, given = 0;
  while (auto page = pages.next()) {
    const TraceContents& row = trace_.contents()[page->contents];
    if (page->bytes.empty()) fail_damaged(trace_, row, page->number);
    const std::uint64_t size = page->bytes.size();
    patch_contents(page->contents, page->number * page_bytes, page->bytes);
    if ((given += size) > most_given_bytes) {
      synchronize();
      given = size;
    }
    transfers(device_of_buffer(row.buffer))
        .write(range(row.buffer, row.offset_bytes + page->number * page_bytes, size), page->bytes,
               "restore");
    done(total += size);
  }
  synchronize();
  is_fresh_ = false;
  return total;
}

void Stage::for_each_page(
    const TraceContents& row,
    const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit) const {
  const auto contents = static_cast<std::uint32_t>(&row - trace_.contents().data());
  const auto kept = kept_.find(contents);
  for (std::uint32_t i = 0; i < row.page_count; ++i) {
    if (kept != kept_.end()) {
      visit(row.offset_bytes + i * page_bytes, kept->second[i]);
      continue;
    }
    auto bytes = trace_.page(row, i);
    if (!bytes) fail_damaged(trace_, row, i);
    patch_contents(contents, i * page_bytes, *bytes);
    visit(row.offset_bytes + i * page_bytes, *bytes);
  }
}

void Stage::keep_puts(const std::vector<Action>& actions, std::uint64_t most_bytes) {
  std::uint64_t total = 0;
  for (const Action& action : actions) {
    if (action.kind != Action::Kind::put || kept_.contains(action.contents)) continue;
    const TraceContents& row = trace_.contents()[action.contents];
    if ((total += row.size_bytes) > most_bytes)
      fail(Code::out_of_memory, "Its writes have more than {} bytes, which are not kept in memory.",
           most_bytes);
    std::vector<std::vector<std::byte>> pages;
    for_each_page(row, [&](std::uint64_t, std::span<const std::byte> bytes) {
      pages.emplace_back(bytes.begin(), bytes.end());
    });
    kept_.emplace(action.contents, std::move(pages));
  }
}

std::uint32_t Stage::add_other(Command command) {
  check_here(command, *state_of(device_of_[0]));
  others_.push_back(std::move(command));
  return static_cast<std::uint32_t>(others_.size() - 1);
}

const std::vector<KeptCommand>& Stage::commands(std::uint32_t index) {
  const std::uint32_t work = trace_.commands()[index].work;
  auto& commands = works_[work];
  if (!commands) commands = load_checked(trace_.works()[work], index);
  return *commands;
}

// What the numbers of the trace stand for here.
class Stage::Resources final : public document::Resolver {
 public:
  Resources(Stage& stage, std::uint32_t command) : stage_(stage), command_(command) {}

  KernelResource* kernel(std::uint32_t index) override {
    return resource_of(stage_.kernels_[index]).get();
  }
  BufferRange range(const TraceArgument& argument) override {
    if (argument.buffer == no_index || !stage_.buffers_[argument.buffer])
      fail(Code::damaged_document, "{} names no buffer.",
           describe_command(stage_.trace_, command_));
    return stage_.range(argument.buffer, argument.offset_bytes, argument.size_bytes);
  }
  Argument memory(const TraceArgument& argument) override {
    const Bound bound{range(argument), argument.access};
    if (argument.view == no_index)
      return bound.range.buffer->image ? Argument::image(bound) : Argument(bound);
    // Where others were bound over its memory a view goes on as one of the buffer that has it then.
    Buffer& view = stage_.views_[{argument.view, argument.buffer, argument.offset_bytes}];
    if (!view) {
      const TraceBuffer& row = stage_.trace_.buffers()[argument.view];
      view =
          stage_.device_of_buffer(argument.buffer).image_view(bound.range, *row.image, row.label);
    }
    return Argument::image({view, argument.access});
  }

 private:
  Stage& stage_;
  const std::uint32_t command_;
};

std::vector<KeptCommand> Stage::load_checked(const TraceWork& work, std::uint32_t index) {
  Resources resources(*this, index);
  std::vector<KeptCommand> commands = document::load(trace_, index, resources);
  if (work.kind == WorkKind::dispatch)
    patch_values(trace_.commands()[index].work, commands.front());
  if (work.kind == WorkKind::dispatch && work.kernel != no_index &&
      trace_.kernels()[work.kernel].declared_layout)
    place_arguments(work, commands.front());
  // A host call stood between others, and may have waited for them. A write is put, a read looked
  // at, and a launch is its nodes.
  if (work.kind == WorkKind::host_call) commands.emplace_back(document::load_texts(trace_, work));
  const std::uint32_t stream = trace_.commands()[index].stream;
  for (const KeptCommand& one : commands) {
    try {
      check_here(one.command, *state_of(device_of_stream(stream)));
    } catch (const Error& error) {
      fail(Code::unsupported, "{} can't be run here: {}", describe_command(trace_, index),
           error.what());
    }
  }
  return commands;
}

void Stage::place_arguments(const TraceWork& work, KeptCommand& dispatch) const {
  const TraceKernel& recorded = trace_.kernels()[work.kernel];
  const Kernel& built = kernels_[work.kernel];
  if (!built || recorded.parameters.size() > dispatch.arguments.size()) return;
  const auto& wanted = built.parameters();
  const auto is_same = [](const Parameter& a, const Parameter& b) {
    return a.is_at_place_of(b) && a.size_bytes == b.size_bytes;
  };
  if (std::ranges::equal(wanted, recorded.parameters, is_same)) return;
  std::vector<Argument> placed;
  for (const Parameter& parameter : wanted) {
    const auto found = std::ranges::find_if(
        recorded.parameters, [&](const Parameter& p) { return p.is_at_place_of(parameter); });
    if (found == recorded.parameters.end())
      fail(Code::unsupported,
           "Kernel '{}' takes {} '{}' at set {}, binding {}, where the recorded one has nothing.",
           recorded.name, to_string(parameter.descriptor), parameter.name, parameter.set,
           parameter.binding);
    const auto place = static_cast<std::size_t>(found - recorded.parameters.begin());
    Argument argument = dispatch.arguments[place];
    if (argument.kind == ArgumentKind::value && parameter.size_bytes < argument.value_bytes)
      argument = Argument::of_bytes(argument.value().first(parameter.size_bytes));
    placed.push_back(argument);
  }
  // Buffers that it finds by their addresses.
  placed.insert(
      placed.end(),
      dispatch.arguments.begin() + static_cast<std::ptrdiff_t>(recorded.parameters.size()),
      dispatch.arguments.end());
  dispatch.keep_arguments(std::move(placed));
}

BufferRange Stage::range(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) const {
  return {buffers_[buffer], offset, size};
}

const Device& Stage::device_of_buffer(std::uint32_t buffer) const {
  return device_of_[trace_.buffers()[buffer].device];
}
const Device& Stage::device_of_stream(std::uint32_t stream) const {
  return device_of_[trace_.streams()[stream].device];
}

void Stage::read(const TraceContents& row,
                 const std::function<void(std::uint32_t, std::span<const std::byte>)>& visit) {
  constexpr std::uint64_t block = 8 * page_bytes;
  const Stream& stream = transfers(device_of_buffer(row.buffer));
  for (std::uint64_t at = 0; at < row.size_bytes; at += block) {
    const std::uint64_t size = std::min(block, row.size_bytes - at);
    scratch_.resize(std::max<std::size_t>(scratch_.size(), size));
    const std::span bytes(scratch_.data(), size);
    stream.read_now(range(row.buffer, row.offset_bytes + at, size), bytes);
    for (std::uint64_t page = 0; page < size; page += page_bytes)
      visit(static_cast<std::uint32_t>((at + page) / page_bytes),
            bytes.subspan(page, std::min(page_bytes, size - page)));
  }
}

void expect_addresses(Verifier& verifier, const Stage& stage) {
  if (const auto& addresses = stage.script().addresses)
    verifier.expect_addresses(
        [&stage](std::span<std::byte> bytes) { return stage.to_recorded(bytes); },
        addresses->doubtful);
}

}  // namespace reel::rerun
