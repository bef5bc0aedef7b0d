// made_document.hpp - a document with just the commands a test asks for.
//
//   MadeDocument made;
//   const auto x = made.buffer({.size = 4096});
//   made.add({.kernel = made.kernel("add"), .run = {10, 20}, .writes = {x}});
//   const Trace trace = made.trace();
//
// Times are microseconds from the start. One device, stream 0 is there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "document/document_writer.hpp"
#include "document/sample_document.hpp"
#include "reel/trace.hpp"

namespace reel::test {

struct Span {
  double begin = 0, end = 0;  // us; equal: not known
};

struct MadeRange {
  std::uint32_t buffer = 0;
  std::uint64_t offset = 0, size = 0;  // 0: all of it
};

struct MadeBuffer {
  std::uint64_t size = 4096;
  std::optional<double> allocated = {}, freed = {};
  std::string label = {};
  bool undefined = false;  // fresh, it holds anything
  BufferMemory memory = {};
};

struct MadeCommand {
  WorkKind kind = WorkKind::dispatch;
  std::uint32_t kernel = no_index;
  std::uint32_t stream = 0;
  Span run = {};
  std::optional<Span> call = {};  // none: ends when it starts, 1 us before
  std::vector<MadeRange> reads = {}, writes = {}, changes = {};
  std::optional<MadeRange> run_if = {};  // the word that may skip it
  std::string scope = {}, label = {};
  std::uint32_t groups = 64, group_size = 64;
  std::uint32_t launch = no_index, node = no_index, graph = no_index;
  std::uint32_t thread = 1;
};

class MadeDocument {
 public:
  // `units`: of the device. `facts`: besides those that every document has.
  explicit MadeDocument(std::uint32_t units = 2, const document::Facts& facts = {},
                        const std::string& backend = "host");
  ~MadeDocument();

  std::uint32_t stream(std::uint32_t device = 0);
  std::uint32_t queue();   // a stream that orders nothing by itself
  std::uint32_t device();  // another one
  std::uint32_t buffer(const MadeBuffer& buffer = {});
  // A kernel takes buffers of f32: `name` is all that tells two apart, and the text.
  std::uint32_t kernel(const std::string& name, const std::string& text = "kernel");
  std::uint32_t add(const MadeCommand& command);
  // A command that is a barrier, with these rows; their `command` is set here.
  std::uint32_t barrier(std::uint32_t queue, std::vector<TraceBarrier> rows);
  void submission(std::uint32_t queue, std::uint32_t first, std::uint32_t count);
  // These were only timed together.
  void interval(std::uint32_t queue, std::uint32_t first, std::uint32_t count, Span span);
  void order(std::uint32_t command, std::uint32_t after, OrderKind kind = OrderKind::event,
             std::uint64_t stages = 0);
  void edge(std::uint32_t graph, std::uint32_t from, std::uint32_t to, std::uint8_t kind);
  void call(const std::string& name, Span span, std::uint32_t thread = 1,
            std::uint32_t peer = no_index, std::uint64_t bytes = 0);
  void clock(const TraceClock& reading);
  void device_clock_error(double us);  // of the first device
  void run_facts(const document::Facts& facts) { writer_->run_facts(facts); }
  void pass(Span span);
  // A launch of a graph that decides, with all that its thread gave meanwhile.
  void deciding_launch(Span span, std::uint32_t graph);
  void overhead(Span span, OverheadKind kind = OverheadKind::inputs);
  void contents(ContentRole role, std::uint32_t command, std::uint32_t buffer,
                const std::vector<float>& values, bool stored = true);
  void note(const std::string& text, const std::string& kind = "limit");

  Trace trace();  // closes it; once
  Trace cut();    // the same, of a recording that lost what came then

 private:
  std::uint32_t number_of(const document::WorkRow& work);
  Trace closed(const std::string& complete);

  TemporaryFolder folder_;
  std::unique_ptr<document::DocumentWriter> writer_;
  std::map<std::string, std::uint32_t> works_;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::uint32_t> stream_of_command_;
  std::uint32_t streams_ = 0, kernels_ = 0, commands_ = 0, passes_ = 0, devices_ = 1;
};

// us as the documents count them.
std::uint64_t at_us(double us);

}  // namespace reel::test
