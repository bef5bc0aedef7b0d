#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/bytes/crc32.hpp"
#include "document/files/file_bytes.hpp"
#include "document/files/input_file.hpp"
#include "document/mcap_fixtures.hpp"
#include "reel/error.hpp"

namespace reel::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

// What the call's error says.
template <class Call>
std::string io_error(Call&& call, Code code = Code::io_failed) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(OutputFile, HasWhatWasWrittenToIt) {
  const Folder folder;
  OutputFile file(folder / "a");
  file.write(owned_bytes("one "));
  file.write_parts({owned_bytes("two "), {}, owned_bytes("three")});
  file.sync();
  EXPECT_EQ(file.size_bytes(), 13);
  EXPECT_EQ(text_of(read_file(folder / "a")),
            "one two three");  // while it is open: nothing is buffered
}

TEST(OutputFile, RefusesToOverwriteUnlessTold) {
  const Folder folder;
  write_file(folder / "a", owned_bytes("precious"));
  EXPECT_THAT(io_error([&] { OutputFile file(folder / "a"); }),
              AllOf(HasSubstr((folder / "a").string()), HasSubstr("exists already")));
  EXPECT_EQ(text_of(read_file(folder / "a")), "precious");

  OutputFile file(folder / "a", {.overwrite = true});
  file.write(owned_bytes("new"));
  EXPECT_EQ(text_of(read_file(folder / "a")), "precious");  // until the new one is whole
  EXPECT_EQ(text_of(read_file(file.written_path())), "new");
  file.close();
  EXPECT_EQ(text_of(read_file(folder / "a")), "new");
}

TEST(OutputFile, TouchesNoFileButTheOneItWasToldToReplace) {
  const Folder folder;
  write_file(folder / "a", owned_bytes("old"));
  const auto count = [&] {
    return std::distance(std::filesystem::directory_iterator(folder / ""),
                         std::filesystem::directory_iterator());
  };
  for (const char* name : {"a.part", "a.replaced", "a.new", "a.tmp", "a~"})
    write_file(folder / name, owned_bytes("mine"));
  {
    OutputFile file(folder / "a", {.overwrite = true});
    file.write(owned_bytes("new"));
    EXPECT_EQ(count(), 7);
    file.discard();
  }
  EXPECT_EQ(text_of(read_file(folder / "a")), "old");
  OutputFile file(folder / "a", {.overwrite = true});
  file.write(owned_bytes("new"));
  file.close();
  EXPECT_EQ(text_of(read_file(folder / "a")), "new");
  for (const char* name : {"a.part", "a.replaced", "a.new", "a.tmp", "a~"})
    EXPECT_EQ(text_of(read_file(folder / name)), "mine");
  EXPECT_EQ(count(), 6);
}

std::vector<std::string> names_in(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder / ""))
    names.push_back(entry.path().filename());
  return names;
}

TEST(OutputFile, AppearsWholeOrNotAtAllWhereThatWasAskedFor) {
  for (const bool overwrite : {false, true}) {
    const Folder folder;
    if (overwrite) write_file(folder / "a", owned_bytes("old"));
    {
      OutputFile file(folder / "a", {.overwrite = overwrite, .whole = true});
      file.write(owned_bytes("new"));
      EXPECT_EQ(std::filesystem::exists(folder / "a"), overwrite);
    }
    EXPECT_EQ(names_in(folder).size(), overwrite ? 1u : 0u);
    OutputFile file(folder / "a", {.overwrite = overwrite, .whole = true});
    file.write(owned_bytes("new"));
    file.close();
    EXPECT_EQ(text_of(read_file(folder / "a")), "new");
    EXPECT_EQ(names_in(folder).size(), 1u);
    EXPECT_EQ(file.written_path(), folder / "a");
  }
}

TEST(OutputFile, IsNotPutOverAFileThatCameMeanwhile) {
  const Folder folder;
  {
    OutputFile file(folder / "a", {.whole = true});
    file.write(owned_bytes("new"));
    write_file(folder / "a", owned_bytes("mine"));
    EXPECT_THAT(io_error([&] { file.close(); }), HasSubstr("exists already"));
  }
  EXPECT_EQ(text_of(read_file(folder / "a")), "mine");
  EXPECT_EQ(names_in(folder).size(), 1u);
}

TEST(OutputFile, HasWhatAnotherWriterPutIntoIt) {
  const Folder folder;
  OutputFile file(folder / "a", {.whole = true});
  std::ofstream(file.written_path()) << "theirs";
  EXPECT_EQ(file.take_size(), 6u);
  file.close();
  EXPECT_EQ(text_of(read_file(folder / "a")), "theirs");
}

TEST(OutputFile, ReplacesWhatALinkLeadsToAndNotTheLink) {
  const Folder folder;
  write_file(folder / "far", owned_bytes("old"));
  std::filesystem::create_symlink(folder / "far", folder / "a");
  OutputFile file(folder / "a", {.overwrite = true});
  file.write(owned_bytes("new"));
  file.close();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "a"));
  EXPECT_EQ(text_of(read_file(folder / "far")), "new");
}

TEST(OutputFile, RefusesWhatIsNoFileAtOnce) {
  const Folder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("nowhere", folder / "link");
  for (const bool overwrite : {false, true}) {
    EXPECT_THAT(io_error([&] { OutputFile(folder / "pipe", {.overwrite = overwrite}); }),
                HasSubstr(overwrite ? "it is a pipe" : "exists already"));
    EXPECT_THAT(io_error([&] { OutputFile("/dev/null", {.overwrite = overwrite}); }),
                HasSubstr(overwrite ? "it is a device" : "exists already"));
    EXPECT_THAT(io_error([&] { OutputFile(folder / "", {.overwrite = overwrite}); }),
                AnyOf(HasSubstr("it is a folder"), HasSubstr("exists already"),
                      HasSubstr("Is a directory")));
    io_error([&] { OutputFile(folder / "link", {.overwrite = overwrite}); });
  }
}

TEST(OutputFile, IsItsOwnersAloneUnlessTold) {
  const Folder folder;
  const mode_t old = umask(022);
  OutputFile(folder / "a").close();
  OutputFile(folder / "b", {.mode = 0666}).close();
  umask(old);
  struct stat status {};
  stat((folder / "a").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  stat((folder / "b").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777u, 0644u);
  EXPECT_EQ(mode_of(folder / "b"), 0644u);
  EXPECT_EQ(mode_of(folder / "none"), 0600u);
}

TEST(OutputFile, SaysWhatSomebodyElseDidToIt) {
  const Folder folder;
  OutputFile moved(folder / "moved"), emptied(folder / "emptied"), deleted(folder / "deleted");
  for (OutputFile* file : {&moved, &emptied, &deleted}) file->write(owned_bytes("text"));
  std::filesystem::rename(folder / "moved", folder / "elsewhere");
  std::filesystem::resize_file(folder / "emptied", 1);
  std::filesystem::remove(folder / "deleted");
  EXPECT_THAT(io_error([&] { moved.close(); }), HasSubstr("was moved or replaced"));
  EXPECT_THAT(io_error([&] { emptied.write(owned_bytes("more")); }),
              HasSubstr("it has 1 bytes, and 4 were written"));
  EXPECT_THAT(io_error([&] { deleted.close(); }), HasSubstr("was deleted"));
  EXPECT_EQ(text_of(read_file(folder / "emptied")), "t");
}

TEST(OutputFile, IsNotMissedByAProgramThatChangesItsFolder) {
  const Folder folder;
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  OutputFile file("a");
  std::filesystem::current_path("/");
  file.write(owned_bytes("text"));
  file.close();
  std::filesystem::current_path(here);
  EXPECT_EQ(text_of(read_file(folder / "a")), "text");
}

TEST(OutputFile, LeavesTheOldBytesToWhoHasTheReplacedFileOpen) {
  const Folder folder;
  write_file(folder / "a", owned_bytes("old bytes"));
  const InputFile reader(folder / "a");
  OutputFile file(folder / "a", {.overwrite = true});
  file.write(owned_bytes("new"));
  EXPECT_EQ(text_of(reader.bytes()), "old bytes");
}

TEST(OutputFile, NamesTheFolderThatIsMissing) {
  const Folder folder;
  EXPECT_THAT(io_error([&] { OutputFile file(folder / "no/such/a"); }),
              AllOf(HasSubstr("no/such/a"), HasSubstr("No such file or directory")));
}

TEST(OutputFile, SaysPlainlyThatTheDiskIsFull) {
  const Folder folder;
  OutputFile file(folder / "a", {.limit_bytes = 3});
  EXPECT_THAT(io_error([&] { file.write(owned_bytes("text")); }),
              AllOf(HasSubstr("No room for 4 more bytes in '"), HasSubstr("No space left")));
}

TEST(OutputFile, IsAsBeforeAWriteThatFailed) {
  const Folder folder;
  OutputFile file(folder / "a", {.limit_bytes = 10});
  file.write(owned_bytes("whole"));
  io_error([&] { file.write_parts({owned_bytes("123"), owned_bytes("456")}); });
  EXPECT_EQ(file.size_bytes(), 5);
  EXPECT_EQ(text_of(read_file(folder / "a")), "whole");
  file.write(owned_bytes("12345"));  // what still fits does
  EXPECT_EQ(text_of(read_file(folder / "a")), "whole12345");
}

TEST(OutputFile, IsAsBeforeAWriteThatTheSystemCutShort) {
  const Folder folder;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit limit{.rlim_cur = 8, .rlim_max = old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  OutputFile file(folder / "a");
  file.write(owned_bytes("whole"));
  const std::string said = io_error([&] { file.write(owned_bytes("too long")); });
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);

  EXPECT_THAT(said, HasSubstr("No room for 8 more bytes"));
  EXPECT_EQ(text_of(read_file(folder / "a")), "whole");
}

TEST(InputFile, HasAllBytesOfTheFile) {
  const Folder folder;
  write_file(folder / "a", owned_bytes("some bytes"));
  InputFile file(folder / "a");
  EXPECT_EQ(text_of(file.bytes()), "some bytes");
  const InputFile moved(std::move(file));
  EXPECT_EQ(text_of(moved.bytes()), "some bytes");
}

TEST(InputFile, SaysWhyItCantBeRead) {
  const Folder folder;
  write_file(folder / "empty", {});
  EXPECT_THAT(io_error([&] { InputFile file(folder / "none"); }),
              AllOf(HasSubstr("none'"), HasSubstr("No such file")));
  EXPECT_THAT(io_error([&] { InputFile file(folder / "empty"); }, Code::damaged_document),
              HasSubstr("empty' is empty"));
  EXPECT_THAT(io_error([&] { InputFile file(folder / ""); }), HasSubstr("is a folder"));
  EXPECT_THAT(io_error([&] { InputFile file("/proc/self/mem"); }, Code::damaged_document),
              HasSubstr("is empty"));
}

TEST(OpenFile, RefusesWhatMayNeverEndWithoutWaiting) {
  const Folder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);  // and nobody will ever write to it
  EXPECT_THAT(io_error([&] { OpenFile file(pipe); }), HasSubstr("is a pipe; a regular file"));
  EXPECT_THAT(io_error([] { OpenFile file("/dev/zero"); }), HasSubstr("is a device; a regular"));
  EXPECT_THAT(io_error([&] { OpenFile file(folder / ""); }), HasSubstr("is a folder; a regular"));
}

TEST(OpenFile, GivesFewerBytesOnceItIsCut) {
  const Folder folder;
  write_file(folder / "a", owned_bytes("some bytes"));
  const OpenFile file(folder / "a");
  FileBytes::Room room;
  EXPECT_EQ(text_of(FileBytes(file).read(5, 5, room)), "bytes");
  EXPECT_EQ(FileBytes(file).crc(0, 10), crc32(owned_bytes("some bytes")));
  std::filesystem::resize_file(folder / "a", 7);
  EXPECT_EQ(file.size(), 10u) << "as it was when it was opened";
  EXPECT_EQ(text_of(FileBytes(file).read(5, 5, room)), "by");
  EXPECT_EQ(FileBytes(file).crc(0, 10), std::nullopt);
  EXPECT_THAT(FileBytes(file).read(11, 1, room), IsEmpty());
}

}  // namespace
}  // namespace reel::test
