// view.cpp - `reel view`: a document in the browser, served or as one HTML file.
#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <filesystem>
#include <reel/error.hpp>
#include <reel/page.hpp>

#include "cli/document_list.hpp"
#include "cli/replaying/prove_program.hpp"
#include "cli/running/browser.hpp"
#include "cli/running/output_place.hpp"
#include "cli/showing/progress.hpp"
#include "cli/showing/terminal.hpp"
#include "cli/trace_input.hpp"
#include "cli/verbs.hpp"
#include "reel/units.hpp"

namespace reel::cli {
namespace {

struct Options : TraceOptions {
  std::string after, html;
  std::vector<std::string> more;
  std::uint16_t port = 0;
  bool stay = false, overwrite = false, ranks = false;
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

// `json`: what --json begins with.
int tell_written(const Options& options, Json json, const HtmlReport& report) {
  if (options.json) {
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

int write_file(const Options& options) {
  refuse_existing(options.html, options.overwrite);
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
  return tell_written(options, json_of(data.trace()), report);
}

// Until Ctrl-C. `told`: what --json begins with.
template <class Make>
int serve(const Options& options, Json told, Make&& make_server) {
  // Before any thread begins, so that none of them gets these in place of the wait below.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  PageServer server = make_server();
  if (options.json) {
    told["url"] = server.url();
    print_json(told);
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

int serve_document(const Options& options) {
  const Documents documents = open_documents(options);
  return serve(options, json_of(documents.shown), [&] {
    // The address is there before all is found out; the page shows how far it is.
    const PageData data = documents.data({.in_background = true});
    return PageServer(data, {.port = options.port, .prove = prove_by_program(data.trace().path())});
  });
}

int view_ranks(const Options& options) {
  std::vector<std::string> paths{options.path};
  if (!options.after.empty()) paths.push_back(options.after);
  paths.insert(paths.end(), options.more.begin(), options.more.end());
  if (!options.html.empty()) refuse_existing(options.html, options.overwrite);
  const RanksData data = [&] {
    Progress progress("Reading ranks");
    return RanksData(documents_in(paths), {.progress = [&](std::string_view what, double part) {
                       progress.show(fmt::format("{} ({:.0f}%)", what, 100 * part));
                     }});
  }();
  for (const std::string& problem : data.report().problems)
    fmt::print(stderr, "reel: {}\n", printable(problem));
  Json json = {{"schema_version", 1}, {"ranks", data.report().ranks.size()}};
  if (options.html.empty())
    return serve(options, json, [&] { return PageServer(data, {.port = options.port}); });
  const HtmlReport report = write_html(data, options.html, {.overwrite = options.overwrite});
  return tell_written(options, std::move(json), report);
}

// Two documents are one before and one after, unless they tell two ranks of one job.
bool are_ranks(const Options& options) {
  if (options.ranks || !options.more.empty() || std::filesystem::is_directory(options.path))
    return true;
  if (options.after.empty()) return false;
  const auto fact_of = [](const Trace& trace, const char* name) {
    const auto fact = trace.facts().find(name);
    return fact == trace.facts().end() ? std::string() : fact->second;
  };
  const Trace a = Trace::load(options.path), b = Trace::load(options.after);
  const std::string job = fact_of(a, "job"), rank = fact_of(a, "rank");
  return !job.empty() && job == fact_of(b, "job") && !rank.empty() && !fact_of(b, "rank").empty() &&
         rank != fact_of(b, "rank");
}

int run(const Options& options) {
  if (!has_page())
    throw Error(Code::unsupported,
                "This reel was built without the page (REEL_PAGE=OFF), so it can't show documents "
                "in a browser.");
  if (are_ranks(options)) return view_ranks(options);
  return options.html.empty() ? serve_document(options) : write_file(options);
}

}  // namespace

void add_view(CommandLine& line) {
  auto [verb, options] = add_trace_verb(line, "view", "Show a document in the browser", run);
  verb.add_option("after", options.after,
                  "A second document: it is shown, with what changed since the first")
      .type_name("FILE");
  verb.add_option("more", options.more,
                  "With three or more documents: those of the ranks of a program")
      .type_name("FILE");
  verb.add_flag("--ranks", options.ranks, "Two documents are of two ranks, not before and after");
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
      "  reel view run-*.reel                 the ranks of a program, side by side\n"
      "  reel view pass.reel --html pass.html --contents 100MiB");
}

}  // namespace reel::cli
