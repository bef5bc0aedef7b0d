// window.hpp - which part of a run is captured: says when to begin and when to end.
//
// Pure: it is told what happens and when, and answers with what is to be done; the caller does it
// and tells that it did. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "layers/control/settings.hpp"

namespace reel::layer {

enum class Wish {
  nothing,
  begin,
  end,
  renew,  // end, and begin the next part at once
};

struct Moment {
  std::uint64_t now_ns = 0;
  std::optional<std::uint64_t> command;  // its number, when one is about to be given
  std::uint64_t recorded = 0;            // commands of the capture under way
  std::optional<std::uint64_t> submission = std::nullopt;  // its number, likewise
};

class Window {
 public:
  explicit Window(const Settings& settings);

  void first_call(std::uint64_t now_ns) { first_call_ns_ = now_ns; }
  Wish look(const Moment& moment);
  // Somebody pulled it: ends the capture under way, or begins one.
  Wish trigger() const { return is_capturing() ? Wish::end : Wish::begin; }

  // What the caller did. An `open` capture ends only when somebody asks.
  void began(std::uint64_t now_ns, bool open = false);
  void ended();
  void failed_to_begin();

  bool is_capturing() const { return began_ns_.has_value(); }
  bool is_open() const { return is_capturing() && open_; }
  bool is_over() const { return over_; }  // look() will never want to begin again

  // Whether look() wants to be asked before commands; the first one it cares for.
  bool wants_commands() const;
  std::uint64_t first_command() const;
  // When look() wants to be asked, even if nothing happens; none: it doesn't.
  std::optional<std::uint64_t> next_look_ns(std::uint64_t now_ns) const;
  // Whether there may ever be such a time.
  bool needs_time() const;

 private:
  Wish look_at_capture(const Moment& moment) const;

  std::uint64_t first_ = 0, after_ns_ = 0, for_ns_ = 0, last_ns_ = 0;
  std::optional<CommandSpan> commands_, submits_;
  bool trigger_ = false;

  std::optional<std::uint64_t> first_call_ns_, began_ns_;
  bool open_ = false, over_ = false;
};

}  // namespace reel::layer
