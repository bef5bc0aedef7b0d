#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/fail.hpp"
#include "base/os/descriptors.hpp"
#include "page/server/page_site.hpp"
#include "page/server/socket.hpp"

namespace reel {
namespace {

// A browser opens six to one host. Beyond this many, the one goes that has waited longest for a
// request: whoever holds connections open and says nothing keeps nobody else out.
constexpr std::size_t most_connections = 64;

}  // namespace

struct PageServer::State {
  struct Pipe {
    Pipe() : Pipe(made()) {}

    page::Socket out, in;

   private:
    explicit Pipe(const std::array<int, 2>& ends) : out(ends[0]), in(ends[1]) {}
    static std::array<int, 2> made() {
      std::array<int, 2> ends{-1, -1};
      if (!os::make_pipe(ends)) fail(Code::io_failed, "The system has no more file descriptors.");
      return ends;
    }
  };

  struct Connection {
    explicit Connection(page::Socket from) : socket(std::move(from)) {}

    page::Socket socket;
    // Since when it waits for a request; 0 while it answers one.
    std::atomic<page::Socket::Clock::rep> waiting_since = now();
    bool is_cut = false;  // of the acceptor
    std::atomic<bool> is_done = false;

    static page::Socket::Clock::rep now() {
      return page::Socket::Clock::now().time_since_epoch().count();
    }
    std::thread thread = {};
  };

  page::Socket listener;
  page::PageSite site;
  std::uint16_t port;
  std::chrono::milliseconds patience;
  Pipe wake;         // readable: stop
  std::mutex mutex;  // of what follows
  bool is_stopping = false;
  std::list<Connection> connections;
  std::thread acceptor = {};

  // `of`: what the site is made of besides its port.
  template <class... Of>
  State(const ServerOptions& options, const auto& data, const Of&... of)
      : listener(page::listen_on(options.port)),
        site(data, page::port_of(listener), of...),
        port(page::port_of(listener)),
        patience(options.patience) {
    acceptor = std::thread([this] { accept_all(); });
  }
  ~State() { stop(); }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      if (std::exchange(is_stopping, true)) return;
      for (const Connection& connection : connections) connection.socket.shut_down();
    }
    wake.in.close();  // makes the other end readable
    acceptor.join();
    listener.close();
    // Nobody adds to them any more.
    for (Connection& connection : connections) connection.thread.join();
    connections.clear();
    site.stop();
  }

  void accept_all() {
    for (;;) {
      std::array<pollfd, 2> ready{pollfd{listener.descriptor(), POLLIN, 0},
                                  pollfd{wake.out.descriptor(), POLLIN, 0}};
      if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
      if (ready[1].revents) return;
      const int descriptor = os::accept_connection(listener.descriptor());
      if (descriptor >= 0)
        begin(page::Socket(descriptor));
      else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // until others are closed
    }
  }

  void begin(page::Socket socket) {
    const std::lock_guard lock(mutex);
    if (is_stopping) return;
    forget_done();
    if (connections.size() >= most_connections && !cut_the_longest_waiting()) {
      refuse(socket);
      return;
    }
    Connection& connection = connections.emplace_back(std::move(socket));
    try {
      connection.thread = std::thread([this, &connection] { serve(connection); });
    } catch (const std::system_error&) {  // no more threads
      refuse(connection.socket);
      connections.pop_back();
    }
  }

  // With the mutex. False where none waits, or too many of those that were cut are still ending.
  bool cut_the_longest_waiting() {
    Connection* longest = nullptr;
    for (Connection& connection : connections) {
      const auto since = connection.waiting_since.load();
      if (since == 0 || connection.is_cut || connection.is_done) continue;
      if (!longest || since < longest->waiting_since.load()) longest = &connection;
    }
    if (!longest || connections.size() >= 2 * most_connections) return false;
    longest->is_cut = true;
    longest->socket.shut_down();
    return true;
  }

  static void refuse(const page::Socket& socket) {
    const page::HttpAnswer busy =
        page::error_answer({503, "Too many connections are open; try again."});
    socket.send(page::head_of(busy, true) + busy.body, std::chrono::milliseconds(0));
  }

  void forget_done() {
    connections.remove_if([](Connection& connection) {
      if (!connection.is_done) return false;
      connection.thread.join();
      return true;
    });
  }

  void serve(Connection& connection) const {
    try {
      std::string received;
      while (serve_one(connection, received)) connection.waiting_since = Connection::now();
    } catch (const std::exception&) {  // no memory even to say so
    }
    connection.socket.shut_down();
    connection.is_done = true;
  }

  // True when another request may follow.
  bool serve_one(Connection& connection, std::string& received) const {
    const page::Socket& socket = connection.socket;
    const auto until = page::Socket::Clock::now() + patience;
    std::optional<std::size_t> end;
    while (!(end = page::end_of_request(received))) {
      if (received.size() > page::most_request_bytes)
        return give_up(socket, {431, "The request is too long."});
      const auto got = socket.receive(received, until);
      if (got == page::Socket::Got::end) return false;
      if (got == page::Socket::Got::nothing)  // a connection at rest is just closed
        return !received.empty() && give_up(socket, {408, "The request took too long."});
    }
    connection.waiting_since = 0;
    const page::ParsedRequest parsed =
        page::parse_request(std::string_view(received).substr(0, *end));
    received.erase(0, *end);
    if (parsed.error) return give_up(socket, *parsed.error);
    const page::HttpAnswer answer = safe_answer(parsed.request);
    const bool closes = parsed.request.wants_close;
    if (!socket.send(page::head_of(answer, closes), patience)) return false;
    if (parsed.request.method != "HEAD" && !socket.send(answer.body, patience)) return false;
    return !closes;
  }

  page::HttpAnswer safe_answer(const page::HttpRequest& request) const {
    try {
      return site.answer(request);
    } catch (const std::bad_alloc&) {
      return page::error_answer({500, "There is not enough memory for this table."});
    } catch (const std::exception& error) {
      return page::error_answer({500, error.what()});
    }
  }

  // What follows on this connection can't be told apart from the rest of a bad request.
  bool give_up(const page::Socket& socket, const page::HttpError& error) const {
    const page::HttpAnswer answer = page::error_answer(error);
    socket.send(page::head_of(answer, true) + answer.body, patience);
    return false;
  }
};

PageServer::PageServer(PageData data, const ServerOptions& options)
    : state_(std::make_unique<State>(options, data, options.prove)) {}
PageServer::PageServer(RanksData data, const ServerOptions& options)
    : state_(std::make_unique<State>(options, data)) {}
PageServer::~PageServer() = default;
PageServer::PageServer(PageServer&&) noexcept = default;

std::uint16_t PageServer::port() const noexcept { return state_ ? state_->port : std::uint16_t{0}; }
std::string PageServer::url() const { return state_ ? state_->site.url() : std::string(); }
void PageServer::stop() {
  if (state_) state_->stop();
}

}  // namespace reel
