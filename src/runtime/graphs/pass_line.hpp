// pass_line.hpp - the commands of a recorded pass, one after another, with all they borrow.
//
// Cheaper to fill than a Graph, which is made of it when somebody wants one. Buffers and kernels
// are kept alive, but for those that an earlier pass named in the same place and keeps anyway. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reel/command.hpp"
#include "runtime/graphs/pass_memory.hpp"

namespace reel {

class PassLine {
 public:
  // Its resources need no further hold; they live as long as the line is being filled.
  void begin(std::span<const void* const> kept_already) noexcept { kept_already_ = kept_already; }
  // Sound, and with a group size if it is a dispatch. Borrows nothing afterwards.
  void add(Command&& command);
  // Without commands, but with its memory.
  void clear() noexcept;
  void let_go_of_resources() noexcept { kept_.clear(); }

  std::span<const Command> commands() const noexcept { return commands_; }
  bool empty() const noexcept { return commands_.empty(); }
  // Kernels and buffers in the order in which commands name them.
  std::span<const void* const> named() const noexcept { return named_; }
  bool has_host_calls() const noexcept { return has_host_calls_; }
  std::uint64_t written_bytes() const noexcept { return written_bytes_; }
  // A barrier came last, and something before it.
  bool ends_with_barrier() const noexcept;

 private:
  template <class Resource>
  void keep(Resource* resource);

  std::vector<Command> commands_;
  PassMemory memory_;
  std::vector<const void*> named_;
  std::vector<std::shared_ptr<const void>> kept_;
  std::span<const void* const> kept_already_;
  std::uint64_t written_bytes_ = 0;
  bool has_host_calls_ = false, has_work_ = false;
};

}  // namespace reel
