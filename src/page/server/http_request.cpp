#include "page/server/http_request.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reel::page {
namespace {

// Nothing but the page itself; it may draw pictures that it made.
constexpr std::string_view policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

bool is_equal(std::string_view a, std::string_view lower_case) {
  return std::ranges::equal(a, lower_case, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? x - 'A' + 'a' : x) == y;
  });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The line without its end, which is taken off `rest`.
std::string_view next_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

std::optional<HttpError> read_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last)
    return HttpError{400, "The first line is not a request."};
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  request.method = line.substr(0, first);
  if (!is_plain(request.method) || !is_plain(target) || !target.starts_with('/'))
    return HttpError{400, "The first line is not a request."};
  if (version != "HTTP/1.1" && version != "HTTP/1.0")
    return HttpError{505, "Only HTTP/1.1 is spoken here."};
  request.path = target.substr(0, target.find('?'));
  request.wants_close = version == "HTTP/1.0";
  return {};
}

std::optional<HttpError> read_header(std::string_view line, HttpRequest& request) {
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || name.empty() || !is_plain(name))
    return HttpError{400, "A header has no name."};
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (is_equal(name, "host")) {
    if (!request.host.empty()) return HttpError{400, "Host is named twice."};
    request.host = value;
  } else if (is_equal(name, "connection") && is_equal(value, "close")) {
    request.wants_close = true;
  } else if (is_equal(name, "transfer-encoding") ||
             (is_equal(name, "content-length") && value != "0")) {
    return HttpError{400, "A request has no body here."};
  }
  return {};
}

const char* reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

std::optional<std::size_t> end_of_request(std::string_view bytes) {
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    const std::string_view rest = bytes.substr(at + 1);
    if (rest.starts_with('\n')) return at + 2;
    if (rest.starts_with("\r\n")) return at + 3;
  }
  return {};
}

ParsedRequest parse_request(std::string_view bytes) {
  ParsedRequest parsed;
  parsed.error = read_line(next_line(bytes), parsed.request);
  while (!parsed.error) {
    const std::string_view line = next_line(bytes);
    if (line.empty()) break;
    parsed.error = read_header(line, parsed.request);
  }
  return parsed;
}

HttpAnswer error_answer(const HttpError& error) {
  return {error.status, "text/plain; charset=utf-8", error.sentence + "\n",
          error.status == 405 ? "Allow: GET, HEAD\r\n" : ""};
}

std::string head_of(const HttpAnswer& answer, bool closes) {
  return fmt::format(
      "HTTP/1.1 {} {}\r\n"
      "Content-Type: {}\r\n"
      "Content-Length: {}\r\n"
      "Content-Security-Policy: {}\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Cache-Control: no-store\r\n"
      "{}{}\r\n",
      answer.status, reason_of(answer.status), answer.media_type, answer.body.size(), policy,
      answer.extra_headers, closes ? "Connection: close\r\n" : "");
}

}  // namespace reel::page
