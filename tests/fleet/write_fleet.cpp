// write_fleet.cpp <folder> <documents> - documents of many runs in runs/, each as Parquet in
// parquet/; in broken/ some of which one is cut short and one is none; in trend/ forty
// commits, since the twentieth of which `slow` takes a tenth longer.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "reel/export.hpp"
#include "run_documents.hpp"

int main(int count, char** words) {
  if (count != 3) return 2;
  using namespace reel;
  namespace fs = std::filesystem;
  const fs::path folder = words[1];
  fs::remove_all(folder);
  for (const char* name : {"runs", "parquet", "broken", "trend"})
    fs::create_directories(folder / name);
  std::mt19937_64 random(7);
  for (std::uint64_t i = 0; i < std::stoull(words[2]); ++i) {
    test::Run run;
    run.facts = {{"commit", fmt::format("c{:02}", i / 25)},
                 {"rank", std::to_string(i % 25)},
                 {"host", fmt::format("host {}", i % 7)}};
    if (i % 3 == 0) run.facts.emplace("batch.size", std::to_string(i % 2 * 32));
    for (const char* name : {"add", "matmul", "norm"}) {
      test::RunKernel& kernel = run.kernels.emplace_back();
      kernel.name = name;
      kernel.scope = fmt::format("layer{}", i % 4);
      for (std::uint64_t c = 0; c < 3 + random() % 6; ++c)
        kernel.run_ns.push_back(1000 + random() % 5000);
    }
    // In folders of folders, as jobs leave them.
    const fs::path job = folder / "runs" / fmt::format("job{}", i % 10);
    fs::create_directories(job);
    const Trace trace =
        Trace::load(test::write_run((job / fmt::format("{:04}.reel", i)).string(), run));
    for (const char* table : {"commands", "kernels"}) {
      const fs::path to = folder / "parquet" / fmt::format("{:04}", i);
      fs::create_directories(to);
      ExportOptions how;
      how.table = table;
      export_trace(trace, ExportFormat::parquet, (to / table).string() + ".parquet", how);
    }
    if (i >= 4) continue;
    const fs::path copy = folder / "broken" / fmt::format("{}.reel", i);
    fs::copy_file(trace.path(), copy);
    if (i == 1) fs::resize_file(copy, fs::file_size(copy) - 40);
    if (i == 2) std::ofstream(copy) << "no document";
  }
  for (std::uint64_t i = 0; i < 40; ++i) {
    test::Run run;
    run.facts = {{"commit", fmt::format("<c{}>", i)}, {"sequence", std::to_string(i)}};
    for (const char* name : {"slow", "steady"}) {
      const std::uint64_t middle = name == std::string("slow") && i >= 20 ? 110'000 : 100'000;
      run.kernels.push_back({name, "layer0", {}});
      for (int c = 0; c < 5; ++c) run.kernels.back().run_ns.push_back(middle + random() % 4000);
    }
    test::write_run((folder / "trend" / fmt::format("{}.reel", i)).string(), run);
  }
  return 0;
}
