// script.hpp - what a replay does, in order: give a command, put bytes in place, look at results.
//
// Made from the document alone, before any device is opened: what is missing for a replay shows
// here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "document/trace/ranges.hpp"
#include "reel/error.hpp"
#include "reel/replay.hpp"
#include "replay/script/unordered.hpp"

namespace reel::rerun {

struct Action {
  enum class Kind : std::uint8_t { put, run, look, instead } kind;
  std::uint32_t command;   // the one to run; put comes before it, look after it
  std::uint32_t contents;  // of put and look; of instead, the stage's number of what is done
};
// The bytes of a write are put; its own place has nothing left to do.

// Why a command can't be run again.
struct Obstacle {
  Code code = Code::unsupported;
  std::string reason;  // a sentence
};
struct AddressPlan;
struct Obstacles {
  std::map<std::uint32_t, Obstacle> commands, kernels, buffers;  // by index
  std::shared_ptr<const AddressPlan> addresses;                  // null: no buffer has one
  std::size_t count() const noexcept { return commands.size() + kernels.size() + buffers.size(); }
};

// What the document itself says: commands that the recorder noted or that failed, arguments that
// can't be given again, kinds of work that this version doesn't know.
Obstacles recorded_obstacles(const Trace& trace);

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
  std::vector<KeptOrder::Wait> kept;  // waits that nobody asked for, by command
  std::uint64_t commands = 0, host_calls = 0, refused = 0;

  struct Unproved {
    std::uint32_t buffer;
    std::uint64_t bytes;
  };
  std::vector<Unproved> unproved;  // written last, and no check after it

  // Those with an obstacle, those that need bytes which are not in the document, and those that
  // need what these would have written.
  std::map<std::uint32_t, Obstacle> left_out;             // by command
  std::uint64_t left_out_checks = 0, left_out_bytes = 0;  // of what these would have written
  std::shared_ptr<const AddressPlan> addresses;           // as in Obstacles
};

Script make_script(const Trace& trace, std::uint32_t from, std::uint32_t to,
                   const Obstacles& obstacles, const KeptOrder& kept);
// Takes out what these commands do, not what is looked at. Bytes that the host changed in between
// by no command stay.
void leave_out(const Trace& trace, const std::set<std::uint32_t>& commands,
               std::vector<Action>& actions);
// Throws the first reason where nothing that is worth a replay can be run: no dispatch of a
// document that has some, nothing at all of another.
void check_something_is_left(const Trace& trace, const Script& script);

}  // namespace reel::rerun
