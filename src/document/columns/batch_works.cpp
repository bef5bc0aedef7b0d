// Works and contents: rows that own a varying number of other rows.
#include <limits>

#include "document/columns/batch_reader.hpp"
#include "document/columns/work_codec.hpp"

namespace reel::document {
namespace {

constexpr std::string_view works = "/works";
constexpr std::uint64_t most_32 = std::numeric_limits<std::uint32_t>::max();

bool is_pattern_size(std::uint64_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4; }

// An image is none: it is a range of a buffer, and the buffer says what it is.
bool is_kept_kind(std::uint64_t kind) {
  return kind <= static_cast<std::uint64_t>(ArgumentKind::run_unless) &&
         kind != static_cast<std::uint64_t>(ArgumentKind::image);
}

// The place of a column in its list.
template <const auto& columns>
consteval std::size_t place_of(std::string_view name) {
  std::size_t place = 0;
  while (columns[place].name != name) ++place;
  return place;
}

}  // namespace

void BatchReader::read(const schema::Works& batch) {
  const std::size_t rows = decode<columns::works>(works, sizeof(TraceWork), batch);
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
  const auto& kinds = columns_[place_of<columns::works>("kind")];
  const auto& counts = columns_[place_of<columns::works>("argument_count")];
  const auto& argument_kinds = arguments_[place_of<columns::arguments>("argument_kind")];
  const auto& accesses = arguments_[place_of<columns::arguments>("argument_access")];
  std::size_t argument = 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t count = counts[i];
    if (count > *argument_rows - argument || out.arguments.size() + count > most_32) {
      problems_.left_out(works, "the batch has fewer arguments than its rows say", rows - i);
      return;
    }
    WorkRow work;
    set<columns::works>(work, columns_, i);
    work.first_argument = static_cast<std::uint32_t>(out.arguments.size());
    bool is_wrong = columns_.is_wrong(i) || work.id == no_index || work.dimensions > 3;
    bool is_known = kinds[i] < static_cast<std::uint64_t>(WorkKind::unknown);
    for (const std::size_t end = argument + count; argument < end; ++argument) {
      if (!is_kept_kind(argument_kinds[argument])) {
        is_known = false;
        continue;
      }
      TraceArgument row;
      set<columns::arguments>(row, arguments_, argument);
      if (row.has_value()) {
        if (row.size_bytes > value_bytes - value) {
          problems_.left_out(works, "the batch has fewer bytes of values than its rows say",
                             rows - i);
          return;
        }
        row.offset_bytes = first_value + value;
        value += row.size_bytes;
      }
      if (row.has_range()) {
        is_wrong |=
            arguments_.is_wrong(argument) || accesses[argument] < 1 || accesses[argument] > 3;
      } else {
        row.access = Access::read;
        row.buffer = row.view = no_index;
      }
      out.arguments.push_back(row);
    }
    work.argument_count = static_cast<std::uint32_t>(out.arguments.size()) - work.first_argument;
    if (!is_known) work.kind = WorkKind::unknown;
    if (work.kind == WorkKind::fill) is_wrong |= !is_pattern_size(work.pattern_bytes);
    if (is_wrong) {
      problems_.left_out(works, "a number is not one that may stand there");
      continue;
    }
    from_file(work);
    out.works.push_back(work);
    tables_.work_ids.push_back(work.id);
  }
}

void BatchReader::read(const schema::Contents& batch) {
  constexpr std::string_view contents = "/contents";
  const std::size_t rows = decode<columns::contents>(contents, sizeof(TraceContents), batch);
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

  const auto& roles = columns_[place_of<columns::contents>("role")];
  const auto& counts = columns_[place_of<columns::contents>("page_count")];
  const auto& moments = columns_[place_of<columns::contents>("final")];
  std::uint64_t page = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t count = counts[i];
    if (count > page_total - page) {
      problems_.left_out(contents, "the batch has fewer pages than its rows say", rows - i);
      return;
    }
    TraceContents row;
    set<columns::contents>(row, columns_, i);
    row.first_page = static_cast<std::uint32_t>(first + page);
    page += count;
    if (moments[i] > static_cast<std::uint64_t>(CheckMoment::unknown))
      row.moment = CheckMoment::unknown;
    if (roles[i] > static_cast<std::uint64_t>(ContentRole::check))
      problems_.left_out(contents, "the role is not known to this version");
    else if (columns_.is_wrong(i))
      problems_.left_out(contents, "a number is not one that may stand there");
    else if (count != row.size_bytes / page_bytes + (row.size_bytes % page_bytes != 0))
      problems_.left_out(contents, "the pages don't fit the size");
    else
      tables_.rows.contents.push_back(row);
  }
}

}  // namespace reel::document
