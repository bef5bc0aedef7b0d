#include "replay/tampered.hpp"

#include "document/document_writer.hpp"

namespace reel::test {

namespace {

using namespace document;

std::uint32_t u32(auto id) { return static_cast<std::uint32_t>(id); }

void copy_things(const Trace& trace, const Tampering& tampering, DocumentWriter& to) {
  for (const TraceDevice& d : trace.devices()) {
    to.add(DeviceRow{d.id, d.selector, d.backend, d.name, d.type, d.driver, d.driver_version,
                     d.api_version, d.memory_bytes, d.compute_units, d.can_stamp_time,
                     d.stamp_resolution_ns});
    to.add(ClockRow{d.id, 1, 1, 1});
  }
  for (const TraceStream& s : trace.streams())
    to.add(StreamRow{u32(s.id), trace.devices()[s.device].id, s.label});
  for (const TraceBuffer& b : trace.buffers()) {
    BufferRow row{u32(b.id), trace.devices()[b.device].id, b.size_bytes, b.label};
    if (tampering.buffer) tampering.buffer(row);
    to.add(row);
    if (b.allocated_ns) to.add(AllocationRow{false, u32(b.id), *b.allocated_ns});
  }
  for (const TraceKernel& k : trace.kernels()) {
    KernelRow row{u32(k.id),    trace.devices()[k.device].id,
                  k.name,       k.entry,
                  k.built_form, {},
                  k.defines,    k.constants,
                  k.options,    k.group_size,
                  k.parameters, k.build_log,
                  k.binary_hash};
    for (const TraceVariant& variant : k.variants)
      row.variants.push_back({variant.form, variant.blob ? trace.blob(*variant.blob).value()
                                                         : std::vector<std::byte>()});
    if (tampering.kernel) tampering.kernel(row);
    to.add(row);
  }
}

void copy_works(const Trace& trace, const Tampering& tampering, DocumentWriter& to) {
  for (const TraceWork& w : trace.works()) {
    std::vector<TraceArgument> arguments;
    std::vector<std::byte> values;
    for (const TraceArgument& a : trace.arguments(w)) {
      const bool is_range = a.buffer != no_index;
      arguments.push_back({a.kind, a.access,
                           is_range ? u32(trace.buffers()[a.buffer].id) : no_index,
                           is_range ? a.offset_bytes : 0, a.size_bytes});
      if (a.kind != ArgumentKind::value) continue;
      const auto bytes = trace.value_bytes(a);
      values.insert(values.end(), bytes.begin(), bytes.end());
    }
    if (tampering.work) tampering.work(w, arguments, values);
    WorkRow row{w, arguments, values};
    if (w.kernel != no_index) row.kernel = u32(trace.kernels()[w.kernel].id);
    row.label = to.text(trace.text(w.label));
    row.scope = to.text(trace.text(w.scope));
    to.add(row);
  }
}

void copy_commands(const Trace& trace, const Tampering& tampering, DocumentWriter& to) {
  for (std::uint32_t c = 0; c < trace.commands().size(); ++c) {
    const TraceCommand& command = trace.commands()[c];
    to.add(CommandRow{c, command.work, u32(trace.streams()[command.stream].id), command.launch,
                      command.node, command.thread, command.call_begin_ns, command.call_end_ns});
    to.add(
        StampRow{c, command.queued_ns, command.submitted_ns, command.started_ns, command.ended_ns});
  }
  for (const TraceOrder& order : trace.orders())
    if (!tampering.drop_order || !tampering.drop_order(order))
      to.add(OrderRow{order.command,
                      u32(trace.streams()[trace.commands()[order.command].stream].id),
                      order.after});
  for (const TraceEdge& edge : trace.edges())
    if (!tampering.drop_edge || !tampering.drop_edge(edge))
      to.add(EdgeRow{edge.graph, edge.from, edge.to, edge.kind});
}

void copy_contents(const Trace& trace, const Tampering& tampering, DocumentWriter& to) {
  for (const TraceContents& row : trace.contents()) {
    if (tampering.drop_contents && tampering.drop_contents(row)) continue;
    std::vector<Hash128> pages;
    for (std::uint32_t i = 0; i < row.page_count; ++i) {
      const BlobId id = trace.pages(row)[i];
      Hash128 hash{id.low, id.high};
      if (row.stored) {
        std::vector<std::byte> bytes = trace.page(row, i).value();
        if (tampering.page && row.role != ContentRole::check) tampering.page(row, bytes);
        hash = hash128(bytes);
        if (!tampering.only_hashes) to.blob(hash, bytes);
      }
      pages.push_back(hash);
    }
    to.add(ContentsRow{row.role, row.command, u32(trace.buffers()[row.buffer].id), row.offset_bytes,
                       row.size_bytes, row.stored && !tampering.only_hashes, pages, row.moment});
  }
}

}  // namespace

Trace tampered(const Trace& trace, const std::string& path, const Tampering& tampering) {
  DocumentWriter to(path, trace.facts());
  copy_things(trace, tampering, to);
  copy_works(trace, tampering, to);
  copy_commands(trace, tampering, to);
  copy_contents(trace, tampering, to);
  // As the original's end says, which whoever takes out a row leaves as it is.
  Facts end = trace.end_facts();
  end["complete"] = "yes";
  to.close(end);
  return Trace::load(path);
}

}  // namespace reel::test
