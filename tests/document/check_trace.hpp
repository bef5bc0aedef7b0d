// check_trace.hpp - every promise of reel/trace.hpp, checked by walking over all of it.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reel/trace.hpp"

namespace reel::test {

// Throws std::logic_error that names the promise which is broken.
inline void check_trace(const Trace& trace) {
  const auto expect = [](bool holds, const char* promise) {
    if (!holds) throw std::logic_error(promise);
  };
  const auto within = [](std::uint64_t offset, std::uint64_t size, std::uint64_t all) {
    return offset <= all && size <= all - offset;
  };
  const auto by_id = [&](const auto& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      expect(rows[i].device < trace.devices().size(), "a device is there");
      expect(i == 0 || rows[i - 1].id < rows[i].id, "ids rise");
    }
  };
  by_id(trace.streams());
  by_id(trace.buffers());
  by_id(trace.kernels());
  for (const TraceBuffer& buffer : trace.buffers()) {
    expect(buffer.kind <= BufferKind::svm, "the kind of a buffer is one of ours");
    expect((buffer.kind == BufferKind::image) == buffer.image.has_value(), "images have a shape");
    if (buffer.image)
      expect(buffer.image->is_sound() && buffer.image->size_bytes() == buffer.size_bytes,
             "an image is as large as its shape");
  }

  for (const TraceWork& work : trace.works()) {
    expect(work.kind <= WorkKind::unknown, "the kind is one of ours");
    expect(work.kind != WorkKind::dispatch || work.kernel < trace.kernels().size(),
           "the kernel of a dispatch is there");
    expect(work.kernel == no_index || work.kernel < trace.kernels().size(), "a kernel is there");
    const auto arguments = trace.arguments(work);
    for (const TraceArgument& argument : arguments) {
      expect(argument.kind <= ArgumentKind::run_unless && argument.kind != ArgumentKind::image,
             "the kind of an argument is one of ours");
      if (argument.view != no_index) {
        expect(argument.view < trace.buffers().size() && trace.buffers()[argument.view].image,
               "the view of an argument is an image");
        expect(trace.buffers()[argument.view].image->stored_bytes() <= argument.size_bytes,
               "an image is within the range that it is made on");
      }
      if (argument.has_value())
        expect(trace.value_bytes(argument).size() == argument.size_bytes, "a value is there");
      if (argument.has_range()) {
        expect(argument.buffer < trace.buffers().size(), "the buffer of an argument is there");
        expect(within(argument.offset_bytes, argument.size_bytes,
                      trace.buffers()[argument.buffer].size_bytes),
               "a range is within its buffer");
      }
    }
    if (work.kind == WorkKind::copy)
      for (std::size_t i = 0; i < arguments.size(); i += 2)
        expect(i + 1 < arguments.size() && arguments[i].access == Access::read &&
                   arguments[i + 1].access == Access::write &&
                   arguments[i].size_bytes == arguments[i + 1].size_bytes,
               "a copy has pairs of ranges of one size");
    for (const TraceArgument& argument : arguments) {
      if (work.kind == WorkKind::fill)
        expect(argument.access == Access::write && argument.size_bytes % work.pattern_bytes == 0,
               "a fill has ranges of whole patterns");
      if (work.kind == WorkKind::write || work.kind == WorkKind::read)
        expect(argument.kind == ArgumentKind::buffer, "a write or read has ranges");
    }
  }
  for (std::size_t i = 0; i < trace.commands().size(); ++i) {
    const TraceCommand& command = trace.commands()[i];
    expect(command.work < trace.works().size(), "the work of a command is there");
    expect(command.stream < trace.streams().size(), "the stream of a command is there");
    expect(command.call_begin_ns <= command.call_end_ns, "a call ends after it began");
    expect(command.launch == no_index ||
               (command.launch < i &&
                trace.work_of(trace.commands()[command.launch]).kind == WorkKind::launch),
           "who launched a node is a launch before it");
  }
  for (const TraceOrder& order : trace.orders())
    expect(order.after < order.command && order.command < trace.commands().size(),
           "an order is between two commands, one before the other");
  for (const TraceContents& contents : trace.contents()) {
    expect(contents.command == no_index || contents.command < trace.commands().size(),
           "the command of contents is there");
    expect(contents.buffer < trace.buffers().size(), "the buffer of contents is there");
    expect(within(contents.offset_bytes, contents.size_bytes,
                  trace.buffers()[contents.buffer].size_bytes),
           "contents are within their buffer");
    expect(trace.pages(contents).size() * page_bytes >= contents.size_bytes,
           "pages cover contents");
    if (contents.stored)
      for (const BlobId& page : trace.pages(contents))
        expect(trace.has_blob(page), "what is stored is there");
  }
  expect(std::ranges::is_sorted(trace.calls(), {}, &TraceCall::begin_ns), "calls are sorted");
  for (const TraceCall& call : trace.calls()) {
    expect(call.begin_ns <= call.end_ns, "a call ends after it began");
    expect(call.command == no_index || call.command < trace.commands().size(),
           "the command of a call is there");
  }
}

}  // namespace reel::test
