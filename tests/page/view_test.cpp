// `reel view`, run as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/run_program.hpp"
#include "document/sample_document.hpp"
#include "http_client.hpp"
#include "page_documents.hpp"
#include "reel/page.hpp"

namespace reel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const std::string program = REEL_PROGRAM;

// A `reel view` that serves until it is told to end.
class Viewer {
 public:
  explicit Viewer(std::vector<std::string> words, bool opens = false) {
    int out[2];
    if (pipe(out) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      dup2(out[1], STDOUT_FILENO);
      close(out[0]);
      close(out[1]);
      words.insert(words.begin(), {program, "view"});
      if (!opens) words.emplace_back("--no-open");
      std::vector<char*> pointers;
      for (std::string& word : words) pointers.push_back(word.data());
      pointers.push_back(nullptr);
      execv(pointers[0], pointers.data());
      std::_Exit(127);
    }
    close(out[1]);
    std::FILE* from = fdopen(out[0], "r");
    for (int c; (c = std::fgetc(from)) != EOF && c != '\n';) url += static_cast<char>(c);
    from_ = from;
  }
  ~Viewer() {
    if (process_ > 0) end(SIGKILL);
    std::fclose(from_);
  }
  // The exit code; -1: the signal ended it.
  int end(int signal) {
    kill(process_, signal);
    int status = 0;
    waitpid(std::exchange(process_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string url;

 private:
  pid_t process_ = -1;
  std::FILE* from_ = nullptr;
};

class ViewTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_page()) GTEST_SKIP() << "The library was built without the page.";
    sample_ = write_sample(folder_ / "sample.reel");
  }
  static Outcome view(std::vector<std::string> words) {
    words.insert(words.begin(), {program, "view"});
    return run_program(words);
  }

  TemporaryFolder folder_;
  std::string sample_;
};

TEST_F(ViewTest, TheButtonTriesFindingsInAnotherProcess) {
  Viewer viewer({sample_});
  const Address address = address_of(viewer.url);
  EXPECT_EQ(request(address.port, "POST", address.path + "prove",
                    "127.0.0.1:" + std::to_string(address.port))
                .status,
            200);
  json state;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    state = json::parse(get(viewer.url + "data/proof").body);
  } while (state["state"] == "running");
  EXPECT_EQ(state["state"], "done") << state;
  const json findings = json::parse(get(viewer.url + "data/findings").body)["findings"];
  ASSERT_EQ(state["proofs"].size(), findings.size());
  for (const auto& [finding, proof] : state["proofs"].items())
    EXPECT_FALSE(proof["sentence"].get<std::string>().empty()) << finding;
  EXPECT_EQ(viewer.end(SIGINT), 0);
}

// Every user of a machine sees what programs are started with.
TEST_F(ViewTest, TheBrowserIsStartedWithoutTheToken) {
  const std::string started = folder_ / "started";
  {
    std::ofstream script(folder_ / "xdg-open");
    script << "#!/bin/sh\ncp \"$1\" " << started << ".html; stat -c %a \"$1\" > " << started
           << ".mode; echo \"$@\" > " << started << ".tmp; mv " << started << ".tmp " << started
           << "\n";
  }
  std::filesystem::permissions(folder_ / "xdg-open", std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(setenv("PATH", ((folder_ / "") + ":" + path).c_str(), 1), 0);
  ASSERT_EQ(setenv("DISPLAY", ":99", 0), 0);
  Viewer viewer({sample_}, true);
  setenv("PATH", path.c_str(), 1);
  for (int i = 0; i < 200 && !std::filesystem::exists(started); ++i) usleep(50'000);
  const auto text_of = [](const std::string& file) {
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  std::string argument = text_of(started);
  ASSERT_FALSE(argument.empty()) << "xdg-open was not started";
  argument.pop_back();
  EXPECT_EQ(argument.find(address_of(viewer.url).path), std::string::npos) << argument;
  EXPECT_EQ(argument.find("127.0.0.1"), std::string::npos) << argument;
  EXPECT_EQ(text_of(started + ".mode"), "600\n");
  EXPECT_THAT(text_of(started + ".html"), HasSubstr("url=" + viewer.url));
  EXPECT_EQ(viewer.end(SIGTERM), 0);
  EXPECT_FALSE(std::filesystem::exists(argument)) << "the file goes with the server";
}

TEST_F(ViewTest, ServesUntilItIsInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Viewer viewer({sample_});
    EXPECT_EQ(get(viewer.url).status, 200);
    const json summary = json::parse(get(viewer.url + "data/summary").body);
    EXPECT_EQ(summary["document"], sample_);
    EXPECT_EQ(viewer.end(signal), 0);
  }
}

TEST_F(ViewTest, ShowsTheSecondOfTwoWithWhatChanged) {
  const std::string second = write_sample(folder_ / "second.reel");
  const Viewer viewer({sample_, second});
  EXPECT_EQ(get(viewer.url + "data/diff").status, 200);
  EXPECT_EQ(json::parse(get(viewer.url + "data/summary").body)["document"], second);
}

TEST_F(ViewTest, TakesThePortItIsGiven) {
  const std::string port = std::to_string(address_of(Viewer({sample_}).url).port);
  Viewer viewer({sample_, "--port", port});
  EXPECT_EQ(std::to_string(address_of(viewer.url).port), port);
  const Outcome second = view({sample_, "--port", port, "--no-open"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, AllOf(HasSubstr("Port " + port), HasSubstr("in use")));
}

TEST_F(ViewTest, WritesAFile) {
  const std::string html = folder_ / "x.html";
  const Outcome first = view({sample_, "--html", html});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("x.html: "));
  const Outcome again = view({sample_, "--html", html});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("exists already"));
  const Outcome small =
      view({sample_, "--html", html, "--overwrite", "--contents", "4KiB", "--json"});
  EXPECT_EQ(small.exit_code, 0) << small.err;
  const json answer = json::parse(small.out);
  EXPECT_EQ(answer["bytes"], std::filesystem::file_size(html));
  EXPECT_EQ(answer["left_out"].size(), 1u);
}

TEST_F(ViewTest, SaysWhatIsWrong) {
  const std::string html = folder_ / "x.html";
  EXPECT_EQ(view({folder_ / "none.reel", "--html", html}).exit_code, 1);
  std::ofstream(folder_ / "text.reel") << "no document";
  EXPECT_EQ(view({folder_ / "text.reel", "--html", html}).exit_code, 3);
  EXPECT_EQ(view({}).exit_code, 2);
  EXPECT_EQ(view({sample_, "--contents", "1MiB"}).exit_code, 2);
  EXPECT_EQ(view({sample_, "--html", html, "--port", "1"}).exit_code, 2);
  EXPECT_EQ(view({sample_, "--port", "70000"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(html));
}

TEST_F(ViewTest, ShowsWhatIsLeftOfACutDocument) {
  const Outcome run = view({write_cut(folder_ / "cut.reel"), "--html", folder_ / "x.html"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("is incomplete"));
}

}  // namespace
}  // namespace reel::test
