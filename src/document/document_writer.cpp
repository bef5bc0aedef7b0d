#include "document/document_writer.hpp"

#include <zstd.h>

#include <unordered_map>
#include <unordered_set>

#include "base/clock.hpp"
#include "document/columns/batches.hpp"
#include "document/columns/embedded_schema.hpp"
#include "document/mcap/mcap_writer.hpp"

namespace reel::document {
namespace {

// A batch of commands of this many rows is some 15 KiB before compression. One time that is far off
// makes a column of its batch wider: with 4096, documents of PoCL had a fifth more bytes, of which
// most went through the compressor for nothing; with 256, what each batch has is felt.
constexpr std::size_t rows_per_batch = 1024;
// Kernels bring text of their own.
constexpr std::size_t kernels_per_batch = 64;
// Below this a blob is not worth a frame of its own.
constexpr std::size_t compress_from_bytes = 128;
// A large blob is compressed where one of some samples of it gets smaller: 1 MiB of random numbers
// takes 0.3 ms otherwise, to find that it doesn't. Repetitions within a sample are seen.
constexpr std::size_t sample_bytes = std::size_t{32} << 10, samples = 3;
constexpr std::size_t sample_from_bytes = 8 * sample_bytes;

// Random numbers don't get smaller; as they are, they can be read without a copy.
bool is_smaller(std::size_t compressed, std::size_t bytes) {
  return !ZSTD_isError(compressed) && compressed < bytes - bytes / 16;
}

}  // namespace

std::string blob_name(const Hash128& id) { return "xxh3:" + to_hex(id); }

struct DocumentWriter::Tables {
  Tables(const std::string& path, const DocumentOptions& options)
      : file(path, {.overwrite = options.overwrite,
                    .mode = options.mode,
                    .out_of_the_way = options.out_of_the_way}),
        writer(file, {"reel", "reel " REEL_VERSION}, {.zstd_level = options.zstd_level}),
        zstd_level(options.zstd_level) {}

  // When a batch has enough rows all are written, in the order of the tables: what is named
  // stands before what names it, whenever the file is cut.
  void added(TableId table, std::size_t most = rows_per_batch) {
    if (batches.rows(table) >= most) write_all();
  }
  void write_all() {
    for (std::size_t i = 0; i < table_count; ++i)
      if (batches.rows(static_cast<TableId>(i)) != 0)
        writer.message(channels[i], monotonic_ns(), batches.take(static_cast<TableId>(i)));
  }
  template <class Row>
  void add(const Row& row, TableId table) {
    batches.add(row);
    added(table);
  }

  // Into `compressed`, which has room for it.
  std::size_t compress(std::span<const std::byte> bytes) {
    return ZSTD_compressCCtx(zstd.get(), compressed.data(), compressed.size(), bytes.data(),
                             bytes.size(), zstd_level);
  }
  bool gets_smaller_in_parts(std::span<const std::byte> bytes) {
    if (bytes.size() < sample_from_bytes) return true;
    for (std::size_t i = 0; i < samples; ++i)
      if (is_smaller(compress(bytes.subspan(bytes.size() / samples * i, sample_bytes)),
                     sample_bytes))
        return true;
    return false;
  }

  OutputFile file;
  mcap::Writer writer;
  Batches batches;
  std::array<std::uint16_t, table_count> channels{};
  std::unordered_map<std::string, std::uint32_t> texts{{"", 0}};
  std::unordered_set<Hash128> blobs;
  std::uint32_t works = 0;
  std::uint64_t checks = 0;
  int zstd_level;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::vector<std::byte> compressed;
};

DocumentWriter::DocumentWriter(const std::string& path, const Facts& facts,
                               const DocumentOptions& options)
    : tables_(std::make_unique<Tables>(path, options)) {
  Tables& t = *tables_;
  const std::uint16_t schema =
      t.writer.add_schema("reel.schema.Batch", "flatbuffer", embedded_schema());
  for (std::size_t i = 0; i < table_count; ++i)
    t.channels[i] = t.writer.add_channel(table_topics[i], "flatbuffer", schema);
  Facts all = facts;
  all["format"] = "1";
  t.writer.metadata({"reel", all});
  if (!options.run_facts.empty()) t.writer.metadata({"reel.facts", options.run_facts});
}

DocumentWriter::~DocumentWriter() = default;

void DocumentWriter::run_facts(const Facts& facts) {
  tables_->writer.metadata({"reel.facts", facts});
}

std::uint32_t DocumentWriter::text(std::string_view text) {
  Tables& t = *tables_;
  const auto [it, is_new] =
      t.texts.try_emplace(std::string(text), static_cast<std::uint32_t>(t.texts.size()));
  if (is_new) {
    t.batches.add_text(it->second, text);
    t.added(TableId::texts);
  }
  return it->second;
}

bool DocumentWriter::has_blob(const Hash128& id) const { return tables_->blobs.contains(id); }

bool DocumentWriter::blob(const Hash128& id, std::span<const std::byte> bytes) {
  Tables& t = *tables_;
  if (t.blobs.contains(id)) return false;
  mcap::Attachment attachment{monotonic_ns(), 0, blob_name(id), "application/octet-stream", bytes};
  if (bytes.size() >= compress_from_bytes) {
    t.compressed.resize(ZSTD_compressBound(bytes.size()));
    const std::size_t size = t.gets_smaller_in_parts(bytes) ? t.compress(bytes) : bytes.size();
    if (is_smaller(size, bytes.size())) {
      attachment.media_type = "application/zstd";
      attachment.data = std::span(t.compressed).first(size);
    }
  }
  t.writer.attachment(attachment);
  t.blobs.insert(id);  // only what is in the file may be named
  return true;
}

void DocumentWriter::add(const KernelRow& row) {
  std::vector<std::string> names;
  for (const VariantRow& variant : row.variants) {
    if (variant.text.empty()) {
      names.emplace_back();
      continue;
    }
    const Hash128 id = hash128(variant.text);
    blob(id, variant.text);
    names.push_back(blob_name(id));
  }
  tables_->batches.add(row, std::move(names));
  tables_->added(TableId::kernels, kernels_per_batch);
}

std::uint32_t DocumentWriter::add(const WorkRow& row) {
  const std::uint32_t id = tables_->works++;
  tables_->batches.add(row, id);
  tables_->added(TableId::works);
  return id;
}

void DocumentWriter::add(const DeviceRow& row) { tables_->add(row, TableId::devices); }
void DocumentWriter::add(const StreamRow& row) { tables_->add(row, TableId::streams); }
void DocumentWriter::add(const BufferRow& row) { tables_->add(row, TableId::buffers); }
void DocumentWriter::add(const CommandRow& row) { tables_->add(row, TableId::commands); }
void DocumentWriter::add(const StampRow& row) { tables_->add(row, TableId::stamps); }
void DocumentWriter::add(const OrderRow& row) { tables_->add(row, TableId::orders); }
void DocumentWriter::add(const ContentsRow& row) {
  tables_->checks += row.role == ContentRole::check;
  tables_->add(row, TableId::contents);
}
void DocumentWriter::add(const CallRow& row) { tables_->add(row, TableId::calls); }
void DocumentWriter::add(const AllocationRow& row) { tables_->add(row, TableId::allocations); }
void DocumentWriter::add(const RegionRow& row) { tables_->add(row, TableId::regions); }
void DocumentWriter::add(const OverheadRow& row) { tables_->add(row, TableId::overheads); }
void DocumentWriter::add(const ClockRow& row) { tables_->add(row, TableId::clocks); }
void DocumentWriter::add(const EdgeRow& row) { tables_->add(row, TableId::edges); }
void DocumentWriter::add(const NoteRow& row) { tables_->add(row, TableId::notes); }
void DocumentWriter::add(const SubmissionRow& row) { tables_->add(row, TableId::submissions); }
void DocumentWriter::add(const IntervalRow& row) { tables_->add(row, TableId::intervals); }
void DocumentWriter::add(const HostClockRow& row) { tables_->add(row, TableId::host_clocks); }
void DocumentWriter::add(const BarrierRow& row) { tables_->add(row, TableId::barriers); }

void DocumentWriter::flush() {
  tables_->write_all();
  tables_->writer.flush_chunk();
}

void DocumentWriter::close(const Facts& end_facts) {
  flush();
  Facts all = end_facts;
  // So that one that is taken out later is missed.
  if (tables_->checks) all.try_emplace("checks", std::to_string(tables_->checks));
  tables_->writer.metadata({"reel.end", all});
  tables_->writer.close();
  tables_->file.close();
}

void DocumentWriter::sync() { tables_->file.sync(); }
void DocumentWriter::wait_for_disk() { tables_->file.wait_for_disk(); }
void DocumentWriter::discard() noexcept { tables_->file.discard(); }

std::uint64_t DocumentWriter::file_bytes() const { return tables_->file.size_bytes(); }

}  // namespace reel::document
