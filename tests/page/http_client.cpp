#include "http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace reel::test {

HttpClient::HttpClient(std::uint16_t port, const std::string& address)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  inet_pton(AF_INET, address.c_str(), &to.sin_addr);
  is_connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0;
}

HttpClient::~HttpClient() { ::close(socket_); }

void HttpClient::send(const std::string& bytes) const {
  // The server may have closed already; the test sees that when it receives.
  [[maybe_unused]] const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

bool HttpClient::receive_some() {
  pollfd entry{socket_, POLLIN, 0};
  if (::poll(&entry, 1, 60'000) <= 0) throw std::runtime_error("the server says nothing");
  std::array<char, 65536> part{};
  const ssize_t count = ::recv(socket_, part.data(), part.size(), 0);
  if (count <= 0) return false;
  received_.append(part.data(), static_cast<std::size_t>(count));
  return true;
}

HttpAnswer HttpClient::receive(bool has_body) {
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos)
    if (!receive_some()) return {};
  HttpAnswer answer;
  answer.status = std::stoi(received_.substr(9));
  std::size_t at = received_.find("\r\n") + 2;
  while (at < end) {
    const std::size_t line_end = received_.find("\r\n", at), colon = received_.find(": ", at);
    std::string name = received_.substr(at, colon - at);
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    answer.headers[name] = received_.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  received_.erase(0, end + 4);
  const std::size_t size = has_body ? std::stoull(answer.headers.at("content-length")) : 0;
  while (received_.size() < size)
    if (!receive_some()) throw std::runtime_error("the answer ends early");
  answer.body = received_.substr(0, size);
  received_.erase(0, size);
  return answer;
}

bool HttpClient::closes_within(std::chrono::milliseconds time) {
  pollfd entry{socket_, POLLIN, 0};
  if (::poll(&entry, 1, static_cast<int>(time.count())) <= 0) return false;
  char c = 0;
  return ::recv(socket_, &c, 1, 0) <= 0;
}

Address address_of(const std::string& url) {
  const std::string begin = "http://127.0.0.1:";
  if (!url.starts_with(begin)) throw std::runtime_error("another address: " + url);
  const std::size_t slash = url.find('/', begin.size());
  return {static_cast<std::uint16_t>(std::stoi(url.substr(begin.size()))), url.substr(slash)};
}

HttpAnswer request(std::uint16_t port, const std::string& method, const std::string& path,
                   const std::string& host) {
  HttpClient client(port);
  client.send(method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  return client.receive(method != "HEAD");
}

HttpAnswer get(const std::string& url) {
  const Address address = address_of(url);
  return request(address.port, "GET", address.path, "127.0.0.1:" + std::to_string(address.port));
}

}  // namespace reel::test
