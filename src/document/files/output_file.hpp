// output_file.hpp - a file that only grows, and that nobody else's bytes are at risk for.
//
// Nothing is buffered: what write() took is with the system, and survives the end of this
// program; sync() makes it survive the end of the machine. Much of it is sent to the disk
// meanwhile, so that sync() has little to wait for. A write that fails leaves the file as it was
// before it. Owns the descriptor. One thread at a time.
//
// The file is a new one, always: an existing one is replaced by close(), once the new one is whole,
// and stays under its name until then, whatever ends the program. Meanwhile the new one has a name
// of its own beside it: written_path(). With `whole` a file that is new has such a name, too, and
// what isn't closed is taken away: there is the whole file, or none.
//
// Before each use the descriptor is checked to be still the file that was opened: a program that
// closes every descriptor it finds, and opens files of its own, may have been given the same
// number.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>

#include "document/files/file_place.hpp"

namespace reel {

struct OutputFileOptions {
  // An existing file is replaced, by close(); who has the old one open keeps the old bytes.
  bool overwrite = false;
  // It appears under its name by close(). Without: at once, and what is written stays.
  bool whole = false;
  // Who may read it, less what the umask takes away. Documents hold memory of programs.
  unsigned mode = 0600;
  // The descriptor gets a number that programs seldom reach.
  bool out_of_the_way = false;
  // A disk of this size, for tests.
  std::uint64_t limit_bytes = std::numeric_limits<std::uint64_t>::max();
};

// Who may read and write this file: for a copy that is to be as private. 0600 where it is no file.
unsigned mode_of(const std::filesystem::path& path) noexcept;

class OutputFile {
 public:
  // All of these throw Error(io_failed), which names the file and says what the system said. Only
  // regular files are written: a pipe or a device at that path is refused.
  explicit OutputFile(std::filesystem::path path, const OutputFileOptions& options = {});
  void write(std::span<const std::byte> bytes) { write_parts({bytes}); }
  void write_parts(std::initializer_list<std::span<const std::byte>> parts);  // all or none
  // What somebody else wrote into written_path() counts as written. The size of all.
  std::uint64_t take_size();
  void sync();
  // Waits until the disk has the bytes. What the file system notes of them is left to sync().
  void wait_for_disk();
  // Syncs, and puts the file where it was asked for. Throws too where the file was deleted, moved
  // or changed by somebody else: what was written is then not there. Nothing can be written after.
  void close();
  // Takes the file away again. A file that was to be replaced stays.
  void discard() noexcept;

  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // without close(): what was written stays at written_path(), unless `whole`

  std::uint64_t size_bytes() const noexcept { return size_bytes_; }
  const std::filesystem::path& path() const noexcept { return path_; }  // as asked for
  const std::filesystem::path& written_path() const noexcept { return written_path_; }

 private:
  void open(const OutputFileOptions& options);
  bool open_now(unsigned mode);  // false: the name is taken
  void check_is_ours();
  bool is_gone() const noexcept;  // written_path() names another file, or none
  // The number of bytes written of these, or an errno below zero.
  std::int64_t write_some(std::span<const std::byte> bytes, std::uint64_t offset) const;
  void send_to_disk() noexcept;
  [[noreturn]] void fail_to_sync(int error) const;
  [[noreturn]] void undo_and_fail(std::uint64_t wanted_bytes, int error);

  std::filesystem::path path_;
  std::filesystem::path written_path_;
  std::unique_ptr<FilePlace> place_;  // where it isn't written under its own name
  std::uint64_t limit_bytes_;
  bool is_whole_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t sent_bytes_ = 0;  // to the disk
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace reel
