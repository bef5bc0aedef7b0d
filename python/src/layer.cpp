// layer.cpp - Reel's OpenCL layer, where it is in this process.
//
// libreel answers to reel_app.h as well; here only the layer is asked, since captures of libreel
// have more options by its own API.
#include <dlfcn.h>

#include <cstdlib>

#include "bind.hpp"
#include "reel/error.hpp"
#include "reel_app.h"

namespace reel::python {
namespace {

// Null while it isn't loaded; once it is, it stays. With the GIL.
const reel_app_api* find_awake() {
  static const reel_app_api* found = nullptr;
  if (!found) found = reel_app_of_layers();
  return found;
}

bool is_named() {
  const char* list = std::getenv("OPENCL_LAYERS");
  return list && std::string_view(list).find("reel_layer") != std::string_view::npos;
}

// $OPENCL_LAYERS counts from the first call of OpenCL on, which may come after a capture is wanted.
void wake_loader() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!library) return;
  using GetPlatforms = int (*)(unsigned, void*, unsigned*);
  const auto get = reinterpret_cast<GetPlatforms>(dlsym(library, "clGetPlatformIDs"));
  unsigned count = 0;
  if (!get) return;
  const GilReleased released;
  get(0, nullptr, &count);
}

const reel_app_api* find_layer() {
  if (!find_awake() && is_named()) wake_loader();
  return find_awake();
}

const reel_app_api& layer() {
  if (const reel_app_api* api = find_layer()) return *api;
  throw Error(Code::unsupported, "Reel's OpenCL layer isn't in this process.");
}

void check(int status) {
  if (status == 0) return;
  const char* words = layer().last_error();
  throw Error(Code::invalid_argument,
              words && *words ? words : "Reel's OpenCL layer refused, and doesn't say why.");
}

}  // namespace

void bind_layer(py::module_& module) {
  py::module_ part = module.def_submodule("layer", "Reel's OpenCL layer, where it is loaded.");
  part.def("is_loaded", [] { return find_layer() != nullptr; });
  // False as well where it would be loaded by the first call of OpenCL.
  part.def("is_awake", [] { return find_awake() != nullptr; });
  part.def("start", [](const std::optional<std::string>& path) {
    const reel_app_api& api = layer();
    int status = 0;
    {
      const GilReleased released;
      status = api.start(path ? path->c_str() : nullptr);
    }
    check(status);
  });
  part.def("stop", [] {
    const reel_app_api& api = layer();
    int status = 0;
    {
      const GilReleased released;
      status = api.stop();
    }
    check(status);
  });
  part.def("trigger", [] { check(layer().trigger()); });
  part.def("is_capturing", [] { return layer().is_capturing() != 0; });
  part.def("push_scope", [](const std::string& name) { layer().push_scope(name.c_str()); });
  part.def("pop_scope", [] { layer().pop_scope(); });
  part.def("label", [](std::uintptr_t object, const std::string& name) {
    layer().label(reinterpret_cast<const void*>(object), name.c_str());
  });
}

}  // namespace reel::python
