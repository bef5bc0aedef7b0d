// Limits of `reel diff --fail-if` on the time between passes, which is in no pass.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/made_document.hpp"
#include "verb_test.hpp"

namespace reel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Passes that all take as long, and what lies between them.
std::string document(const std::string& path, double between_us, int passes = 20) {
  MadeDocument made;
  const auto k = made.kernel("k");
  double now = 10;
  for (int pass = 0; pass < passes; ++pass) {
    const double begin = now;
    for (int i = 0; i < 4; ++i, now += 110 + i % 2)
      made.add({.kernel = k, .run = {now, now + 100}, .call = Span{now - 5, now - 4}});
    made.pass({begin - 6, now});
    now += between_us + pass % 3;
  }
  std::filesystem::copy_file(made.trace().path(), path);
  return path;
}

class DiffLimits : public VerbTest {
 protected:
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  const TemporaryFolder folder;
  const std::string before = document(folder / "before.reel", 500),
                    slower = document(folder / "slower.reel", 4000),
                    one = document(folder / "one.reel", 500, 1);
};

TEST_F(DiffLimits, OfTheTimeBetweenPassesFailWhereItGrew) {
  const Outcome grew = reel({"diff", before, slower, "--fail-if", "between>+20%"});
  EXPECT_EQ(grew.exit_code, 1) << grew.out;
  EXPECT_THAT(grew.err, HasSubstr("between>+20% is true."));
  EXPECT_EQ(reel({"diff", before, before, "--fail-if", "between>+20%"}).exit_code, 0);
  EXPECT_EQ(reel({"diff", slower, before, "--fail-if", "between>+20%"}).exit_code, 0);
  EXPECT_EQ(reel({"diff", before, slower, "--fail-if", "between>+10ms"}).exit_code, 0);
  EXPECT_THAT(reel({"diff", "--help"}).out, HasSubstr("between (the time between passes)"));
}

TEST_F(DiffLimits, ThatCanNeverBeExceededAreRefused) {
  const auto refused = [&](const char* limit, const char* words) {
    const Outcome outcome = reel({"diff", before, slower, "--fail-if", limit});
    EXPECT_EQ(outcome.exit_code, 2) << limit;
    EXPECT_THAT(outcome.err, HasSubstr(words)) << limit;
  };
  refused("kernel:kk>+5%", "neither document has a kernel 'kk'");
  refused("total>+5MiB", "MiB is no change in time");
  refused("kernel:k>+5B", "B is no change in time");
  refused("peak>+5ms", "ms is no change in memory");
  refused("commands>+5us", "us is no change in a number of commands");
  for (const char* fine : {"kernel:k>+500%", "total>+5ms", "peak>+5MiB", "commands>+5", "busy>+9s"})
    EXPECT_EQ(reel({"diff", before, slower, "--fail-if", fine}).exit_code, 0) << fine;
}

TEST_F(DiffLimits, OfTheTotalAloneSayThatTheProgramIsSlower) {
  const Outcome total = reel({"diff", before, slower, "--fail-if", "total>+5%"});
  EXPECT_EQ(total.exit_code, 0) << total.err;
  EXPECT_THAT(total.err, HasSubstr("The time between passes is no part of the total"));
  const Outcome same = reel({"diff", before, before, "--fail-if", "total>+5%"});
  EXPECT_EQ(same.err, "");
  const Outcome both =
      reel({"diff", before, slower, "--fail-if", "total>+5%", "--fail-if", "between>+20%"});
  EXPECT_THAT(both.err, Not(HasSubstr("no part of the total")));
}

TEST_F(DiffLimits, OfTheTimeBetweenPassesAreTests) {
  const std::string xml = folder / "limits.xml";
  reel({"diff", before, slower, "--fail-if", "between>+20%", "--junit", xml});
  EXPECT_THAT(text_of(xml), AllOf(HasSubstr("name=\"between&gt;+20%\""), HasSubstr("<failure"),
                                  HasSubstr("failures=\"1\"")));
  // Of one pass nobody knows what lies between.
  const Outcome single = reel({"diff", before, one, "--fail-if", "between>+20%", "--junit", xml});
  EXPECT_EQ(single.exit_code, 0);
  EXPECT_THAT(single.err, HasSubstr("between>+20% can't be checked: with one pass"));
  EXPECT_THAT(text_of(xml), HasSubstr("<skipped"));
  EXPECT_EQ(reel({"diff", before, one, "--fail-if", "between>+20%", "--strict"}).exit_code, 1);
}

}  // namespace
}  // namespace reel::test
