// layer.cpp - Reel's OpenCL layer, where it is in this process.
//
// The OpenCL loader loads layers for itself alone, so their names aren't visible to others: the
// layer is asked for as a library that must be loaded already, by its own name and by those that
// $OPENCL_LAYERS has.
#include <dlfcn.h>

#include <cstdlib>

#include "app_api.hpp"
#include "bind.hpp"
#include "reel/error.hpp"

namespace reel::python {
namespace {

constexpr const char* layer_name = "libreel_opencl_layer.so";

std::vector<std::string> layer_paths() {
  std::vector<std::string> paths{layer_name};
  const char* list = std::getenv("OPENCL_LAYERS");
  for (std::string_view rest = list ? list : ""; !rest.empty();) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) paths.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return paths;
}

// Null where the library isn't loaded, or is another layer. The handle is kept: the loader never
// unloads its layers.
const reel_app_api* api_of_loaded(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_NOW);
  if (!library) return nullptr;
  const auto get = reinterpret_cast<reel_app_get_function>(dlsym(library, "reel_app_get"));
  const reel_app_api* api = get ? get(1) : nullptr;
  if (!api) dlclose(library);
  return api;
}

const reel_app_api* find_loaded() {
  for (const std::string& path : layer_paths())
    if (const reel_app_api* api = api_of_loaded(path)) return api;
  return nullptr;
}

// $OPENCL_LAYERS counts from the first call of OpenCL on, which may come after a capture is wanted.
void wake_loader() {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!library) return;
  using GetPlatforms = int (*)(unsigned, void*, unsigned*);
  const auto get = reinterpret_cast<GetPlatforms>(dlsym(library, "clGetPlatformIDs"));
  unsigned count = 0;
  if (get) get(0, nullptr, &count);
}

const reel_app_api* find_layer() {
  static const reel_app_api* found = nullptr;  // with the GIL
  if (found) return found;
  found = find_loaded();
  const char* list = std::getenv("OPENCL_LAYERS");
  if (!found && list &&
      std::string_view(list).find("reel_opencl_layer") != std::string_view::npos) {
    wake_loader();
    found = find_loaded();
  }
  return found;
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
  part.def("start", [](const std::optional<std::string>& path) {
    const reel_app_api& api = layer();
    int status = 0;
    {
      const py::gil_scoped_release released;
      status = api.start(path ? path->c_str() : nullptr);
    }
    check(status);
  });
  part.def("stop", [] {
    const reel_app_api& api = layer();
    int status = 0;
    {
      const py::gil_scoped_release released;
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
