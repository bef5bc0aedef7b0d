// Works and contents: rows that own a varying number of other rows.
#include <limits>

#include "document/columns/batch_reader.hpp"
#include "document/columns/work_codec.hpp"

namespace reel::document {
namespace {

constexpr std::string_view works = "/works";
constexpr std::uint64_t most_32 = std::numeric_limits<std::uint32_t>::max();

bool is_pattern_size(std::uint64_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4; }

}  // namespace

void BatchReader::read(const schema::Works& batch) {
  const std::size_t rows = decode(works, sizeof(TraceWork),
                                  {{batch.id()},
                                   {batch.kind()},
                                   {batch.kernel(), no_index},
                                   {batch.label()},
                                   {batch.scope()},
                                   {batch.groups_x()},
                                   {batch.groups_y()},
                                   {batch.groups_z()},
                                   {batch.group_size_x()},
                                   {batch.group_size_y()},
                                   {batch.group_size_z()},
                                   {batch.pattern()},
                                   {batch.argument_count()},
                                   {batch.offset_x()},
                                   {batch.offset_y()},
                                   {batch.offset_z()},
                                   {batch.items_x()},
                                   {batch.items_y()},
                                   {batch.items_z()},
                                   {batch.dimensions()}});
  if (rows == 0) return;
  const auto argument_rows = arguments_.decode({{batch.argument_kind()},
                                                {batch.argument_access(), 3},
                                                {batch.argument_buffer(), no_index},
                                                {batch.argument_offset()},
                                                {batch.argument_size()},
                                                {batch.argument_view(), no_index}});
  if (!argument_rows) {
    problems_.left_out(works, "the columns of the batch don't fit each other", rows);
    return;
  }
  const std::uint64_t value_bytes = batch.values() ? batch.values()->size() : 0;
  if (!pay(works, *argument_rows * sizeof(TraceArgument) + value_bytes, rows)) return;

  TraceTables& out = tables_.rows;
  const std::uint64_t first_value = out.values.size();
  if (value_bytes > 0) {
    const auto* values = reinterpret_cast<const std::byte*>(batch.values()->data());
    out.values.insert(out.values.end(), values, values + value_bytes);
  }
  std::size_t argument = 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t count = columns_[12][i];
    if (count > *argument_rows - argument || out.arguments.size() + count > most_32) {
      problems_.left_out(works, "the batch has fewer arguments than its rows say", rows - i);
      return;
    }
    TraceWork work;
    work.first_argument = static_cast<std::uint32_t>(out.arguments.size());
    bool is_wrong = columns_[0][i] >= no_index;
    for (std::size_t c = 2; c <= 10; ++c) is_wrong |= columns_[c][i] > most_32;
    for (std::size_t c = 13; c <= 18; ++c) is_wrong |= columns_[c][i] > most_32;
    is_wrong |= columns_[19][i] > 3;
    bool is_known = columns_[1][i] < static_cast<std::uint64_t>(WorkKind::unknown);
    for (const std::size_t end = argument + count; argument < end; ++argument) {
      const std::uint64_t kind = arguments_[0][argument], access = arguments_[1][argument];
      TraceArgument row{static_cast<ArgumentKind>(kind),
                        static_cast<Access>(access),
                        static_cast<std::uint32_t>(arguments_[2][argument]),
                        arguments_[3][argument],
                        arguments_[4][argument],
                        static_cast<std::uint32_t>(arguments_[5][argument])};
      if (kind > static_cast<std::uint64_t>(ArgumentKind::opaque)) {
        is_known = false;
        continue;
      }
      if (row.has_value()) {
        if (row.size_bytes > value_bytes - value) {
          problems_.left_out(works, "the batch has fewer bytes of values than its rows say",
                             rows - i);
          return;
        }
        row.offset_bytes = first_value + value;
        value += row.size_bytes;
      }
      if (row.kind == ArgumentKind::buffer || row.kind == ArgumentKind::indirect) {
        is_wrong |= access < 1 || access > 3 || arguments_[2][argument] > most_32 ||
                    arguments_[5][argument] > most_32;
      } else {
        row.access = Access::read;
        row.buffer = row.view = no_index;
      }
      out.arguments.push_back(row);
    }
    work.argument_count = static_cast<std::uint32_t>(out.arguments.size()) - work.first_argument;
    work.kind = is_known ? static_cast<WorkKind>(columns_[1][i]) : WorkKind::unknown;
    const std::uint64_t pattern = columns_[11][i];
    if (work.kind == WorkKind::fill) is_wrong |= !is_pattern_size(pattern >> 32);
    if (is_wrong) {
      problems_.left_out(works, "a number is not one that may stand there");
      continue;
    }
    const auto number = [&](std::size_t c) { return static_cast<std::uint32_t>(columns_[c][i]); };
    (work.kind == WorkKind::launch ? work.graph : work.kernel) = number(2);
    work.label = number(3);
    work.scope = number(4);
    work.groups = {number(5), number(6), number(7)};
    work.group_size = {number(8), number(9), number(10)};
    work.offset = {number(13), number(14), number(15)};
    work.items = {number(16), number(17), number(18)};
    work.dimensions = number(19);
    work.pattern = static_cast<std::uint32_t>(pattern);
    work.pattern_bytes = static_cast<std::uint32_t>(pattern >> 32);
    load_grid(work);
    out.works.push_back(work);
    tables_.work_ids.push_back(number(0));
  }
}

void BatchReader::read(const schema::Contents& batch) {
  constexpr std::string_view contents = "/contents";
  const std::size_t rows = decode(contents, sizeof(TraceContents),
                                  {{batch.role()},
                                   {batch.command(), no_index},
                                   {batch.buffer(), no_index},
                                   {batch.offset()},
                                   {batch.size()},
                                   {batch.stored()},
                                   {batch.page_count()}});
  if (rows == 0) return;
  constexpr std::size_t hash_bytes = 16;
  const std::size_t page_total = batch.pages() ? batch.pages()->size() / hash_bytes : 0;
  if (!pay(contents, page_total * sizeof(BlobId), rows)) return;
  std::vector<BlobId>& pages = tables_.rows.pages;
  const std::size_t first = pages.size();
  if (first + page_total > most_32) {
    problems_.left_out(contents, "there are more pages than can be numbered", rows);
    return;
  }
  pages.resize(first + page_total);
  static_assert(sizeof(BlobId) == hash_bytes);
  if (page_total > 0)
    std::memcpy(pages.data() + first, batch.pages()->data(), page_total * hash_bytes);

  std::uint64_t page = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t count = columns_[6][i], size = columns_[4][i];
    if (count > page_total - page) {
      problems_.left_out(contents, "the batch has fewer pages than its rows say", rows - i);
      return;
    }
    const auto first_page = static_cast<std::uint32_t>(first + page);
    page += count;
    if (columns_[0][i] > static_cast<std::uint64_t>(ContentRole::check))
      problems_.left_out(contents, "the role is not known to this version");
    else if (columns_[1][i] > most_32 || columns_[2][i] > most_32)
      problems_.left_out(contents, "a number is not one that may stand there");
    else if (count != size / page_bytes + (size % page_bytes != 0))
      problems_.left_out(contents, "the pages don't fit the size");
    else
      tables_.rows.contents.push_back(
          {static_cast<ContentRole>(columns_[0][i]), static_cast<std::uint32_t>(columns_[1][i]),
           static_cast<std::uint32_t>(columns_[2][i]), columns_[3][i], size, columns_[5][i] != 0,
           first_page, static_cast<std::uint32_t>(count)});
  }
}

}  // namespace reel::document
