#include "raised.hpp"

#include <deque>
#include <utility>

#include "kept.hpp"

namespace reel::python {

namespace {

// The last few, guarded by the GIL. Never taken down: Python may be gone then.
std::deque<std::pair<std::string, py::object>>& raised() {
  static auto* const list = new std::deque<std::pair<std::string, py::object>>;
  return *list;
}

}  // namespace

std::string describe_raised(const py::error_already_set& error) {
  constexpr std::size_t most = 8;  // of errors that nobody has seen yet
  std::string words = describe(error);
  py::object value = error.value();
  if (value && error.trace()) PyException_SetTraceback(value.ptr(), error.trace().ptr());
  raised().emplace_back(words, std::move(value));
  if (raised().size() > most) raised().pop_front();
  return words;
}

py::object raised_as(const std::string& words) {
  auto& list = raised();
  for (auto one = list.rbegin(); one != list.rend(); ++one)
    if (words.find(one->first) != std::string::npos) {
      py::object found = one->second;
      list.erase(std::next(one).base());
      return found;
    }
  return {};
}

}  // namespace reel::python
