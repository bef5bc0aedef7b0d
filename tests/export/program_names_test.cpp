#include "export/programs/program_names.hpp"

#include <gtest/gtest.h>

namespace reel::program {
namespace {

TEST(ProgramNames, AreMadeOfLettersDigitsAndSingleUnderscores) {
  EXPECT_EQ(identifier("x", "buffer"), "x");
  EXPECT_EQ(identifier("Layer0/attn.Q", "buffer"), "layer0_attn_q");
  EXPECT_EQ(identifier("../../etc/passwd", "buffer"), "etc_passwd");
  EXPECT_EQ(identifier("__x__y__", "buffer"), "x_y");
  EXPECT_EQ(identifier("3d", "buffer"), "buffer_3d");
  EXPECT_EQ(identifier("", "buffer"), "buffer");
  EXPECT_EQ(identifier("\xc3\xbc\n\"", "buffer"), "buffer");
  EXPECT_LE(identifier(std::string(1000, 'a'), "buffer").size(), 64u);
}

TEST(ProgramNames, DifferFromEachOtherAndFromWordsOfTheLanguages) {
  NameSet names;
  EXPECT_EQ(names.take("x"), "x");
  EXPECT_EQ(names.take("x"), "x_2");
  EXPECT_EQ(names.take("x"), "x_3");
  EXPECT_EQ(names.take("x_2"), "x_2_2");
  for (const char* word : {"class", "lambda", "in", "main", "linux", "stream", "queue"})
    EXPECT_EQ(names.take(word), std::string(word) + "_2");
}

TEST(ProgramNames, CppStringsAreAsciiAndKeepEveryByte) {
  EXPECT_EQ(cpp_string("plain"), "\"plain\"");
  EXPECT_EQ(cpp_string("a\"b\\c\nd"), R"("a\042b\134c\012d")");
  EXPECT_EQ(cpp_string("\xc3\xbc\x31"), R"("\303\2741")");
  EXPECT_EQ(cpp_string("?\?/"), R"("?\077/")");
  EXPECT_EQ(cpp_string(std::string_view("\0001", 2)), R"("\0001")");
}

TEST(ProgramNames, PythonStringsAreAsciiAndKeepEveryCharacter) {
  EXPECT_EQ(python_string("plain"), "\"plain\"");
  EXPECT_EQ(python_string("a\"b\\c\nd"), R"("a\x22b\x5cc\x0ad")");
  EXPECT_EQ(python_string("\xc3\xbc"), R"("\xfc")");
  EXPECT_EQ(python_string("\xe2\x80\xae"), R"("\u202e")") << "turns the text around";
  EXPECT_EQ(python_string("\xf0\x9f\x98\x80"), R"("\U0001f600")");
  EXPECT_EQ(python_string("\xff"), R"("\ufffd")");
}

}  // namespace
}  // namespace reel::program
