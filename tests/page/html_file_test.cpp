// One file that holds the page and all of its data, and nothing that could become markup.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "document/sample_document.hpp"
#include "page/embedded_page.hpp"
#include "page_documents.hpp"
#include "reel/error.hpp"
#include "reel/page.hpp"

namespace reel::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string text_of(const std::string& path) {
  const auto bytes = read_bytes(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string from_base64(const std::string& text) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return bytes;
}

std::string unpacked(const std::string& packed) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  std::uint32_t size = 0;  // a gzip file ends in it
  std::memcpy(&size, packed.data() + packed.size() - sizeof(size), sizeof(size));
  std::string bytes(size + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  inflateEnd(&stream);
  return bytes;
}

// The data of a file, by name.
std::map<std::string, std::string> resources_of(const std::string& html) {
  std::map<std::string, std::string> resources;
  const std::string open = "<script type=\"application/octet-stream\" data-name=\"";
  for (std::size_t at = html.find(open); at != std::string::npos; at = html.find(open, at)) {
    at += open.size();
    const std::size_t name_end = html.find("\">", at), end = html.find("</script>", at);
    resources[html.substr(at, name_end - at)] =
        unpacked(from_base64(html.substr(name_end + 2, end - name_end - 2)));
  }
  return resources;
}

class HtmlFileTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_page()) GTEST_SKIP() << "The library was built without the page.";
  }

  TemporaryFolder folder_;
  std::string html_ = folder_ / "x.html";
};

TEST_F(HtmlFileTest, HoldsEverythingThatIsServed) {
  const PageData data(Trace::load(write_sample(folder_ / "x.reel")));
  const HtmlReport report = write_html(data, html_);
  EXPECT_THAT(report.left_out, IsEmpty());
  const std::string html = text_of(html_);
  EXPECT_EQ(report.file_bytes, html.size());
  auto resources = resources_of(html);
  for (const std::string& name : data.names())
    EXPECT_EQ(resources.at(name), data.get(name)->bytes) << name;
  for (const char* page : {"page/0/0", "page/1/0", "page/2/0", "page/2/1", "page/2/2"})
    EXPECT_EQ(resources.at(page), data.get(page)->bytes) << page;
  EXPECT_EQ(resources.size(), data.names().size() + 5);
}

TEST_F(HtmlFileTest, LeavesOutContentsBeyondTheLimitAndSaysSo) {
  const PageData data(Trace::load(write_sample(folder_ / "x.reel")));
  // One of the two of 4,096 bytes: what went in goes before what came out.
  const HtmlReport report = write_html(data, html_, {.contents_bytes = 5000});
  EXPECT_THAT(report.left_out,
              ElementsAre(AllOf(HasSubstr("2 of 3 recorded contents"), HasSubstr("5000 bytes"))));
  auto resources = resources_of(text_of(html_));
  EXPECT_TRUE(resources.contains("page/0/0"));
  EXPECT_FALSE(resources.contains("page/1/0"));
  EXPECT_FALSE(resources.contains("page/2/0"));
  EXPECT_EQ(nlohmann::json::parse(resources.at("summary"))["left_out"],
            nlohmann::json(report.left_out));
}

TEST_F(HtmlFileTest, IsTheSameForTheSameDocument) {
  const PageData data(Trace::load(write_sample(folder_ / "x.reel")));
  write_html(data, html_);
  write_html(data, folder_ / "y.html");
  EXPECT_EQ(text_of(html_), text_of(folder_ / "y.html"));
}

TEST_F(HtmlFileTest, AllowsItsOwnScriptAlone) {
  write_html(PageData(Trace::load(write_sample(folder_ / "x.reel"))), html_);
  const std::string html = text_of(html_);
  EXPECT_THAT(html, AllOf(HasSubstr("default-src 'none'; script-src 'sha256-"),
                          Not(HasSubstr("unsafe-inline"))));
  const page::EmbeddedPage& page = *page::embedded_page();
  EXPECT_EQ(page.script_sha256.size(), 32u);
  EXPECT_THAT(html, HasSubstr("<script>" + std::string(page.script) + "</script>"));
}

TEST_F(HtmlFileTest, HostileNamesNeverBecomeMarkup) {
  const std::string path = folder_ / "<img src=x>\".reel";
  write_html(PageData(Trace::load(write_hostile(path))), html_);
  std::string html = text_of(html_);
  EXPECT_THAT(html, AllOf(Not(HasSubstr("alert(1)")), Not(HasSubstr("<img"))));
  // Without the page itself, every tag is one of ours.
  for (const std::string_view part : {page::embedded_page()->script, page::embedded_page()->style})
    html.erase(html.find(part), part.size());
  const std::regex tag("<(!doctype html|/?(html|head|title|style|body|div|script|meta|link)\\b)");
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1))
    EXPECT_TRUE(std::regex_search(html.substr(at, 20), tag, std::regex_constants::match_continuous))
        << html.substr(at, 40);
}

TEST_F(HtmlFileTest, ReplacesAFileOnlyWhenAsked) {
  const PageData data(Trace::load(write_sample(folder_ / "x.reel")));
  std::ofstream(html_) << "mine";
  try {
    write_html(data, html_);
    FAIL() << "it was replaced";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::io_failed);
    EXPECT_THAT(error.what(), HasSubstr("exists already"));
  }
  EXPECT_EQ(text_of(html_), "mine");
  write_html(data, html_, {.overwrite = true});
  EXPECT_THAT(text_of(html_), testing::StartsWith("<!doctype html>"));
}

TEST_F(HtmlFileTest, LeavesNothingBehindWhereItCannotBeWritten) {
  const PageData data(Trace::load(write_sample(folder_ / "x.reel")));
  EXPECT_THROW(write_html(data, folder_ / "no/such/folder.html"), Error);
  std::filesystem::create_directory(folder_ / "taken");
  EXPECT_THROW(write_html(data, folder_ / "taken", {.overwrite = true}), Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "taken.part"));
}

TEST_F(HtmlFileTest, DocumentsWithLittleInThemMakeOne) {
  for (const std::string& path :
       {write_empty(folder_ / "empty.reel"), write_one(folder_ / "one.reel"),
        write_one(folder_ / "untimed.reel", false), write_cut(folder_ / "cut.reel")}) {
    write_html(PageData(Trace::load(path)), html_, {.overwrite = true});
    EXPECT_TRUE(resources_of(text_of(html_)).contains("commands")) << path;
  }
}

}  // namespace
}  // namespace reel::test
