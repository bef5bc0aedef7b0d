#include "capture/pass.hpp"

#include <algorithm>
#include <vector>

#include "capture/active_capture.hpp"

namespace reel::capture {

namespace {

// Gone before the thread is; a static destructor may still begin a pass then.
thread_local bool is_gone = false;
struct OpenPasses {
  ~OpenPasses() { is_gone = true; }
  std::vector<std::weak_ptr<const Pass>> list;  // the innermost last
};
thread_local OpenPasses open_passes;

}  // namespace

Pass::Pass(PassKind kind, std::uint32_t number, std::string name,
           std::shared_ptr<const Pass> around, std::uint64_t begin_ns)
    : kind_(kind),
      number_(number),
      name_(std::move(name)),
      around_(std::move(around)),
      begin_ns_(begin_ns) {}

Pass::~Pass() { ended(); }

void Pass::given(StreamState& stream) noexcept {
  is_open_.store(false, std::memory_order_release);
  pass_given(*this, stream);
}

void Pass::ended() noexcept {
  is_open_.store(false, std::memory_order_release);
  if (has_ended_.exchange(true)) return;
  // A launch outside of a session has no end that the program tells of; its command has its times.
  if (kind_ != PassKind::launch) record_region();
  pass_ended(*this);
}

void Pass::record_region() noexcept {
  if (!has_region_.exchange(true))
    capture::record_region(TraceRegion::Kind::pass, number_, name_, begin_ns_);
}

bool Pass::is_within(const PassRange& range) const noexcept {
  for (const Pass* pass = this; pass; pass = pass->around_.get())
    if (pass->number_ >= range.first && pass->number_ <= range.last) return true;
  return false;
}

std::shared_ptr<const Pass> open_pass_of_this_thread() noexcept {
  if (is_gone) return nullptr;
  auto& list = open_passes.list;
  while (!list.empty()) {
    auto pass = list.back().lock();
    if (pass && pass->is_open()) return pass;
    list.pop_back();
  }
  return nullptr;
}

void opened_on_this_thread(const std::shared_ptr<const Pass>& pass) {
  if (!is_gone) open_passes.list.push_back(pass);
}

const Pass* pass_of_this_thread() noexcept {
  if (const PassRecord* giving = reel::detail::giving_pass) return static_cast<const Pass*>(giving);
  return open_pass_of_this_thread().get();  // open: its session keeps it
}

bool gives_for(const PassRange& range) noexcept {
  const Pass* pass = pass_of_this_thread();
  return !pass || pass->is_within(range);
}

}  // namespace reel::capture
