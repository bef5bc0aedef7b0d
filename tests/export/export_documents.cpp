#include "export_documents.hpp"

#include "document/document_writer.hpp"
#include "document/sample_document.hpp"

namespace reel::test {

using namespace document;

const std::string hostile_name = std::string("</script><b>\"'`,;=1+1\\\r\n\t\x01\x7f") + '\0' +
                                 "\xff\xfe\xc3\x28 µ \xe2\x80\xa8";

namespace {

DeviceRow device() {
  return {0, "host", "host", hostile_name, "cpu", "reel", "1", "", 1u << 30, 2, true, 1};
}

WorkRow dispatch(std::uint32_t kernel) {
  WorkRow work{};
  work.kind = WorkKind::dispatch;
  work.kernel = kernel;
  work.groups = {4, 1, 1};
  work.group_size = {64, 1, 1};
  return work;
}

CommandRow command(std::uint32_t id, std::uint32_t work, std::uint32_t stream,
                   std::uint64_t call_ns) {
  return {id, work, stream, no_index, no_index, 77, call_ns, call_ns ? call_ns + 500 : 0};
}

}  // namespace

std::string write_hostile(const std::string& path) {
  DocumentWriter w(path, {{"program", hostile_name}, {"pid", "not a number"}});
  const std::uint64_t t = sample_start_ns;
  w.add(device());
  w.add(ClockRow{0, t, t, 0});
  w.add(StreamRow{0, 0, hostile_name});
  w.add(BufferRow{0, 0, 4096, hostile_name});
  KernelRow kernel{};
  kernel.name = hostile_name;
  kernel.built_form = KernelForm::host;
  kernel.variants = {{KernelForm::host, {}}};
  kernel.build_log = hostile_name;
  w.add(kernel);
  WorkRow work = dispatch(0);
  work.label = w.text(hostile_name);
  work.scope = w.text("a/" + hostile_name + "//b");
  const std::vector<TraceArgument> arguments{
      {ArgumentKind::buffer, Access::read_write, 0, 0, 4096}};
  work.arguments = arguments;
  const std::uint32_t number = w.add(work);
  // start and end of each; 0: no stamp.
  const std::uint64_t times[][2] = {{100, 300}, {200, 400}, {250, 260}, {400, 400}, {900, 800},
                                    {0, 0},     {0, 950},   {1000, 0},  {200, 400}, {50, 5000}};
  std::uint32_t id = 0;
  for (const auto& [begin, end] : times) {
    w.add(command(id, number, 0, t + id * 400));
    if (begin || end) w.add(StampRow{id, 0, 0, begin ? t + begin : 0, end ? t + end : 0});
    ++id;
  }
  w.add(CallRow{w.text(hostile_name), 77, t + 100, t + 700});
  w.add(CallRow{w.text("backwards"), 77, t + 900, t + 850});
  w.add(NoteRow{t + 10, hostile_name, hostile_name});
  w.close({{"commands", std::to_string(id)}, {"complete", "yes"}});
  return path;
}

std::string write_empty(const std::string& path) {
  DocumentWriter w(path, {{"program", "empty"}});
  w.close({{"commands", "0"}, {"complete", "yes"}});
  return path;
}

std::string write_bare(const std::string& path) {
  DocumentWriter w(path, {{"program", "bare"}});
  w.add(device());
  w.add(StreamRow{0, 0, ""});
  KernelRow kernel{};
  kernel.name = "step";
  kernel.built_form = KernelForm::host;
  kernel.variants = {{KernelForm::host, {}}};
  w.add(kernel);
  const std::uint32_t work = w.add(dispatch(0));
  w.add(CommandRow{0, work, 0, no_index, no_index, 0, 0, 0});
  w.close({{"commands", "1"}, {"complete", "yes"}});
  return path;
}

std::string write_streams(const std::string& path, std::uint32_t streams) {
  DocumentWriter w(path, {{"program", "streams"}, {"pid", "7"}});
  const std::uint64_t t = sample_start_ns;
  w.add(device());
  w.add(ClockRow{0, t, t, 0});
  KernelRow kernel{};
  kernel.name = "step";
  kernel.built_form = KernelForm::host;
  kernel.variants = {{KernelForm::host, {}}};
  w.add(kernel);
  WorkRow work = dispatch(0);
  work.scope = w.text("all");
  const std::uint32_t number = w.add(work);
  for (std::uint32_t s = 0; s < streams; ++s) {
    w.add(StreamRow{s, 0, ""});
    w.add(command(s, number, s, t + s));
    w.add(StampRow{s, t + s, t + s, t + s + 100, t + s + 1100});
  }
  w.close({{"commands", std::to_string(streams)}, {"complete", "yes"}});
  return path;
}

}  // namespace reel::test
