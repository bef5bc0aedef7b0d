#include "runtime/graphs/pass_line.hpp"

#include "graph/commands/access.hpp"

namespace reel {

template <class Resource>
void PassLine::keep(Resource* resource) {
  const std::size_t place = named_.size();
  named_.push_back(resource);
  if (place < kept_already_.size() && kept_already_[place] == resource) [[likely]]
    return;
  kept_.push_back(resource->shared_from_this());
}

void PassLine::add(Command&& command) {
  if (auto* dispatch = std::get_if<Dispatch>(&command.work)) [[likely]] {
    const std::span<Argument> arguments = memory_.copy(dispatch->arguments);
    dispatch->arguments = arguments;
    keep(dispatch->kernel);
    for (Argument& argument : arguments) {
      if (argument.is_memory()) {
        keep(argument.range.buffer);
      } else if (argument.is_outside()) [[unlikely]] {
        argument.outside = memory_.copy(argument.value()).data();
      }
    }
    if (dispatch->indirect.buffer) [[unlikely]]
      keep(dispatch->indirect.buffer);
    if (dispatch->predicate) [[unlikely]]
      keep(dispatch->predicate.word.buffer);
    const std::string& name = dispatch->kernel->source.name;
    if (command.label.empty() || command.label.data() == name.data())
      command.label = name;  // the kernel keeps it
    else
      command.label = memory_.copy(command.label);
  } else {
    for_each_range(command.work, [&](const BufferRange& range, Access) { keep(range.buffer); });
    if (auto* write = std::get_if<Write>(&command.work)) {
      write->data = memory_.copy(write->data);
      written_bytes_ += write->data.size();
    }
    command.label = memory_.copy(command.label);
  }
  has_host_calls_ = has_host_calls_ || std::holds_alternative<HostCall>(command.work);
  has_work_ = has_work_ || !std::holds_alternative<Barrier>(command.work);
  commands_.push_back(std::move(command));  // last: whoever is added is whole
}

void PassLine::clear() noexcept {
  commands_.clear();
  memory_.clear();
  named_.clear();
  kept_.clear();
  kept_already_ = {};
  written_bytes_ = 0;
  has_host_calls_ = has_work_ = false;
}

bool PassLine::ends_with_barrier() const noexcept {
  return has_work_ && std::holds_alternative<Barrier>(commands_.back().work);
}

}  // namespace reel
