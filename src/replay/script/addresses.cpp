#include "replay/script/addresses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/range_set.hpp"
#include "document/trace/kernel_source.hpp"
#include "document/trace/loading/source_map.hpp"
#include "spirv/address_walk.hpp"
#include "spirv/interface.hpp"

namespace reel::rerun {

namespace {

// Where eight bytes of memory come from.
struct Origin {
  enum class Kind : std::uint8_t { nothing, contents, device } kind = Kind::nothing;
  std::uint32_t contents = no_index;
  std::uint64_t first = 0;  // byte 0 of the contents would be at this offset of the buffer
};
using Origins = document::SourceMap<Origin>;

class Planner {
 public:
  explicit Planner(const Trace& trace) : trace_(trace), kernels_(trace.kernels().size()) {}

  AddressPlan make() {
    const auto has_address = [](const TraceBuffer& buffer) { return buffer.memory.address != 0; };
    if (std::ranges::none_of(trace_.buffers(), has_address)) return {};
    each_command([&](std::uint32_t c, const TraceWork& work) { find_patches(c, work); });
    if (plan_.empty()) return std::move(plan_);
    sort_patches();
    origins_.clear();
    each_command([&](std::uint32_t c, const TraceWork& work) { find_doubts(c, work); });
    return std::move(plan_);
  }

 private:
  // --- kernels
  const spirv::Addresses* addresses_of(const TraceWork& work) {
    if (work.kind != WorkKind::dispatch || work.kernel == no_index) return nullptr;
    auto& known = kernels_[work.kernel];
    if (!known) {
      known.emplace();
      const TraceKernel& kernel = trace_.kernels()[work.kernel];
      if (kernel.declared_layout) {
        const KernelSource source = document::kernel_source(trace_, kernel);
        try {
          if (!source.spirv.empty())
            *known = spirv::interface_of(source.spirv, source.entry, source.constants).addresses;
        } catch (const Error&) {
          // The layer could not read it either, and said so.
        }
      }
    }
    return known->are_followed ? &*known : nullptr;
  }
  std::size_t parameters_of(const TraceWork& work) const {
    return trace_.kernels()[work.kernel].parameters.size();
  }

  // --- where bytes come from
  Origins& origins_of(std::uint32_t buffer) {
    return origins_.try_emplace(buffer, trace_.buffers()[buffer].size_bytes, Origin{})
        .first->second;
  }
  Origin origin_at(std::uint32_t buffer, std::uint64_t offset) {
    const auto pieces = origins_of(buffer).pieces(offset, offset + spirv::address_bytes);
    if (pieces.size() == 1) return pieces.front().source;
    // Of two contents, or of one that is not the only one: no address was put there whole.
    for (const Origins::Piece& piece : pieces)
      if (piece.source.kind == Origin::Kind::device) return piece.source;
    return {};
  }

  template <class Visit>
  void each_command(Visit&& visit) {
    const auto& contents = trace_.contents();
    std::uint32_t at = 0;
    const auto give = [&](std::uint32_t i) {
      const TraceContents& row = contents[i];
      if (row.role == ContentRole::check || !row.stored) return;
      origins_of(row.buffer)
          .assign(row.offset_bytes, row.offset_bytes + row.size_bytes,
                  {Origin::Kind::contents, i, row.offset_bytes});
      forget_doubts(row.buffer, row.offset_bytes, row.offset_bytes + row.size_bytes);
    };
    for (; at < contents.size() && contents[at].command == no_index; ++at) give(at);
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      const std::uint32_t first = at;
      for (; at < contents.size() && contents[at].command == c; ++at) give(at);
      const TraceWork& work = trace_.work_of(trace_.commands()[c]);
      visit(c, work);
      if (work.kind == WorkKind::copy) copy(work);
      if (work.kind == WorkKind::fill)
        for (const TraceArgument& target : trace_.arguments(work)) {
          const std::uint64_t end = target.offset_bytes + target.size_bytes;
          origins_of(target.buffer).assign(target.offset_bytes, end, {});
          forget_doubts(target.buffer, target.offset_bytes, end);
        }
      for (std::uint32_t i = first; i < at; ++i) check(i);
    }
    for (std::uint32_t i = 0; i < contents.size(); ++i)
      if (contents[i].moment != CheckMoment::command) check(i);
  }

  void copy(const TraceWork& work) {
    const auto ranges = trace_.arguments(work);
    for (std::size_t i = 0; i + 1 < ranges.size(); i += 2) {
      const TraceArgument &from = ranges[i], &to = ranges[i + 1];
      const std::uint64_t moved = to.offset_bytes - from.offset_bytes;  // may wrap
      const auto pieces =
          origins_of(from.buffer).pieces(from.offset_bytes, from.offset_bytes + from.size_bytes);
      RangeSet doubts;
      if (const auto known = doubts_.find(from.buffer); known != doubts_.end())
        known->second.for_each_in(from.offset_bytes, from.offset_bytes + from.size_bytes,
                                  [&](std::uint64_t begin, std::uint64_t end) {
                                    doubts.add(begin + moved, end + moved);
                                  });
      const std::uint64_t end = to.offset_bytes + to.size_bytes;
      forget_doubts(to.buffer, to.offset_bytes, end);
      doubts.for_each_in(to.offset_bytes, end,
                         [&](std::uint64_t a, std::uint64_t b) { doubts_[to.buffer].add(a, b); });
      for (const Origins::Piece& piece : pieces) {
        Origin origin = piece.source;
        origin.first += moved;
        origins_of(to.buffer).assign(piece.begin + moved, piece.end + moved, origin);
      }
    }
  }

  // --- first: which bytes are addresses
  class Host {
   public:
    using Owner = std::uint32_t;
    using Place = spirv::Reached<Owner>;

    Host(Planner& planner, const TraceWork& work) : planner_(planner) {
      const auto arguments = planner.trace_.arguments(work);
      for (std::size_t i = planner.parameters_of(work); i < arguments.size(); ++i)
        if (arguments[i].kind == ArgumentKind::buffer)
          reachable_[arguments[i].buffer].add(arguments[i].offset_bytes,
                                              arguments[i].offset_bytes + arguments[i].size_bytes);
    }

    std::optional<Place> find(std::uint64_t address) const {
      for (const auto& entry : reachable_) {
        const std::uint64_t first = planner_.trace_.buffers()[entry.first].memory.address;
        if (!first || address < first) continue;
        std::optional<Place> found;
        entry.second.for_each_in(0, planner_.trace_.buffers()[entry.first].size_bytes,
                                 [&](std::uint64_t begin, std::uint64_t end) {
                                   const std::uint64_t offset = address - first;
                                   if (begin <= offset && offset < end)
                                     found = Place{entry.first, offset, begin, end};
                                 });
        if (found) return found;
      }
      return std::nullopt;
    }
    bool in_value(std::uint64_t offset, std::uint64_t value) {
      if (const auto place = find(value)) values.push_back({offset, place->owner, place->offset});
      return true;
    }
    bool in_memory(std::uint32_t buffer, std::uint64_t offset, bool leads_on,
                   std::uint64_t& value) {
      slots.insert({buffer, offset});
      const Origin origin = planner_.origin_at(buffer, offset);
      if (origin.kind == Origin::Kind::device) {
        met_devices = true;
        goes_on_by_devices = goes_on_by_devices || leads_on;
      }
      if (origin.kind != Origin::Kind::contents) return false;
      const std::uint64_t at = offset - origin.first;
      const auto word = planner_.word_of(origin.contents, at);
      if (!word) return false;
      value = *word;
      const auto place = value ? find(value) : std::nullopt;
      if (place && !planner_.add(origin.contents, {at, place->owner, place->offset}))
        has_conflict = true;
      return true;
    }
    void touch(const Place& at, std::uint64_t begin, std::uint64_t end, spirv::VariableUse) {
      touched_[at.owner].add(begin, end);
    }
    // Not the value that was there when the command ran: its buffers would be arguments.
    void lost(std::uint64_t) {}
    bool gave_up() const { return false; }

    // All that it reached when it was recorded.
    bool reached_all() const {
      for (const auto& entry : reachable_) {
        const auto touched = touched_.find(entry.first);
        bool is_all = touched != touched_.end();
        entry.second.for_each_in(0, planner_.trace_.buffers()[entry.first].size_bytes,
                                 [&](std::uint64_t begin, std::uint64_t end) {
                                   is_all = is_all && touched->second.contains(begin, end);
                                 });
        if (!is_all) return false;
      }
      return true;
    }

    AddressPatches values;                                    // of the value that is looked at
    std::set<std::pair<std::uint32_t, std::uint64_t>> slots;  // in memory
    bool met_devices = false, goes_on_by_devices = false, has_conflict = false;

   private:
    Planner& planner_;
    std::map<std::uint32_t, RangeSet> reachable_, touched_;
  };

  // Walks from the arguments of a command; `take` gets the patches of each value.
  template <class Take>
  void walk(const TraceWork& work, const spirv::Addresses& addresses, Host& host, Take&& take) {
    spirv::AddressWalk follow(addresses, host);
    const auto& parameters = trace_.kernels()[work.kernel].parameters;
    const auto arguments = trace_.arguments(work);
    for (std::uint32_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
      const bool is_value = arguments[i].kind == ArgumentKind::value;
      host.values.clear();
      if (parameters[i].descriptor == DescriptorKind::push_constants && is_value)
        follow.value(addresses.values, trace_.value_bytes(arguments[i]));
      for (const spirv::Addresses::Block& block : addresses.blocks) {
        if (parameters[i].descriptor == DescriptorKind::push_constants ||
            block.set != parameters[i].set || block.binding != parameters[i].binding)
          continue;
        if (is_value)
          follow.value(block.slots, trace_.value_bytes(arguments[i]));
        else if (arguments[i].kind == ArgumentKind::buffer)
          follow.block(block.slots, arguments[i].buffer, arguments[i].offset_bytes,
                       arguments[i].size_bytes);
      }
      if (!host.values.empty()) take(i, host.values);
    }
  }

  void find_patches(std::uint32_t c, const TraceWork& work) {
    const spirv::Addresses* addresses = addresses_of(work);
    if (!addresses || addresses->why_not) return;
    Host host(*this, work);
    walk(work, *addresses, host, [&](std::uint32_t argument, AddressPatches& patches) {
      std::ranges::sort(patches, {}, &AddressPatch::offset_bytes);
      plan_.values[{trace_.commands()[c].work, argument}] = patches;
    });
    const auto refuse = [&](const char* why) {
      plan_.obstacles.emplace(
          c, Obstacle{Code::unsupported,
                      fmt::format("{} can't be run again: {}.", describe_command(trace_, c), why)});
    };
    if (host.has_conflict)
      refuse("an address in memory led to another buffer for a command before it");
    else if (host.goes_on_by_devices)
      refuse("an address that it follows leads on from one that a kernel before it wrote");
    else if (!host.met_devices && !host.reached_all())
      refuse("it follows addresses that a command before it wrote as numbers");
    if (addresses->are_stored)
      for (const auto& [buffer, offset] : host.slots)
        origins_of(buffer).assign(offset, offset + spirv::address_bytes,
                                  {Origin::Kind::device, no_index, 0});
    walked_.insert({c, std::move(host.slots)});
  }

  // False: it leads elsewhere for a command before.
  bool add(std::uint32_t contents, const AddressPatch& patch) {
    const auto [known, is_new] =
        places_[contents].try_emplace(patch.offset_bytes, patch.buffer, patch.target_bytes);
    if (is_new) plan_.contents[contents].push_back(patch);
    return is_new || known->second == std::pair(patch.buffer, patch.target_bytes);
  }
  void sort_patches() {
    for (auto& entry : plan_.contents)
      std::ranges::sort(entry.second, {}, &AddressPatch::offset_bytes);
  }

  std::optional<std::uint64_t> word_of(std::uint32_t contents, std::uint64_t offset) {
    const TraceContents& row = trace_.contents()[contents];
    std::uint64_t word = 0;
    for (std::uint64_t i = 0; i < sizeof word; ++i) {
      const std::uint64_t at = offset + i;
      const auto number = static_cast<std::uint32_t>(at / page_bytes);
      if (number >= row.page_count) return std::nullopt;
      if (page_of_ != std::pair(contents, number)) {
        page_ = trace_.page(row, number);
        page_of_ = {contents, number};
      }
      if (!page_ || at % page_bytes >= page_->size()) return std::nullopt;
      word |= static_cast<std::uint64_t>((*page_)[at % page_bytes]) << (8 * i);
    }
    return word;
  }

  // --- then: who reads them as numbers
  // Bytes of a range are addresses from the host, and the command doesn't take them for such.
  bool has_foreign(std::uint32_t c, const TraceArgument& range) {
    const auto walked = walked_.find(c);
    const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
    for (const Origins::Piece& piece : origins_of(range.buffer).pieces(begin, end)) {
      if (piece.source.kind != Origin::Kind::contents) continue;
      const auto patches = plan_.contents.find(piece.source.contents);
      if (patches == plan_.contents.end()) continue;
      auto at = std::ranges::lower_bound(patches->second, piece.begin - piece.source.first, {},
                                         &AddressPatch::offset_bytes);
      for (; at != patches->second.end(); ++at) {
        const std::uint64_t place = at->offset_bytes + piece.source.first;
        if (place >= piece.end) break;
        if (walked == walked_.end() || !walked->second.contains({range.buffer, place})) return true;
      }
    }
    return false;
  }

  void find_doubts(std::uint32_t c, const TraceWork& work) {
    if (work.kind != WorkKind::dispatch) return;
    bool is_doubtful = false;
    for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      if (is_doubtful || !reads(access)) return;
      const auto doubts = doubts_.find(range.buffer);
      is_doubtful =
          (doubts != doubts_.end() &&
           doubts->second.overlaps(range.offset_bytes, range.offset_bytes + range.size_bytes)) ||
          has_foreign(c, range);
    });
    if (!is_doubtful) return;
    for_each_range(trace_, work, [&](const TraceArgument& range, Access access) {
      if (writes(access))
        doubts_[range.buffer].add(range.offset_bytes, range.offset_bytes + range.size_bytes);
    });
  }
  void forget_doubts(std::uint32_t buffer, std::uint64_t begin, std::uint64_t end) {
    if (const auto known = doubts_.find(buffer); known != doubts_.end())
      known->second.remove(begin, end);
  }
  void check(std::uint32_t i) {
    const TraceContents& row = trace_.contents()[i];
    const auto known = doubts_.find(row.buffer);
    if (row.role == ContentRole::check && known != doubts_.end() &&
        known->second.overlaps(row.offset_bytes, row.offset_bytes + row.size_bytes))
      plan_.doubtful.insert(i);
  }

  const Trace& trace_;
  std::vector<std::optional<spirv::Addresses>> kernels_;
  std::map<std::uint32_t, Origins> origins_;
  std::map<std::uint32_t, RangeSet> doubts_;
  // By contents and offset: where it leads.
  std::map<std::uint32_t, std::map<std::uint64_t, std::pair<std::uint32_t, std::uint64_t>>> places_;
  // By command: where in memory it takes bytes for addresses.
  std::map<std::uint32_t, std::set<std::pair<std::uint32_t, std::uint64_t>>> walked_;
  std::pair<std::uint32_t, std::uint32_t> page_of_{no_index, 0};
  std::optional<std::vector<std::byte>> page_;
  AddressPlan plan_;
};

}  // namespace

AddressPlan plan_addresses(const Trace& trace) { return Planner(trace).make(); }

bool follows_addresses(const Trace& trace, const TraceWork& work) {
  if (work.kind != WorkKind::dispatch || work.kernel == no_index) return false;
  const auto arguments = trace.arguments(work);
  const std::size_t declared = trace.kernels()[work.kernel].parameters.size();
  return trace.kernels()[work.kernel].declared_layout &&
         std::any_of(arguments.begin() + std::min(declared, arguments.size()), arguments.end(),
                     [](const TraceArgument& a) { return a.kind == ArgumentKind::buffer; });
}

}  // namespace reel::rerun
