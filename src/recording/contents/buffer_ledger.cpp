#include "recording/contents/buffer_ledger.hpp"

namespace reel::capture {

BufferLedger::Entry& BufferLedger::entry_of(BufferResource& buffer, bool& is_new) {
  const auto [it, added] = entries_.try_emplace(&buffer);
  if (added) it->second.buffer = buffer.weak_from_this();
  is_new = added;
  return it->second;
}

void BufferLedger::update_numbers(BufferResource& buffer, const Entry& entry) const {
  const auto number = [&](const RangeSet& set) {
    return set.contains(0, buffer.size_bytes) ? capture_ : 0;
  };
  buffer.known_in.store(number(entry.known), std::memory_order_release);
  buffer.written_in.store(number(entry.written), std::memory_order_release);
}

void BufferLedger::changed(BufferResource& buffer, Entry& entry) {
  entry.version = ++changes_;
  update_numbers(buffer, entry);
}

void BufferLedger::add_changes(const RangeSet& set, Change change, bool was_in, Changes* changes) {
  const std::uint64_t begin = change.begin, end = change.end;
  change.was_in = was_in;
  const auto add = [&](std::uint64_t first, std::uint64_t last) {
    change.begin = first;
    change.end = last;
    changes->push_back(change);
  };
  if (was_in)
    set.for_each_in(begin, end, add);
  else
    set.for_each_gap(begin, end, add);
}

bool BufferLedger::use(const BufferRange& range, Access access, std::vector<Piece>& unknown,
                       Changes* changes) {
  BufferResource& buffer = *range.buffer;
  if (is_settled(buffer, access)) return false;
  const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
  bool is_new = false;
  const std::lock_guard lock(mutex_);
  Entry& entry = entry_of(buffer, is_new);
  if (!is_new && entry.known.contains(begin, end) &&
      (!writes(access) || entry.written.contains(begin, end)))
    return false;
  if (changes) {
    Change change{&buffer, begin, end, Change::Set::known, false, entry.version, changes_ + 1};
    add_changes(entry.known, change, false, changes);
    change.set = Change::Set::written;
    if (writes(access)) add_changes(entry.written, change, false, changes);
  }
  entry.known.for_each_gap(begin, end, [&](std::uint64_t first, std::uint64_t last) {
    unknown.push_back({&buffer, first, last - first});
  });
  entry.known.add(begin, end);
  if (writes(access)) entry.written.add(begin, end);
  changed(buffer, entry);
  return is_new;
}

bool BufferLedger::overwrite(const BufferRange& range, bool by_host, Changes* changes) {
  BufferResource& buffer = *range.buffer;
  if (!by_host && buffer.known_in.load(std::memory_order_acquire) == capture_ &&
      buffer.written_in.load(std::memory_order_acquire) == capture_)
    return false;
  const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
  bool is_new = false;
  const std::lock_guard lock(mutex_);
  Entry& entry = entry_of(buffer, is_new);
  if (!is_new && entry.known.contains(begin, end) &&
      (by_host ? !entry.written.overlaps(begin, end) : entry.written.contains(begin, end)))
    return false;
  if (changes) {
    Change change{&buffer, begin, end, Change::Set::known, false, entry.version, changes_ + 1};
    add_changes(entry.known, change, false, changes);
    change.set = Change::Set::written;
    add_changes(entry.written, change, by_host, changes);
  }
  entry.known.add(begin, end);
  if (by_host)
    entry.written.remove(begin, end);
  else
    entry.written.add(begin, end);
  changed(buffer, entry);
  return is_new;
}

// The last change first: each finds its buffer as it left it, unless somebody else was there.
void BufferLedger::undo(const Changes& changes) {
  const std::lock_guard lock(mutex_);
  for (auto it = changes.rbegin(); it != changes.rend(); ++it) {
    const auto found = entries_.find(it->buffer);
    if (found == entries_.end()) continue;
    Entry& entry = found->second;
    if (entry.version != it->after) {
      entry.known.remove(it->begin, it->end);
      entry.written.remove(it->begin, it->end);
      changed(*it->buffer, entry);
      continue;
    }
    RangeSet& set = it->set == Change::Set::known ? entry.known : entry.written;
    if (it->was_in)
      set.add(it->begin, it->end);
    else
      set.remove(it->begin, it->end);
    const auto next = std::next(it);
    if (next == changes.rend() || next->after != it->after) entry.version = it->before;
    update_numbers(*it->buffer, entry);
  }
}

void BufferLedger::forget(const BufferRange& range) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(range.buffer);
  if (it == entries_.end()) return;
  const std::uint64_t begin = range.offset_bytes, end = begin + range.size_bytes;
  it->second.known.remove(begin, end);
  it->second.written.remove(begin, end);
  changed(*range.buffer, it->second);
}

void BufferLedger::settle(const BufferRange& range) {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(range.buffer);
  if (it == entries_.end()) return;
  it->second.written.remove(range.offset_bytes, range.offset_bytes + range.size_bytes);
  changed(*range.buffer, it->second);
}

std::vector<Piece> BufferLedger::device_written(const BufferRange& range) {
  std::vector<Piece> pieces;
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(range.buffer);
  if (it == entries_.end()) return pieces;
  it->second.written.for_each_in(range.offset_bytes, range.offset_bytes + range.size_bytes,
                                 [&](std::uint64_t first, std::uint64_t last) {
                                   pieces.push_back({range.buffer, first, last - first});
                                 });
  return pieces;
}

void BufferLedger::forget_device_written() {
  const std::lock_guard lock(mutex_);
  for (auto& one : entries_) {
    Entry& entry = one.second;
    const auto held = entry.buffer.lock();
    if (!held) continue;
    entry.written.for_each_in(0, held->size_bytes, [&](std::uint64_t first, std::uint64_t last) {
      entry.known.remove(first, last);
    });
    entry.written.remove(0, held->size_bytes);
    changed(*held, entry);
  }
}

bool BufferLedger::is_device_written(const BufferRange& range) {
  if (range.buffer->written_in.load(std::memory_order_acquire) == capture_) return true;
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(range.buffer);
  return it != entries_.end() &&
         it->second.written.overlaps(range.offset_bytes, range.offset_bytes + range.size_bytes);
}

bool BufferLedger::allocated(BufferResource& buffer) {
  bool is_new = false;
  const std::lock_guard lock(mutex_);
  Entry& entry = entry_of(buffer, is_new);
  entry.known.add(0, buffer.size_bytes);
  changed(buffer, entry);
  return is_new;
}

std::vector<Piece> BufferLedger::release(BufferResource& buffer) {
  std::vector<Piece> pieces;
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(&buffer);
  if (it == entries_.end()) return pieces;
  it->second.written.for_each_in(0, buffer.size_bytes,
                                 [&](std::uint64_t first, std::uint64_t last) {
                                   pieces.push_back({&buffer, first, last - first});
                                 });
  entries_.erase(it);
  return pieces;
}

std::vector<std::pair<Piece, std::shared_ptr<BufferResource>>> BufferLedger::device_written() {
  std::vector<std::pair<Piece, std::shared_ptr<BufferResource>>> pieces;
  const std::lock_guard lock(mutex_);
  for (auto& [buffer, entry] : entries_) {
    const auto held = entry.buffer.lock();
    if (!held) continue;
    entry.written.for_each_in(0, held->size_bytes, [&](std::uint64_t first, std::uint64_t last) {
      pieces.emplace_back(Piece{held.get(), first, last - first}, held);
    });
  }
  return pieces;
}

}  // namespace reel::capture
