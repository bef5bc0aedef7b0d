// The machine goes off at any moment: what was written since the last sync may be gone, torn or in
// another order. A document's writes are listed as they reach the system, and replayed to every
// such state; each loads up to its last whole chunk, and is recovered or said to hold nothing.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>

#include "document/check_trace.hpp"
#include "document/sample_document.hpp"
#include "reel/capture.hpp"
#include "reel/device.hpp"
#include "reel/document.hpp"
#include "reel/error.hpp"

namespace {

using Bytes = std::vector<std::byte>;

// One thing that happened to the file: a write, or a sync where there are no bytes.
struct Step {
  std::uint64_t offset = 0;
  Bytes bytes;
};

std::mutex mutex;
bool is_listed = false;
std::vector<Step> steps;

}  // namespace

// The library's calls come here.
extern "C" ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  const ssize_t written = syscall(SYS_pwrite64, descriptor, bytes, count, offset);
  const std::lock_guard lock(mutex);
  if (is_listed && written > 0) {
    const auto* begin = static_cast<const std::byte*>(bytes);
    steps.push_back({static_cast<std::uint64_t>(offset), Bytes(begin, begin + written)});
  }
  return written;
}

extern "C" int fsync(int descriptor) {
  struct stat status {};
  const std::lock_guard lock(mutex);
  if (!is_listed) return 0;  // of thousands of copies, which nobody keeps
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) steps.push_back({});
  return static_cast<int>(syscall(SYS_fsync, descriptor));
}

namespace {
bool disk_fails = false;
}  // namespace

extern "C" int sync_file_range(int descriptor, off64_t begin, off64_t size, unsigned how) {
  if (disk_fails && (how & SYNC_FILE_RANGE_WAIT_AFTER) != 0) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_sync_file_range, descriptor, begin, size, how));
}

namespace reel::test {
namespace {

template <class Work>
std::vector<Step> listed(Work&& work) {
  {
    const std::lock_guard lock(mutex);
    steps.clear();
    is_listed = true;
  }
  work();
  const std::lock_guard lock(mutex);
  is_listed = false;
  return std::move(steps);
}

void put(Bytes& file, const Step& step, std::size_t count) {
  if (count == 0) return;
  if (file.size() < step.offset + count) file.resize(step.offset + count);  // a hole is zeros
  std::copy_n(step.bytes.begin(), count, file.begin() + static_cast<std::ptrdiff_t>(step.offset));
}

class PowerLoss : public testing::Test {
 protected:
  // Every state that the file may be found in.
  void check_all(const std::vector<Step>& all) {
    std::mt19937 random(1);
    Bytes durable;
    std::vector<const Step*> pending;
    for (const Step& step : all) {
      if (step.bytes.empty()) {
        for (const Step* one : pending) put(durable, *one, one->bytes.size());
        pending.clear();
        check(durable, durable);
        continue;
      }
      pending.push_back(&step);
      check_torn(durable, pending, random() % (step.bytes.size() + 1));
      // All but one, in whatever order: a hole.
      for (std::size_t hole = 0; hole + 1 < pending.size(); hole += 1 + pending.size() / 8)
        check_some(durable, pending, [&](std::size_t i) {
          return i == hole ? random() % (pending[i]->bytes.size() + 1) : pending[i]->bytes.size();
        });
      check_some(durable, pending, [&](std::size_t i) {
        return random() % 2 != 0 ? pending[i]->bytes.size() : random() % pending[i]->bytes.size();
      });
    }
    EXPECT_TRUE(pending.empty()) << "a closed document is on its disk";
    Bytes whole = durable;
    write_bytes(path_, whole);
    EXPECT_TRUE(verify_document(path_).is_good());
    EXPECT_GT(states_, all.size());
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "x.reel", copy_ = folder_ / "copy.reel";

 private:
  // The last one torn, those before it whole.
  void check_torn(const Bytes& durable, const std::vector<const Step*>& pending, std::size_t at) {
    check_some(durable, pending, [&](std::size_t i) {
      return i + 1 == pending.size() ? at : pending[i]->bytes.size();
    });
  }

  template <class Count>
  void check_some(const Bytes& durable, const std::vector<const Step*>& pending, Count&& count) {
    Bytes file = durable;
    for (std::size_t i = 0; i < pending.size(); ++i) put(file, *pending[i], count(i));
    check(file, durable);
  }

  // `durable` is at the beginning of `file`, whatever became of the rest.
  void check(const Bytes& file, const Bytes& durable) {
    ++states_;
    const std::size_t least = commands_in(durable);
    write_bytes(path_, file);
    std::size_t found = 0;
    try {
      const Trace trace = Trace::load(path_);
      check_trace(trace);
      found = trace.commands().size();
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == Code::damaged_document || file.empty()) << error.what();
    }
    EXPECT_GE(found, least) << "what was synced is lost";
    try {
      if (recover_document(path_, copy_).was_whole) return;
      const VerifyReport report = verify_document(copy_);
      EXPECT_TRUE(report.is_good()) << testing::PrintToString(report.problems);
      EXPECT_GE(report.commands, found);
      std::filesystem::remove(copy_);
    } catch (const Error& error) {
      EXPECT_EQ(found, 0u) << error.what();
      EXPECT_FALSE(std::filesystem::exists(copy_));
    }
  }

  std::size_t commands_in(const Bytes& durable) {
    if (durable.size() != known_bytes_) {
      known_bytes_ = durable.size();
      write_bytes(path_, durable);
      known_commands_ = Trace::load(path_).commands().size();
    }
    return known_commands_;
  }

  std::size_t states_ = 0, known_bytes_ = 0, known_commands_ = 0;
};

TEST_F(PowerLoss, ACaptureLoadsUpToItsLastWholeChunk) {
  check_all(listed([&] {
    const Device device = open_device("host");
    const Stream stream = device.stream("work");
    const Buffer x = device.buffer(4096, "x");
    start_capture(folder_ / "capture.reel", {.contents = Contents::all});
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 5; ++i) {
        stream.fill(x, static_cast<std::uint8_t>(round * 5 + i));
        stream.write(x, std::vector<std::uint32_t>(1024, static_cast<std::uint32_t>(round + i)));
      }
      stream.synchronize();
      std::this_thread::sleep_for(std::chrono::milliseconds(70));  // the writer's round
    }
    stop_capture();
  }));
}

TEST_F(PowerLoss, WhatWasSyncedWhileItWasWrittenIsNeverLost) {
  check_all(listed([&] {
    document::DocumentWriter writer(folder_ / "synced.reel", {{"program", "synced"}});
    writer.add(
        document::DeviceRow{0, "host", "host", "CPU", "cpu", "reel", "1", "", 1, 1, true, 1});
    writer.add(document::StreamRow{0, 0, "main"});
    writer.add(document::BufferRow{0, 0, 16, "x"});
    document::WorkRow work{};
    work.kind = WorkKind::write;
    const std::vector<TraceArgument> target{{ArgumentKind::buffer, Access::write, 0, 0, 16}};
    work.arguments = target;
    const std::uint32_t upload = writer.add(work);
    for (std::uint32_t i = 0; i < 24; ++i) {
      writer.add(document::CommandRow{i, upload, 0, no_index, no_index, 1, 1000 + i, 1001 + i});
      writer.add(document::ContentsRow{
          ContentRole::written, i, 0, 0, 16, true,
          pages_of(writer, bytes_of("sixteen bytes " + std::to_string(10 + i)))});
      if (i % 3 == 2) writer.flush();
      if (i % 6 == 5) writer.sync();
    }
    writer.close({{"commands", "24"}, {"complete", "yes"}});
  }));
}

// The system says once that bytes did not reach the disk: who hears it must pass it on.
TEST_F(PowerLoss, BytesThatTheDiskRefusesAreToldOf) {
  for (const bool fails : {false, true}) {
    const Device device = open_device("host");
    const Stream stream = device.stream("work");
    const Buffer x = device.buffer(std::uint64_t{20} << 20, "x"),
                 y = device.buffer(x.size_bytes(), "y");
    std::mt19937 random(1);
    std::vector<std::uint32_t> values(x.size_bytes() / sizeof(std::uint32_t));
    for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(random());
    stream.write(x, values);
    stream.synchronize();
    start_capture(path_, {.overwrite = true});
    stream.copy(y, x);
    stream.synchronize();
    disk_fails = fails;
    std::string said;
    try {
      stop_capture();
    } catch (const Error& error) {
      said = error.what();
    }
    disk_fails = false;
    EXPECT_THAT(said, fails ? testing::HasSubstr("to its disk: Input/output error")
                            : testing::HasSubstr(""));
    EXPECT_EQ(said.empty(), !fails);
  }
}

}  // namespace
}  // namespace reel::test
