#include "runtime/callback.hpp"

#include "base/fail.hpp"

namespace reel {

constinit thread_local const CallbackFrame* CallbackFrame::current_ = nullptr;

const CallbackFrame* CallbackFrame::of(const DeviceInfo& device) noexcept {
  for (const CallbackFrame* c = current_; c; c = c->outer_)
    if (&c->device_ == &device) return c;
  return nullptr;
}

void refuse_wait_in_callback_slowly(const DeviceInfo& device, std::string_view operation) {
  const CallbackFrame* callback = Callback::of(device);
  if (!callback) return;
  if (callback->is_kernel())
    fail(Code::unsupported,
         "{} is called inside a host kernel of {}, and would wait for that kernel itself; a host "
         "kernel may not use the streams of its device.",
         operation, device.id);
  fail(
      Code::unsupported,
      "{} is called inside host call '{}' of {}, and would wait for that host call itself; enqueue "
      "the work without waiting, or wait after the host call.",
      operation, callback->label(), device.id);
}

void refuse_in_kernel_slowly(const DeviceInfo& device) {
  if (const CallbackFrame* callback = Callback::of(device); callback && callback->is_kernel())
    fail(Code::unsupported,
         "A stream of {} is used inside a host kernel of that device, which holds it; give the "
         "work before or after the kernel, or in a host call.",
         device.id);
}

void run_host_call(const std::function<void()>& function, std::string_view label,
                   const DeviceInfo& device) {
  const Callback inside(device, Callback::Kind::host_call, label);
  try {
    function();
  } catch (const std::exception& e) {
    fail(Code::host_call_failed, "Host call '{}' threw: {}", label, e.what());
  } catch (...) {
    fail(Code::host_call_failed, "Host call '{}' threw something that is not a std::exception.",
         label);
  }
}

void rethrow_of_kernel(std::string_view name) {
  try {
    throw;
  } catch (const Error& error) {
    if (error.code() == Code::host_call_failed) throw;  // names it already
    fail(Code::host_call_failed, "Host kernel '{}' threw: {}", name, error.what());
  } catch (const std::exception& error) {
    fail(Code::host_call_failed, "Host kernel '{}' threw: {}", name, error.what());
  } catch (...) {
    fail(Code::host_call_failed, "Host kernel '{}' threw something that is not a std::exception.",
         name);
  }
}

}  // namespace reel
