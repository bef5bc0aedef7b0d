// A program that closes every descriptor and opens its own, bare and captured: nobody may see a
// difference, and no byte of the document may be in a file of the program's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "cli/run_program.hpp"
#include "document/mcap_fixtures.hpp"
#include "reel/document.hpp"
#include "reel/trace.hpp"

namespace reel::test {
namespace {

using testing::HasSubstr;

std::string text_in(const std::filesystem::path& path) { return text_of(read_file(path)); }

class Closing : public testing::Test {
 protected:
  // What the program said, bare and captured, with these words more. Equal, else the test fails.
  void runs_as_bare(std::vector<std::string> words) {
    const Folder bare;
    std::vector<std::string> command{CLOSING_PROGRAM, bare / ""};
    command.insert(command.end(), words.begin(), words.end());
    const Outcome alone = run_program(command);
    if (alone.exit_code == 77) GTEST_SKIP() << "no filters of system calls here";
    command[1] = folder_ / "";
    command.emplace_back("capture");
    captured_ = run_program(command);
    EXPECT_EQ(alone.exit_code, 0);
    EXPECT_EQ(captured_.exit_code, 0) << captured_.err;
    EXPECT_EQ(captured_.out, alone.out);
    EXPECT_THAT(alone.out, testing::Not(HasSubstr("WRONG")));
    for (int i = 0; i < 40; ++i) {
      const std::string name = "own" + std::to_string(i);
      EXPECT_EQ(text_in(folder_ / name), text_in(bare / name)) << name;
    }
  }
  std::string outcome() const { return text_in(folder_ / "outcome"); }
  std::string document() const { return folder_ / "x.reel"; }
  void is_whole() const {
    EXPECT_EQ(outcome(), "complete");
    const VerifyReport report = verify_document(document());
    EXPECT_TRUE(report.is_good()) << testing::PrintToString(report.problems);
    EXPECT_EQ(report.commands, 26u);
  }
  void is_lost_and_said(const std::string& why) const {
    EXPECT_THAT(outcome(), HasSubstr(why));
    EXPECT_THAT(captured_.err, HasSubstr(why));
  }

  Folder folder_;
  Outcome captured_;
};

TEST_F(Closing, ALoopOverAllDescriptorsDoesNotReachTheDocument) {
  runs_as_bare({});
  is_whole();
}

TEST_F(Closing, NeitherDoesARange) {
  runs_as_bare({"range"});
  is_whole();
}

TEST_F(Closing, AProgramThatClosesNothingSeesNoDescriptorMore) {
  runs_as_bare({"keep"});
  is_whole();
}

TEST_F(Closing, AFullDiskCostsTheDocumentAndNoByteOfTheProgram) {
  runs_as_bare({"full"});
  is_lost_and_said("No room for");
  EXPECT_NO_THROW(Trace::load(document()));
}

TEST_F(Closing, WhereTheSystemHasNoTablesOfItsOwnTheDocumentIsLostAndNothingElse) {
  runs_as_bare({"old_kernel"});
  if (IsSkipped()) return;
  is_lost_and_said("closed the descriptor");
  EXPECT_NO_THROW(Trace::load(document()));
}

TEST_F(Closing, WhereTheSystemHasNoTablesOfItsOwnAndTheDiskIsFullNothingIsTruncated) {
  runs_as_bare({"old_kernel", "full"});
  if (IsSkipped()) return;
  is_lost_and_said("closed the descriptor");
}

TEST_F(Closing, WhereTheSystemHasNoTablesOfItsOwnAProgramThatClosesNothingIsCapturedWhole) {
  runs_as_bare({"old_kernel", "keep"});
  if (!IsSkipped()) is_whole();
}

TEST_F(Closing, ADocumentThatIsDeletedMeanwhileIsNoSuccess) {
  runs_as_bare({"delete"});
  is_lost_and_said("was deleted while it was written");
}

TEST_F(Closing, ADocumentThatIsEmptiedMeanwhileIsNoSuccess) {
  runs_as_bare({"empty"});
  is_lost_and_said("was changed by something else while it was written");
}

TEST_F(Closing, WhatTookTheDocumentsNameMeanwhileStays) {
  runs_as_bare({"replace"});
  is_lost_and_said("was deleted while it was written");
  EXPECT_EQ(text_in(document()), "mine");
}

TEST_F(Closing, AnOldDocumentIsReplacedByTheWholeNewOneAndNothingElseIs) {
  write_file(document(), owned_bytes("old"));
  write_file(folder_ / "x.reel.replaced", owned_bytes("mine"));
  write_file(folder_ / "x.reel.part", owned_bytes("mine"));
  runs_as_bare({"overwrite"});
  is_whole();
  EXPECT_EQ(text_in(folder_ / "x.reel.replaced"), "mine");
  EXPECT_EQ(text_in(folder_ / "x.reel.part"), "mine");
}

TEST_F(Closing, AnOldDocumentStaysWhereTheNewOneIsLost) {
  write_file(document(), owned_bytes("old"));
  runs_as_bare({"overwrite", "full"});
  is_lost_and_said("No room for");
  EXPECT_EQ(text_in(document()), "old");
}

}  // namespace
}  // namespace reel::test
