#include "document/columns/file_columns.hpp"

#include <initializer_list>

namespace reel::document {
namespace {

using enum FileType;

// Tables whose rows are tables of their own: batches.cpp writes and batch_rows.cpp reads them field
// by field.

const std::vector<FileColumn> devices{
    {"id", 0, u32, "number, from 0"},
    {"selector", 1, string, "what opens it: `opencl:0`"},
    {"backend", 2, string, "`host`, `opencl`, `vulkan`"},
    {"name", 3, string, "as its driver calls it"},
    {"type", 4, string, "`cpu`, `discrete gpu`, …"},
    {"driver", 5, string, "the name of its driver"},
    {"driver_version", 6, string, "as the driver tells it"},
    {"api_version", 7, string, "of OpenCL or Vulkan"},
    {"memory_bytes", 8, u64, "all of its memory; 0: not known"},
    {"compute_units", 9, u32, "cores, or what the driver counts as such; 0: not known"},
    {"can_stamp_time", 10, u32, "1: it tells when commands ran"},
    {"stamp_resolution_ns", 11, real, "of its timestamps; 0: not known"},
    {"features", 12, list, "names of those that a Vulkan program switched on"},
    {"extensions", 13, list, "names of those that a Vulkan program switched on"},
};

const std::vector<FileColumn> streams{
    {"id", 0, u32, "`s<id>`"},
    {"device", 1, id, "that runs its commands"},
    {"label", 2, string, "as the program named it"},
    {"ordered", 3, u32,
     "1: each command starts when the one before it is done. 0: only barriers and waits say so "
     "(a queue of Vulkan); ids are the order in which they were submitted",
     1},
    {"family", 4, id, "of a queue of Vulkan: its family"},
};

const std::vector<FileColumn> buffers{
    {"id", 0, u32, "`b<id>`"},
    {"device", 1, id, "that it belongs to"},
    {"size_bytes", 2, u64, "of an image: of its pixels, without padding"},
    {"label", 3, string, "as the program named it"},
    {"kind", 4, u32, "0 buffer, 1 image, 2 shared virtual memory"},
    {"starts_undefined", 5, u32,
     "1: fresh memory holds anything. 0: a buffer that was allocated within the capture begins as "
     "zeros"},
    {"image", 6, list, "of an image: its shape"},
    {"memory", 7, id, "the allocation that it lies in, a number of the process; none: its own"},
    {"memory_offset", 8, u64, "where it begins there, in bytes"},
    {"memory_flags", 9, u32, "of that memory: bits of `VkMemoryPropertyFlags`"},
    {"usage", 10, u32,
     "what the program made it for: bits of `VkBufferUsageFlags`, of an image of "
     "`VkImageUsageFlags`"},
    {"address", 11, u64,
     "of its first byte, as kernels were given it (`VkDeviceAddress`); 0: it has none"},
};

const std::vector<FileColumn> images{
    {"type", 0, u32, "0 1d, 1 1d_buffer, 2 1d_array, 3 2d, 4 2d_array, 5 3d"},
    {"channel_order", 1, u32, "as OpenCL numbers it"},
    {"channel_type", 2, u32, "as OpenCL numbers it"},
    {"pixel_bytes", 3, u32, "of one pixel"},
    {"width", 4, u64, "in pixels"},
    {"height", 5, u64, "in pixels; 1 where the type has none"},
    {"depth", 6, u64, "in pixels; 1 where the type has none"},
    {"layers", 7, u64, "of an array; 1 where the type has none"},
    {"row_pitch_bytes", 8, u64,
     "of an image that is made on a buffer: where its rows begin there; 0: they follow each other"},
    {"levels", 9, u32,
     "mip levels, whose bytes follow each other; each is half as wide, high and deep as the one "
     "before, rounded down, and at least 1. Default 1"},
    {"samples", 10, u32, "of a pixel; of more than 1 there are no bytes. Default 1"},
    {"first_level", 11, u32,
     "of an image that is made on a part of another: the level there that is its first"},
    {"first_layer", 12, u32, "the same of layers"},
    {"swizzle", 13, u32,
     "of such an image: what is read in place of R, G, B and A, four bits each from the lowest on: "
     "0 itself, 1 zero, 2 one, 3 to 6 R, G, B, A"},
};

const std::vector<FileColumn> kernels{
    {"id", 0, u32, "`k<id>`"},
    {"device", 1, id, "that it was built for"},
    {"name", 2, string, "its label"},
    {"entry", 3, string, "the entry point, where it has another name"},
    {"built_form", 4, string, "which form the device took: one of those of `variants`"},
    {"variants", 5, list, "every form that the program gave"},
    {"defines", 6, list, "pairs of name and value that it was built with"},
    {"constants", 7, list, "pairs of id and value of specialization constants"},
    {"options", 8, string, "of the compiler"},
    {"group_size", 9, list, "three numbers: what it was built for; 0: any"},
    {"parameters", 10, list, "of the built form, in argument order"},
    {"build_log", 11, string, "what the compiler said"},
    {"binary_hash", 12, string,
     "XXH3-128 of what the driver made of it (OpenCL: its program binary; Vulkan: the SPIR-V it "
     "was "
     "given); empty where there is none, and on PoCL, which compiles anew to answer and may fail "
     "while it works"},
    {"constants_high", 13, list,
     "the upper 32 bits of each of `constants`, where any has more than 32; else absent"},
    {"declared_layout", 14, u32,
     "1: a shader that says itself where its arguments go; `parameters` has the places"},
    {"array_counts", 15, list,
     "triples of set, binding and elements, of arrays of descriptors without a size in the source"},
    {"subgroup_size", 16, u32, "that it requires; 0: any"},
    {"full_subgroups", 17, u32, "1: it requires full subgroups"},
};

const std::vector<FileColumn> variants{
    {"form", 0, string,
     "`opencl_c`, `glsl`, `spirv` (for Vulkan), `opencl_binary` (what a driver made), `opencl_il` "
     "(SPIR-V for OpenCL), `opencl_parts`, `host`, `opencl_builtin`"},
    {"blob", 1, string,
     "the attachment with its text; empty of a `host` function and an `opencl_builtin`, which the "
     "device has under that name"},
};

const std::vector<FileColumn> parameters{
    {"name", 0, string, "as the source has it"},
    {"kind", 1, u32, "0 buffer, 1 value, 2 shared memory, 3 image, 4 sampler, 5 something else"},
    {"access", 2, u32, "1 read, 2 write, 3 both"},
    {"size_bytes", 3, u32, "of a value; 0: not known"},
    {"element", 4, u32, "the type of its numbers, as below"},
    {"descriptor", 5, u32, "of a kernel with a declared layout: what it is bound as, as below"},
    {"set", 6, u32, "where it is bound"},
    {"binding", 7, u32, "where it is bound in that set"},
    {"array_element", 8, u32, "where it is in an array of descriptors"},
};

const std::vector<FileColumn> notes{
    {"time_ns", 0, ns, "when it was noted, on the host"},
    {"kind", 1, string, "for programs"},
    {"text", 2, string, "a sentence for people"},
};

const FileColumn text_strings{"text", 1, string, "UTF-8"};

template <class... Lists>
std::vector<FileColumn> joined(const Lists&... lists) {
  std::vector<FileColumn> all;
  (all.insert(all.end(), lists.begin(), lists.end()), ...);
  return all;
}
std::vector<FileColumn> one(const FileColumn& column) { return {column}; }

}  // namespace

const char* to_string(FileType type) noexcept {
  constexpr std::array names{"u32", "id", "text", "u64", "ns", "string", "real", "list", "bytes"};
  return names[static_cast<std::size_t>(type)];
}

std::vector<FileTable> file_tables() {
  return {{"/texts", "Texts", joined(columns::texts, one(text_strings))},
          {"/devices", "Device", devices},
          {"/streams", "Stream", streams},
          {"/buffers", "Buffer", buffers},
          {"", "Image", images},
          {"/kernels", "Kernel", kernels},
          {"", "Variant", variants},
          {"", "Parameter", parameters},
          {"/works", "Works", joined(columns::works, columns::arguments, one(columns::values))},
          {"/commands", "Commands", joined(columns::commands)},
          {"/stamps", "Stamps", joined(columns::stamps)},
          {"/orders", "Orders", joined(columns::orders)},
          {"/contents", "Contents", joined(columns::contents, one(columns::pages))},
          {"/calls", "Calls", joined(columns::calls)},
          {"/allocations", "Allocations", joined(columns::allocations)},
          {"/regions", "Regions", joined(columns::regions)},
          {"/overheads", "Overheads", joined(columns::overheads)},
          {"/clocks", "Clocks", joined(columns::clocks)},
          {"/edges", "Edges", joined(columns::edges)},
          {"/notes", "Note", notes},
          {"/submissions", "Submissions", joined(columns::submissions)},
          {"/barriers", "Barriers", joined(columns::barriers)},
          {"/intervals", "Intervals", joined(columns::intervals)},
          {"/host_clocks", "HostClocks", joined(columns::host_clocks)}};
}

}  // namespace reel::document
