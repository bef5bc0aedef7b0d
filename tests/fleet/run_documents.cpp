#include "run_documents.hpp"

#include "document/document_writer.hpp"

namespace reel::test {

using namespace document;

std::string write_run(const std::string& path, const Run& run) {
  Facts facts{{"program", "run"}};
  if (!run.started.empty()) facts.emplace("started", run.started);
  DocumentOptions options;
  options.run_facts = run.facts;
  DocumentWriter w(path, facts, options);
  std::uint64_t now = 1'000'000'000;
  w.add(DeviceRow{0, "sim:0", "sim", "Simulated GPU", "gpu", "run", "1", "", 1u << 30, 2, true, 1});
  w.add(ClockRow{0, now, now, 0});
  w.add(StreamRow{0, 0, "main"});
  std::uint32_t command = 0;
  for (std::uint32_t k = 0; k < run.kernels.size(); ++k) {
    KernelRow kernel{};
    kernel.id = k;
    kernel.name = run.kernels[k].name;
    kernel.built_form = KernelForm::host;
    kernel.variants = {{KernelForm::host, {}}};
    w.add(kernel);
    WorkRow work{};
    work.kind = WorkKind::dispatch;
    work.kernel = k;
    work.groups = {4, 1, 1};
    work.group_size = {64, 1, 1};
    work.scope = w.text(run.kernels[k].scope);
    const std::uint32_t number = w.add(work);
    for (const std::uint64_t run_ns : run.kernels[k].run_ns) {
      w.add(CommandRow{command, number, 0, no_index, no_index, 77, now, now + 500});
      w.add(StampRow{command, now + 600, now + 700, now + 1000, now + 1000 + run_ns});
      now += 2000 + run_ns;
      ++command;
    }
  }
  w.close({{"commands", std::to_string(command)}, {"complete", "yes"}});
  return path;
}

}  // namespace reel::test
