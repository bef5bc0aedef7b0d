// What is a request, and what is refused as none.
#include "page/server/http_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reel::test {
namespace {

using page::end_of_request;
using page::parse_request;

TEST(HttpRequest, EndsWithAnEmptyLine) {
  EXPECT_FALSE(end_of_request(""));
  EXPECT_FALSE(end_of_request("GET / HTTP/1.1\r\n"));
  EXPECT_FALSE(end_of_request("GET / HTTP/1.1\r\nHost: x\r\n\r"));
  EXPECT_EQ(end_of_request("GET / HTTP/1.1\r\n\r\nGET"), 18u);
  EXPECT_EQ(end_of_request("GET / HTTP/1.1\n\n"), 16u);
}

TEST(HttpRequest, IsAMethodAPathAndAHost) {
  const auto parsed = parse_request(
      "GET /token/data/page/1/2?x=1 HTTP/1.1\r\nhOsT:  localhost:80 \r\nA: b\r\n\r\n");
  ASSERT_FALSE(parsed.error);
  EXPECT_EQ(parsed.request.method, "GET");
  EXPECT_EQ(parsed.request.path, "/token/data/page/1/2");
  EXPECT_EQ(parsed.request.host, "localhost:80");
  EXPECT_FALSE(parsed.request.wants_close);
}

TEST(HttpRequest, MayBeTheLastOfItsConnection) {
  EXPECT_TRUE(parse_request("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n").request.wants_close);
  EXPECT_TRUE(parse_request("GET / HTTP/1.0\r\n\r\n").request.wants_close);
}

TEST(HttpRequest, OfAnotherShapeIsRefused) {
  for (const char* bad :
       {"\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "GET x HTTP/1.1\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n", "G\x01T / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    const auto parsed = parse_request(bad);
    ASSERT_TRUE(parsed.error) << bad;
    EXPECT_EQ(parsed.error->status, 400) << bad;
  }
  EXPECT_EQ(parse_request("GET / HTTP/2\r\n\r\n").error->status, 505);
}

}  // namespace
}  // namespace reel::test
