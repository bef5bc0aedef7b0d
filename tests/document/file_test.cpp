#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/crc32.hpp"
#include "document/file_bytes.hpp"
#include "document/input_file.hpp"
#include "document/mcap_fixtures.hpp"
#include "reel/error.hpp"

namespace reel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// What the call's io_failed says.
template <class Call>
std::string io_error(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::io_failed);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(OutputFile, HasWhatWasWrittenToIt) {
  const Folder folder;
  OutputFile file(folder / "a");
  file.write(bytes_of("one "));
  file.write_parts({bytes_of("two "), {}, bytes_of("three")});
  file.sync();
  EXPECT_EQ(file.size_bytes(), 13);
  EXPECT_EQ(text_of(read_file(folder / "a")),
            "one two three");  // while it is open: nothing is buffered
}

TEST(OutputFile, RefusesToOverwriteUnlessTold) {
  const Folder folder;
  write_file(folder / "a", bytes_of("precious"));
  EXPECT_THAT(io_error([&] { OutputFile file(folder / "a"); }),
              AllOf(HasSubstr((folder / "a").string()), HasSubstr("exists already")));
  EXPECT_EQ(text_of(read_file(folder / "a")), "precious");

  OutputFile file(folder / "a", {.overwrite = true});
  file.write(bytes_of("new"));
  EXPECT_EQ(text_of(read_file(folder / "a")), "new");
}

TEST(OutputFile, LeavesTheOldBytesToWhoHasTheReplacedFileOpen) {
  const Folder folder;
  write_file(folder / "a", bytes_of("old bytes"));
  const InputFile reader(folder / "a");
  OutputFile file(folder / "a", {.overwrite = true});
  file.write(bytes_of("new"));
  EXPECT_EQ(text_of(reader.bytes()), "old bytes");
}

TEST(OutputFile, NamesTheFolderThatIsMissing) {
  const Folder folder;
  EXPECT_THAT(io_error([&] { OutputFile file(folder / "no/such/a"); }),
              AllOf(HasSubstr("no/such/a"), HasSubstr("No such file or directory")));
}

TEST(OutputFile, SaysPlainlyThatTheDiskIsFull) {
  OutputFile file("/dev/full", {.overwrite = true});
  EXPECT_THAT(
      io_error([&] { file.write(bytes_of("text")); }),
      AllOf(HasSubstr("No room for 4 more bytes in '/dev/full'"), HasSubstr("No space left")));
}

TEST(OutputFile, IsAsBeforeAWriteThatFailed) {
  const Folder folder;
  OutputFile file(folder / "a", {.limit_bytes = 10});
  file.write(bytes_of("whole"));
  io_error([&] { file.write_parts({bytes_of("123"), bytes_of("456")}); });
  EXPECT_EQ(file.size_bytes(), 5);
  EXPECT_EQ(text_of(read_file(folder / "a")), "whole");
  file.write(bytes_of("12345"));  // what still fits does
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
  file.write(bytes_of("whole"));
  const std::string said = io_error([&] { file.write(bytes_of("too long")); });
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);

  EXPECT_THAT(said, HasSubstr("No room for 8 more bytes"));
  EXPECT_EQ(text_of(read_file(folder / "a")), "whole");
}

TEST(InputFile, HasAllBytesOfTheFile) {
  const Folder folder;
  write_file(folder / "a", bytes_of("some bytes"));
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
  EXPECT_THAT(io_error([&] { InputFile file(folder / "empty"); }), HasSubstr("empty' is empty"));
  EXPECT_THAT(io_error([&] { InputFile file(folder / ""); }), HasSubstr("is a folder"));
  EXPECT_THAT(io_error([&] { InputFile file("/proc/self/mem"); }), HasSubstr("is empty"));
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
  write_file(folder / "a", bytes_of("some bytes"));
  const OpenFile file(folder / "a");
  FileBytes::Room room;
  EXPECT_EQ(text_of(FileBytes(file).read(5, 5, room)), "bytes");
  EXPECT_EQ(FileBytes(file).crc(0, 10), crc32(bytes_of("some bytes")));
  std::filesystem::resize_file(folder / "a", 7);
  EXPECT_EQ(file.size(), 10u) << "as it was when it was opened";
  EXPECT_EQ(text_of(FileBytes(file).read(5, 5, room)), "by");
  EXPECT_EQ(FileBytes(file).crc(0, 10), std::nullopt);
  EXPECT_THAT(FileBytes(file).read(11, 1, room), IsEmpty());
}

}  // namespace
}  // namespace reel::test
