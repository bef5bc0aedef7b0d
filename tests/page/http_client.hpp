// http_client.hpp - talks to a server on this machine, as badly as a test wants.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace reel::test {

struct HttpAnswer {
  int status = 0;                              // 0: the connection ended without one
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class HttpClient {
 public:
  // `address`: of an interface of this machine. is_connected() is false where nobody listens.
  explicit HttpClient(std::uint16_t port, const std::string& address = "127.0.0.1");
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool is_connected() const { return is_connected_; }
  void send(const std::string& bytes) const;
  HttpAnswer receive(bool has_body = true);  // the next answer
  // True when the server closes within this time, and says nothing before.
  bool closes_within(std::chrono::milliseconds time);

 private:
  bool receive_some();

  int socket_ = -1;
  bool is_connected_ = false;
  std::string received_;
};

// One request on a connection of its own.
HttpAnswer get(const std::string& url);
HttpAnswer request(std::uint16_t port, const std::string& method, const std::string& path,
                   const std::string& host);

struct Address {
  std::uint16_t port = 0;
  std::string path;
};
Address address_of(const std::string& url);

}  // namespace reel::test
