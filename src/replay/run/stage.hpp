// stage.hpp - the buffers and kernels of a document on a device, ready for its commands.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "graph/commands/kept_command.hpp"
#include "reel/device.hpp"
#include "reel/stream.hpp"
#include "replay/script/element_types.hpp"
#include "replay/script/script.hpp"

namespace reel::rerun {

class Verifier;

class Stage {
 public:
  // `device_of`: by index in trace.devices(). What can't be built or allocated here comes into
  // `obstacles`, for another script; without it, is thrown.
  Stage(const Trace& trace, const Script& script, std::vector<Device> device_of,
        const std::map<std::uint32_t, Replacement>& replacements, Obstacles* obstacles);
  // Commands of the script that the device doesn't take. False: there are none.
  bool find_unfit(Obstacles& obstacles);

  // Every buffer as it was before the first command. After the first time only those that commands
  // say they write, unless `all` are asked for. `done(bytes)` tells how it gets on.
  std::uint64_t restore(const std::function<void(std::uint64_t)>& done, bool all = false);

  // What the command does here; none where it does nothing on a device, several where it is a list
  // of ranges. The work is checked when it is first asked for; it stays as long as the stage.
  const std::vector<KeptCommand>& commands(std::uint32_t index);
  // Work that no document has, for Action::Kind::instead, on the first device; what it borrows
  // outlives its last run.
  std::uint32_t add_other(Command command);
  const Command& other(std::uint32_t number) const { return others_[number]; }
  BufferRange range(std::uint32_t buffer, std::uint64_t offset, std::uint64_t size) const;
  const Device& device_of_buffer(std::uint32_t buffer) const;
  const Device& device_of_stream(std::uint32_t stream) const;
  const Trace& trace() const noexcept { return trace_; }
  const Script& script() const noexcept { return script_; }
  const ElementTypes& elements() const noexcept { return elements_; }
  const std::vector<Device>& devices() const noexcept { return device_of_; }

  // Reads a range of contents page by page: visit(page number, its bytes). Everything given to the
  // device must be done.
  void read(const TraceContents& row,
            const std::function<void(std::uint32_t, std::span<const std::byte>)>& visit);
  // The bytes of contents, page by page: visit(offset in the buffer, bytes). Throws
  // damaged_document where a page doesn't match its hash.
  void for_each_page(
      const TraceContents& row,
      const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit) const;
  // Exchanges addresses of buffers here for those that the same bytes had when they were recorded.
  // False: there are none.
  bool to_recorded(std::span<std::byte> bytes) const;
  // From now on the bytes that these actions put are at hand: giving them takes as long as it took
  // the program, which had them in memory. Throws out_of_memory beyond `most_bytes`.
  void keep_puts(const std::vector<Action>& actions, std::uint64_t most_bytes);

 private:
  class Resources;
  std::vector<KeptCommand> load_checked(const TraceWork& work, std::uint32_t index);
  // Arguments for a kernel with a declared layout that isn't the recorded one, by their places.
  void place_arguments(const TraceWork& work, KeptCommand& dispatch) const;
  Buffer make_buffer(const TraceBuffer& buffer) const;
  std::uint64_t address_of(std::uint32_t buffer) const;
  void patch_contents(std::uint32_t contents, std::uint64_t begin,
                      std::span<std::byte> bytes) const;
  void patch_values(std::uint32_t work, KeptCommand& dispatch) const;
  Stream& transfers(const Device& device);
  void check_memory() const;

  const Trace trace_;
  const Script& script_;
  const std::vector<Device> device_of_;
  std::vector<Buffer> buffers_;  // by index in trace.buffers()
  // By index there of the view and of the buffer, and the first byte of it.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, Buffer> views_;
  std::vector<Kernel> kernels_;
  ElementTypes elements_;
  std::vector<std::optional<std::vector<KeptCommand>>> works_;  // by index in trace.works()
  std::vector<Command> others_;
  std::map<std::uint32_t, std::vector<std::vector<std::byte>>> kept_;  // by contents: pages
  std::vector<std::pair<Device, Stream>> transfers_;
  std::vector<std::byte> scratch_;
  mutable std::deque<std::vector<std::byte>> patched_;  // values with addresses of here
  bool is_fresh_ = true;                                // nothing ran yet: all is zero
};

// What is found on this stage has addresses of this stage.
void expect_addresses(Verifier& verifier, const Stage& stage);

}  // namespace reel::rerun
