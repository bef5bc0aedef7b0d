#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/process/descriptor_number.hpp"
#include "base/process/small_file.hpp"
#include "recording/contents/written_pages.hpp"

namespace reel::capture {
namespace {

// Newer than the headers of Debian 12; the numbers are the kernel's.
constexpr std::uint64_t feature_wp_async = 1 << 15;
constexpr int user_mode_only = 1;
struct PageRegion {
  std::uint64_t start, end, categories;
};
struct ScanArguments {
  std::uint64_t size = sizeof(ScanArguments), flags = 0, start = 0, end = 0, walk_end = 0, vec = 0,
                vec_len = 0, max_pages = 0, category_inverted = 0, category_mask = 0,
                category_anyof_mask = 0, return_mask = 0;
};
constexpr unsigned long pagemap_scan = _IOWR('f', 16, ScanArguments);
constexpr std::uint64_t protect_found = 1 << 0, fail_if_unwatched = 1 << 1;
constexpr std::uint64_t is_written = 1 << 1, is_present = 1 << 3;

struct Span {
  std::uintptr_t begin, end;
};
Span whole_pages(const std::byte* bytes, std::uint64_t size_bytes) {
  constexpr std::uintptr_t page = WrittenPages::page_bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(bytes);
  return {(address + page - 1) / page * page, (address + size_bytes) / page * page};
}

// A filter of system calls may end the process for one that it doesn't know.
bool is_filtered() {
  return small_file("/proc/self/status").find("\nSeccomp:\t0") == OwnText::npos;
}

}  // namespace

WrittenPages::WrittenPages() = default;

WrittenPages::~WrittenPages() { close_descriptor(); }

void WrittenPages::close_descriptor() noexcept {
  // In a child of fork it is one of the parent's memory, and the child's own copy of the number.
  if (descriptor_ >= 0 && is_open()) ::close(descriptor_);
  descriptor_ = -1;
}

// A program that closes all descriptors closes this one, too, and with it the watches; the number
// is then anybody's.
bool WrittenPages::is_open() noexcept {
  if (descriptor_ < 0 || process_ != ::getpid()) return false;
  char path[32], target[32] = {};
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor_);
  return ::readlink(path, target, sizeof target - 1) > 0 &&
         std::strcmp(target, "anon_inode:[userfaultfd]") == 0;
}

bool WrittenPages::watch(const std::byte* bytes, std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  if (is_impossible_ || size_bytes < worth_bytes) return false;
  if (!is_open()) {
    is_impossible_ = true;  // unless all of this succeeds
    if (::sysconf(_SC_PAGESIZE) != static_cast<long>(page_bytes) || is_filtered()) return false;
    const long opened = ::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | user_mode_only);
    if (opened < 0) return false;
    descriptor_ = moved_to(static_cast<int>(opened), number_out_of_the_way());
    process_ = ::getpid();
    uffdio_api api{UFFD_API, feature_wp_async, 0};
    if (::ioctl(descriptor_, UFFDIO_API, &api) != 0 || !(api.features & feature_wp_async)) {
      close_descriptor();
      return false;
    }
    is_impossible_ = false;
  }
  const auto [begin, end] = whole_pages(bytes, size_bytes);
  uffdio_register range{{begin, end - begin}, UFFDIO_REGISTER_MODE_WP, 0};
  // Memory of a GPU, or watched by the program itself, is refused. The next scan protects the
  // pages: until then all of them count as written.
  return ::ioctl(descriptor_, UFFDIO_REGISTER, &range) == 0;
}

void WrittenPages::unwatch(const std::byte* bytes, std::uint64_t size_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_open()) return;
  const auto [begin, end] = whole_pages(bytes, size_bytes);
  uffdio_range range{begin, end - begin};
  ::ioctl(descriptor_, UFFDIO_UNREGISTER, &range);
}

void WrittenPages::let_write(const std::byte* bytes, std::uint64_t size_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (!is_open()) return;
  const auto [begin, end] = whole_pages(bytes, size_bytes);
  uffdio_writeprotect range{{begin, end - begin}, 0};
  if (begin < end) ::ioctl(descriptor_, UFFDIO_WRITEPROTECT, &range);
}

std::optional<WrittenPages::Date> WrittenPages::scan(const std::byte* bytes,
                                                     std::uint64_t size_bytes,
                                                     std::vector<Date>& written) {
  const std::lock_guard lock(mutex_);
  if (!is_open()) return std::nullopt;
  // Opened each time: some 2 µs, and nothing that a program could close under us.
  const int pages = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pages < 0) return std::nullopt;
  ++now_;
  const auto [begin, end] = whole_pages(bytes, size_bytes);
  std::array<PageRegion, 256> found;
  ScanArguments arguments;
  arguments.flags = protect_found | fail_if_unwatched;
  arguments.start = begin;
  arguments.end = end;
  arguments.vec = reinterpret_cast<std::uintptr_t>(found.data());
  arguments.vec_len = found.size();
  // A page that isn't there may have been given back (MADV_DONTNEED), and is then another one.
  arguments.category_inverted = is_present;
  arguments.category_anyof_mask = is_written | is_present;
  arguments.return_mask = is_written | is_present;
  bool is_known = true;
  while (is_known && arguments.start < end) {
    const long count = ::ioctl(pages, pagemap_scan, &arguments);
    is_known = count >= 0;
    for (long i = 0; i < count; ++i) date(found[i].start, found[i].end);
    arguments.start = arguments.walk_end;
  }
  ::close(pages);
  if (!is_known) return std::nullopt;
  // Memory page by memory page; a piece that doesn't begin at one has to do with two.
  const auto first = reinterpret_cast<std::uintptr_t>(bytes);
  written.assign((size_bytes + page_bytes - 1) / page_bytes, 0);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::uintptr_t at = first + i * page_bytes;
    if (at < begin || std::min(at + page_bytes, first + size_bytes) > end) written[i] = now_;
  }
  for (std::uintptr_t at = begin; at < end;) {
    const std::uintptr_t chunk = at / page_bytes / chunk_pages;
    const std::uintptr_t next = std::min(end, (chunk + 1) * chunk_pages * page_bytes);
    const auto it = chunks_.find(chunk);
    for (; it != chunks_.end() && at < next; at += page_bytes) {
      const Date date = it->second[at / page_bytes % chunk_pages];
      for (const std::uintptr_t byte : {at, at + page_bytes - 1})
        if (const std::size_t i = (byte - first) / page_bytes; date > written[i]) written[i] = date;
    }
    at = next;
  }
  return now_;
}

void WrittenPages::date(std::uintptr_t begin, std::uintptr_t end) {
  for (std::uintptr_t page = begin / page_bytes; page < end / page_bytes; ++page)
    chunks_[page / chunk_pages][page % chunk_pages] = now_;
}

}  // namespace reel::capture
