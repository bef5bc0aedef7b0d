// Every dependency of one command: who wrote or read its bytes before it, and who comes after.
//
// Only the bytes that it touches are followed, piece by piece, so that nothing has to be put into
// sets.
#include <algorithm>
#include <map>

#include "analysis/contents/observed_access.hpp"
#include "analysis/order/happens_before.hpp"
#include "analysis/order/merge_dependencies.hpp"
#include "document/trace/ranges.hpp"
#include "reel/analysis.hpp"

namespace reel::analysis {

namespace {

class SearchOfOne {
 public:
  SearchOfOne(const Trace& trace, std::uint32_t command)
      : trace_(trace), command_(command), before_(trace), observed_(trace) {
    each_use(command, [&](const TraceArgument& range, Access access) {
      touched_.push_back({range, writes(access)});
      pieces_.try_emplace(range.buffer);
    });
  }

  std::vector<Dependency> run() {
    for (std::uint32_t c = 0; c < trace_.commands().size(); ++c) {
      before_.next(c);
      look_at(c);
    }
    return std::move(found_);
  }

 private:
  struct Piece {
    std::uint64_t end = 0;
    std::uint32_t writer = no_index;
    std::vector<std::uint32_t> readers = {};  // since the writer; from the command on, the first
  };
  using Pieces = std::map<std::uint64_t, Piece>;  // by begin; gaps: touched by nobody
  struct Touched {
    TraceArgument range;
    bool is_written;
  };

  template <class F>
  void each_use(std::uint32_t c, F&& visit) const {
    const TraceWork& work = trace_.work_of(trace_.commands()[c]);
    for_each_range(trace_, work, [&](const TraceArgument& range, Access recorded) {
      visit(range, observed_.of(work, range, recorded));
    });
  }

  // visit(pieces, begin, end, access) for what `c` touches of the bytes that matter. Reads of
  // others matter where the command writes.
  template <class F>
  void each_part(std::uint32_t c, F&& visit) {
    each_use(c, [&](const TraceArgument& range, Access access) {
      const auto pieces = pieces_.find(range.buffer);
      if (pieces == pieces_.end()) return;
      if (c == command_)
        return visit(pieces->second, range.offset_bytes, range.offset_bytes + range.size_bytes,
                     access);
      for (const auto& [touched, is_written] : touched_) {
        const std::uint64_t begin = std::max(range.offset_bytes, touched.offset_bytes);
        const std::uint64_t end = std::min(range.offset_bytes + range.size_bytes,
                                           touched.offset_bytes + touched.size_bytes);
        if (touched.buffer == range.buffer && begin < end && (writes(access) || is_written))
          visit(pieces->second, begin, end, access);
      }
    });
  }

  void look_at(std::uint32_t c) {
    if (c >= command_) {
      const std::size_t first = found_.size();
      each_use(c, [&](const TraceArgument& range, Access access) { find(c, range, access); });
      merge_dependencies(found_, first);
      for (std::size_t i = first; i < found_.size(); ++i)
        if (!before_.is_ordered(found_[i].from, c)) found_[i].kind = DependencyKind::missing;
    }
    for (const bool write : {false, true})
      each_part(c, [&](Pieces& pieces, std::uint64_t begin, std::uint64_t end, Access access) {
        if (writes(access) == write) enter(c, pieces, begin, end, write);
      });
  }

  void find(std::uint32_t c, const TraceArgument& range, Access access) {
    const auto found = pieces_.find(range.buffer);
    if (found == pieces_.end()) return;
    const Pieces& pieces = found->second;
    const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
    const auto add = [&](std::uint32_t from, DependencyKind kind, std::uint64_t bytes) {
      if (c == command_ || from == command_) found_.push_back({from, c, range.buffer, kind, bytes});
    };
    auto at = pieces.upper_bound(begin);
    if (at != pieces.begin() && std::prev(at)->second.end > begin) --at;
    for (; at != pieces.end() && at->first < end; ++at) {
      const Piece& piece = at->second;
      const std::uint64_t bytes = std::min(piece.end, end) - std::max(at->first, begin);
      if (reads(access) && piece.writer != no_index) add(piece.writer, DependencyKind::data, bytes);
      if (!writes(access)) continue;
      for (const std::uint32_t reader : piece.readers) add(reader, DependencyKind::order, bytes);
      if (piece.readers.empty() && piece.writer != no_index && !reads(access))
        add(piece.writer, DependencyKind::order, bytes);
    }
  }

  static void split(Pieces& pieces, std::uint64_t at) {
    const auto right = pieces.upper_bound(at);
    if (right == pieces.begin()) return;
    auto& [begin, piece] = *std::prev(right);
    if (begin == at || piece.end <= at) return;
    pieces.emplace_hint(right, at, piece);
    piece.end = at;
  }

  void enter(std::uint32_t c, Pieces& pieces, std::uint64_t begin, std::uint64_t end, bool write) {
    split(pieces, begin);
    split(pieces, end);
    if (write) {
      pieces.erase(pieces.lower_bound(begin), pieces.lower_bound(end));
      pieces.emplace(begin, Piece{end, c});
      return;
    }
    std::uint64_t covered = begin;
    for (auto at = pieces.lower_bound(begin); covered < end; ++at) {
      const std::uint64_t next = at == pieces.end() ? end : std::min(at->first, end);
      if (covered < next) at = pieces.emplace_hint(at, covered, Piece{next});
      auto& readers = at->second.readers;
      // After the command it is enough to know that there are some, and whether it is one.
      if (readers.empty() || (c <= command_ && readers.back() != c)) readers.push_back(c);
      covered = at->second.end;
    }
  }

  const Trace& trace_;
  std::uint32_t command_;
  HappensBefore before_;
  ObservedAccess observed_;
  std::vector<Touched> touched_;
  std::map<std::uint32_t, Pieces> pieces_;  // by buffer
  std::vector<Dependency> found_;
};

}  // namespace

std::vector<Dependency> find_dependencies_of(const Trace& trace, std::uint32_t command) {
  std::vector<Dependency> found = SearchOfOne(trace, command).run();
  // Which waits were for nothing is known once all commands have been looked at.
  const auto key = [](const Dependency& d) { return std::pair(d.to, d.from); };
  const std::size_t by_bytes = found.size();
  for (const Dependency& d : find_dependencies(trace).edges) {
    if (d.buffer != no_index || (d.from != command && d.to != command)) continue;
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(by_bytes);
    if (!std::ranges::binary_search(found.begin(), end, key(d), {}, key)) found.push_back(d);
  }
  std::ranges::sort(found, {}, key);
  return found;
}

}  // namespace reel::analysis
