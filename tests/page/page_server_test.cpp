// Who gets an answer from the server, and who doesn't.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "document/sample_document.hpp"
#include "http_client.hpp"
#include "page_documents.hpp"
#include "reel/error.hpp"
#include "reel/page.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PageServerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_page()) GTEST_SKIP() << "The library was built without the page.";
    data_.emplace(Trace::load(write_sample(folder_ / "sample.reel")));
    server_.emplace(*data_);
    host_ = "127.0.0.1:" + std::to_string(server_->port());
    path_ = address_of(server_->url()).path;
  }
  HttpAnswer ask(const std::string& method, const std::string& path) {
    return request(server_->port(), method, path, host_);
  }

  TemporaryFolder folder_;
  std::optional<PageData> data_;
  std::optional<PageServer> server_;
  std::string host_, path_;
};

TEST_F(PageServerTest, ServesThePageAndItsData) {
  const HttpAnswer page = get(server_->url());
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_THAT(page.body, AllOf(HasSubstr("<title>sample.reel</title>"), HasSubstr("page.js")));
  EXPECT_EQ(get(server_->url() + "page.js").headers.at("content-type"), "text/javascript");
  EXPECT_EQ(get(server_->url() + "page.css").headers.at("content-type"), "text/css");
  for (const std::string& name : data_->names()) {
    const HttpAnswer answer = get(server_->url() + "data/" + name);
    EXPECT_EQ(answer.status, 200) << name;
    EXPECT_EQ(answer.body, data_->get(name)->bytes) << name;
  }
  EXPECT_EQ(get(server_->url() + "data/page/2/0").body, data_->get("page/2/0")->bytes);
}

TEST_F(PageServerTest, EveryAnswerKeepsOthersOut) {
  for (const std::string& path :
       {path_, path_ + "data/summary", path_ + "nothing", std::string("/")}) {
    const HttpAnswer answer = ask("GET", path);
    EXPECT_THAT(answer.headers.at("content-security-policy"),
                AllOf(HasSubstr("default-src 'none'"), HasSubstr("frame-ancestors 'none'"),
                      Not(HasSubstr("unsafe"))));
    EXPECT_EQ(answer.headers.at("cross-origin-resource-policy"), "same-origin");
    EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(answer.headers.at("referrer-policy"), "no-referrer");
    for (const auto& [name, value] : answer.headers)
      EXPECT_THAT(name, Not(HasSubstr("access-control")));
  }
}

TEST_F(PageServerTest, TheTokenIsLongAndNeeded) {
  ASSERT_EQ(path_.size(), 34u);  // two slashes, 128 bits
  std::string other = path_;
  other[5] = other[5] == '0' ? '1' : '0';
  for (const std::string& path :
       {std::string("/"), std::string("/data/summary"), other + "data/summary",
        path_.substr(0, 33) + "0/data/summary", path_.substr(0, 20) + "/", "/" + path_}) {
    const HttpAnswer answer = ask("GET", path);
    EXPECT_EQ(answer.status, 403) << path;
    EXPECT_THAT(answer.body, Not(HasSubstr("sample"))) << path;
  }
  EXPECT_EQ(ask("GET", path_.substr(0, 33)).headers.at("location"), path_);
  const PageServer second(*data_);
  EXPECT_NE(address_of(second.url()).path, path_);
}

TEST_F(PageServerTest, AnotherHostIsRefused) {
  const std::string port = std::to_string(server_->port());
  for (const std::string& host :
       {std::string(), std::string("127.0.0.1"), std::string("evil.example"),
        "evil.example:" + port, "127.0.0.1:" + port + "0", "127.0.0.1.evil.example:" + port})
    EXPECT_EQ(request(server_->port(), "GET", path_ + "data/summary", host).status, 403) << host;
  EXPECT_EQ(request(server_->port(), "GET", path_, "localhost:" + port).status, 200);
}

TEST_F(PageServerTest, OnlyGetAndHeadAreAnswered) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get"}) {
    const HttpAnswer answer = ask(method, path_);
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.headers.at("allow"), "GET, HEAD");
  }
  const HttpAnswer head = ask("HEAD", path_ + "data/commands");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"),
            std::to_string(data_->get("commands")->bytes.size()));
}

// --- findings that are tried
// ---------------------------------------------------------------------------

json proof_state(const PageServer& server) {
  return json::parse(get(server.url() + "data/proof").body);
}
json settled(const PageServer& server) {
  for (;;) {
    if (json state = proof_state(server); state["state"] != "running") return state;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST_F(PageServerTest, NothingIsTriedWithoutAWayTo) {
  EXPECT_EQ(ask("POST", path_ + "prove").status, 405);
  EXPECT_EQ(ask("GET", path_ + "data/proof").status, 404);
  EXPECT_THAT(get(server_->url()).body, Not(HasSubstr("data-prove")));
}

TEST_F(PageServerTest, FindingsAreTriedAfterAClickAndNeverBefore) {
  std::atomic<int> runs = 0;
  std::atomic<bool> go = false;
  PageServer server(*data_, {.prove = [&](const std::function<void(const std::string&)>& tell,
                                          const std::function<bool()>& should_stop) {
    ++runs;
    tell(R"({"trying": "idle.launch: as_graph"})");
    tell(R"({"finding": 2, "id": "x", "proof": {"verdict": "withdrawn", "sentence": "No."}})");
    while (!go && !should_stop()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (runs == 2) throw Error(Code::io_failed, "It broke.");
  }});
  const std::string path = address_of(server.url()).path,
                    host = "127.0.0.1:" + std::to_string(server.port());
  const auto post = [&](const std::string& to, const std::string& of) {
    return request(server.port(), "POST", to, of).status;
  };
  EXPECT_THAT(get(server.url()).body, HasSubstr("<body data-prove>"));
  EXPECT_EQ(proof_state(server)["state"], "idle");
  // What a page elsewhere could send, and what a browser fetches by itself.
  EXPECT_EQ(post("/prove", host), 403);
  EXPECT_EQ(post("/" + std::string(32, '0') + "/prove", host), 403);
  EXPECT_EQ(post(path + "prove", "evil.example"), 403);
  EXPECT_EQ(post(path + "data/prove", host), 404);
  EXPECT_EQ(post(path, host), 405);
  EXPECT_EQ(request(server.port(), "GET", path + "prove", host).status, 404);
  EXPECT_EQ(proof_state(server)["state"], "idle");
  EXPECT_EQ(runs, 0);

  EXPECT_EQ(post(path + "prove", host), 200);
  EXPECT_EQ(post(path + "prove", host), 200);  // once is enough
  json state;
  while ((state = proof_state(server))["proofs"].empty()) std::this_thread::yield();
  EXPECT_EQ(state["state"], "running");
  EXPECT_EQ(state["trying"], "idle.launch: as_graph");
  EXPECT_EQ(state["proofs"]["2"]["verdict"], "withdrawn");
  EXPECT_EQ(runs, 1);
  go = true;
  EXPECT_EQ(settled(server)["state"], "done");

  EXPECT_EQ(post(path + "prove", host), 200);
  const json failed = settled(server);
  EXPECT_EQ(failed["state"], "failed");
  EXPECT_EQ(failed["error"], "It broke.");
  EXPECT_EQ(runs, 2);
}

TEST_F(PageServerTest, AServerThatStopsEndsItsExperiments) {
  for (const bool by_hand : {true, false}) {
    std::atomic<bool> has_begun = false, has_ended = false;
    std::optional<PageServer> held;
    held.emplace(*data_,
                 ServerOptions{.prove = [&](const auto&, const std::function<bool()>& should_stop) {
                   has_begun = true;
                   while (!should_stop()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                   has_ended = true;
                 }});
    const std::string host = "127.0.0.1:" + std::to_string(held->port());
    request(held->port(), "POST", address_of(held->url()).path + "prove", host);
    while (!has_begun) std::this_thread::yield();
    if (by_hand)
      held->stop();
    else
      held.reset();
    EXPECT_TRUE(has_ended);
  }
}

TEST_F(PageServerTest, WhatIsNotThereIsOneSentence) {
  for (const std::string& path : {path_ + "data/nothing", path_ + "data/../page.js",
                                  path_ + "data/", path_ + "x", path_ + "data/%63ommands"}) {
    const HttpAnswer answer = ask("GET", path);
    EXPECT_EQ(answer.status, 404) << path;
    EXPECT_EQ(answer.body, "The document has nothing of this name.\n");
  }
}

TEST_F(PageServerTest, AConnectionTakesManyRequests) {
  HttpClient client(server_->port());
  const std::string one = "GET " + path_ + "data/texts HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n";
  client.send(one + one + one);  // without waiting for answers
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.receive().status, 200);
  client.send("GET " + path_ + " HTTP/1.1\r\nHost: " + host_ + "\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.receive().headers.at("connection"), "close");
  EXPECT_TRUE(client.closes_within(std::chrono::seconds(10)));
}

TEST_F(PageServerTest, WhoTakesTooLongIsCutAndStopsNobody) {
  const PageServer server(*data_, {.patience = std::chrono::milliseconds(1500)});
  HttpClient slow(server.port()), silent(server.port());
  slow.send("GET / HT");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(get(server.url()).status, 200);
  EXPECT_EQ(slow.receive().status, 408);
  EXPECT_TRUE(slow.closes_within(std::chrono::seconds(10)));
  EXPECT_TRUE(silent.closes_within(std::chrono::seconds(10)));
}

TEST_F(PageServerTest, ARequestHasALimit) {
  HttpClient client(server_->port());
  client.send("GET /" + std::string(20'000, 'a'));
  EXPECT_EQ(client.receive().status, 431);
}

TEST_F(PageServerTest, NonsenseIsRefused) {
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02\n\n"), std::string("hello\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nContent-Length: 9\r\n\r\n123456789")}) {
    HttpClient client(server_->port());
    client.send(bytes);
    EXPECT_EQ(client.receive().status, 400) << bytes;
  }
}

// Idle ones and half requests: the oldest make room.
TEST_F(PageServerTest, ConnectionsThatSayNothingKeepNobodyOut) {
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 300; ++i) {
    clients.push_back(std::make_unique<HttpClient>(server_->port()));
    if (i % 2) clients.back()->send("GET " + path_ + " HTTP/1.1\r\nHo");
    if (i % 10) continue;
    const auto begin = std::chrono::steady_clock::now();
    HttpClient client(server_->port());
    client.send("GET " + path_ + " HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n");
    ASSERT_EQ(client.receive().status, 200) << "beside " << i << " that say nothing";
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  }
  EXPECT_TRUE(clients.front()->closes_within(std::chrono::seconds(5)));
}

TEST_F(PageServerTest, OneThatWasMovedFromDoesNothing) {
  PageServer taken = std::move(*server_);
  EXPECT_EQ(server_->port(), 0);
  EXPECT_EQ(server_->url(), "");
  server_->stop();
  EXPECT_NE(taken.port(), 0);
}

TEST_F(PageServerTest, ManyThreadsAskAtOnce) {
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      HttpClient client(server_->port());
      for (int i = 0; i < 50; ++i) {
        client.send("GET " + path_ + "data/commands HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n");
        good += client.receive().status == 200;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 400);
}

TEST_F(PageServerTest, APortInUseIsNamed) {
  try {
    const PageServer second(*data_, {.port = server_->port()});
    FAIL() << "two servers listen on one port";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::io_failed);
    EXPECT_THAT(error.what(), HasSubstr("Port " + std::to_string(server_->port())));
  }
}

TEST_F(PageServerTest, OtherInterfacesDoNotListen) {
  ifaddrs* all = nullptr;
  ASSERT_EQ(getifaddrs(&all), 0);
  for (const ifaddrs* at = all; at; at = at->ifa_next) {
    if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET) continue;
    char name[NI_MAXHOST];
    getnameinfo(at->ifa_addr, sizeof(sockaddr_in), name, sizeof(name), nullptr, 0, NI_NUMERICHOST);
    if (std::string(name) == "127.0.0.1") continue;
    EXPECT_FALSE(HttpClient(server_->port(), name).is_connected()) << name;
  }
  freeifaddrs(all);
  EXPECT_FALSE(HttpClient(server_->port(), "127.0.0.2").is_connected());
}

TEST_F(PageServerTest, StopsWithClientsInTheMiddleOfThings) {
  HttpClient idle(server_->port()), asking(server_->port());
  asking.send("GET " + path_);
  const std::uint16_t port = server_->port();
  server_->stop();
  server_->stop();  // is done already
  EXPECT_FALSE(HttpClient(port).is_connected());
  const PageServer again(*data_, {.port = port});  // the port is free at once
  EXPECT_EQ(get(again.url()).status, 200);
}

TEST_F(PageServerTest, ANameThatIsMarkupStaysText) {
  const std::string path = folder_ / "<img src=x onerror=alert(1)>.reel";
  const PageServer server(PageData(Trace::load(write_sample(path))));
  EXPECT_THAT(get(server.url()).body,
              AllOf(Not(HasSubstr("<img")), HasSubstr("&lt;img src=x onerror=alert(1)&gt;")));
}

}  // namespace
}  // namespace reel::test
