#include "export/tables/arrow/arrow_file.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "arrow_generated.h"
#include "base/fail.hpp"
#include "export/tables/column_values.hpp"

namespace reel::arrow {
namespace {

namespace fb = flatbuffers;
using tables::Type;

constexpr std::string_view magic("ARROW1\0\0", 8);
constexpr std::size_t alignment = 8;

// What the columns of a batch are: how long each is, and where its bytes lie.
class Body {
 public:
  void add_node(std::uint64_t rows, std::uint64_t unknown) {
    nodes_.emplace_back(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(unknown));
  }
  void add(std::string_view bytes) {
    buffers_.emplace_back(static_cast<std::int64_t>(bytes_.size()),
                          static_cast<std::int64_t>(bytes.size()));
    bytes_ += bytes;
    bytes_.append((alignment - bytes_.size() % alignment) % alignment, '\0');
  }
  template <class Number>
  void add(std::span<const Number> numbers) {
    add(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()));
  }
  // A bit for each row; none at all where every row has something.
  template <class Flags>
  void add_bits(const Flags& flags, bool is_left_out = false) {
    std::string bits(is_left_out ? 0 : (flags.size() + 7) / 8, '\0');
    if (!is_left_out)
      for (std::size_t i = 0; i < flags.size(); ++i)
        if (flags[i]) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << i % 8);
    add(bits);
  }
  // Texts one after the other, and where each begins.
  template <class Texts>
  void add_texts(const Texts& texts) {
    std::vector<std::int32_t> begins{0};
    std::string bytes;
    for (const auto& text : texts) {
      bytes += text;
      if (bytes.size() > 0x7fffffff)
        fail(Code::unsupported, "Texts of 2 GiB in {} rows are too much for Arrow; use Parquet.",
             texts.size());
      begins.push_back(static_cast<std::int32_t>(bytes.size()));
    }
    add(std::span<const std::int32_t>(begins));
    add(bytes);
  }

  fb::Offset<format::RecordBatch> describe(fb::FlatBufferBuilder& to, std::uint64_t rows) const {
    return format::CreateRecordBatch(to, static_cast<std::int64_t>(rows),
                                     to.CreateVectorOfStructs(nodes_),
                                     to.CreateVectorOfStructs(buffers_));
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::vector<format::FieldNode> nodes_;
  std::vector<format::Buffer> buffers_;
  std::string bytes_;
};

class FileWriter {
 public:
  FileWriter(const tables::Table& table, tables::Source& source,
             const std::function<void(std::string_view)>& write)
      : table_(table), write_(write), rows_(table.rows(source)) {
    for (const tables::Column& column : table.columns) {
      Reader& reader = readers_.emplace_back();
      if (column.type == Type::text)
        reader.texts = std::make_unique<TextColumn>(column, source);
      else
        reader.numbers = std::make_unique<NumberColumn>(column, source);
    }
  }

  std::vector<std::string> run(std::uint64_t batch_rows) {
    put(magic);
    // Dictionaries come first in a file, so texts are read twice.
    for (Reader& reader : readers_)
      if (reader.texts) reader.has_dictionary = find_texts(*reader.texts, batch_rows);
    {
      fb::FlatBufferBuilder to;
      send(to, format::MessageHeader::Schema, schema(to).Union(), {}, nullptr);
    }
    for (std::size_t c = 0; c < readers_.size(); ++c)
      if (readers_[c].has_dictionary) send_dictionary(c);
    for (std::uint64_t begin = 0; begin < rows_; begin += batch_rows)
      send_batch(begin, std::min(rows_, begin + batch_rows));
    put(std::string_view("\xff\xff\xff\xff\0\0\0\0", 8));
    send_footer();

    std::vector<std::string> left_out;
    for (std::size_t c = 0; c < readers_.size(); ++c)
      if (readers_[c].numbers)
        tell_too_large(table_, table_.columns[c], *readers_[c].numbers, left_out);
    return left_out;
  }

 private:
  struct Reader {
    std::unique_ptr<NumberColumn> numbers;
    std::unique_ptr<TextColumn> texts;
    bool has_dictionary = false;
  };

  void put(std::string_view bytes) {
    write_(bytes);
    size_ += bytes.size();
  }
  void put_number(std::uint32_t number) {
    put(std::string_view(reinterpret_cast<const char*>(&number), sizeof(number)));
  }

  bool find_texts(TextColumn& column, std::uint64_t batch_rows) {
    for (std::uint64_t begin = 0; begin < rows_; begin += batch_rows)
      if (!column.read(begin, std::min(rows_, begin + batch_rows), places_)) {
        column.forget();
        return false;
      }
    return true;
  }

  fb::Offset<format::Schema> schema(fb::FlatBufferBuilder& to) const {
    std::vector<fb::Offset<format::Field>> fields;
    for (std::size_t c = 0; c < table_.columns.size(); ++c) {
      const tables::Column& column = table_.columns[c];
      format::Type kind = format::Type::Int;
      fb::Offset<void> type;
      fb::Offset<format::DictionaryEncoding> dictionary;
      switch (column.type) {
        case Type::integer:
        case Type::natural:
          type = format::CreateInt(to, 64, column.type == Type::integer).Union();
          break;
        case Type::flag:
          kind = format::Type::Bool;
          type = format::CreateBool(to).Union();
          break;
        case Type::real:
          kind = format::Type::FloatingPoint;
          type = format::CreateFloatingPoint(to, format::Precision::DOUBLE).Union();
          break;
        case Type::text:
          kind = format::Type::Utf8;
          type = format::CreateUtf8(to).Union();
          if (readers_[c].has_dictionary)
            dictionary = format::CreateDictionaryEncoding(to, static_cast<std::int64_t>(c),
                                                          format::CreateInt(to, 32, true));
          break;
      }
      const auto name = to.CreateString(column.name);
      // Readers want the list of children, though there is none.
      const auto children = to.CreateVector(std::vector<fb::Offset<format::Field>>{});
      fields.push_back(format::CreateField(to, name, true, kind, type, dictionary, children));
    }
    const auto version =
        format::CreateKeyValue(to, to.CreateString("reel.schema_version"), to.CreateString("1"));
    return format::CreateSchema(to, format::Endianness::Little, to.CreateVector(fields),
                                to.CreateVector(std::vector{version}));
  }

  // A message: what it is, and the bytes of its columns. `block`: where it lies, for the footer.
  void send(fb::FlatBufferBuilder& to, format::MessageHeader kind, fb::Offset<void> header,
            std::string_view body, std::vector<format::Block>* blocks) {
    to.Finish(format::CreateMessage(to, format::MetadataVersion::V5, kind, header,
                                    static_cast<std::int64_t>(body.size())));
    const std::string_view head(reinterpret_cast<const char*>(to.GetBufferPointer()), to.GetSize());
    const std::size_t padding = (alignment - head.size() % alignment) % alignment;
    if (blocks)
      blocks->emplace_back(static_cast<std::int64_t>(size_),
                           static_cast<std::int32_t>(8 + head.size() + padding),
                           static_cast<std::int64_t>(body.size()));
    put_number(0xffffffff);
    put_number(static_cast<std::uint32_t>(head.size() + padding));
    put(head);
    put(std::string(padding, '\0'));
    put(body);
  }

  void send_dictionary(std::size_t column) {
    const auto& texts = readers_[column].texts->texts();
    Body body;
    body.add_node(texts.size(), 0);
    body.add({});
    body.add_texts(texts);
    fb::FlatBufferBuilder to;
    const auto data = body.describe(to, texts.size());
    send(to, format::MessageHeader::DictionaryBatch,
         format::CreateDictionaryBatch(to, static_cast<std::int64_t>(column), data).Union(),
         body.bytes(), &dictionaries_);
  }

  void send_batch(std::uint64_t begin, std::uint64_t end) {
    Body body;
    for (std::size_t c = 0; c < readers_.size(); ++c) {
      if (readers_[c].numbers)
        add_numbers(body, table_.columns[c].type, *readers_[c].numbers, begin, end);
      else
        add_texts(body, readers_[c], begin, end);
    }
    fb::FlatBufferBuilder to;
    send(to, format::MessageHeader::RecordBatch, body.describe(to, end - begin).Union(),
         body.bytes(), &batches_);
  }

  void add_numbers(Body& body, Type type, NumberColumn& column, std::uint64_t begin,
                   std::uint64_t end) {
    column.read(begin, end, numbers_);
    body.add_node(end - begin, numbers_.unknown);
    body.add_bits(numbers_.known, numbers_.unknown == 0);
    if (type == Type::flag)
      body.add_bits(numbers_.values);
    else
      body.add(std::span<const std::uint64_t>(numbers_.values));
  }

  void add_texts(Body& body, Reader& reader, std::uint64_t begin, std::uint64_t end) {
    std::vector<std::uint8_t> known(end - begin, 1);
    std::uint64_t unknown = 0;
    std::vector<std::string> texts;
    if (reader.has_dictionary) {
      reader.texts->read(begin, end, places_);
      for (std::size_t i = 0; i < places_.size(); ++i) {
        if (places_[i] != TextColumn::no_text) continue;
        places_[i] = 0;
        known[i] = 0;
        ++unknown;
      }
    } else {
      texts.resize(end - begin);
      for (std::uint64_t row = begin; row < end; ++row) {
        auto text = reader.texts->text_at(row);
        if (text) {
          texts[row - begin] = std::move(*text);
        } else {
          known[row - begin] = 0;
          ++unknown;
        }
      }
    }
    body.add_node(end - begin, unknown);
    body.add_bits(known, unknown == 0);
    if (reader.has_dictionary)
      body.add(std::span<const std::uint32_t>(places_));
    else
      body.add_texts(texts);
  }

  void send_footer() {
    fb::FlatBufferBuilder to;
    const auto of = schema(to);
    const auto dictionaries = to.CreateVectorOfStructs(dictionaries_);
    const auto batches = to.CreateVectorOfStructs(batches_);
    to.Finish(format::CreateFooter(to, format::MetadataVersion::V5, of, dictionaries, batches));
    put(std::string_view(reinterpret_cast<const char*>(to.GetBufferPointer()), to.GetSize()));
    put_number(to.GetSize());
    put(magic.substr(0, 6));
  }

  const tables::Table& table_;
  const std::function<void(std::string_view)>& write_;
  std::uint64_t rows_, size_ = 0;
  std::vector<Reader> readers_;
  std::vector<format::Block> dictionaries_, batches_;
  std::vector<std::uint32_t> places_;
  NumberRows numbers_;
};

}  // namespace

std::vector<std::string> write_table(const tables::Table& table, tables::Source& source,
                                     const std::function<void(std::string_view)>& write,
                                     std::uint64_t batch_rows) {
  return FileWriter(table, source, write).run(batch_rows);
}

}  // namespace reel::arrow
