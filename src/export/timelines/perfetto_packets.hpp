// perfetto_packets.hpp - a trace of Perfetto, packet by packet.
//
// All are of one sequence, so that names are written once and referred to by number. Field numbers
// are those of Perfetto's protos; tests/export/perfetto.proto has the ones that we use.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "export/export_file.hpp"
#include "export/timelines/protobuf.hpp"

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

class Packets {
 public:
  explicit Packets(ExportFile& file) : file_(file) {}

  // Names that the packets after this one refer to; written with the next of them.
  Message interned;
  std::uint64_t event_name(const std::string& text) {
    return event_names_.number_of(text, interned);
  }
  std::uint64_t argument_name(const std::string& text) {
    return argument_names_.number_of(text, interned);
  }
  std::uint64_t text(const std::string& text) { return texts_.number_of(text, interned); }

  // Starts the sequence: times are on CLOCK_MONOTONIC, which `now_ns` is a moment of.
  void begin(std::uint64_t now_ns) {
    Message clock, snapshot, packet, defaults;
    clock.number(1, monotonic);
    clock.number(2, now_ns);
    snapshot.message(1, clock);
    snapshot.number(2, monotonic);  // the trace's own time
    packet.message(6, snapshot);
    defaults.number(58, monotonic);
    packet.message(59, defaults);
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
    packet.number(8, time_ns);
    packet.message(field, body);
    write(packet, 2);
  }

  std::uint64_t new_track() { return ++tracks_; }

 private:
  static constexpr std::uint64_t monotonic = 3;

  void write(Message& packet, unsigned flags) {
    packet.number(10, 1);
    packet.number(13, flags);
    if (!interned.empty()) packet.message(12, interned);
    interned.clear();
    Message trace;
    trace.message(1, packet);
    file_.write(trace.bytes());
  }

  ExportFile& file_;
  Names event_names_{2}, argument_names_{1001}, texts_{29};
  std::uint64_t tracks_ = 0;
};

}  // namespace reel::perfetto
