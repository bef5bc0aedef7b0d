#include "document/mcap/mcap_writer.hpp"

#include <zstd.h>

#include <algorithm>

#include "base/bytes/crc32.hpp"

namespace reel::mcap {
namespace {

// A chunk may be just short of full when a message comes, and stays within what readers take.
constexpr std::uint64_t max_message_bytes = max_chunk_bytes / 2;

constexpr std::uint16_t max_id = std::numeric_limits<std::uint16_t>::max();

}  // namespace

void Writer::FreeContext::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

Writer::Writer(OutputFile& file, const Header& header, const WriterOptions& options)
    : file_(file), options_(options), context_(ZSTD_createCCtx()) {
  if (!context_) fail(Code::out_of_memory, "No memory to compress with.");
  if (file.size_bytes() != 0)
    fail(Code::invalid_argument, "An MCAP file begins at byte 0, but '{}' has {} bytes already.",
         file.path().string(), file.size_bytes());
  options_.chunk_bytes = std::clamp<std::uint64_t>(options.chunk_bytes, 1, max_message_bytes);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, options.zstd_level);
  out_.bytes(magic);
  append_header(out_, header);
  write_out();
}

Writer::~Writer() = default;

std::uint16_t Writer::add_schema(std::string name, std::string encoding,
                                 std::span<const std::byte> data) {
  check_open();
  if (schemas_ == max_id) fail(Code::invalid_argument, "An MCAP file has at most 65535 schemas.");
  const auto id = static_cast<std::uint16_t>(schemas_ + 1);
  Schema schema{.id = id,
                .name = std::move(name),
                .encoding = std::move(encoding),
                .data = {data.begin(), data.end()}};
  append_schema(out_, schema);
  write_out();
  summary_.add(std::move(schema));
  return schemas_ = id;
}

std::uint16_t Writer::add_channel(std::string topic, std::string message_encoding,
                                  std::uint16_t schema_id, StringMap metadata) {
  check_open();
  if (schema_id > schemas_)
    fail(Code::invalid_argument, "Channel '{}' names schema {}; the last one added is {}.", topic,
         schema_id, schemas_);
  if (entries_.size() == max_id)
    fail(Code::invalid_argument, "An MCAP file has at most 65535 channels.");
  const auto id = static_cast<std::uint16_t>(entries_.size() + 1);
  Channel channel{.id = id,
                  .schema_id = schema_id,
                  .topic = std::move(topic),
                  .message_encoding = std::move(message_encoding),
                  .metadata = std::move(metadata)};
  append_channel(out_, channel);
  write_out();
  summary_.add(std::move(channel));
  sequences_.push_back(0);
  entries_.push_back({.channel = id, .messages = {}});
  return id;
}

void Writer::message(std::uint16_t channel, std::uint64_t log_time,
                     std::span<const std::byte> data) {
  check_open();
  if (channel == 0 || channel > entries_.size())
    fail(Code::invalid_argument, "There is no channel {}; the last one added is {}.", channel,
         entries_.size());
  if (data.size() > max_message_bytes)
    fail(Code::invalid_argument, "A message of {} bytes is too large; {} are allowed.", data.size(),
         max_message_bytes);
  const bool first = chunk_.empty();
  start_time_ = first ? log_time : std::min(start_time_, log_time);
  end_time_ = first ? log_time : std::max(end_time_, log_time);
  entries_[channel - 1U].messages.push_back({.log_time = log_time, .offset = chunk_.size()});
  chunk_.record(Opcode::message, [&] {
    chunk_.u16(channel);
    chunk_.u32(sequences_[channel - 1U]++);
    chunk_.u64(log_time);
    chunk_.u64(log_time);
    chunk_.bytes(data);
  });
  if (chunk_.size() >= options_.chunk_bytes) flush_chunk();
}

void Writer::attachment(const Attachment& attachment) {
  check_open();
  const std::uint64_t offset = file_.size_bytes();
  // The data may be large, and is not copied: it is written between two small pieces.
  out_.record(Opcode::attachment, [&] {
    out_.u64(attachment.log_time);
    out_.u64(attachment.create_time);
    out_.text(attachment.name);
    out_.text(attachment.media_type);
    out_.u64(attachment.data.size());
  });
  const std::uint64_t fields = out_.size() - record_prefix_bytes;
  const std::uint64_t length = fields + attachment.data.size() + sizeof(std::uint32_t);
  out_.patch(sizeof(Opcode), length);
  const std::uint32_t crc = crc32(attachment.data, crc32(out_.view().subspan(record_prefix_bytes)));
  DataChecks checks = checks_;
  checks.add(out_.view().first(record_prefix_bytes));
  checks.add_attachment(out_.view().subspan(record_prefix_bytes), attachment.data.size(), crc);
  write_out({out_.view(), attachment.data, std::as_bytes(std::span(&crc, 1))}, checks);
  summary_.add(attachment, offset, record_prefix_bytes + length);
}

void Writer::metadata(const Metadata& metadata) {
  check_open();
  const std::uint64_t offset = file_.size_bytes();
  out_.record(Opcode::metadata, [&] {
    out_.text(metadata.name);
    out_.map(metadata.values);
  });
  const std::uint64_t length = out_.size();
  write_out();
  summary_.add(metadata, offset, length);
}

void Writer::compress_chunk(WrittenChunk& chunk) {
  out_.record(Opcode::chunk, [&] {
    append_chunk_fields(out_, chunk);
    const std::size_t begin = out_.size();
    const auto room = out_.grow(ZSTD_compressBound(chunk_.size()));
    const std::size_t count = ZSTD_compress2(context_.get(), room.data(), room.size(),
                                             chunk_.view().data(), chunk_.size());
    if (ZSTD_isError(count) != 0)
      fail(Code::out_of_memory, "Can't compress {} bytes: {}.", chunk_.size(),
           ZSTD_getErrorName(count));
    chunk.compressed_bytes = count;
    out_.patch(begin - sizeof(chunk.compressed_bytes), chunk.compressed_bytes);
    out_.resize(begin + count);
  });
  chunk.length = out_.size();
}

void Writer::flush_chunk() {
  check_open();
  if (chunk_.empty()) return;
  WrittenChunk chunk{.offset = file_.size_bytes(),
                     .start_time = start_time_,
                     .end_time = end_time_,
                     .uncompressed_bytes = chunk_.size(),
                     .crc = crc32(chunk_.view()),
                     .compression = "zstd"};
  compress_chunk(chunk);
  summary_.add_chunk(chunk, entries_, chunk.offset + chunk.length, out_);
  write_out();
  chunk_.clear();
  for (auto& channel : entries_) channel.messages.clear();
}

void Writer::close() {
  if (closed_) return;
  flush_chunk();
  summary_.append_end(out_, file_.size_bytes(), checks_);
  write_out();
  closed_ = true;
}

void Writer::check_open() const {
  if (!failure_.empty()) throw Error(Code::io_failed, failure_);
  if (closed_)
    fail(Code::invalid_argument, "'{}' is closed; nothing more can be written to it.",
         file_.path().string());
}

void Writer::write_out() {
  DataChecks checks = checks_;
  checks.add(out_.view());
  write_out({out_.view()}, checks);
}

void Writer::write_out(std::initializer_list<std::span<const std::byte>> parts,
                       const DataChecks& checks) {
  try {
    file_.write_parts(parts);
    checks_ = checks;
  } catch (const Error& error) {
    failure_ = error.what();
    throw;
  }
  out_.clear();
}

}  // namespace reel::mcap
