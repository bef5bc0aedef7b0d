// write_exports.cpp <folder> - the exports that other programs must open.
#include "document/sample_document.hpp"
#include "export_documents.hpp"
#include "reel/export.hpp"

int main(int count, char** words) {
  if (count != 2) return 2;
  using namespace reel;
  const std::string folder = std::string(words[1]) + "/";
  const auto fresh = [](const std::string& path) {
    std::filesystem::remove(path);
    return path;
  };
  const Trace sample = Trace::load(test::write_sample(fresh(folder + "sample.reel")));
  const Trace hostile = Trace::load(test::write_hostile(fresh(folder + "hostile.reel")));
  export_trace(sample, ExportFormat::chrome, folder + "sample.json", {.overwrite = true});
  export_trace(sample, ExportFormat::chrome, folder + "sample.json.gz", {.overwrite = true});
  export_trace(hostile, ExportFormat::chrome, folder + "hostile.json", {.overwrite = true});
  export_trace(sample, ExportFormat::chrome, folder + "hta.json", {.overwrite = true, .hta = true});
  return 0;
}
