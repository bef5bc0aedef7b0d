#include "many_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <vector>

#include "document/document_writer.hpp"

namespace bench {
namespace {

using namespace reel::document;
using reel::Access;
using reel::ArgumentKind;
using reel::ElementType;
using reel::TraceArgument;
using reel::WorkKind;

constexpr std::uint64_t start_ns = 1'000'000'000'000;
constexpr std::uint32_t main_stream = 0, upload_stream = 1, side_stream = 2;
constexpr std::uint32_t main_thread = 4711;
constexpr std::uint64_t hidden_bytes = 4096, weight_bytes = 16u << 20, cached_bytes = 2048;

// A step of a layer; a matrix product is one that takes long.
struct Step {
  const char* name;
  const char* scope;
  std::uint32_t run_ns, groups;
};
constexpr std::array layer_steps{
    Step{"rms_norm", "attention", 3000, 1},   Step{"matmul_q", "attention", 21000, 64},
    Step{"matmul_k", "attention", 9000, 16},  Step{"matmul_v", "attention", 9000, 16},
    Step{"rope_q", "attention", 2500, 16},    Step{"rope_k", "attention", 2000, 4},
    Step{"append_kv", "attention", 1800, 4},  Step{"scores", "attention", 12000, 32},
    Step{"softmax", "attention", 4000, 32},   Step{"weighted_sum", "attention", 11000, 32},
    Step{"matmul_o", "attention", 21000, 64}, Step{"add_attention", "attention", 1500, 8},
    Step{"rms_norm_mlp", "mlp", 3000, 1},     Step{"matmul_gate", "mlp", 38000, 128},
    Step{"matmul_up", "mlp", 38000, 128},     Step{"silu", "mlp", 2500, 32},
    Step{"multiply", "mlp", 2500, 32},        Step{"matmul_down", "mlp", 37000, 64},
    Step{"add_mlp", "mlp", 1500, 8}};
constexpr std::array other_steps{
    Step{"embedding", "embedding", 4000, 8},   Step{"final_norm", "head", 3000, 1},
    Step{"matmul_head", "head", 160000, 500},  Step{"scale_logits", "head", 6000, 125},
    Step{"top_k", "sampling", 15000, 16},      Step{"softmax_top", "sampling", 3000, 1},
    Step{"cumulative", "sampling", 2500, 1},   Step{"sample", "sampling", 2000, 1},
    Step{"mean_square", "telemetry", 2500, 4}, Step{"largest", "telemetry", 2500, 4},
    Step{"histogram", "telemetry", 5000, 8}};
static_assert(layer_steps.size() + other_steps.size() == 30);

bool is_matmul(const Step& step) { return std::string_view(step.name).starts_with("matmul"); }

class Writer {
 public:
  Writer(const std::string& path, const ManyCommands& options)
      : options_(options),
        document_(path,
                  {{"program", "many_commands"},
                   {"command_line", fmt::format("many_commands --commands {}", options.commands)},
                   {"started_ns", std::to_string(start_ns)},
                   {"contents", "inputs"}},
                  {.overwrite = true}),
        random_(options.seed) {}

  void write() {
    write_device();
    write_kernels();
    write_weights();
    for (std::uint32_t pass = 0; next_ < options_.commands; ++pass) write_pass(pass);
    const auto clock_end = std::max(now_, free_[main_stream]);
    document_.add(ClockRow{0, clock_end, clock_end, 40});
    document_.close({{"commands", std::to_string(next_)},
                     {"ended_ns", std::to_string(clock_end)},
                     {"complete", "yes"}});
  }

 private:
  struct Works {
    std::uint32_t upload = 0, embedding = 0;
    std::vector<std::uint32_t> layers, tail, telemetry;
  };

  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return least + random_() % (most - least + 1);
  }

  void write_device() {
    document_.add(DeviceRow{0, "sim:0", "sim", "Simulated GPU", "gpu", "many_commands", "1", "",
                            8ull << 30, 40, true, 1});
    document_.add(ClockRow{0, start_ns, start_ns, 40});
    document_.add(StreamRow{main_stream, 0, "main"});
    document_.add(StreamRow{upload_stream, 0, "upload"});
    document_.add(StreamRow{side_stream, 0, "telemetry"});
  }

  void write_kernel(std::uint32_t id, const Step& step) {
    KernelRow row{};
    row.id = id;
    row.name = row.entry = step.name;
    row.built_form = reel::KernelForm::opencl_c;
    const std::string text = fmt::format(
        "// {0}\n__kernel void {0}(__global const float* a, __global const float* weights,\n"
        "                  __global float* out, uint n, float scale) {{\n"
        "  const size_t i = get_global_id(0);\n"
        "  if (i < n) out[i] = scale * a[i] * weights[i];\n}}\n",
        step.name);
    const auto bytes = std::as_bytes(std::span(text));
    row.variants = {{reel::KernelForm::opencl_c, {bytes.begin(), bytes.end()}}};
    row.options = "-cl-std=CL1.2";
    row.group_size = {64, 1, 1};
    row.parameters = {{"a", ArgumentKind::buffer, 0, Access::read, ElementType::f32},
                      {"weights", ArgumentKind::buffer, 0, Access::read, ElementType::f32},
                      {"out", ArgumentKind::buffer, 0, Access::write, ElementType::f32},
                      {"n", ArgumentKind::value, 4, Access::read, ElementType::u32},
                      {"scale", ArgumentKind::value, 4, Access::read, ElementType::f32}};
    document_.add(row);
    call("build", 400'000, 900'000);
  }

  void write_kernels() {
    std::uint32_t id = 0;
    for (const Step& step : layer_steps) write_kernel(id++, step);
    for (const Step& step : other_steps) write_kernel(id++, step);
  }

  std::uint32_t new_buffer(std::uint64_t size_bytes, std::string label) {
    document_.add(BufferRow{buffers_, 0, size_bytes, std::move(label)});
    document_.add(AllocationRow{false, buffers_, now_});
    call("allocate", 2000, 9000);
    return buffers_++;
  }

  void write_weights() {
    token_ = new_buffer(256, "token");
    hidden_[0] = new_buffer(hidden_bytes, "hidden");
    hidden_[1] = new_buffer(hidden_bytes, "hidden_next");
    logits_ = new_buffer(128000, "logits");
    statistics_ = new_buffer(1024, "statistics");
    for (std::uint32_t layer = 0; layer < options_.layers; ++layer) {
      weights_.push_back(new_buffer(weight_bytes, fmt::format("layer{}.weights", layer)));
      const std::vector<std::byte> page(4096, std::byte(layer));
      const reel::Hash128 hash = reel::hash128(page);
      document_.blob(hash, page);
      document_.add(ContentsRow{reel::ContentRole::input, reel::no_index, weights_.back(), 0,
                                page.size(), true, std::span(&hash, 1)});
    }
    for (std::uint32_t layer = 0; options_.decoder && layer < options_.layers; ++layer)
      caches_.push_back(new_buffer(
          cached_bytes * (options_.commands / (layer_steps.size() * options_.layers) + 1),
          fmt::format("layer{}.cache", layer)));
    const TraceArgument token{ArgumentKind::buffer, Access::write, token_, 0, 256};
    WorkRow upload{};
    upload.kind = WorkKind::write;
    upload.label = document_.text("upload token");
    upload.arguments = std::span(&token, 1);
    works_.upload = document_.add(upload);
    const std::uint32_t first_other = layer_steps.size();
    works_.embedding =
        dispatch(first_other, other_steps[0], "embedding", token_, weights_[0], hidden_[0]);
    for (std::uint32_t layer = 0; layer < options_.layers; ++layer)
      for (std::uint32_t i = 0; i < layer_steps.size(); ++i)
        works_.layers.push_back(dispatch(i, layer_steps[i],
                                         fmt::format("layer{}/{}", layer, layer_steps[i].scope),
                                         hidden_[i % 2], weights_[layer], hidden_[(i + 1) % 2]));
    for (std::uint32_t i = 1; i < other_steps.size(); ++i) {
      const bool is_telemetry = std::string_view(other_steps[i].scope) == "telemetry";
      (is_telemetry ? works_.telemetry : works_.tail)
          .push_back(dispatch(first_other + i, other_steps[i], other_steps[i].scope,
                              i == 1 ? hidden_[1] : logits_, weights_[0],
                              is_telemetry ? statistics_ : logits_));
    }
  }

  // What a step of a layer does in this pass, where it is about the cache.
  std::uint32_t layer_work(std::size_t index, std::uint32_t pass) {
    const auto step = static_cast<std::uint32_t>(index % layer_steps.size());
    const auto layer = static_cast<std::uint32_t>(index / layer_steps.size());
    const std::string_view name = layer_steps[step].name;
    const bool appends = name == "append_kv";
    if (!options_.decoder || !(appends || name == "scores" || name == "weighted_sum"))
      return works_.layers[index];
    const TraceArgument cache{ArgumentKind::buffer, appends ? Access::write : Access::read,
                              caches_[layer], appends ? cached_bytes * pass : 0,
                              appends ? cached_bytes : cached_bytes * (pass + 1)};
    return dispatch(step, layer_steps[step],
                    fmt::format("layer{}/{}", layer, layer_steps[step].scope), hidden_[step % 2],
                    weights_[layer], hidden_[(step + 1) % 2], &cache);
  }

  std::uint32_t dispatch(std::uint32_t kernel, const Step& step, const std::string& scope,
                         std::uint32_t from, std::uint32_t weights, std::uint32_t to,
                         const TraceArgument* cache = nullptr) {
    std::array arguments{TraceArgument{ArgumentKind::buffer, Access::read, from, 0, 256},
                         TraceArgument{ArgumentKind::buffer, Access::read, weights, 0,
                                       is_matmul(step) ? weight_bytes / 8 : 4096},
                         TraceArgument{ArgumentKind::buffer, Access::write, to, 0,
                                       to == statistics_ ? 1024u : 4096u},
                         TraceArgument{ArgumentKind::value, Access::read, reel::no_index, 0, 4},
                         TraceArgument{ArgumentKind::value, Access::read, reel::no_index, 0, 4}};
    if (cache) arguments[1] = *cache;
    const struct {
      std::uint32_t n;
      float scale;
    } values{step.groups * 64, 0.125f};
    WorkRow work{};
    work.kind = WorkKind::dispatch;
    work.kernel = kernel;
    work.label = document_.text(step.name);
    work.scope = document_.text(scope);
    work.groups = {step.groups, 1, 1};
    work.group_size = {64, 1, 1};
    work.arguments = arguments;
    work.values = std::as_bytes(std::span(&values, 1));
    return document_.add(work);
  }

  // A call of the host that takes between so long.
  void call(const char* name, std::uint64_t least_ns, std::uint64_t most_ns) {
    const std::uint64_t begin = now_;
    now_ += between(least_ns, most_ns);
    document_.add(CallRow{document_.text(name), main_thread, begin, now_});
  }

  // The host gives a command; the device runs it when its stream, and `after`, let it. Returns
  // when it ended.
  std::uint64_t command(std::uint32_t stream, std::uint32_t work, double run_ns,
                        std::uint32_t after = reel::no_index, std::uint64_t after_ns = 0) {
    if (next_ >= options_.commands) return now_;
    const std::uint64_t begin = now_;
    now_ += between(1500, 3500);
    document_.add(
        CommandRow{next_, work, stream, reel::no_index, reel::no_index, main_thread, begin, now_});
    if (after != reel::no_index) document_.add(OrderRow{next_, stream, after});
    if (std::exchange(is_first_[stream], false))
      for (const std::uint32_t done : waited_for_)
        if (done != reel::no_index) document_.add(OrderRow{next_, stream, done});
    const std::uint64_t queued = begin + 300, submitted = queued + between(300, 700);
    const std::uint64_t started =
        std::max({submitted + between(2000, 4000), free_[stream] + between(200, 900), after_ns});
    const std::uint64_t ended =
        started +
        static_cast<std::uint64_t>(run_ns * static_cast<double>(between(950, 1080)) / 1000);
    document_.add(StampRow{next_, queued, submitted, started, ended});
    now_ += between(100, 600);
    free_[stream] = ended;
    last_[stream] = next_++;
    return ended;
  }

  double run_ns(const Step& step) const {
    return step.run_ns * (is_matmul(step) ? options_.matmul_time : 1);
  }

  void write_pass(std::uint32_t pass) {
    const std::uint64_t begin = now_;
    if (pass % 10 == 9) now_ += 1'500'000;  // the host was busy with something else
    const std::uint32_t scratch = new_buffer(1u << 20, fmt::format("scratch.{}", pass));
    const std::uint32_t upload = next_;
    const std::uint64_t uploaded = command(upload_stream, works_.upload, 3000);
    command(main_stream, works_.embedding, run_ns(other_steps[0]), upload, uploaded);
    for (std::size_t i = 0; i < works_.layers.size(); ++i)
      command(main_stream, layer_work(i, pass), run_ns(layer_steps[i % layer_steps.size()]));
    for (std::size_t i = 0; i < works_.tail.size(); ++i)
      command(main_stream, works_.tail[i], run_ns(other_steps[1 + i]));
    const std::uint32_t sampled = next_ - 1;
    for (std::size_t i = 0; i < works_.telemetry.size(); ++i)
      command(side_stream, works_.telemetry[i], run_ns(other_steps[8 + i]),
              i == 0 ? sampled : reel::no_index, i == 0 ? free_[main_stream] : 0);
    const std::uint64_t wait = now_;
    now_ = std::max({now_, free_[main_stream], free_[side_stream]}) + between(3000, 20000);
    document_.add(CallRow{document_.text("synchronize"), main_thread, wait, now_});
    waited_for_ = last_;
    is_first_.fill(true);
    document_.add(AllocationRow{true, scratch, now_});
    document_.add(RegionRow{reel::TraceRegion::Kind::pass, pass + 1, 0, main_thread, begin, now_});
  }

  ManyCommands options_;
  DocumentWriter document_;
  std::minstd_rand random_;
  std::uint64_t now_ = start_ns;
  std::array<std::uint64_t, 3> free_{};  // by stream: when its last command ended
  // By stream: its last command; that when the host last waited; is none given since?
  std::array<std::uint32_t, 3> last_{reel::no_index, reel::no_index, reel::no_index};
  std::array<std::uint32_t, 3> waited_for_ = last_;
  std::array<bool, 3> is_first_{};
  std::uint32_t next_ = 0, buffers_ = 0;
  std::uint32_t token_ = 0, logits_ = 0, statistics_ = 0;
  std::array<std::uint32_t, 2> hidden_{};
  std::vector<std::uint32_t> weights_, caches_;  // by layer
  Works works_;
};

}  // namespace

void write_many_commands(const std::string& path, const ManyCommands& options) {
  Writer(path, options).write();
}

}  // namespace bench
