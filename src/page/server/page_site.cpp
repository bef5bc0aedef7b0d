#include "page/server/page_site.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/fail.hpp"
#include "page/server/document_answer.hpp"

namespace reel::page {
namespace {

// 128 bits, in hex.
std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0)
    fail(Code::io_failed, "The system has no random numbers to protect the page with.");
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// Takes as long for every wrong token.
bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

}  // namespace

PageSite::PageSite(PageData data, std::uint16_t port, ProveFindings prove)
    : data_(std::move(data)),
      port_(port),
      token_(random_token()),
      desk_(prove ? std::make_unique<ProofDesk>(std::move(prove)) : nullptr) {
  if (!has_page())
    fail(Code::unsupported, "This library was built without the page (REEL_PAGE=OFF).");
}

PageSite::PageSite(RanksData data, std::uint16_t port)
    : ranks_(std::make_unique<RankPages>(std::move(data))), port_(port), token_(random_token()) {
  if (!has_page())
    fail(Code::unsupported, "This library was built without the page (REEL_PAGE=OFF).");
}

void PageSite::stop() {
  if (desk_) desk_->stop();
}

std::string PageSite::url() const { return fmt::format("http://127.0.0.1:{}/{}/", port_, token_); }

// A name that somebody else made point to 127.0.0.1 is none of ours.
bool PageSite::is_our_host(std::string_view host) const {
  for (const char* name : {"127.0.0.1", "localhost"})
    if (host == fmt::format("{}:{}", name, port_) || (port_ == 80 && host == name)) return true;
  return false;
}

HttpAnswer PageSite::answer(const HttpRequest& request) const {
  if (!is_our_host(request.host))
    return error_answer({403, fmt::format("This is 127.0.0.1:{}, and no other host.", port_)});
  // Only a click runs anything; what is merely looked at, or fetched ahead, never does.
  const bool asks_for_proof = desk_ && request.method == "POST" && request.path.ends_with("/prove");
  if (request.method != "GET" && request.method != "HEAD" && !asks_for_proof)
    return error_answer({405, "Only GET and HEAD are answered here."});
  std::string_view path = std::string_view(request.path).substr(1);
  const std::size_t slash = path.find('/');
  if (!is_same(path.substr(0, slash), token_))
    return error_answer({403, "The address lacks the token that reel view printed."});
  if (slash == std::string_view::npos)
    return {308, "text/plain; charset=utf-8", "The page is at the same address with a slash.\n",
            fmt::format("Location: /{}/\r\n", token_)};
  path.remove_prefix(slash + 1);
  if (asks_for_proof) {
    if (path != "prove") return error_answer({404, "The document has nothing of this name."});
    desk_->start();
    return {200, "application/json", desk_->json()};
  }
  if (ranks_) return ranks_->answer(path);
  if (path == "data/proof" && desk_) return {200, "application/json", desk_->json()};
  return page_answer(*data_, path, std::filesystem::path(data_->trace().path()).filename().string(),
                     desk_ ? "data-prove" : "");
}

}  // namespace reel::page
