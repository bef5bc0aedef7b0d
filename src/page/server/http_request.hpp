// http_request.hpp - as much of HTTP/1.1 as a page on the same machine needs (RFC 9112).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reel::page {

inline constexpr std::size_t most_request_bytes = 16u << 10;

struct HttpRequest {
  std::string method, path;  // without what follows a '?'
  std::string host;          // empty: none was named
  bool wants_close = false;  // no further request on this connection
};

struct HttpError {
  int status = 400;
  std::string sentence;
};

struct ParsedRequest {
  HttpRequest request = {};
  std::optional<HttpError> error = {};
};

// Where the first request in `bytes` ends, past its empty line; none: more is to come.
std::optional<std::size_t> end_of_request(std::string_view bytes);

// `bytes`: one whole request. A body is refused: nothing here takes one.
ParsedRequest parse_request(std::string_view bytes);

struct HttpAnswer {
  int status = 200;
  std::string media_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::string extra_headers = {};  // lines that end in "\r\n"
};
HttpAnswer error_answer(const HttpError& error);

// The status line and headers, with those that keep other origins out.
std::string head_of(const HttpAnswer& answer, bool closes);

}  // namespace reel::page
