// page_site.hpp - which request gets which answer.
//
// Keeps the data. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "page/server/http_request.hpp"
#include "page/server/proof_desk.hpp"
#include "page/server/rank_pages.hpp"
#include "reel/page.hpp"

namespace reel::page {

class PageSite {
 public:
  // Makes a token that nobody can guess. Throws unsupported where there is no page.
  PageSite(PageData data, std::uint16_t port, ProveFindings prove = {});
  PageSite(RanksData data, std::uint16_t port);
  HttpAnswer answer(const HttpRequest& request) const;
  std::string url() const;
  void stop();  // what was begun ends

 private:
  bool is_our_host(std::string_view host) const;

  std::optional<PageData> data_;      // one document
  std::unique_ptr<RankPages> ranks_;  // or many
  std::uint16_t port_;
  std::string token_;
  std::unique_ptr<ProofDesk> desk_;  // none: nothing can be tried
};

}  // namespace reel::page
