// Trace::load: file, container, batches, rows.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/fail.hpp"
#include "document/batch_reader.hpp"
#include "document/mcap_reader.hpp"
#include "document/trace_assembler.hpp"
#include "document/trace_state.hpp"
#include "graph/text.hpp"

namespace reel {
namespace {

using namespace document;

constexpr std::uint32_t newest_format = 1;
// A chunk is held in memory uncompressed. A writer's have a megabyte and one batch more, unless
// that batch is full of pages' hashes, and those don't compress.
constexpr std::uint64_t free_chunk_bytes = 64u << 20, most_times_compressed = 64;

std::optional<std::uint64_t> number(const std::map<std::string, std::string>& facts,
                                    const char* key) {
  const auto found = facts.find(key);
  if (found == facts.end()) return std::nullopt;
  const std::string& text = found->second;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Loader {
 public:
  explicit Loader(const std::string& path)
      : state_(std::make_shared<TraceState>(path)), file_(state_->file), budget_(file_.size()) {}

  std::shared_ptr<const TraceState> load() && {
    read_container();
    read_facts();
    check_format();
    state_->blobs = BlobIndex(index_.attachments);
    read_batches();
    state_->tables = TraceAssembler(std::move(raw_), state_->blobs, problems_).assemble();
    check_count();
    if (index_.complete && !has_end())
      problems_.remark(
          "The recording was cut short: the document was recovered, and its end is missing.");
    state_->is_complete = index_.complete && !problems_.is_damaged();
    state_->problems = problems_.sentences();
    return state_;
  }

 private:
  void read_container() {
    try {
      index_ = mcap::read_index(file_);
    } catch (const Error& error) {
      fail(error.code(), "'{}' is no document: {}", state_->path, error.what());
    }
    if (index_.header.profile != "reel")
      fail(Code::damaged_document, "'{}' is an MCAP file of the profile '{}', not 'reel'.",
           state_->path, valid_utf8(index_.header.profile));
    if (index_.damage)
      problems_.damage(fmt::format("It can be read up to byte {} of {}: {}", index_.damage->offset,
                                   file_.size(), index_.damage->reason));
  }

  void read_facts() {
    for (const mcap::Metadata& metadata : index_.metadata) {
      auto* facts = metadata.name == "reel"       ? &state_->facts
                    : metadata.name == "reel.end" ? &state_->end_facts
                                                  : nullptr;
      if (!facts) continue;
      for (const auto& [key, value] : metadata.values)
        facts->insert_or_assign(valid_utf8(key), valid_utf8(value));
    }
  }

  bool has_end() const {
    return std::ranges::any_of(index_.metadata,
                               [](const auto& one) { return one.name == "reel.end"; });
  }

  void check_format() {
    if (state_->facts.empty()) {
      problems_.damage("The document ends before it says anything of itself.");
      return;
    }
    const auto format = number(state_->facts, "format");
    if (!format)
      problems_.damage("The document doesn't say which format it has.");
    else if (*format > newest_format)
      fail(Code::unsupported, "'{}' has format {}; this version of reel reads up to format {}.",
           state_->path, *format, newest_format);
  }

  void read_batches() {
    std::map<std::uint16_t, std::string_view> topics;
    for (const mcap::Channel& channel : index_.channels) {
      const std::string_view topic = BatchReader::known(channel.topic);
      if (!topic.empty() && channel.message_encoding == "flatbuffer")
        topics.emplace(channel.id, topic);
    }
    reserve_commands();
    BatchReader reader(raw_, problems_, budget_);
    mcap::ChunkReader chunks;
    for (const mcap::ChunkRef& chunk : index_.chunks) {
      if (chunk.uncompressed_bytes > free_chunk_bytes + most_times_compressed * chunk.data_bytes) {
        problems_.damage(fmt::format("The chunk at byte {} says it has {} bytes, out of {}.",
                                     chunk.offset, chunk.uncompressed_bytes, chunk.data_bytes));
        continue;
      }
      const auto damage =
          mcap::for_each_message(file_, chunk, chunks, [&](const mcap::MessageView& message) {
            const auto topic = topics.find(message.channel);
            if (topic != topics.end()) reader.read(topic->second, message.data);
          });
      if (damage)
        problems_.damage(
            fmt::format("The chunk at byte {} can't be read: {}", damage->offset, damage->reason));
    }
  }

  // Growing step by step would take twice the memory for a moment.
  void reserve_commands() {
    const std::uint64_t told = number(state_->end_facts, "commands").value_or(0);
    if (told > file_.size() + (1u << 20)) return;
    raw_.rows.commands.reserve(told);
    raw_.command_ids.reserve(told);
    raw_.stamps.reserve(told);
  }

  void check_count() {
    const auto told = number(state_->end_facts, "commands");
    const std::size_t found = state_->tables.commands.size();
    if (told && *told != found)
      problems_.damage(fmt::format("{} commands were recorded, {} can be read.", *told, found));
  }

  std::shared_ptr<TraceState> state_;
  FileBytes file_;
  Problems problems_;
  LoadBudget budget_;
  mcap::Index index_;
  RawTables raw_;
};

}  // namespace

Trace Trace::load(const std::string& path) { return Trace(Loader(path).load()); }

}  // namespace reel
