// page.hpp - the page that shows a document in a browser: its data, as one file, and served.
//
//   const reel::PageData data(reel::Trace::load("pass.reel"));
//   reel::write_html(data, "pass.html");
//
// docs/page.md has every resource, and what each holds.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reel/ranks.hpp"
#include "reel/trace.hpp"
#include "reel/trend.hpp"

namespace reel {

struct Resource {  // a file of the page
  std::string bytes, media_type;
};

struct PageOptions {  // what it holds
  // The constructor returns at once, a thread of its own analyzes, and get() waits for what isn't
  // there yet: least for what the page shows first, longest for dependencies and findings.
  bool in_background = false;
  // What is done, and how much of it (0 to 1), now and then.
  std::function<void(std::string_view what, double part)> progress = {};
};

struct PageState;

// What the page asks for, by name. The constructor analyzes, once, or lets it be done; a table is
// made when it is asked for, from what was found then. Shares the traces; copies share everything,
// and moving one copies it. Any thread.
class PageData {
 public:
  PageData(const PageData&) = default;
  PageData& operator=(const PageData&) = default;
  explicit PageData(const Trace& trace, const PageOptions& options = {});
  // With the difference from `before` to `trace`.
  PageData(const Trace& before, const Trace& trace, const PageOptions& options = {});

  // None where the document has no such thing, or its bytes are lost. Throws what analyzing threw.
  std::optional<Resource> get(std::string_view name) const;
  // Every table, list and source; not the pages of recorded contents.
  std::vector<std::string> names() const;
  const Trace& trace() const noexcept;  // the document

 private:
  friend struct PageState;
  std::shared_ptr<const PageState> state_;
};

struct RanksState;

// The same of many ranks' documents: what compare_ranks() says, and timelines of some of the steps.
// Copies share everything. Any thread.
class RanksData {
 public:
  // Throws what compare_ranks() does.
  explicit RanksData(const std::vector<std::string>& paths, const PageOptions& options = {});

  std::optional<Resource> get(std::string_view name) const;   // "ranks", "rank_timelines"
  std::vector<std::string> names() const;                     // of resources
  const analysis::RanksReport& report() const noexcept;       // what is shown
  const std::vector<std::string>& left_out() const noexcept;  // sentences

 private:
  std::shared_ptr<const RanksState> state_;
};

// False where the library was built without the page; write_html() and PageServer then throw
// unsupported.
bool has_page() noexcept;

struct HtmlOptions {                         // of the file
  std::uint64_t contents_bytes = 32u << 20;  // of recorded contents, as recorded, at most
  bool overwrite = false;
  std::function<void(std::string_view what, double part)> progress = {};
};

struct HtmlReport {  // what was written
  std::uint64_t file_bytes = 0;
  std::vector<std::string> left_out;  // what the file doesn't hold, a sentence each
};

// The page and its data in one file that needs no server and no network. It appears under its name
// when it is whole. Throws io_failed.
HtmlReport write_html(const PageData& data, const std::string& path,
                      const HtmlOptions& options = {});

HtmlReport write_html(const RanksData& data, const std::string& path,
                      const HtmlOptions& options = {});

// The lines of a trend, which is by the fact `by`, in one file that needs no script.
HtmlReport write_html(const analysis::Trend& trend, const std::string& by, const std::string& path,
                      const HtmlOptions& options = {});

// Tries the findings of the document that is served, however it likes. It is called on a thread of
// the server's, after somebody pressed the page's button and never before; gives `tell` the lines
// of `reel insights --prove --json-lines`, returns soon when `should_stop` says true, and throws
// where it can't.
using ProveFindings = std::function<void(const std::function<void(const std::string& line)>& tell,
                                         const std::function<bool()>& should_stop)>;

struct ServerOptions {     // of the server
  std::uint16_t port = 0;  // 0: the system chooses
  // How long a client may take for a request, and for the next piece of an answer.
  std::chrono::milliseconds patience{10'000};
  ProveFindings prove = {};  // empty: the page has no button for it
};

// Serves the page on 127.0.0.1 from threads of its own, until it is stopped or destroyed. Keeps the
// data. Any thread.
class PageServer {
 public:
  // Throws io_failed where the port is taken.
  explicit PageServer(PageData data, const ServerOptions& options = {});
  // Each rank's document is read when its page is first asked for; findings aren't tried.
  explicit PageServer(RanksData data, const ServerOptions& options = {});
  ~PageServer();
  PageServer(PageServer&&) noexcept;
  PageServer& operator=(PageServer&&) = delete;
  // Of one that was moved from: port() is 0, url() is empty, stop() does nothing.

  std::uint16_t port() const noexcept;
  std::string url() const;  // "http://127.0.0.1:41233/<token>/"
  void stop();              // connections are cut; returns when all threads are done

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reel
