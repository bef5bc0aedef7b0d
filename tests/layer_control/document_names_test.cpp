// Where each capture of a process goes.
#include "layers/control/document_names.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace reel::layer {
namespace {

const std::string process = std::to_string(getpid());

TEST(DocumentNames, TheSecondCaptureHasANumber) {
  DocumentNames names("/a.b/out.reel", false);
  EXPECT_EQ(names.next(), "/a.b/out.reel");
  names.taken();
  EXPECT_EQ(names.next(), "/a.b/out-2.reel");
  EXPECT_TRUE(names.step_aside()) << "the file of an earlier run";
  EXPECT_EQ(names.next(), "/a.b/out-3.reel");
}

TEST(DocumentNames, APlainNameThatExistsHasNoOther) {
  DocumentNames names("out.reel", false);
  EXPECT_FALSE(names.step_aside());
  EXPECT_EQ(names.next(), "out.reel");
}

TEST(DocumentNames, AnotherProcessOfTheRunAddsItsNumber) {
  DocumentNames names("out.reel", true);
  EXPECT_TRUE(names.step_aside());
  EXPECT_EQ(names.next(), "out." + process + ".reel");
  names.taken();
  EXPECT_EQ(names.next(), "out." + process + "-2.reel");
}

TEST(DocumentNames, APathThatSaysItIsLeftAlone) {
  DocumentNames names("out_%p_%n.reel", true);
  EXPECT_EQ(names.next(), "out_" + process + "_1.reel");
  names.taken();
  EXPECT_EQ(names.next(), "out_" + process + "_2.reel");
  EXPECT_TRUE(names.step_aside());
  EXPECT_EQ(names.next(), "out_" + process + "_3.reel");
}

TEST(DocumentNames, MiddlesGoInFrontOfTheExtension) {
  EXPECT_EQ(before_name("dir.d/out.reel"), "dir.d/out.before.reel");
  EXPECT_EQ(before_name("out"), "out.before");
  EXPECT_EQ(before_name(".hidden"), ".hidden.before");
}

}  // namespace
}  // namespace reel::layer
