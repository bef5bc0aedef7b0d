// program_writer.hpp - walks the script of a program and writes what it does, in some language.
//
// Order, comments and names are the same in all languages; how a thing is said is the language's.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "export/programs/program_text.hpp"
#include "export/programs/program_values.hpp"

namespace reel::program {

class ProgramWriter {
 public:
  virtual ~ProgramWriter() = default;

 protected:
  // `margin`: what every line begins with; `comment`: "//".
  ProgramWriter(const ProgramPlan& plan, std::string_view margin, std::string_view comment)
      : plan_(plan), trace_(plan.trace), margin_(margin), comment_(comment) {}

  // From the first buffer to the last check.
  std::string body();

  template <class... A>
  void line(fmt::format_string<A...> format, A&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<A>(values)...);
    text_ += '\n';
  }
  // Functions that the program uses, in this order.
  void add_used(std::span<const char* const> functions);
  const std::string& name_of_buffer(std::uint32_t buffer) const { return plan_.buffers.at(buffer); }

  const ProgramPlan& plan_;
  const Trace& trace_;
  std::string text_;
  std::set<const char*> used_;  // functions

 private:
  virtual void begin() = 0;  // the device and its queue
  virtual void buffer(const TraceBuffer& buffer, const std::string& name) = 0;
  virtual void kernel(const TraceKernel& kernel, const ProgramKernel& files) = 0;
  virtual void put(const TraceContents& contents, const std::string& file,
                   const TraceWork* write) = 0;
  // The beginning of an `if` around the dispatch that follows.
  virtual void predicate(const TraceArgument& word) = 0;
  // `grid`: the range that has it, of an indirect one.
  virtual void dispatch(const TraceWork& work, const std::string& title, const TraceArgument* grid,
                        const std::vector<ArgumentText>& arguments) = 0;
  virtual void copy(const TraceWork& work, const TraceArgument& target,
                    const TraceArgument& source) = 0;
  virtual void fill(const TraceWork& work, const TraceArgument& target) = 0;
  virtual void barrier() = 0;
  virtual void check(const TraceContents& contents, const std::string& name,
                     const std::string& file) = 0;
  virtual void say(const std::string& text) = 0;
  virtual void end() = 0;
  // Arguments of a kernel.
  virtual std::string shared_memory(std::uint64_t size_bytes) = 0;
  virtual std::string null() = 0;
  virtual std::string range_argument(const TraceArgument& a) = 0;
  virtual std::string sampler(std::span<const std::byte>) { return {}; }  // where a language has it
  virtual Literal literal(std::optional<ElementType> type, std::span<const std::byte> bytes) = 0;

  void heading(std::string_view words);
  void put(std::uint32_t contents, std::uint32_t command);
  void run(std::uint32_t command);
  void look(std::uint32_t contents);
  void announce(std::uint32_t command);
  void indent(std::size_t begin);
  std::string remark(std::uint32_t command, const TraceWork& work) const;
  ArgumentText argument(const Parameter* parameter, const TraceArgument& a);

  const std::string margin_, comment_;
  std::uint32_t announced_ = no_index;  // the command whose comment was written last
};

}  // namespace reel::program
