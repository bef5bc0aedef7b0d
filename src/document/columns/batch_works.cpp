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
  const auto [id, kind, kernel, label, scope, groups_x, groups_y, groups_z, group_x, group_y,
              group_z, patterns, counts, offset_x, offset_y, offset_z, items_x, items_y, items_z,
              dimensions] = decode<columns::works>(works, sizeof(TraceWork), batch);
  const std::size_t rows = id.size();
  if (rows == 0) return;
  const auto argument_rows = arguments_.decode(columns::arguments, table_of(batch));
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
  const auto &argument_kind = arguments_[0], &argument_access = arguments_[1],
             &argument_buffer = arguments_[2], &argument_offset = arguments_[3],
             &argument_size = arguments_[4], &argument_view = arguments_[5];
  std::size_t argument = 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t count = counts[i];
    if (count > *argument_rows - argument || out.arguments.size() + count > most_32) {
      problems_.left_out(works, "the batch has fewer arguments than its rows say", rows - i);
      return;
    }
    TraceWork work;
    work.first_argument = static_cast<std::uint32_t>(out.arguments.size());
    bool is_wrong = columns_.is_wrong(i) || id[i] == no_index || dimensions[i] > 3;
    bool is_known = kind[i] < static_cast<std::uint64_t>(WorkKind::unknown);
    for (const std::size_t end = argument + count; argument < end; ++argument) {
      const std::uint64_t access = argument_access[argument];
      TraceArgument row{static_cast<ArgumentKind>(argument_kind[argument]),
                        static_cast<Access>(access),
                        static_cast<std::uint32_t>(argument_buffer[argument]),
                        argument_offset[argument],
                        argument_size[argument],
                        static_cast<std::uint32_t>(argument_view[argument])};
      if (argument_kind[argument] > static_cast<std::uint64_t>(ArgumentKind::opaque)) {
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
        is_wrong |= access < 1 || access > 3 || argument_buffer[argument] > most_32 ||
                    argument_view[argument] > most_32;
      } else {
        row.access = Access::read;
        row.buffer = row.view = no_index;
      }
      out.arguments.push_back(row);
    }
    work.argument_count = static_cast<std::uint32_t>(out.arguments.size()) - work.first_argument;
    work.kind = is_known ? static_cast<WorkKind>(kind[i]) : WorkKind::unknown;
    const std::uint64_t pattern = patterns[i];
    if (work.kind == WorkKind::fill) is_wrong |= !is_pattern_size(pattern >> 32);
    if (is_wrong) {
      problems_.left_out(works, "a number is not one that may stand there");
      continue;
    }
    const auto number = [&](const auto& column) { return static_cast<std::uint32_t>(column[i]); };
    (work.kind == WorkKind::launch ? work.graph : work.kernel) = number(kernel);
    work.label = number(label);
    work.scope = number(scope);
    work.groups = {number(groups_x), number(groups_y), number(groups_z)};
    work.group_size = {number(group_x), number(group_y), number(group_z)};
    work.offset = {number(offset_x), number(offset_y), number(offset_z)};
    work.items = {number(items_x), number(items_y), number(items_z)};
    work.dimensions = number(dimensions);
    work.pattern = static_cast<std::uint32_t>(pattern);
    work.pattern_bytes = static_cast<std::uint32_t>(pattern >> 32);
    load_grid(work);
    out.works.push_back(work);
    tables_.work_ids.push_back(number(id));
  }
}

void BatchReader::read(const schema::Contents& batch) {
  constexpr std::string_view contents = "/contents";
  const auto [role, command, buffer, offset, sizes, stored, counts] =
      decode<columns::contents>(contents, sizeof(TraceContents), batch);
  const std::size_t rows = role.size();
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
    const std::uint64_t count = counts[i], size = sizes[i];
    if (count > page_total - page) {
      problems_.left_out(contents, "the batch has fewer pages than its rows say", rows - i);
      return;
    }
    const auto first_page = static_cast<std::uint32_t>(first + page);
    page += count;
    if (role[i] > static_cast<std::uint64_t>(ContentRole::check))
      problems_.left_out(contents, "the role is not known to this version");
    else if (columns_.is_wrong(i))
      problems_.left_out(contents, "a number is not one that may stand there");
    else if (count != size / page_bytes + (size % page_bytes != 0))
      problems_.left_out(contents, "the pages don't fit the size");
    else
      tables_.rows.contents.push_back(
          {static_cast<ContentRole>(role[i]), static_cast<std::uint32_t>(command[i]),
           static_cast<std::uint32_t>(buffer[i]), offset[i], size, stored[i] != 0, first_page,
           static_cast<std::uint32_t>(count)});
  }
}

}  // namespace reel::document
