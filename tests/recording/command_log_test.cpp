#include "recording/writing/command_log.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace reel::capture {
namespace {

struct Entry {
  EntryHeader header;
  std::uint64_t number;
};

void append(CommandLog& log, std::uint64_t number, std::uint32_t extra_bytes) {
  const std::uint32_t size = sizeof(Entry) + extra_bytes;
  auto* place = log.reserve(size);
  const Entry entry{{size, EntryType::command}, number};
  std::memcpy(place, &entry, sizeof entry);
  std::memset(place + sizeof entry, static_cast<int>(number & 0xff), extra_bytes);
  log.commit();
}

TEST(CommandLog, GivesEveryEntryOnceInOrderToAReaderBesideIt) {
  constexpr std::uint64_t count = 200'000;
  CommandLog log;
  std::atomic<bool> written{false};
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < count; ++i)
      append(log, i, static_cast<std::uint32_t>(i % 97 * 8) + (i % 50'000 == 7 ? 1u << 20 : 0));
    written = true;
  });
  std::uint64_t next = 0;
  bool in_order = true;
  const auto visit = [&](const EntryHeader& header) {
    const auto& entry = reinterpret_cast<const Entry&>(header);
    in_order = in_order && entry.number == next++;
    if (header.size_bytes > sizeof(Entry))
      in_order = in_order && reinterpret_cast<const unsigned char*>(&entry + 1)[0] ==
                                 static_cast<unsigned char>(entry.number);
  };
  while (!written) log.read_until(log.end(), visit);
  log.read_until(log.end(), visit);
  writer.join();
  log.read_until(log.end(), visit);
  EXPECT_TRUE(in_order);
  EXPECT_EQ(next, count);
  EXPECT_TRUE(log.is_read());
}

TEST(CommandLog, NeedsNoMoreMemoryForMoreEntriesOnceTheReaderKeepsUp) {
  CommandLog log;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    append(log, i, 64);
    if (i % 1000 == 0) log.read_until(log.end(), [](const EntryHeader&) {});
  }
  EXPECT_LE(log.blocks(), 4u);
}

}  // namespace
}  // namespace reel::capture
