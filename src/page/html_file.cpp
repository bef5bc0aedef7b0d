#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/bytes/base64.hpp"
#include "base/fail.hpp"
#include "document/files/output_file.hpp"
#include "page/embedded_page.hpp"
#include "page/gzip.hpp"
#include "page/lists.hpp"
#include "page/page_frame.hpp"
#include "page/page_state.hpp"

namespace reel {
namespace {

// Which recorded contents a file holds.
struct Chosen {
  std::vector<std::uint32_t> contents;  // indices, rising
  std::uint64_t bytes = 0;
  std::uint64_t left = 0, left_bytes = 0;
};

// What went in before what came out, which can be computed; small before large.
Chosen choose(const Trace& trace, std::uint64_t most_bytes) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < trace.contents().size(); ++i)
    if (trace.contents()[i].stored) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    const TraceContents& contents = trace.contents()[i];
    return std::pair(contents.role == ContentRole::check, contents.size_bytes);
  });
  Chosen chosen;
  for (const std::uint32_t i : order) {
    const std::uint64_t size = trace.contents()[i].size_bytes;
    if (size > most_bytes - chosen.bytes) {
      ++chosen.left;
      chosen.left_bytes += size;
      continue;
    }
    chosen.bytes += size;
    chosen.contents.push_back(i);
  }
  std::ranges::sort(chosen.contents);
  return chosen;
}

std::string policy(const page::EmbeddedPage& embedded) {
  return fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data: blob:; "
      "base-uri 'none'; form-action 'none'",
      base64(embedded.script_sha256), base64(embedded.style_sha256));
}

const page::EmbeddedPage& page_or_fail() {
  const page::EmbeddedPage* const embedded = page::embedded_page();
  if (!embedded)
    fail(Code::unsupported, "This library was built without the page (REEL_PAGE=OFF).");
  return *embedded;
}

std::string head(const page::EmbeddedPage& embedded, std::string_view title) {
  return fmt::format(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{}">
<title>{}</title>
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<style>{}</style>
</head>
)",
                     policy(embedded), page::html_text(title), embedded.style);
}

// A name of ours: letters, digits and slashes.
std::string tag(std::string_view name, std::string_view bytes) {
  return fmt::format("<script type=\"application/octet-stream\" data-name=\"{}\">{}</script>\n",
                     name, base64(page::gzip(bytes)));
}

}  // namespace

bool has_page() noexcept { return page::embedded_page() != nullptr; }

HtmlReport write_html(const PageData& data, const std::string& path, const HtmlOptions& options) {
  const page::EmbeddedPage& embedded = page_or_fail();
  const Trace& trace = data.trace();
  OutputFile file(path,
                  {.overwrite = options.overwrite, .whole = true, .mode = mode_of(trace.path())});
  const auto write = [&](std::string_view text) { file.write(std::as_bytes(std::span(text))); };
  const Chosen chosen = choose(trace, options.contents_bytes);
  HtmlReport report;
  if (chosen.left > 0)
    report.left_out.push_back(
        fmt::format("{} of {} recorded contents ({} bytes) are left out: the file was to hold {} "
                    "bytes of them.",
                    chosen.left, chosen.left + chosen.contents.size(), chosen.left_bytes,
                    options.contents_bytes));

  write(head(embedded, std::filesystem::path(trace.path()).filename().string()));
  write("<body>\n<div id=\"app\"></div>\n");

  const std::vector<std::string> names = data.names();
  const auto steps = static_cast<double>(names.size() + chosen.contents.size());
  double step = 0;
  const auto tell = [&](std::string_view what) {
    if (options.progress) options.progress(what, step / steps);
    ++step;
  };
  std::uint64_t lost = 0;
  for (const std::uint32_t i : chosen.contents) {
    tell("recorded contents");
    for (std::uint32_t number = 0; number < trace.contents()[i].page_count; ++number) {
      const std::string name = fmt::format("page/{}/{}", i, number);
      if (const auto page = data.get(name))
        write(tag(name, page->bytes));
      else
        ++lost;
    }
  }
  if (lost > 0)
    report.left_out.push_back(
        fmt::format("{} pages of recorded contents are left out: they are missing in the document, "
                    "or damaged.",
                    lost));
  for (const std::string& name : names) {
    tell(name);
    if (name == "summary") continue;
    if (const auto resource = data.get(name)) write(tag(name, resource->bytes));
  }
  write(tag("summary", page::summary_json(PageState::of(data), report.left_out)));
  write("<script>");
  write(embedded.script);
  write("</script>\n</body>\n</html>\n");
  report.file_bytes = file.size_bytes();
  file.close();
  return report;
}

HtmlReport write_html(const RanksData& data, const std::string& path, const HtmlOptions& options) {
  const page::EmbeddedPage& embedded = page_or_fail();
  OutputFile file(path, {.overwrite = options.overwrite,
                         .whole = true,
                         .mode = mode_of(data.report().ranks.front().path)});
  const auto write = [&](std::string_view text) { file.write(std::as_bytes(std::span(text))); };
  write(head(embedded,
             fmt::format("{} ranks of {}", data.report().ranks.size(), data.report().program)));
  write("<body data-ranks>\n<div id=\"app\"></div>\n");
  for (const std::string& name : data.names()) write(tag(name, data.get(name)->bytes));
  write("<script>");
  write(embedded.script);
  write("</script>\n</body>\n</html>\n");
  HtmlReport report{file.size_bytes(), data.left_out()};
  file.close();
  return report;
}

}  // namespace reel
