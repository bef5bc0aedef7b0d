// view.cpp - `reel view`: a document in the browser, served or as one HTML file.
#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <filesystem>
#include <reel/error.hpp>
#include <reel/page.hpp>

#include "cli/running/browser.hpp"
#include "cli/running/prove_program.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string after, html;
  std::uint16_t port = 0;
  bool stay = false, overwrite = false;
  std::uint64_t contents_bytes = HtmlOptions{}.contents_bytes;
};

struct Documents {
  Trace shown;
  std::optional<Trace> before;

  PageData data(const PageOptions& how) const {
    return before ? PageData(*before, shown, how) : PageData(shown, how);
  }
};

Documents open_documents(const Options& options) {
  const Trace first = open_trace(options);
  if (options.after.empty()) return {first, {}};
  TraceOptions second = options;
  second.path = options.after;
  return {open_trace(second), first};
}

int write_file(const Options& options) {
  // Found out again when it is written; but then after the work.
  if (!options.overwrite && std::filesystem::exists(options.html))
    throw Error(Code::io_failed,
                fmt::format("'{}' exists already; --overwrite replaces it.", options.html));
  const Documents documents = open_documents(options);
  const PageData data = [&] {
    const std::string shown = documents.shown.path();
    Progress progress("Analyzing " + shown);
    return documents.data({.progress = [&](std::string_view what, double part) {
      progress.show(fmt::format("{}: {} {:.0f}%", shown, what, 100 * part));
    }});
  }();
  const HtmlReport report = [&] {
    Progress progress("Writing " + options.html);
    return write_html(
        data, options.html,
        {.contents_bytes = options.contents_bytes,
         .overwrite = options.overwrite,
         .progress = [&](std::string_view what, double part) {
           progress.show(fmt::format("{}: {} {:.0f}%", options.html, what, 100 * part));
         }});
  }();
  if (options.json) {
    Json json = json_of(data.trace());
    json["written"] = options.html;
    json["bytes"] = report.file_bytes;
    json["left_out"] = report.left_out;
    print_json(json);
    return done;
  }
  fmt::print("{}: {}\n", printable(options.html), size_text(report.file_bytes));
  for (const std::string& sentence : report.left_out) fmt::print("{}\n", printable(sentence));
  return done;
}

int serve(const Options& options) {
  const Documents documents = open_documents(options);
  // Before any thread begins, so that none of them gets these in place of the wait below.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  // The address is there before all is found out; the page shows how far it is.
  const PageData data = documents.data({.in_background = true});
  PageServer server(data, {.port = options.port, .prove = prove_by_program(data.trace().path())});
  if (options.json) {
    Json json = json_of(data.trace());
    json["url"] = server.url();
    print_json(json);
  } else {
    fmt::print("{}\n", server.url());
  }
  std::fflush(stdout);
  BrowserLink link(server.url());
  if (!options.stay)
    if (const std::string reason = link.open(); !reason.empty())
      fmt::print(stderr, "reel: {} Open the address yourself.\n", reason);
  if (!options.json) fmt::print("{}\n", dim("Serving on this machine until Ctrl-C."));
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ends, &signal);
  server.stop();
  return done;
}

int run(const Options& options) {
  if (!has_page())
    throw Error(Code::unsupported,
                "This reel was built without the page (REEL_PAGE=OFF), so it can't show documents "
                "in a browser.");
  return options.html.empty() ? serve(options) : write_file(options);
}

}  // namespace

void add_view(CommandLine& line) {
  auto [verb, options] = add_trace_verb(line, "view", "Show a document in the browser", run);
  verb.add_option("after", options.after,
                  "A second document: it is shown, with what changed since the first")
      .type_name("FILE");
  const Option html =
      verb.add_option("--html", options.html, "Write one HTML file instead of serving")
          .type_name("FILE");
  verb.add_option("--contents", options.contents_bytes,
                  "Recorded contents in the HTML file, at most")
      .type_name("SIZE")
      .show_default("32MiB")
      .size()
      .needs(html);
  verb.add_flag("--overwrite", options.overwrite, "Replace the HTML file if there is one")
      .needs(html);
  verb.add_option("--port", options.port, "Serve on this port; default: a free one").excludes(html);
  verb.add_flag("--no-open", options.stay, "Only print the address").excludes(html);
  verb.footer(
      "The page is served to this machine alone, at an address that nobody can guess. Its button\n"
      "Prove tries the findings as reel insights --prove does; nothing else of it runs kernels.\n\n"
      "Examples:\n"
      "  reel view pass.reel\n"
      "  reel view before.reel after.reel\n"
      "  reel view pass.reel --html pass.html --contents 100MiB");
}

}  // namespace reel::cli
