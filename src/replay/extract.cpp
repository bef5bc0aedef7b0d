// A part of a document as a document of its own: everything is run again, and the part recorded.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "document/files/file_place.hpp"
#include "recording/opening/path_pattern.hpp"
#include "reel/capture.hpp"
#include "replay/run/devices.hpp"
#include "replay/run/heartbeat.hpp"
#include "replay/run/predicates.hpp"
#include "replay/run/stage.hpp"
#include "replay/script/completeness.hpp"
#include "replay/verifier.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

namespace {

using rerun::Action;

std::string range_text(const std::vector<std::uint32_t>& commands) {
  const bool is_run = commands.back() - commands.front() + 1 == commands.size();
  if (commands.size() == 1) return command_name(commands.front());
  return is_run ? fmt::format("{} to {}", command_name(commands.front()),
                              command_name(commands.back()))
                : fmt::format("{} commands from {} to {}", commands.size(),
                              command_name(commands.front()), command_name(commands.back()));
}

class Extraction {
 public:
  Extraction(const Trace& trace, std::vector<Device> devices, std::vector<std::uint32_t> commands,
             const ReplayOptions& options, std::shared_ptr<rerun::Heartbeat> heart)
      : trace_(trace),
        commands_(std::move(commands)),
        chosen_(commands_.begin(), commands_.end()),
        kept_(rerun::kept_order(trace, rerun::find_unordered(trace))),
        obstacles_(rerun::recorded_obstacles(trace)),
        script_(rerun::make_script(trace, 0, no_index, obstacles_, kept_)),
        stage_(trace, script_, std::move(devices), options.replacements, &obstacles_),
        verifier_(trace, stage_.elements(), options,
                  rerun::are_same_devices(trace, stage_.devices())),
        accepts_differences_(options.accept_differences),
        progress_(options.progress),
        heart_(std::move(heart)) {
    for (const Device& device : stage_.devices())
      if (device != stage_.devices().front())
        fail(Code::unsupported,
             "The document was recorded on several devices; extract from it on one (--device).");
    script_ = rerun::make_script(trace, 0, no_index, obstacles_, kept_);
    if (stage_.find_unfit(obstacles_))
      script_ = rerun::make_script(trace, 0, no_index, obstacles_, kept_);
    for (const std::uint32_t c : commands_)
      if (const auto left_out = script_.left_out.find(c); left_out != script_.left_out.end())
        fail(left_out->second.code, "{} can't be extracted: {}", command_name(c),
             left_out->second.reason);
    rerun::expect_addresses(verifier_, stage_);
    const Device& device = stage_.devices().front();
    inside_ = device.stream(trace.streams()[trace.commands()[commands_.front()].stream].label);
    outside_ = device.stream("others");
  }

  // Only commands of one stream are recorded, so those between the chosen ones leave no trace but
  // the bytes that the next chosen one needs.
  ExtractReport run(const std::string& path) {
    stage_.restore([](std::uint64_t) {});
    ExtractReport result;
    CaptureOptions options{.contents = Contents::all, .stream = inside_};
    options.facts = {
        {"extracted", fmt::format("{} of {}", range_text(commands_),
                                  std::filesystem::path(trace_.path()).filename().string())}};
    Capture capture(capture::pattern_of(path), options);
    record(capture, result);
    return result;
  }

 private:
  void record(Capture& capture, ExtractReport& result) {
    auto left =
        std::count_if(script_.actions.begin(), script_.actions.end(), [&](const Action& action) {
          return action.kind == Action::Kind::run && chosen_.contains(action.command);
        });
    double done = 0;
    for (const Action& action : script_.actions) {
      if (progress_) progress_("running", done++ / static_cast<double>(script_.actions.size()));
      const bool is_chosen = chosen_.contains(action.command) && is_own(action);
      heart_->running(action.command);
      use(is_chosen ? inside_ : outside_);
      if (is_chosen && !capture.is_begun()) capture.begin();
      perform(action, is_chosen ? inside_ : outside_);
      if (!is_chosen || action.kind != Action::Kind::run || --left > 0) continue;
      inside_.synchronize();
      const CaptureReport recorded = capture.end();
      if (!recorded.lost.empty()) fail(Code::io_failed, "{}", recorded.lost);
      result.commands = recorded.commands;
      result.document_bytes = recorded.document_bytes;
    }
    heart_->idle();
    use(outside_);
    outside_.synchronize();
    for (const std::uint32_t i : script_.at_end) look(i);
    verifier_.close();
    verifier_.report(result.replay);
    result.replay.commands = script_.commands;
    result.replay.incomplete = rerun::missing_parts(trace_);
    result.replay.is_damaged = !trace_.is_complete();
    result.replay.device = stage_.devices().front().info().id;
    if (result.commands == 0)
      fail(Code::invalid_argument, "There is nothing to extract: {} gave the device no work.",
           range_text(commands_));
    if (result.replay.different_checks && !accepts_differences_)
      fail(Code::invalid_argument,
           "{} can't be extracted: run again, the document gives other results (see reel replay), "
           "so what it reads would not be what was recorded.",
           range_text(commands_));
  }

  // A look is ours; inputs that nobody gave by a command are, too.
  bool is_own(const Action& action) const {
    return action.kind == Action::Kind::run ||
           (action.kind == Action::Kind::put &&
            trace_.contents()[action.contents].role == ContentRole::written);
  }

  void use(const Stream& stream) {
    if (current_ && current_ != &stream) current_->synchronize();
    current_ = &stream;
  }

  void perform(const Action& action, const Stream& stream) {
    if (action.kind == Action::Kind::look) {
      stream.synchronize();
      look(action.contents);
    } else if (action.kind == Action::Kind::put) {
      const TraceContents& row = trace_.contents()[action.contents];
      stage_.for_each_page(row, [&](std::uint64_t offset, std::span<const std::byte> bytes) {
        stream.write(stage_.range(row.buffer, offset, bytes.size()), bytes);
      });
    } else {
      for (const KeptCommand& kept : stage_.commands(action.command)) {
        // All before it is done. A look at its predicate is ours, and not to be recorded.
        const bool is_ours = rerun::is_decided_here(kept.command, stream);
        if (auto left = is_ours ? rerun::decided(kept.command, outside_) : kept.command)
          state_of(stream)->enqueue(std::move(*left));
      }
      stream.synchronize();  // one by one: a command that hangs is known
    }
  }

  void look(std::uint32_t contents) {
    stage_.read(trace_.contents()[contents],
                [&](std::uint32_t page, std::span<const std::byte> found) {
                  verifier_.page(contents, page, found);
                });
  }

  const Trace trace_;
  const std::vector<std::uint32_t> commands_;
  const std::set<std::uint32_t> chosen_;
  const rerun::KeptOrder kept_;
  rerun::Obstacles obstacles_;
  rerun::Script script_;
  rerun::Stage stage_;
  rerun::Verifier verifier_;
  const bool accepts_differences_;
  const std::function<void(std::string_view, double)> progress_;
  const std::shared_ptr<rerun::Heartbeat> heart_;
  Stream inside_, outside_;
  const Stream* current_ = nullptr;
};

ExtractReport extract_on(const Trace& trace, std::vector<Device> devices,
                         std::vector<std::uint32_t> commands, const std::string& path,
                         const ReplayOptions& options) {
  rerun::check_is_capture(trace);
  std::sort(commands.begin(), commands.end());
  commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
  if (commands.empty()) fail(Code::invalid_argument, "There is no command to extract.");
  if (commands.back() >= trace.commands().size())
    fail(Code::invalid_argument, "There is no {} to extract; the document ends before it.",
         command_name(commands.back()));
  const auto heart = std::make_shared<rerun::Heartbeat>(options.at_work);
  const auto extraction =
      std::make_shared<Extraction>(trace, std::move(devices), std::move(commands), options, heart);
  const auto result = std::make_shared<ExtractReport>();
  FilePlace place(capture::expand_path(path, 1), false);
  rerun::run_with_limit(
      options.time_limit_s, heart, [=, now = place.now()] { *result = extraction->run(now); },
      [&](std::uint32_t oldest) {
        return fmt::format("{} did not finish within {} s, the time limit.",
                           describe_command(trace, oldest), options.time_limit_s);
      });
  place.put();
  result->path = place.path();
  return *result;
}

}  // namespace

ExtractReport extract(const Trace& trace, const std::vector<std::uint32_t>& commands,
                      const std::string& path, const ReplayOptions& options) {
  return extract_on(trace, rerun::recorded_devices(trace), commands, path, options);
}

ExtractReport extract(const Trace& trace, const Device& device,
                      const std::vector<std::uint32_t>& commands, const std::string& path,
                      const ReplayOptions& options) {
  if (!device) fail(Code::invalid_argument, "The Device given to extract() is empty.");
  return extract_on(trace, std::vector<Device>(trace.devices().size(), device), commands, path,
                    options);
}

}  // namespace reel
