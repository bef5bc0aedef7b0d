// perfetto_packets.hpp - a trace of Perfetto, packet by packet.
//
// Those of a document are one sequence, so that names are written once and referred to by number.
// Field numbers are those of Perfetto's protos; tests/export/perfetto.proto has the ones that we
// use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "export/export_file.hpp"
#include "export/timelines/protobuf.hpp"
#include "reel/common_clock.hpp"

namespace reel::perfetto {

using protobuf::Message;

// Texts that get numbers, from 1, in one field of InternedData.
class Names {
 public:
  explicit Names(std::uint32_t field) : field_(field) {}
  // New ones are written into `interned`.
  std::uint64_t number_of(const std::string& text, Message& interned) {
    const auto [place, is_new] = numbers_.try_emplace(text, numbers_.size() + 1);
    if (is_new) {
      Message entry;
      entry.number(1, place->second);
      entry.text(2, text);
      interned.message(field_, entry);
    }
    return place->second;
  }

 private:
  std::uint32_t field_;
  std::unordered_map<std::string, std::uint64_t> numbers_;
};

// A document's place in a file. The default is that of a file with one document.
struct RunPlace {
  std::uint32_t sequence = 1;
  std::uint32_t machine = 0;  // 0: the file has one
  std::uint32_t pid = 0;      // 0: not known
  std::string prefix = {};    // "rank 2: ", of what has no process to be told apart by
  std::uint64_t first_event = 1, first_gpu = 0;  // the numbers of command 0 and device 0
  const analysis::CommonClock* clock = nullptr;  // null: times are as the document has them
  std::int64_t shift_ns = 0;                     // is added to times then
  std::string note = {};                         // how its times were aligned; empty: they weren't
};

class Packets {
 public:
  explicit Packets(ExportFile& file) : file_(file) {}

  // Packets from here on are those of this document; its names are its own.
  void enter(RunPlace place) {
    place_ = std::move(place);
    interned.clear();
    event_names_ = Names(2);
    argument_names_ = Names(1001);
    texts_ = Names(29);
  }
  const RunPlace& place() const noexcept { return place_; }

  // By which calls and commands refer to a command.
  std::uint64_t event_id(std::uint32_t command) const noexcept {
    return place_.first_event + command;
  }
  std::uint64_t gpu_id(std::uint32_t device) const noexcept { return place_.first_gpu + device; }
  // A time of the document on the file's clock.
  std::uint64_t time_of(std::uint64_t time_ns) const {
    std::int64_t time = static_cast<std::int64_t>(time_ns) + place_.shift_ns;
    if (place_.clock)
      if (const auto common = place_.clock->at(time_ns)) time = common->ns;
    return static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0));
  }

  // Names that the packets after this one refer to; written with the next of them.
  Message interned;
  std::uint64_t event_name(const std::string& text) {
    return event_names_.number_of(text, interned);
  }
  std::uint64_t argument_name(const std::string& text) {
    return argument_names_.number_of(text, interned);
  }
  std::uint64_t text(const std::string& text) { return texts_.number_of(text, interned); }

  // Starts the document's sequence. `now_ns`: a moment of CLOCK_MONOTONIC, which is the file's
  // clock then; of several machines there is none that all have, so their files don't say.
  void begin(std::optional<std::uint64_t> now_ns) {
    Message packet;
    if (now_ns) {
      Message clock, snapshot;
      clock.number(1, monotonic);
      clock.number(2, *now_ns);
      snapshot.message(1, clock);
      snapshot.number(2, monotonic);  // the trace's own time
      packet.message(6, snapshot);
      is_monotonic_ = true;
    }
    if (is_monotonic_) {
      Message defaults;
      defaults.number(58, monotonic);
      packet.message(59, defaults);
    }
    packet.flag(87, true);
    write(packet, 1);
  }
  // A packet whose one field, besides what all have, is `body`.
  void write(std::uint32_t field, const Message& body) {
    Message packet;
    packet.message(field, body);
    write(packet, 2);
  }
  void write_at(std::uint64_t time_ns, std::uint32_t field, const Message& body) {
    Message packet;
    packet.number(8, time_of(time_ns));
    packet.message(field, body);
    write(packet, 2);
  }

  std::uint64_t new_track() { return ++tracks_; }

 private:
  static constexpr std::uint64_t monotonic = 3;

  void write(Message& packet, unsigned flags) {
    packet.number(10, place_.sequence);
    packet.number(13, flags);
    if (place_.machine) packet.number(98, place_.machine);
    if (!interned.empty()) packet.message(12, interned);
    interned.clear();
    Message trace;
    trace.message(1, packet);
    file_.write(trace.bytes());
  }

  ExportFile& file_;
  RunPlace place_;
  bool is_monotonic_ = false;
  Names event_names_{2}, argument_names_{1001}, texts_{29};
  std::uint64_t tracks_ = 0;
};

}  // namespace reel::perfetto
