// recorded_tables.cpp - the rows that a document has of what stands around commands.
#include <fmt/format.h>

#include "base/hash128.hpp"
#include "export/tables/tables.hpp"

namespace reel::tables {
namespace {

using enum Type;

const auto& devices(Source& s) { return s.trace().devices(); }
const auto& streams(Source& s) { return s.trace().streams(); }
const auto& buffers(Source& s) { return s.trace().buffers(); }
const auto& kernels(Source& s) { return s.trace().kernels(); }
const auto& parameters(Source& s) { return s.parameters(); }
const auto& contents(Source& s) { return s.trace().contents(); }
const auto& regions(Source& s) { return s.trace().regions(); }
const auto& overheads(Source& s) { return s.trace().overheads(); }
const auto& notes(Source& s) { return s.trace().notes(); }
const auto& facts(Source& s) { return s.facts(); }

using D = TraceDevice;
Table device_table() {
  return {
      "devices",
      rows_of<devices>,
      {column<devices>("id", integer, [](Source&, const D& d) { return number_cell(d.id); }),
       column<devices>("selector", text, [](Source&, const D& d) { return text_cell(d.selector); }),
       column<devices>("backend", text, [](Source&, const D& d) { return text_cell(d.backend); }),
       column<devices>("name", text, [](Source&, const D& d) { return text_cell(d.name); }),
       column<devices>("type", text, [](Source&, const D& d) { return text_cell(d.type); }),
       column<devices>("driver", text, [](Source&, const D& d) { return text_cell(d.driver); }),
       column<devices>("driver_version", text,
                       [](Source&, const D& d) { return text_cell(d.driver_version); }),
       column<devices>("api_version", text,
                       [](Source&, const D& d) { return text_cell(d.api_version); }),
       column<devices>("memory_bytes", integer,
                       [](Source&, const D& d) {
                         return d.memory_bytes ? number_cell(d.memory_bytes) : Cell();
                       }),
       column<devices>("compute_units", integer,
                       [](Source&, const D& d) {
                         return d.compute_units ? number_cell(d.compute_units) : Cell();
                       }),
       column<devices>("can_stamp_time", integer,
                       [](Source&, const D& d) { return flag_cell(d.can_stamp_time); }),
       column<devices>("stamp_resolution_ns", real,
                       [](Source&, const D& d) {
                         return d.stamp_resolution_ns > 0 ? Cell(d.stamp_resolution_ns) : Cell();
                       }),
       column<devices>("clock_error_ns", integer,
                       [](Source&, const D& d) {
                         return d.clock_error_ns ? number_cell(*d.clock_error_ns) : Cell();
                       })},
      true,
      true};
}

using S = TraceStream;
Table stream_table() {
  return {
      "streams",
      rows_of<streams>,
      {column<streams>("id", integer,
                       [](Source&, const S& r) { return Cell(static_cast<std::uint64_t>(r.id)); }),
       column<streams>("device", integer,
                       [](Source& s, const S& r) { return device_cell(s.trace(), r.device); }),
       column<streams>("label", text, [](Source&, const S& r) { return text_cell(r.label); })},
      true,
      true};
}

using B = TraceBuffer;
template <std::uint64_t ImageShape::*size>
Column image_column(const char* name) {
  return column<buffers>(name, integer, [](Source&, const B& b) {
    return b.image ? number_cell((*b.image).*size) : Cell();
  });
}
Table buffer_table() {
  return {
      "buffers",
      rows_of<buffers>,
      {column<buffers>("id", integer,
                       [](Source&, const B& b) { return Cell(static_cast<std::uint64_t>(b.id)); }),
       column<buffers>("device", integer,
                       [](Source& s, const B& b) { return device_cell(s.trace(), b.device); }),
       column<buffers>("label", text, [](Source&, const B& b) { return text_cell(b.label); }),
       column<buffers>("size_bytes", integer,
                       [](Source&, const B& b) { return number_cell(b.size_bytes); }),
       column<buffers>(
           "kind", text,
           [](Source&, const B& b) { return Cell(std::string_view(to_string(b.kind))); }),
       column<buffers>("image_type", text,
                       [](Source&, const B& b) {
                         return b.image ? Cell(std::string_view(to_string(b.image->type))) : Cell();
                       }),
       column<buffers>(
           "format", text,
           [](Source&, const B& b) { return b.image ? Cell(format_name(*b.image)) : Cell(); }),
       image_column<&ImageShape::width>("width"), image_column<&ImageShape::height>("height"),
       image_column<&ImageShape::depth>("depth"), image_column<&ImageShape::layers>("layers"),
       column<buffers>("allocated_ns", integer,
                       [](Source&, const B& b) {
                         return b.allocated_ns ? number_cell(*b.allocated_ns) : Cell();
                       }),
       column<buffers>(
           "freed_ns", integer,
           [](Source&, const B& b) { return b.freed_ns ? number_cell(*b.freed_ns) : Cell(); })},
      true,
      true};
}

// "opencl_c,host"
std::string forms_of(const TraceKernel& kernel) {
  std::string list;
  for (const TraceVariant& variant : kernel.variants)
    list += (list.empty() ? "" : ",") + variant.form;
  return list;
}

template <std::uint32_t Dim3::*part>
Cell group_cell(const TraceKernel& kernel) {
  return kernel.group_size == unset_dim ? Cell() : number_cell(kernel.group_size.*part);
}

using K = TraceKernel;
Table kernel_table() {
  return {
      "kernels",
      rows_of<kernels>,
      {column<kernels>("id", integer,
                       [](Source&, const K& k) { return Cell(static_cast<std::uint64_t>(k.id)); }),
       column<kernels>("device", integer,
                       [](Source& s, const K& k) { return device_cell(s.trace(), k.device); }),
       column<kernels>("name", text, [](Source&, const K& k) { return text_cell(k.name); }),
       column<kernels>("entry", text, [](Source&, const K& k) { return text_cell(k.entry); }),
       column<kernels>("built_form", text,
                       [](Source&, const K& k) { return text_cell(k.built_form); }),
       column<kernels>("forms", text, [](Source&, const K& k) { return Cell(forms_of(k)); }),
       column<kernels>("options", text, [](Source&, const K& k) { return text_cell(k.options); }),
       column<kernels>("group_x", integer,
                       [](Source&, const K& k) { return group_cell<&Dim3::x>(k); }),
       column<kernels>("group_y", integer,
                       [](Source&, const K& k) { return group_cell<&Dim3::y>(k); }),
       column<kernels>("group_z", integer,
                       [](Source&, const K& k) { return group_cell<&Dim3::z>(k); }),
       column<kernels>("build_log", text,
                       [](Source&, const K& k) { return text_cell(k.build_log); }),
       column<kernels>("binary_hash", text,
                       [](Source&, const K& k) { return text_cell(k.binary_hash); })},
      true,
      true};
}

using P = std::pair<std::uint32_t, std::uint32_t>;
const Parameter& parameter(Source& s, const P& p) {
  return s.trace().kernels()[p.first].parameters[p.second];
}
Table parameter_table() {
  return {
      "parameters",
      rows_of<parameters>,
      {column<parameters>("kernel", integer,
                          [](Source& s, const P& p) { return kernel_cell(s.trace(), p.first); }),
       column<parameters>("number", integer,
                          [](Source&, const P& p) { return number_cell(p.second); }),
       column<parameters>("name", text,
                          [](Source& s, const P& p) { return text_cell(parameter(s, p).name); }),
       column<parameters>("kind", text,
                          [](Source& s, const P& p) {
                            return Cell(std::string_view(to_string(parameter(s, p).kind)));
                          }),
       column<parameters>("access", text,
                          [](Source& s, const P& p) {
                            const Parameter& found = parameter(s, p);
                            return found.kind == ParameterKind::buffer ||
                                           found.kind == ParameterKind::image
                                       ? Cell(std::string_view(to_string(found.access)))
                                       : Cell();
                          }),
       column<parameters>("element", text,
                          [](Source& s, const P& p) {
                            const auto& element = parameter(s, p).element;
                            return element ? text_cell(reel::name_of(*element)) : Cell();
                          }),
       column<parameters>("size_bytes", integer,
                          [](Source& s, const P& p) {
                            const std::uint32_t size = parameter(s, p).size_bytes;
                            return size ? number_cell(size) : Cell();
                          })},
      true};
}

// The hash of a page names it; that of several is the hash of their hashes.
std::string hash_of(const Trace& trace, const TraceContents& contents) {
  const auto pages = trace.pages(contents);
  if (pages.empty()) return {};
  const Hash128 hash =
      pages.size() == 1 ? Hash128{pages[0].low, pages[0].high} : hash128(std::as_bytes(pages));
  return to_hex(hash);
}

using C = TraceContents;
Table contents_table() {
  return {"contents",
          rows_of<contents>,
          {column<contents>("command", integer,
                            [](Source&, const C& c) { return index_cell(c.command); }),
           column<contents>(
               "role", text,
               [](Source&, const C& c) { return Cell(std::string_view(to_string(c.role))); }),
           column<contents>("buffer", integer,
                            [](Source& s, const C& c) { return buffer_cell(s.trace(), c.buffer); }),
           column<contents>("offset_bytes", integer,
                            [](Source&, const C& c) { return number_cell(c.offset_bytes); }),
           column<contents>("size_bytes", integer,
                            [](Source&, const C& c) { return number_cell(c.size_bytes); }),
           column<contents>("is_stored", integer,
                            [](Source&, const C& c) { return flag_cell(c.stored); }),
           column<contents>("pages", integer,
                            [](Source&, const C& c) { return number_cell(c.page_count); }),
           column<contents>("hash", text,
                            [](Source& s, const C& c) { return Cell(hash_of(s.trace(), c)); })},
          true};
}

using R = TraceRegion;
Table region_table() {
  return {
      "regions",
      rows_of<regions>,
      {column<regions>("kind", text,
                       [](Source&, const R& r) {
                         return Cell(std::string_view(r.kind == R::Kind::pass ? "pass" : "named"));
                       }),
       column<regions>("number", integer,
                       [](Source&, const R& r) {
                         return r.kind == R::Kind::pass ? number_cell(r.number) : Cell();
                       }),
       column<regions>("name", text,
                       [](Source& s, const R& r) { return text_cell(s.trace().text(r.name)); }),
       column<regions>("thread", integer, [](Source&, const R& r) { return time_cell(r.thread); }),
       column<regions>("begin_ns", integer,
                       [](Source&, const R& r) { return time_cell(r.begin_ns); }),
       column<regions>("end_ns", integer,
                       [](Source&, const R& r) { return time_cell(r.end_ns); })}};
}

using O = TraceOverhead;
Table overhead_table() {
  return {"overheads",
          rows_of<overheads>,
          {column<overheads>(
               "kind", text,
               [](Source&, const O& o) { return Cell(std::string_view(to_string(o.kind))); }),
           column<overheads>("thread", integer,
                             [](Source&, const O& o) { return time_cell(o.thread); }),
           column<overheads>("begin_ns", integer,
                             [](Source&, const O& o) { return time_cell(o.begin_ns); }),
           column<overheads>("end_ns", integer,
                             [](Source&, const O& o) { return time_cell(o.end_ns); }),
           column<overheads>("bytes", integer,
                             [](Source&, const O& o) { return number_cell(o.bytes); })}};
}

using N = TraceNote;
Table note_table() {
  return {
      "notes",
      rows_of<notes>,
      {column<notes>("time_ns", integer, [](Source&, const N& n) { return time_cell(n.time_ns); }),
       column<notes>("kind", text, [](Source&, const N& n) { return text_cell(n.kind); }),
       column<notes>("text", text, [](Source&, const N& n) { return text_cell(n.text); })}};
}

using F = Source::Fact;
Table fact_table() {
  return {"facts",
          rows_of<facts>,
          {column<facts>("key", text, [](Source&, const F& f) { return text_cell(*f.key); }),
           column<facts>("value", text, [](Source&, const F& f) { return text_cell(*f.value); }),
           column<facts>("told_at", text,
                         [](Source&, const F& f) { return Cell(std::string_view(f.when)); })}};
}

}  // namespace

std::vector<Table> recorded_tables() {
  return {device_table(),   stream_table(), buffer_table(),   kernel_table(), parameter_table(),
          contents_table(), region_table(), overhead_table(), note_table(),   fact_table()};
}

}  // namespace reel::tables
