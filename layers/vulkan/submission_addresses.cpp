// submission_addresses.cpp - the part of a SubmissionReader that follows addresses: which memory a
// kernel reaches by them, so that it is recorded as that of its other arguments.
//
// Where addresses lie types tell (spirv/addresses.hpp). What they are is known of push constants;
// of memory it is looked at, as it is when the kernel runs: with what commands before it in the
// same submission copy and write there, else as it is now.
#include <cstring>
#include <map>

#include "layers/session/recording_use.hpp"
#include "layers/vulkan/objects/queue.hpp"
#include "layers/vulkan/submission.hpp"
#include "layers/vulkan/vulkan_api.hpp"
#include "spirv/address_walk.hpp"

namespace reel::layer::vk {

using capture::CallWork;
using capture::Range;

namespace {

// Memory is read by so much at once.
constexpr std::uint64_t chunk_bytes = 64 << 10;
constexpr std::uint64_t patience_ns = 1'000'000'000;
constexpr std::size_t most_addresses = 1 << 20;
constexpr int most_copies = 16;  // that an address has come through, of one submission

constexpr const char* leads_nowhere =
    "an address that it may follow leads to memory that the layer did not see made";
constexpr const char* has_several =
    "an address that it follows leads to memory that has several addresses";
constexpr const char* too_many_addresses = "it may follow more addresses than are looked at";
constexpr const char* written_before =
    "an address that it follows may be written by a command before it";
constexpr const char* host_may_write =
    "an address that it follows may be written by the host before it starts";
constexpr const char* cant_be_read = "an address that it follows lies in memory that can't be read";

}  // namespace

// What one dispatch reaches.
class SubmissionReader::AddressHost {
 public:
  using Owner = Storage*;
  using Place = spirv::Reached<Owner>;

  explicit AddressHost(SubmissionReader& reader) : reader_(reader) {}

  std::optional<Place> find(std::uint64_t address) {
    std::optional<Place> best;
    for (const AddressMap::Entry& entry : reader_.device_.addresses.find(address)) {
      const Buffer* buffer = reader_.device_.buffers.find(entry.buffer);
      const Range range = buffer ? buffer->range(address - entry.address, VK_WHOLE_SIZE) : Range{};
      auto* storage = static_cast<Storage*>(range.storage);
      if (!storage) continue;
      {
        const std::lock_guard lock(storage->life_mutex);
        if (storage->is_gone) continue;
      }
      const Place place{storage, range.offset_bytes, range.offset_bytes - (address - entry.address),
                        range.offset_bytes + range.size_bytes};
      if (storage->placed.address != address - place.offset) give_up(has_several);
      if (!best || best->end < place.end) best = place;
    }
    return best;
  }
  bool in_value(std::uint64_t, std::uint64_t) { return counts(); }
  bool in_memory(Storage* storage, std::uint64_t offset, bool, std::uint64_t& value) {
    slots[storage].add(offset, offset + spirv::address_bytes);
    return counts() && reader_.word_at(*storage, offset, reader_.list_.count - 1, value, why_, 0);
  }
  void touch(const Place& at, std::uint64_t begin, std::uint64_t end, spirv::VariableUse use) {
    Touched& touched = touched_[at.owner];
    if (use.is_read) touched.read.add(begin, end);
    if (use.is_written) touched.written.add(begin, end);
  }
  void lost(std::uint64_t) { give_up(leads_nowhere); }
  bool gave_up() const { return why_ != nullptr; }
  void give_up(const char* why) {
    if (!why_) why_ = why;
  }
  const char* why() const { return why_; }
  Slots slots;  // in memory

  // Behind the arguments that the kernel declares.
  void add_to(CallWork& work) {
    for (const auto& entry : touched_) {  // clang 14 captures no names of parts
      const std::uint64_t size = entry.first->size_bytes;
      const Touched& touched = entry.second;
      const auto add = [&](std::uint64_t begin, std::uint64_t end, Access access) {
        reader_.add_range(work, {entry.first, begin, end - begin}, access);
      };
      touched.written.for_each_in(0, size, [&](std::uint64_t begin, std::uint64_t end) {
        add(begin, end, touched.read.overlaps(begin, end) ? Access::read_write : Access::write);
      });
      touched.read.for_each_in(0, size, [&](std::uint64_t begin, std::uint64_t end) {
        touched.written.for_each_gap(begin, end, [&](std::uint64_t first, std::uint64_t last) {
          add(first, last, Access::read);
        });
      });
    }
  }

 private:
  struct Touched {
    RangeSet read, written;
  };
  // By number: documents of two runs are alike.
  struct ByNumber {
    bool operator()(const Storage* a, const Storage* b) const { return a->id < b->id; }
  };
  bool counts() {
    if (++count_ > most_addresses) give_up(too_many_addresses);
    return !gave_up();
  }

  SubmissionReader& reader_;
  std::map<Storage*, Touched, ByNumber> touched_;
  std::size_t count_ = 0;
  const char* why_ = nullptr;
};

void SubmissionReader::add_addressed(const Pipeline& pipeline, CallWork& work) {
  const spirv::Addresses& addresses = pipeline.interface.addresses;
  if (!addresses.are_followed) return;
  AddressHost host(*this);
  if (addresses.why_not) host.give_up(addresses.why_not);
  spirv::AddressWalk walk(addresses, host);
  std::size_t value = 0;
  for (std::size_t i = 0; i < pipeline.parameters.size() && !host.gave_up(); ++i) {
    const Parameter& parameter = pipeline.parameters[i];
    const capture::WorkArgument& argument = work.arguments[i];
    const bool is_value = argument.kind == ArgumentKind::value;
    const auto bytes = std::span(work.values).subspan(value, is_value ? argument.size_bytes : 0);
    if (is_value || argument.kind == ArgumentKind::sampler) value += argument.size_bytes;
    if (parameter.descriptor == DescriptorKind::push_constants) {
      walk.value(addresses.values, bytes);
      continue;
    }
    for (const spirv::Addresses::Block& block : addresses.blocks) {
      if (block.set != parameter.set || block.binding != parameter.binding) continue;
      if (is_value)
        walk.value(block.slots, bytes);
      else if (argument.is_bytes())
        walk.block(block.slots, static_cast<Storage*>(argument.range.storage),
                   argument.range.offset_bytes, argument.range.size_bytes);
    }
  }
  if (!host.gave_up()) {
    host.add_to(work);
    if (!addresses.are_stored && !host.slots.empty())
      kept_slots_[list_.count - 1] = std::move(host.slots);
    return;
  }
  // It may use all that has an address.
  give_up(work, host.why());
  std::map<BufferId, Range> all;
  for (const AddressMap::Entry& entry : device_.addresses.all())
    if (const Buffer* buffer = device_.buffers.find(entry.buffer))
      if (const Range range = buffer->range(0, VK_WHOLE_SIZE); range.storage)
        all[range.storage->id] = {range.storage, 0, range.storage->size_bytes};
  for (const auto& entry : all) add_range(work, entry.second, Access::read_write);
}

// Eight bytes as they are before the command `before` of the list. False, with the reason: nobody
// knows.
bool SubmissionReader::word_at(Storage& storage, std::uint64_t offset, std::size_t before,
                               std::uint64_t& value, const char*& why, int depth) {
  const std::uint64_t end = offset + sizeof value;
  for (; noted_ + 1 < list_.count; ++noted_)
    for (const capture::WorkArgument& argument : list_.works[noted_].work.arguments)
      if (argument.is_written())
        written_[argument.range.storage].add(
            argument.range.offset_bytes, argument.range.offset_bytes + argument.range.size_bytes);
  const auto written = written_.find(&storage);
  if (written == written_.end() || !written->second.overlaps(offset, end))
    return word_now(storage, offset, value, why);
  for (std::size_t i = before; i-- > 0;) {
    const capture::Submission::Given& one = list_.works[i];
    for (std::size_t a = 0; a < one.work.arguments.size(); ++a) {
      const capture::WorkArgument& argument = one.work.arguments[a];
      const Range& range = argument.range;
      if (!argument.is_written() || range.storage != &storage || end <= range.offset_bytes ||
          range.offset_bytes + range.size_bytes <= offset)
        continue;
      const bool is_whole =
          range.offset_bytes <= offset && end <= range.offset_bytes + range.size_bytes;
      const std::uint64_t at = offset - range.offset_bytes;
      if (is_whole && one.work.row.kind == WorkKind::write &&
          at + sizeof value <= one.data.size()) {
        std::memcpy(&value, one.data.data() + at, sizeof value);
        return true;
      }
      if (is_whole && one.work.row.kind == WorkKind::fill) {
        value = std::uint64_t{one.work.row.pattern} << 32 | one.work.row.pattern;
        return true;
      }
      if (is_whole && one.work.row.kind == WorkKind::copy && a > 0 && depth < most_copies) {
        const Range& from = one.work.arguments[a - 1].range;
        return word_at(static_cast<Storage&>(*from.storage), from.offset_bytes + at, i, value, why,
                       depth + 1);
      }
      // A kernel that takes it for an address, and leaves none in memory, leaves it as it is.
      if (const auto kept = kept_slots_.find(i); kept != kept_slots_.end())
        if (const auto slots = kept->second.find(&storage);
            slots != kept->second.end() && slots->second.contains(offset, end))
          continue;
      why = written_before;
      return false;
    }
  }
  return word_now(storage, offset, value, why);
}

// Eight bytes as they are before all of the submission.
bool SubmissionReader::word_now(Storage& storage, std::uint64_t offset, std::uint64_t& value,
                                const char*& why) {
  if (moment_.may_start_late) {
    why = host_may_write;
    return false;
  }
  std::byte word[sizeof value];
  for (std::uint64_t i = 0; i < sizeof value;) {
    const std::uint64_t at = offset + i, first = at / chunk_bytes * chunk_bytes;
    if (at >= storage.size_bytes) {
      why = leads_nowhere;
      return false;
    }
    std::vector<std::byte>& chunk = chunks_[{&storage, first}];
    if (chunk.empty()) {
      chunk.resize(std::min(chunk_bytes, storage.size_bytes - first));
      why = read_now(storage, first, chunk);
      if (why) {
        chunk.clear();  // the next dispatch asks again
        return false;
      }
    }
    const std::uint64_t size = std::min<std::uint64_t>(sizeof value - i, first + chunk.size() - at);
    std::memcpy(word + i, chunk.data() + (at - first), size);
    i += size;
  }
  std::memcpy(&value, word, sizeof value);
  return true;
}

const char* SubmissionReader::read_now(Storage& storage, std::uint64_t offset,
                                       std::span<std::byte> target) {
  if (storage.is_strange || storage.image_handle) return cant_be_read;
  Queue& queue = *moment_.queue;
  const Range range{&storage, offset, target.size()};
  std::byte* const seen = storage.host_bytes();
  if (seen && !queue.has_unseen && !moment_.use->is_being_written(range)) {
    std::memcpy(target.data(), seen + offset, target.size());
    return nullptr;
  }
  if (moment_.is_behind_others) return written_before;
  if (queue.last && !queue.held) queue.last->wait(patience_ns);
  if (!is_idle(device_, queue)) return written_before;
  if (seen) {
    std::memcpy(target.data(), seen + offset, target.size());
    return nullptr;
  }
  return read_at_once(queue, range, target).empty() ? nullptr : cant_be_read;
}

}  // namespace reel::layer::vk
