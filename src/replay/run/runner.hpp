// runner.hpp - gives the actions of a script to a device, in one of several orders.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "replay/run/heartbeat.hpp"
#include "replay/run/stage.hpp"

namespace reel::rerun {

// When each command ran, by index in trace.commands(); 0: not known.
struct RunTimes {
  struct Time {
    std::uint64_t begin_ns = 0, end_ns = 0;
  };
  std::vector<Time> of_command;
};

// A page of a check, as found.
using Look = std::function<void(std::uint32_t contents, std::uint32_t page,
                                std::span<const std::byte> found)>;

// Bytes that were read for a check, page by page.
void look_at_pages(std::uint32_t contents, std::span<const std::byte> bytes, const Look& look);
// The checks that hold until the end, when all is done.
void look_at_end(Stage& stage, const Look& look);

class Runner {
 public:
  virtual ~Runner() = default;
  // Runs all actions and waits for them; `look` is called with what was found in between. May be
  // called again, after the stage was restored.
  virtual void run(const Look& look, RunTimes* times) = 0;
};

// On streams as recorded, or all on one; one by one: waiting for each.
enum class Streams : std::uint8_t { recorded, one, recorded_one_by_one };
using Waits = std::set<std::pair<std::uint32_t, std::uint32_t>>;  // command, after
// What the host does before it gives a command: waits for all that it gave, then is busy.
struct HostPause {
  bool waits = false;
  std::uint64_t busy_ns = 0;
};
using HostPauses = std::unordered_map<std::uint32_t, HostPause>;  // by command
struct StreamChanges {
  Waits without = {};      // waits between streams that are not made
  HostPauses pauses = {};  // none: a replay gives commands as fast as it can
};
std::unique_ptr<Runner> make_stream_runner(Stage& stage, const std::vector<Action>& actions,
                                           Streams streams, std::shared_ptr<Heartbeat> heart,
                                           StreamChanges changes = {});
// As a graph, one node an action: a chain, or ordered by hazards alone.
std::unique_ptr<Runner> make_graph_runner(Stage& stage, const std::vector<Action>& actions,
                                          bool relaxed, std::shared_ptr<Heartbeat> heart);

}  // namespace reel::rerun
