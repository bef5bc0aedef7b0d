#include "reel/device.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <optional>

#include "base/fail.hpp"
#include "base/handles.hpp"
#include "base/process/environment_variable.hpp"
#include "base/process/exit_watch.hpp"
#include "graph/commands/kernel_forms.hpp"
#include "runtime/backend_list.hpp"
#include "runtime/check.hpp"
#include "runtime/device_state.hpp"
#include "runtime/event_state.hpp"
#include "runtime/stream_state.hpp"

namespace reel {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// "opencl" and "opencl:" are any device of the backend; "opencl:1" is an id; anything else after
// the colon is part of a name.
bool matches(const DeviceInfo& info, std::string_view selector) {
  const std::string wanted = lower(selector);
  if (wanted == info.id) return true;
  const auto colon = wanted.find(':');
  if (wanted.substr(0, colon) != info.backend) return false;
  if (colon == std::string::npos) return true;
  const std::string rest = wanted.substr(colon + 1);
  const bool is_number =
      !rest.empty() &&
      std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return !is_number && lower(info.name).find(rest) != std::string::npos;
}

// GPUs before anything else, then what takes kernels in the most common form.
int rank(const DeviceInfo& info) {
  if (info.type == "discrete gpu") return 0;
  if (info.type == "integrated gpu") return 1;
  if (info.backend == "opencl") return 2;
  if (info.backend == "vulkan") return 3;
  return 4;
}

const Backend& backend_of(const DeviceInfo& info) {
  for (const Backend* backend : backends())
    if (info.backend == backend->name) return *backend;
  fail(Code::no_device, "No backend is called '{}'.", info.backend);
}

Device open(const DeviceInfo& info) {
  Device device = make_handle<Device>(std::make_shared<DeviceState>(backend_of(info).open(info)));
  expect_passes();
  return device;
}

// Of every backend that the selector may mean: who asks for the host doesn't wake a driver.
std::vector<DeviceInfo> devices_for(std::string_view selector) {
  std::vector<DeviceInfo> result;
  const std::string wanted = lower(selector.substr(0, selector.find(':')));
  const auto is_wanted = [&](const Backend* backend) { return wanted == backend->name; };
  const bool is_known = std::ranges::any_of(backends(), is_wanted);
  for (const Backend* backend : backends())
    if (!is_known || is_wanted(backend))
      for (DeviceInfo& info : backend->list()) result.push_back(std::move(info));
  return result;
}

std::string list_of(const std::vector<DeviceInfo>& infos) {
  std::string text;
  for (const DeviceInfo& info : infos) {
    text += fmt::format("\n  {}  {}", info.id, info.name);
    if (!info.available()) text += fmt::format(" (can't be opened: {})", info.unavailable);
  }
  return text;
}

}  // namespace

std::vector<DeviceInfo> devices() { return devices_for(""); }

Device open_device(std::string_view selector) {
  watch_exit();
  std::string_view origin;
  if (selector.empty()) {
    if (const auto variable = environment_variable("REEL_DEVICE"); !variable.empty()) {
      selector = variable;
      origin = " (from REEL_DEVICE)";
    }
  }
  std::vector<DeviceInfo> all = devices_for(selector);
  if (selector.empty()) {
    std::stable_sort(all.begin(), all.end(),
                     [](const DeviceInfo& a, const DeviceInfo& b) { return rank(a) < rank(b); });
    for (const DeviceInfo& info : all)
      if (info.available()) return open(info);
    fail(Code::no_device, "No device can be opened here:{}", list_of(all));
  }
  const DeviceInfo* closed = nullptr;
  for (const DeviceInfo& info : all) {
    if (!matches(info, selector)) continue;
    if (info.available()) return open(info);
    closed = &info;
  }
  if (closed)
    fail(Code::no_device, "Device '{}'{} can't be opened: {}", selector, origin,
         closed->unavailable);
  fail(Code::no_device, "No device matches '{}'{}. There are:{}", selector, origin,
       list_of(devices()));
}

Device open_device(const DeviceInfo& info) {
  watch_exit();
  if (!info.available())
    fail(Code::no_device, "Device '{}' can't be opened: {}", info.id, info.unavailable);
  return open(info);
}

DeviceState& state_of(const Device& device, std::string_view operation) {
  if (!device)
    fail(Code::invalid_argument,
         "The Device given to {} is empty; open one with reel::open_device().", operation);
  state_of(device)->refuse_inherited();
  return *state_of(device);
}

namespace {

// The last owner of a buffer is gone, or never got it whole.
void let_go(BufferResource* buffer) {
  std::unique_ptr<BufferResource> owned(buffer);
  if (!owned->device) return;
  if (owned->device->is_inherited()) {
    static_cast<void>(owned.release());
    return;
  }
  if (!owned->storage) {
    owned->device->live_bytes.fetch_sub(owned->size_bytes, std::memory_order_relaxed);
    DeviceState::all_live_bytes.fetch_sub(owned->size_bytes, std::memory_order_relaxed);
  }
  if (const RecorderUse recorder; recorder) recorder->freed(std::move(owned));
}

}  // namespace

namespace {

Buffer allocate(const std::shared_ptr<DeviceState>& device, const MemoryRequest& request) {
  static std::atomic<std::uint32_t> next{0};
  DeviceState& state = *device;
  const std::uint64_t begin_ns = monotonic_ns();
  const std::shared_ptr<BufferResource> resource(state.driver().allocate(request).release(),
                                                 let_go);
  resource->id = BufferId{next.fetch_add(1, std::memory_order_relaxed)};
  resource->label = request.label.empty()
                        ? fmt::format("b{}", static_cast<std::uint32_t>(resource->id))
                        : std::string(request.label);
  if (request.image) resource->image = *request.image;
  if (const BufferRange& storage = request.storage; storage.buffer) {
    resource->storage = storage.buffer->shared_from_this();
    resource->storage_offset_bytes = storage.offset_bytes;
    resource->storage_size_bytes = storage.size_bytes;
  }
  resource->device = device;
  if (!resource->storage) {
    state.live_bytes.fetch_add(resource->size_bytes, std::memory_order_relaxed);
    DeviceState::all_live_bytes.fetch_add(resource->size_bytes, std::memory_order_relaxed);
  }
  if (const RecorderUse recorder; recorder) recorder->allocated(*resource, begin_ns);
  return make_handle<Buffer>(resource);
}

void check_size(std::uint64_t size_bytes, std::string_view label, const DeviceInfo& info) {
  if (size_bytes == 0)
    fail(Code::invalid_argument, "Buffer '{}' can't have 0 bytes; the least is 1.", label);
  if (size_bytes > info.max_buffer_bytes)
    fail(Code::out_of_memory, "Buffer '{}' of {} bytes is larger than device {} allows ({} bytes).",
         label, size_bytes, info.id, info.max_buffer_bytes);
}

void check_image(const ImageShape& shape, std::string_view label, const DeviceInfo& info) {
  if (!info.takes_images)
    fail(Code::unsupported, "Image '{}' can't be made: {} has buffers and no images.", label,
         info.id);
  if (!shape.is_sound())
    fail(Code::invalid_argument,
         "Image '{}' ({}, {} bytes a pixel, {}) has a size that no {} image has.", label,
         to_string(shape.type), shape.pixel_bytes, extent_text(shape), to_string(shape.type));
}

}  // namespace

const DeviceInfo& Device::info() const { return state_of(*this, "info()").info(); }

Buffer Device::buffer(std::uint64_t size_bytes, std::string_view label) const {
  check_size(size_bytes, label, state_of(*this, "buffer()").info());
  return allocate(state_, {.size_bytes = size_bytes, .label = label});
}

Buffer Device::shared_virtual_buffer(std::uint64_t size_bytes, std::string_view label) const {
  check_size(size_bytes, label, state_of(*this, "shared_virtual_buffer()").info());
  return allocate(state_, {.size_bytes = size_bytes, .label = label, .shared_virtual = true});
}

Buffer Device::host_visible_buffer(std::uint64_t size_bytes, std::string_view label) const {
  const DeviceInfo& info = state_of(*this, "host_visible_buffer()").info();
  check_size(size_bytes, label, info);
  if (!info.maps_memory)
    fail(Code::unsupported,
         "Buffer '{}' can't be mapped: {} has no memory that host and kernels both see; use "
         "Stream::write() and read().",
         label, info.id);
  return allocate(state_, {.size_bytes = size_bytes, .label = label, .host_visible = true});
}

Buffer Device::addressed_buffer(std::uint64_t size_bytes, std::string_view label) const {
  const DeviceInfo& info = state_of(*this, "addressed_buffer()").info();
  check_size(size_bytes, label, info);
  Buffer made = allocate(state_, {.size_bytes = size_bytes, .label = label, .addressed = true});
  if (!made.device_address())
    fail(Code::unsupported,
         "Buffer '{}' can't have an address: {} has none that kernels could be given.", label,
         info.id);
  return made;
}

Buffer Device::image_buffer(const ImageShape& shape, std::string_view label) const {
  const DeviceInfo& info = state_of(*this, "image_buffer()").info();
  check_image(shape, label, info);
  check_size(shape.size_bytes(), label, info);
  return allocate(state_, {.size_bytes = shape.size_bytes(), .label = label, .image = &shape});
}

Buffer Device::image_view(BufferRange storage, const ImageShape& shape,
                          std::string_view label) const {
  check_image(shape, label, state_of(*this, "image_view()").info());
  if (!storage.buffer)
    fail(Code::invalid_argument,
         "Image '{}' is made on no buffer; image_buffer() makes one of its own.", label);
  if (storage.buffer->device != state_)
    fail(Code::invalid_argument, "Image '{}' is made on a buffer of another device.", label);
  if (storage.size_bytes < shape.stored_bytes())
    fail(Code::invalid_argument, "Image '{}' of {} bytes is made on {} bytes of buffer '{}'.",
         label, shape.stored_bytes(), storage.size_bytes, storage.buffer->label);
  return allocate(
      state_,
      {.size_bytes = shape.size_bytes(), .label = label, .image = &shape, .storage = storage});
}

Kernel Device::kernel(const KernelSource& source) const { return kernel(source, nullptr); }

Kernel Device::kernel(const KernelSource& source, std::shared_ptr<void>* shared) const {
  DeviceState& state = state_of(*this, "kernel()");
  const DeviceInfo& info = state.info();
  if (source.name.empty()) fail(Code::invalid_argument, "A KernelSource needs a name.");
  if (built_form(source, info.kernel_forms) == KernelForm::none) {
    const std::vector<KernelForm> given = forms_given(source);
    fail(Code::unsupported,
         "Kernel '{}' can't be built for {}: the device takes {}, the source has {}.", source.name,
         info.id, list_of_forms(info.kernel_forms, " or "),
         given.empty() ? "none" : list_of_forms(given));
  }
  static std::atomic<std::uint32_t> next{0};
  const std::uint64_t begin_ns = monotonic_ns();
  auto resource = state.driver().build(source, shared);
  resource->id = KernelId{next.fetch_add(1, std::memory_order_relaxed)};
  resource->source = source;
  resource->device = state_;
  resource->whole_groups_only = !info.takes_partial_groups;
  if (source.host && !source.host.owner) detail::note_host_kernel(source.name, source.host);
  if (resource->group_size == unset_dim) resource->group_size = source.group_size;
  if (const RecorderUse recorder; recorder) recorder->built(*resource, begin_ns);
  return make_handle<Kernel>(std::move(resource));
}

struct Program::Source {
  KernelSource source;
  std::mutex mutex;             // of the first that builds it
  std::shared_ptr<void> built;  // the backend's
};

Program::Program(const Device& device, KernelSource source)
    : device_(state_of(device)), source_(std::make_shared<Source>()) {
  state_of(device, "program()");
  source_->source = std::move(source);
}

Kernel Program::kernel(const std::string& entry, const ProgramKernel& own) const {
  const std::lock_guard lock(source_->mutex);
  KernelSource source = source_->source;
  source.name = own.label.empty() ? entry : own.label;
  source.entry = entry;
  if (!own.glsl.empty()) source.glsl = own.glsl;
  if (own.host) source.host = own.host;
  if (own.group_size != unset_dim) source.group_size = own.group_size;
  return Device(device_).kernel(source, &source_->built);
}

Stream Device::stream(const StreamOptions& options) const {
  return make_handle<Stream>(state_of(*this, "stream()").open_stream(options));
}

Stream Device::stream(std::string_view label) const {
  return stream(StreamOptions{.label = label});
}

Event Device::event(std::string_view label) const {
  state_of(*this, "event()");
  return make_handle<Event>(std::make_shared<EventState>(state_, std::string(label)));
}

void Device::synchronize() const {
  state_of(*this, "synchronize()").synchronize("Device::synchronize()");
}

}  // namespace reel
