#include "graph/order/validate.hpp"

#include <algorithm>
#include <limits>

#include "base/fail.hpp"
#include "graph/commands/describe.hpp"

namespace reel {
namespace {

// Which part of a command is looked at; put into words only when something is wrong with it.
struct Place {
  const Command& command;
  const char* role = nullptr;  // "source"; none: an argument
  std::size_t index = 0;       // of the argument
  const Parameter* parameter = nullptr;

  std::string words() const {
    if (role) return fmt::format("{} {}", describe(command), role);
    const bool named = parameter && !parameter->name.empty();
    return fmt::format("{} argument {}{}", describe(command), index,
                       named ? fmt::format(" ({})", parameter->name) : "");
  }
};

void check_range(const Place& place, const BufferRange& range) {
  if (!range.buffer) fail(Code::invalid_argument, "{} names no buffer.", place.words());
  const BufferResource& buffer = *range.buffer;
  if (buffer.freed)
    fail(Code::invalid_argument, "{} names buffer {}, which was freed.", place.words(),
         describe(buffer));
  if (range.offset_bytes > buffer.size_bytes ||
      range.size_bytes > buffer.size_bytes - range.offset_bytes)
    fail(Code::invalid_argument, "{} (offset {}, {} bytes) ends past buffer {} ({} bytes).",
         place.words(), range.offset_bytes, range.size_bytes, describe(buffer), buffer.size_bytes);
}

// --- dispatch -----------------------------------------------------------------------------------

std::string list_of(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& p : parameters) {
    if (!text.empty()) text += ", ";
    text += to_string(p.kind);
    if (!p.name.empty()) text += " " + p.name;
  }
  return text.empty() ? "none" : text;
}

bool has_shared(const KernelResource& kernel) {
  return std::ranges::any_of(kernel.parameters,
                             [](const Parameter& p) { return p.kind == ArgumentKind::shared; });
}

// Finds the parameter that each argument stands for, in argument order.
class ParameterCursor {
 public:
  explicit ParameterCursor(const KernelResource& kernel)
      : kernel_(kernel), skips_shared_(kernel.parameters_by_kind || !has_shared(kernel)) {}

  // A shader sizes its own shared memory, so its reflection has no place for such an argument.
  bool skips(const Argument& argument) const {
    return argument.kind == ArgumentKind::shared && skips_shared_;
  }
  const Parameter* next(ArgumentKind kind) {
    if (!kernel_.parameters_by_kind)
      return place_ < kernel_.parameters.size() ? &kernel_.parameters[place_++] : nullptr;
    std::size_t& place = kind == ArgumentKind::buffer ? place_ : value_place_;
    while (place < kernel_.parameters.size())
      if (const Parameter& p = kernel_.parameters[place++]; p.kind == kind) return &p;
    return nullptr;
  }

 private:
  const KernelResource& kernel_;
  const bool skips_shared_;
  std::size_t place_ = 0, value_place_ = 0;
};

const char* with_article(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::buffer:
      return "a buffer";
    case ArgumentKind::value:
      return "a value";
    case ArgumentKind::shared:
      return "shared memory";
    case ArgumentKind::image:
      return "an image";
    case ArgumentKind::sampler:
      return "a sampler";
    case ArgumentKind::null:
      return "a pointer to nothing";
    case ArgumentKind::indirect:
    case ArgumentKind::opaque:
    case ArgumentKind::run_if:
    case ArgumentKind::run_unless:
      return "something else";
  }
  return "unknown";
}

// A pointer to nothing may stand where a buffer, an image or a sampler does, and the bytes of a
// uniform buffer where the buffer does.
bool fits(ArgumentKind given, const Parameter& parameter) {
  const ArgumentKind wanted = parameter.kind;
  if (given == ArgumentKind::value && parameter.descriptor == DescriptorKind::uniform_buffer)
    return true;
  return given == wanted || (given == ArgumentKind::null &&
                             (wanted == ArgumentKind::buffer || wanted == ArgumentKind::image ||
                              wanted == ArgumentKind::sampler || wanted == ArgumentKind::opaque));
}

// The argument by itself, then against its parameter.
void check_argument(const Place& place, const Argument& argument) {
  if (argument.kind == ArgumentKind::buffer) {
    check_range(place, argument.range);
    if (argument.range.size_bytes == 0)
      fail(Code::invalid_argument, "{} binds 0 bytes of buffer {}; the least is 1.", place.words(),
           describe(*argument.range.buffer));
  }
  if (argument.kind == ArgumentKind::image) {
    check_range(place, argument.range);
    const BufferResource& image = *argument.range.buffer;
    if (!image.image)
      fail(Code::invalid_argument, "{} is given as an image, but {} is a buffer.", place.words(),
           describe(image));
    if (argument.range.offset_bytes != 0 || argument.range.size_bytes != image.size_bytes)
      fail(Code::invalid_argument, "{} binds a part of image {}; only all of it can be bound.",
           place.words(), describe(image));
  }
  if (argument.kind == ArgumentKind::value &&
      (argument.value_bytes == 0 || argument.value_bytes > max_outside_value_bytes))
    fail(Code::invalid_argument, "{} is a value of {} bytes; allowed are 1 to {}.", place.words(),
         argument.value_bytes, max_outside_value_bytes);

  if (argument.kind == ArgumentKind::shared && argument.shared_bytes == 0)
    fail(Code::invalid_argument, "{} asks for 0 bytes of shared memory; the least is 1.",
         place.words());

  const Parameter* parameter = place.parameter;
  if (!parameter) return;
  if (!fits(argument.kind, *parameter))
    fail(Code::invalid_argument, "{} is {}, but the kernel takes {} there.", place.words(),
         with_article(argument.kind), with_article(parameter->kind));
  if (argument.kind == ArgumentKind::value && parameter->size_bytes != 0 &&
      argument.value_bytes != parameter->size_bytes)
    fail(Code::invalid_argument, "{} has {} bytes, but the kernel takes {} there.", place.words(),
         argument.value_bytes, parameter->size_bytes);
}

[[noreturn]] void fail_count(const Command& command, const Dispatch& dispatch) {
  const KernelResource& kernel = *dispatch.kernel;
  const ParameterCursor cursor(kernel);
  const auto given = std::ranges::count_if(dispatch.arguments,
                                           [&](const Argument& a) { return !cursor.skips(a); });
  const bool some_skipped = static_cast<std::size_t>(given) != dispatch.arguments.size();
  fail(Code::invalid_argument, "{} has {} arguments{}, but kernel '{}' takes {} ({}).",
       describe(command), given, some_skipped ? " beside shared memory" : "", kernel.source.name,
       kernel.parameters.size(), list_of(kernel.parameters));
}

void check_arguments(const Command& command, const Dispatch& dispatch) {
  const KernelResource& kernel = *dispatch.kernel;
  ParameterCursor cursor(kernel);
  std::size_t matched = 0;
  for (std::size_t i = 0; i < dispatch.arguments.size(); ++i) {
    const Argument& argument = dispatch.arguments[i];
    const bool matches = kernel.reflected && !cursor.skips(argument);
    const Parameter* parameter = matches ? cursor.next(argument.kind) : nullptr;
    const bool is_by_address =
        matches && !parameter && kernel.follows_addresses && argument.kind == ArgumentKind::buffer;
    if (matches && !parameter && !is_by_address) fail_count(command, dispatch);
    matched += matches && !is_by_address;
    check_argument({.command = command, .index = i, .parameter = parameter}, argument);
  }
  if (kernel.reflected && matched != kernel.parameters.size()) fail_count(command, dispatch);
}

// Saturates: (2^32 - 1)^3 items don't fit in 64 bits.
std::uint64_t items_of(const Dim3& size) {
  const std::uint64_t plane = std::uint64_t{size.x} * size.y;
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return plane != 0 && size.z > most / plane ? most : plane * size.z;
}

void check_predicate(const Command& command, const DispatchPredicate& predicate) {
  check_range({.command = command, .role = "predicate"}, predicate.word);
  if (predicate.word.buffer->image)
    fail(Code::invalid_argument, "{} reads its predicate from {}, which is an image.",
         describe(command), describe(predicate.word));
  if (predicate.word.size_bytes != sizeof(std::uint32_t))
    fail(Code::invalid_argument, "{} reads its predicate from {}; it takes 4 bytes.",
         describe(command), describe(predicate.word));
  if (predicate.word.offset_bytes % sizeof(std::uint32_t) != 0)
    fail(Code::invalid_argument,
         "{} reads its predicate from {}; the offset must be a multiple of 4.", describe(command),
         describe(predicate.word));
}

void check(const Command& command, const Dispatch& dispatch) {
  if (!dispatch.kernel) fail(Code::invalid_argument, "{} names no kernel.", describe(command));
  const KernelResource& kernel = *dispatch.kernel;
  if (dispatch.indirect.buffer && dispatch.is_free_grid())
    fail(Code::invalid_argument,
         "{} reads its grid on the device, and can't have items or an "
         "offset beside.",
         describe(command));
  const bool is_own_choice = dispatch.group_size == unset_dim && dispatch.items != unset_dim;
  const Dim3 size =
      is_own_choice ? Dim3{1, 1, 1} : resolve_group_size(command, kernel, dispatch.group_size);
  if (size.x == 0 || size.y == 0 || size.z == 0)
    fail(Code::invalid_argument, "{} has group size {}; each dimension must be at least 1.",
         describe(command), describe(size));
  if (kernel.max_group_items != 0 && items_of(size) > kernel.max_group_items)
    fail(Code::invalid_argument,
         "{} has group size {}, but kernel '{}' runs at most {} items a group.", describe(command),
         describe(size), kernel.source.name, kernel.max_group_items);
  check_arguments(command, dispatch);
  if (dispatch.predicate) check_predicate(command, dispatch.predicate);
  if (!dispatch.indirect.buffer) return;
  check_range({.command = command, .role = "group counts"}, dispatch.indirect);
  if (dispatch.indirect.size_bytes < 3 * sizeof(std::uint32_t))
    fail(Code::invalid_argument, "{} reads its group counts from {}; they take 12 bytes.",
         describe(command), describe(dispatch.indirect));
  if (dispatch.indirect.offset_bytes % sizeof(std::uint32_t) != 0)
    fail(Code::invalid_argument,
         "{} reads its group counts from {}; the offset must be a multiple of 4.",
         describe(command), describe(dispatch.indirect));
}

// --- the others --------------------------------------------------------------------------------

void check(const Command& command, const Copy& copy) {
  check_range({.command = command, .role = "source"}, copy.source);
  check_range({.command = command, .role = "target"}, copy.target);
  const BufferRange &s = copy.source, &t = copy.target;
  if (s.size_bytes != t.size_bytes)
    fail(Code::invalid_argument, "{} from {} to {}: the sizes must be equal.", describe(command),
         describe(s), describe(t));
  if (s.buffer == t.buffer && s.offset_bytes < t.offset_bytes + t.size_bytes &&
      t.offset_bytes < s.offset_bytes + s.size_bytes)
    fail(Code::invalid_argument,
         "{} source (offset {}, {} bytes) and target (offset {}, {} bytes) overlap in buffer {}.",
         describe(command), s.offset_bytes, s.size_bytes, t.offset_bytes, t.size_bytes,
         describe(*s.buffer));
}

void check(const Command& command, const Fill& fill) {
  check_range({.command = command, .role = "target"}, fill.target);
  const std::uint32_t n = fill.pattern_bytes;
  if (n != 1 && n != 2 && n != 4)
    fail(Code::invalid_argument, "{} has a pattern of {} bytes; allowed are 1, 2 and 4.",
         describe(command), n);
  if (fill.target.size_bytes % n != 0)
    fail(Code::invalid_argument, "{} of {}: the size must be a multiple of the pattern's {} bytes.",
         describe(command), describe(fill.target), n);
}

void check_host_memory(const Command& command, const char* verb, const BufferRange& range,
                       const void* memory, std::size_t size_bytes) {
  if (size_bytes != range.size_bytes)
    fail(Code::invalid_argument, "{} {} {} bytes of host memory and {}; the sizes must be equal.",
         describe(command), verb, size_bytes, describe(range));
  if (!memory && size_bytes != 0)
    fail(Code::invalid_argument, "{} {} {} bytes of host memory at a null address.",
         describe(command), verb, size_bytes);
}

void check(const Command& command, const Write& write) {
  check_range({.command = command, .role = "target"}, write.target);
  check_host_memory(command, "takes", write.target, write.data.data(), write.data.size());
}

void check(const Command& command, const Read& read) {
  check_range({.command = command, .role = "source"}, read.source);
  check_host_memory(command, "fills", read.source, read.target.data(), read.target.size());
}

void check(const Command& command, const HostCall& call) {
  if (!call.function || !*call.function)
    fail(Code::invalid_argument, "{} has no function to call.", describe(command));
}

void check(const Command&, const Barrier&) {}

}  // namespace

void validate(const Command& command) {
  std::visit([&](const auto& work) { check(command, work); }, command.work);
}

Dim3 resolve_group_size(const Command& command, const KernelResource& kernel, Dim3 asked) {
  if (asked == unset_dim) {
    const auto* dispatch = std::get_if<Dispatch>(&command.work);
    if (dispatch && dispatch->items != unset_dim && kernel.group_size == unset_dim) return asked;
    if (kernel.group_size == unset_dim)
      fail(Code::invalid_argument,
           "{} has no group size: neither the launch nor kernel '{}' gives one.", describe(command),
           kernel.source.name);
    return kernel.group_size;
  }
  if (kernel.group_size_fixed && asked != kernel.group_size)
    fail(Code::invalid_argument, "{} has group size {}, but kernel '{}' was built for {}.",
         describe(command), describe(asked), kernel.source.name, describe(kernel.group_size));
  return asked;
}

void validate_argument(const Command& command, std::size_t index, const Argument& value) {
  const auto* dispatch = std::get_if<Dispatch>(&command.work);
  if (!dispatch)
    fail(Code::invalid_argument, "{} takes no arguments; only dispatches do.", describe(command));
  if (index >= dispatch->arguments.size())
    fail(Code::invalid_argument, "{} has {} arguments, so there is no argument {}.",
         describe(command), dispatch->arguments.size(), index);
  const Argument& old = dispatch->arguments[index];
  if (value.kind != old.kind)
    fail(Code::invalid_argument, "{} argument {} is {}; it can't become {}.", describe(command),
         index, with_article(old.kind), with_article(value.kind));
  const Parameter* parameter = nullptr;
  if (const KernelResource& kernel = *dispatch->kernel; kernel.reflected) {
    ParameterCursor cursor(kernel);
    for (std::size_t i = 0; i <= index; ++i)
      if (const Argument& a = dispatch->arguments[i]; !cursor.skips(a))
        parameter = cursor.next(a.kind);
    if (cursor.skips(value)) parameter = nullptr;
  }
  check_argument({.command = command, .index = index, .parameter = parameter}, value);
}

}  // namespace reel
