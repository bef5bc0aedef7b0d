// Trace::load: file, container, batches, rows.
#include "document/trace/loading/trace_loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/fail.hpp"
#include "document/columns/batch_reader.hpp"
#include "document/mcap/chunks_ahead.hpp"
#include "document/trace/loading/trace_assembler.hpp"
#include "graph/commands/text.hpp"

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
      : state_(std::make_shared<TraceState>(path)), file_(state_->file), budget_(file_.size()) {
    read_container();
    read_facts();
  }

  // What the document says itself; of one that was cut short, what a file of its size may hold
  // where it has commands and nothing else (some 15 bytes each).
  std::uint64_t expected_commands() const {
    return number(state_->end_facts, "commands").value_or(file_.size() / 15);
  }
  void count_into(CommandTotals& totals) { raw_.totals = &totals; }

  std::shared_ptr<TraceState> load() && {
    if (is_recovered()) problems_.expect_losses();
    check_format();
    state_->blobs = BlobIndex(index_.attachments);
    read_batches();
    const CommandTotals* const totals = raw_.totals;
    state_->tables = TraceAssembler(std::move(raw_), state_->blobs, problems_).assemble();
    state_->recorded_calls = std::move(state_->tables.calls);
    check_count(totals ? totals->commands() : state_->tables.commands.size());
    if (index_.complete && !has_metadata("reel.end"))
      problems_.remark(
          "The recording was cut short: the document was recovered, and its end is missing.");
    else if (is_recovered())
      problems_.remark("The document was damaged and recovered; some of it may be missing.");
    state_->is_complete = index_.complete && !problems_.is_damaged();
    state_->problems = problems_.sentences();
    return state_;
  }

 private:
  void read_container() {
    try {
      index_ = mcap::read_index(file_);
    } catch (const Error& error) {
      fail(error.code(), "'{}' is not a .reel file: {}", state_->path, error.what());
    }
    // The first record is cut off, and with it the name of what the file is.
    if (index_.header.profile.empty() && index_.damage &&
        index_.damage->offset <= mcap::magic.size())
      fail(Code::damaged_document, "'{}' ends within its header; nothing can be read of it.",
           state_->path);
    if (index_.header.profile != "reel")
      fail(Code::damaged_document, "'{}' is an MCAP file of the profile '{}', not 'reel'.",
           state_->path, valid_utf8(index_.header.profile));
    if (index_.damage)
      problems_.damage(fmt::format("It can be read up to byte {} of {}: {}", index_.damage->offset,
                                   file_.size(), index_.damage->reason));
  }

  void read_facts() {
    for (const mcap::Metadata& metadata : index_.metadata) {
      auto* facts = metadata.name == "reel"         ? &state_->facts
                    : metadata.name == "reel.facts" ? &state_->run_facts
                    : metadata.name == "reel.end"   ? &state_->end_facts
                                                    : nullptr;
      if (!facts) continue;
      for (const auto& [key, value] : metadata.values)
        facts->insert_or_assign(valid_utf8(key), valid_utf8(value));
    }
    // Replay goes by what the document says of itself; of the names there, only the host is a fact
    // of the run.
    for (const auto& [key, value] : state_->run_facts)
      if (key == "host" || !state_->facts.contains(key)) state_->facts[key] = value;
    // Known for certain only when the program ends.
    for (const char* key : {"api", "queue_orders"})
      if (const auto known = state_->end_facts.find(key); known != state_->end_facts.end())
        state_->facts.insert_or_assign(key, known->second);
  }

  bool has_metadata(std::string_view name) const {
    return std::ranges::any_of(index_.metadata, [&](const auto& one) { return one.name == name; });
  }
  bool is_recovered() const { return has_metadata("reel.recovered"); }

  void check_format() {
    if (state_->facts.empty()) {
      problems_.missing("The document ends before its metadata.");
      return;
    }
    const auto format = number(state_->facts, "format");
    if (!format)
      problems_.missing("The document doesn't say which format it has.");
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
    BatchReader reader(raw_, problems_, budget_);
    leave_out_bombs();
    mcap::ChunksAhead chunks(file_, index_.chunks);
    for (std::size_t i = 0; i < index_.chunks.size(); ++i) {
      mcap::ChunkReader& chunk = chunks.next();
      while (const auto message = chunk.next()) {
        const auto topic = topics.find(message->channel);
        if (topic != topics.end()) reader.read(topic->second, message->data);
      }
      if (const auto& damage = chunk.damage())
        problems_.damage(
            fmt::format("The chunk at byte {} can't be read: {}", damage->offset, damage->reason));
    }
  }

  void leave_out_bombs() {
    std::erase_if(index_.chunks, [&](const mcap::ChunkRef& chunk) {
      const bool is_bomb =
          chunk.uncompressed_bytes > free_chunk_bytes + most_times_compressed * chunk.data_bytes;
      if (is_bomb)
        problems_.damage(fmt::format("The chunk at byte {} says it has {} bytes, out of {}.",
                                     chunk.offset, chunk.uncompressed_bytes, chunk.data_bytes));
      return is_bomb;
    });
  }

  void check_count(std::uint64_t found) {
    const auto told = number(state_->end_facts, "commands");
    if (told && *told != found)
      problems_.missing(fmt::format(
          "{} recorded, {} can be read.",
          *told == 1 ? "1 command was" : fmt::format("{} commands were", *told), found));
  }

  std::shared_ptr<TraceState> state_;
  FileBytes file_;
  Problems problems_;
  LoadBudget budget_;
  mcap::Index index_;
  RawTables raw_;
};

}  // namespace

std::shared_ptr<TraceState> document::load_state(const std::string& path) {
  return Loader(path).load();
}

document::CountedState document::count_or_load_state(const std::string& path,
                                                     std::uint64_t max_commands_kept) {
  CountedState counted;
  Loader loader(path);
  if (loader.expected_commands() > max_commands_kept) loader.count_into(counted.totals.emplace());
  counted.state = std::move(loader).load();
  return counted;
}

Trace Trace::load(const std::string& path) { return Trace(document::load_state(path)); }

}  // namespace reel
