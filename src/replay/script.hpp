// script.hpp - what a replay does, in order: give a command, put bytes in place, look at results.
//
// Made from the document alone, before any device is opened: what is missing for a replay shows
// here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "document/ranges.hpp"
#include "reel/replay.hpp"

namespace reel::rerun {

struct Action {
  enum class Kind : std::uint8_t { put, run, look } kind;
  std::uint32_t command;   // the one to run; put comes before it, look after it
  std::uint32_t contents;  // of put and look
};
// The bytes of a write are put; its own place has nothing left to do.

struct Script {
  // Bytes that are there before anything runs: inputs whose range nothing recorded wrote before.
  std::vector<std::uint32_t> at_start;
  std::vector<Action> before;   // commands before those that are measured
  std::vector<Action> actions;  // the measured ones
  // Checks that hold until the end: read once, when all is done.
  std::vector<std::uint32_t> at_end;

  std::vector<std::uint32_t> buffers;  // indices of all that is named, in order
  std::vector<std::uint32_t> kernels;
  std::vector<bool> is_written;  // by buffer: some command writes it, so a second run restores it
  std::uint64_t commands = 0, host_calls = 0, refused = 0;

  struct Unproved {
    std::uint32_t buffer;
    std::uint64_t bytes;
  };
  std::vector<Unproved> unproved;  // written last, and no check after it
};

// Throws unsupported where bytes that a command needs were not kept, or where a command is of a
// kind that this version doesn't know.
Script make_script(const Trace& trace, std::uint32_t from, std::uint32_t to);

}  // namespace reel::rerun
