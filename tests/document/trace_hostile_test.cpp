// Documents that are whole as files and say what no writer of ours would say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "check_trace.hpp"
#include "expect_error.hpp"
#include "raw_document.hpp"
#include "reel/trace.hpp"
#include "sample_document.hpp"

namespace reel::test {
namespace {

using namespace document;
using schema::BatchBuilder;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

constexpr std::uint64_t huge = ~std::uint64_t{0};

class HostileTrace : public testing::Test {
 protected:
  // A device, a stream, a buffer of 64 bytes, a kernel, a barrier (work 0), a launch (work 1),
  // and a dispatch (work 2).
  static void add_basics(Batches& b) {
    b.add(DeviceRow{0, "host", "host", "CPU", "cpu", "reel", "1", "", 1, 1, true, 1});
    b.add(StreamRow{0, 0, "main"});
    b.add(BufferRow{0, 0, 64, "x"});
    b.add(KernelRow{}, {});
    b.add(ClockRow{0, 1000, 1000, 0});
    for (const WorkKind kind : {WorkKind::barrier, WorkKind::launch, WorkKind::dispatch}) {
      WorkRow work{};
      work.kind = kind;
      work.kernel = work.graph = 0;
      b.add(work, static_cast<std::uint32_t>(b.rows(TableId::works)));
    }
  }
  static CommandRow command(std::uint32_t id, std::uint32_t work = 0) {
    return {id, work, 0, no_index, no_index, 1, 1000 + id, 1001 + id};
  }
  RawDocument document(const mcap::StringMap& facts = {{"format", "1"}}) {
    std::filesystem::remove(path);
    return RawDocument(path, facts);
  }
  Trace load() const {
    Trace trace = Trace::load(path);
    check_trace(trace);
    return trace;
  }
  // Loads a document of the basics and these rows.
  Trace with(const std::function<void(Batches&)>& fill) {
    auto d = document();
    d.rows([&](Batches& b) {
      add_basics(b);
      fill(b);
    });
    d.close();
    return load();
  }

  TemporaryFolder folder;
  const std::string path = folder / "x.reel";
};

TEST_F(HostileTrace, TheBasicsAreNothingToComplainOf) {
  const Trace trace = with([](Batches& b) { b.add(command(0)); });
  EXPECT_TRUE(trace.is_complete());
  EXPECT_THAT(trace.problems(), IsEmpty());
}

TEST_F(HostileTrace, AnotherProfileOrANewerFormatIsRefused) {
  {
    RawDocument d(path, {}, "ros2");
    d.close();
  }
  expect_error(Code::damaged_document, {path, "ros2"}, [&] { load(); });
  document({{"format", "2"}}).close();
  expect_error(Code::unsupported, {path, "format 2", "up to format 1"}, [&] { load(); });
  document({{"format", "one"}}).close();
  EXPECT_FALSE(load().is_complete());
  document({}).close();
  EXPECT_FALSE(load().is_complete());
}

TEST_F(HostileTrace, UnknownChannelsAreSkippedInSilence) {
  auto d = document();
  d.rows(add_basics);
  d.message("/dreams", bytes_of("not even a FlatBuffer"));
  d.message("/nightmares", bytes_of("no"), "json");
  d.close();
  const Trace trace = load();
  EXPECT_TRUE(trace.is_complete());
  EXPECT_EQ(trace.buffers().size(), 1u);
}

TEST_F(HostileTrace, UnknownColumnsAreSkippedInSilence) {
  auto d = document();
  d.rows(add_basics);
  // A Commands table with two more columns, in a Batch with one more table before it.
  d.batch("/commands", [](FlatBufferBuilder& b) {
    const auto id = numbers(b, {0, 1}), zero = numbers(b, {0, 0}), extra = numbers(b, {huge, 7});
    const auto start = b.StartTable();
    b.AddOffset(schema::Commands::VT_ID, id);
    b.AddOffset(schema::Commands::VT_WORK, zero);
    b.AddOffset(schema::Commands::VT_STREAM, zero);
    b.AddOffset(schema::Commands::VT_CALL_NS + 2, extra);
    b.AddElement<std::uint64_t>(schema::Commands::VT_CALL_NS + 4, 99, 0);
    const Offset<schema::Commands> commands(b.EndTable(start));
    const auto newer = b.CreateString("a table of tomorrow");
    const auto batch = b.StartTable();
    b.AddOffset(schema::Batch::VT_HOST_CLOCKS + 2, newer);
    b.AddOffset(schema::Batch::VT_COMMANDS, commands);
    return Offset<schema::Batch>(b.EndTable(batch));
  });
  d.close();
  const Trace trace = load();
  EXPECT_TRUE(trace.is_complete()) << testing::PrintToString(trace.problems());
  ASSERT_EQ(trace.commands().size(), 2u);
  EXPECT_EQ(trace.commands()[1].launch, no_index);  // an absent column of ids is "none"
  EXPECT_EQ(trace.commands()[1].thread, 0u);
}

TEST_F(HostileTrace, ABatchThatIsNoFlatBufferIsLeftOut) {
  auto d = document();
  d.rows(add_basics);
  d.message("/commands", bytes_of("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"));
  d.message("/commands", {});
  d.close();
  const Trace trace = load();
  EXPECT_THAT(trace.problems(),
              Contains("2 rows of /commands are left out: the batch is not a valid FlatBuffer."));
}

TEST_F(HostileTrace, AColumnOfFourBillionRowsIsLeftOut) {
  auto d = document();
  d.rows(add_basics);
  d.table("/commands", &BatchBuilder::add_commands, [](FlatBufferBuilder& b) {
    const auto claim = schema::CreateNumbers(b, 0xffffffffu);
    return schema::CreateCommands(b, claim, claim, claim);
  });
  d.close();
  EXPECT_THAT(load().problems(), Contains(HasSubstr("4294967295 rows of /commands are left out")));
}

TEST_F(HostileTrace, AMillionRowsInNoBytesAreOnlyBelievedSoOften) {
  auto d = document();
  d.rows(add_basics);
  for (int i = 0; i < 50; ++i)
    d.table("/commands", &BatchBuilder::add_commands, [](FlatBufferBuilder& b) {
      const auto claim = schema::CreateNumbers(b, 1u << 20);
      return schema::CreateCommands(b, claim, claim, claim);
    });
  d.close();
  const Trace trace = load();
  EXPECT_EQ(trace.commands().size(), 1u);
  EXPECT_THAT(trace.problems(), Contains(HasSubstr("more than a file of this size can hold")));
}

TEST_F(HostileTrace, OneLongTextNamedAMillionTimesIsOnlyBelievedSoOften) {
  auto d = document();
  d.batch("/texts", [](FlatBufferBuilder& b) {
    const auto text = b.CreateString(std::string(8 << 20, 'x'));
    const std::vector<Offset<flatbuffers::String>> texts(10'000, text);
    std::vector<std::uint64_t> ids(texts.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i + 1;
    const auto table = schema::CreateTexts(b, numbers(b, ids), b.CreateVector(texts));
    BatchBuilder batch(b);
    batch.add_texts(table);
    return batch.Finish();
  });
  d.close();
  EXPECT_THAT(load().problems(), Contains(HasSubstr("more than a file of this size can hold")));
}

TEST_F(HostileTrace, ColumnsOfDifferentLengthAreLeftOut) {
  auto d = document();
  d.rows(add_basics);
  d.table("/commands", &BatchBuilder::add_commands, [](FlatBufferBuilder& b) {
    return schema::CreateCommands(b, numbers(b, {0, 1, 2}), numbers(b, {0, 0}),
                                  numbers(b, {0, 0, 0}));
  });
  d.close();
  const Trace trace = load();
  EXPECT_TRUE(trace.commands().empty());
  EXPECT_THAT(trace.problems(), Contains("3 rows of /commands are left out: the columns of the "
                                         "batch don't fit each other."));
}

TEST_F(HostileTrace, AColumnThatIsShorterThanItSaysIsLeftOut) {
  auto d = document();
  d.rows(add_basics);
  d.table("/commands", &BatchBuilder::add_commands, [](FlatBufferBuilder& b) {
    const auto short_column =
        schema::CreateNumbers(b, 5, 0, false, 0, b.CreateVector(std::vector<std::uint8_t>{1, 2}));
    return schema::CreateCommands(b, short_column, short_column, short_column);
  });
  d.close();
  EXPECT_THAT(load().problems(), Contains(HasSubstr("5 rows of /commands are left out")));
}

TEST_F(HostileTrace, CommandsEndBeforeAGap) {
  const Trace trace = with([](Batches& b) {
    for (const std::uint32_t id : {0u, 1u, 3u, 4u, 7u}) b.add(command(id));
  });
  EXPECT_EQ(trace.commands().size(), 2u);
  EXPECT_FALSE(trace.is_complete());
  EXPECT_THAT(trace.problems(),
              Contains("3 rows of /commands are left out: a command before them is missing."));
}

TEST_F(HostileTrace, OfCommandsWithOneIdTheFirstCounts) {
  const Trace trace = with([](Batches& b) {
    for (const std::uint32_t id : {0u, 1u, 1u, 2u, 0u}) b.add(command(id));
  });
  EXPECT_EQ(trace.commands().size(), 3u);
  EXPECT_THAT(trace.problems(),
              Contains("2 rows of /commands are left out: another row has the same number."));
}

TEST_F(HostileTrace, CommandsEndBeforeOneWhoseWorkOrStreamIsMissing) {
  EXPECT_EQ(with([](Batches& b) {
              b.add(command(0));
              b.add(command(1, 12));
              b.add(command(2));
            })
                .commands()
                .size(),
            1u);
  EXPECT_EQ(with([](Batches& b) {
              CommandRow row = command(0);
              row.stream = 9;
              b.add(row);
            })
                .commands()
                .size(),
            0u);
}

TEST_F(HostileTrace, IdsThatDoNotFitIn32BitsAreLeftOut) {
  auto d = document();
  d.rows(add_basics);
  d.table("/commands", &BatchBuilder::add_commands, [](FlatBufferBuilder& b) {
    const auto zero = numbers(b, {0, 0});
    return schema::CreateCommands(b, numbers(b, {0, 1}), numbers(b, {0, 1ULL << 32}), zero);
  });
  d.close();
  EXPECT_EQ(load().commands().size(), 1u);
}

TEST_F(HostileTrace, LaunchesThatGoInACircleAreNoLaunches) {
  const Trace trace = with([](Batches& b) {
    for (std::uint32_t id = 0; id < 4; ++id) {
      CommandRow row = command(id, id == 2 ? 1 : 0);
      row.launch = id == 0   ? 1
                   : id == 1 ? 0
                   : id == 2 ? 2
                             : 2;  // 0 and 1 by each other, 2 by itself
      row.node = 0;
      b.add(row);
    }
  });
  ASSERT_EQ(trace.commands().size(), 4u);
  EXPECT_EQ(trace.commands()[0].launch, no_index);
  EXPECT_EQ(trace.commands()[1].launch, no_index);
  EXPECT_EQ(trace.commands()[2].launch, no_index);
  EXPECT_EQ(trace.commands()[3].launch, 2u);
  EXPECT_THAT(trace.problems(), Contains(HasSubstr("no launch before it")));
}

TEST_F(HostileTrace, OrdersOnlyPointBack) {
  const Trace trace = with([](Batches& b) {
    b.add(command(0));
    b.add(command(1));
    b.add(OrderRow{1, 0, 0});
    b.add(OrderRow{0, 0, 1});
    b.add(OrderRow{1, 0, 1});
    b.add(OrderRow{5, 0, 0});
    b.add(OrderRow{no_index, 0, no_index});
  });
  EXPECT_EQ(trace.orders().size(), 1u);
}

TEST_F(HostileTrace, SubmissionsAndBarriersAreOfWhatIsThere) {
  const Trace trace = with([](Batches& b) {
    for (std::uint32_t i = 0; i < 4; ++i) b.add(command(i));
    b.add(SubmissionRow{0, 2, 0, 0});
    b.add(SubmissionRow{1, 1, 0, 0});  // of another
    b.add(SubmissionRow{2, 3, 0, 0});  // ends past the last command
    b.add(SubmissionRow{2, 0, 0, 0});  // of nothing
    b.add(SubmissionRow{2, 1, 9, 0});  // no such stream
    b.add(SubmissionRow{3, ~0u, 0, 0});
    b.add(BarrierRow{1, 1, 1, 0, 0, no_index, 0, 0, 0, 0, no_index, no_index});
    b.add(BarrierRow{7, 1, 1, 0, 0, no_index, 0, 0, 0, 0, no_index, no_index});
    b.add(BarrierRow{1, 1, 1, 0, 0, 44, 0, 0, 0, 0, no_index, no_index});
  });
  ASSERT_EQ(trace.submissions().size(), 1u);
  EXPECT_EQ(trace.submissions()[0].count, 2u);
  EXPECT_EQ(trace.submission_of(2), std::nullopt);
  EXPECT_EQ(trace.barriers().size(), 1u);
}

TEST_F(HostileTrace, IntervalsAreOfCommandsThatAreThere) {
  const Trace trace = with([](Batches& b) {
    for (std::uint32_t i = 0; i < 4; ++i) b.add(command(i));
    b.add(ClockRow{0, 1000, 1000, 1});
    b.add(IntervalRow{0, 2, 0, 2000, 3000});
    b.add(IntervalRow{1, 1, 0, 2000, 3000});  // of another
    b.add(IntervalRow{2, 3, 0, 2000, 3000});  // ends past the last command
    b.add(IntervalRow{2, 0, 0, 2000, 3000});  // of nothing
    b.add(IntervalRow{2, 1, 9, 2000, 3000});  // no such stream
    b.add(IntervalRow{3, ~0u, 0, 2000, 3000});
  });
  ASSERT_EQ(trace.intervals().size(), 1u);
  EXPECT_EQ(trace.intervals()[0].count, 2u);
  EXPECT_EQ(trace.interval_of(2), std::nullopt);
  EXPECT_EQ(trace.interval_of(no_index), std::nullopt);
}

TEST_F(HostileTrace, RangesPastTheirBufferTakeTheirWorkWithThem) {
  for (const auto& [offset, size] : {std::pair<std::uint64_t, std::uint64_t>{0, 65},
                                     {65, 0},
                                     {32, huge},
                                     {huge, 2},
                                     {huge - 1, 4}}) {
    const Trace trace = with([&, o = offset, s = size](Batches& b) {
      const std::vector<TraceArgument> argument{
          {ArgumentKind::buffer, Access::read_write, 0, o, s}};
      WorkRow work{};
      work.kind = WorkKind::dispatch;
      work.kernel = 0;
      work.arguments = argument;
      b.add(work, 3);
      b.add(command(0, 3));
    });
    EXPECT_TRUE(trace.commands().empty());
    EXPECT_THAT(trace.problems(),
                Contains("1 row of /works is left out: a range ends past its buffer."));
  }
}

TEST_F(HostileTrace, ShapesThatACommandCannotHaveAreLeftOut) {
  const TraceArgument in{ArgumentKind::buffer, Access::read, 0, 0, 16};
  const TraceArgument out{ArgumentKind::buffer, Access::write, 0, 16, 16};
  const TraceArgument odd{ArgumentKind::buffer, Access::write, 0, 16, 15};
  const TraceArgument value{ArgumentKind::value, Access::read, 0, 0, 0};
  const auto is_refused = [&](WorkKind kind, std::vector<TraceArgument> arguments,
                              std::uint64_t pattern = 0) {
    const Trace trace = with([&](Batches& b) {
      WorkRow work{};
      work.kind = kind;
      work.kernel = 0;
      work.pattern = static_cast<std::uint32_t>(pattern);
      work.pattern_bytes = static_cast<std::uint32_t>(pattern >> 32);
      work.arguments = arguments;
      b.add(work, 3);
      b.add(command(0, 3));
    });
    return trace.commands().empty();
  };
  EXPECT_FALSE(is_refused(WorkKind::copy, {in, out}));
  EXPECT_TRUE(is_refused(WorkKind::copy, {in, odd}));
  EXPECT_TRUE(is_refused(WorkKind::copy, {out, in}));
  EXPECT_TRUE(is_refused(WorkKind::copy, {in}));
  EXPECT_TRUE(is_refused(WorkKind::copy, {in, out, out}));
  EXPECT_FALSE(is_refused(WorkKind::fill, {out}, 4ULL << 32));
  EXPECT_TRUE(is_refused(WorkKind::fill, {odd}, 4ULL << 32));
  EXPECT_TRUE(is_refused(WorkKind::fill, {out}, 3ULL << 32));
  EXPECT_TRUE(is_refused(WorkKind::fill, {out}, 0));
  EXPECT_TRUE(is_refused(WorkKind::write, {in}));
  EXPECT_FALSE(is_refused(WorkKind::copy, {in, out, in, out}));
  EXPECT_TRUE(is_refused(WorkKind::copy, {in, out, in, odd}));
  EXPECT_FALSE(is_refused(WorkKind::fill, {out, out}, 4ULL << 32));
  EXPECT_TRUE(is_refused(WorkKind::fill, {out, odd}, 4ULL << 32));
  EXPECT_FALSE(is_refused(WorkKind::write, {out, odd}));
  EXPECT_TRUE(is_refused(WorkKind::write, {out, in}));
  EXPECT_FALSE(is_refused(WorkKind::read, {}));
  EXPECT_TRUE(is_refused(WorkKind::read, {value}));
  const TraceArgument no_access{ArgumentKind::buffer, static_cast<Access>(0), 0, 0, 16};
  EXPECT_TRUE(is_refused(WorkKind::dispatch, {no_access}));
}

// Numbers of their own: an image has another one as a kind of argument.
TEST_F(HostileTrace, KindsOfParametersHaveTheNumbersOfTheFormat) {
  const std::vector<std::string> words{"buffer", "value", "shared", "image", "sampler", "opaque"};
  auto d = document();
  d.table("/kernels", &BatchBuilder::add_kernels, [&](FlatBufferBuilder& b) {
    std::vector<Offset<schema::Parameter>> parameters;
    for (std::uint8_t kind = 0; kind <= words.size(); ++kind)
      parameters.push_back(schema::CreateParameter(b, b.CreateString("p"), kind, 1));
    const auto list = b.CreateVector(parameters);
    schema::KernelBuilder kernel(b);
    kernel.add_parameters(list);
    const auto row = kernel.Finish();
    return schema::CreateKernels(b, b.CreateVector(std::vector{row}));
  });
  d.rows([](Batches& b) {
    b.add(DeviceRow{0, "host", "host", "CPU", "cpu", "reel", "1", "", 1, 1, true, 1});
  });
  d.close();
  const Trace trace = load();
  const auto& loaded = trace.kernels().at(0).parameters;
  ASSERT_EQ(loaded.size(), words.size() + 1);
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(to_string(loaded[i].kind), words[i]);
  EXPECT_EQ(loaded.back().kind, ArgumentKind::value) << "of a newer version";

  Batches written;
  KernelRow row{};
  row.parameters = {loaded.begin(), loaded.end() - 1};
  written.add(row, {});
  const auto bytes = written.take(TableId::kernels);
  const auto* kernel = schema::GetBatch(bytes.data())->kernels()->rows()->Get(0);
  ASSERT_EQ(kernel->parameters()->size(), words.size());
  for (std::uint32_t i = 0; i < words.size(); ++i)
    EXPECT_EQ(kernel->parameters()->Get(i)->kind(), i);
}

// And an argument that says to be an image is one of a newer version.
TEST_F(HostileTrace, AnArgumentIsNeverAnImage) {
  const Trace trace = with([](Batches& b) {
    const std::array image{TraceArgument{ArgumentKind::image, Access::read, 0, 0, 16}};
    WorkRow work{};
    work.kind = WorkKind::dispatch;
    work.kernel = 0;
    work.arguments = image;
    b.add(work, 3);
    b.add(command(0, 3));
  });
  ASSERT_EQ(trace.commands().size(), 1u);
  EXPECT_EQ(trace.work_of(trace.commands()[0]).kind, WorkKind::unknown);
}

TEST_F(HostileTrace, ImagesOfASizeThatCannotBeAreLeftOut) {
  const auto is_kept = [&](const ImageShape& shape, std::uint64_t size_bytes) {
    const Trace trace = with([&](Batches& b) {
      BufferRow row{7, 0, size_bytes, "image"};
      row.kind = BufferKind::image;
      row.image = shape;
      b.add(row);
    });
    return trace.find_buffer(BufferId{7}).has_value();
  };
  using enum ImageType;
  EXPECT_TRUE(is_kept({d2, {}, {}, 4, 8, 2, 1, 1, 0}, 64));
  EXPECT_FALSE(is_kept({d2, {}, {}, 4, 8, 2, 1, 1, 0}, 63));
  EXPECT_FALSE(is_kept({d2, {}, {}, 0, 8, 2, 1, 1, 0}, 0));
  EXPECT_FALSE(is_kept({d2, {}, {}, 4, 0, 2, 1, 1, 0}, 0));
  EXPECT_FALSE(is_kept({d1, {}, {}, 4, 8, 2, 1, 1, 0}, 64));
  EXPECT_FALSE(is_kept({d2, {}, {}, 4, 8, 2, 2, 1, 0}, 128));
  EXPECT_FALSE(is_kept({d3, {}, {}, 4, 8, 2, 1, 2, 0}, 128));
  // Products that wrap around to something small.
  EXPECT_FALSE(is_kept({d3, {}, {}, 16, 1ULL << 32, 1ULL << 28, 1, 1, 0}, 0));
  EXPECT_FALSE(is_kept({d3, {}, {}, 4, (1ULL << 62) + 1, 1, 1, 1, 0}, 4));
  EXPECT_FALSE(is_kept({d2, {}, {}, 4, huge, huge, 1, 1, 0}, 4));
  EXPECT_TRUE(is_kept({d2, {}, {}, 4, 8, 2, 1, 1, 40}, 64));
  EXPECT_FALSE(is_kept({d2, {}, {}, 4, 8, 2, 1, 1, 31}, 64));
  EXPECT_FALSE(is_kept({d2, {}, {}, 4, 8, 2, 1, 1, huge}, 64));
}

TEST_F(HostileTrace, ImagesPastTheRangeThatTheyAreMadeOnTakeTheirWorkWithThem) {
  const auto is_kept = [&](std::uint64_t offset, std::uint64_t size, std::uint64_t pitch,
                           std::uint32_t view) {
    const Trace trace = with([&](Batches& b) {
      BufferRow row{7, 0, 16, "image"};
      row.kind = BufferKind::image;
      row.image = ImageShape{ImageType::d2, {}, {}, 4, 2, 2, 1, 1, pitch};
      b.add(row);
      const std::vector<TraceArgument> argument{
          {ArgumentKind::buffer, Access::read, 0, offset, size, view}};
      WorkRow work{};
      work.kind = WorkKind::dispatch;
      work.kernel = 0;
      work.arguments = argument;
      b.add(work, 3);
      b.add(command(0, 3));
    });
    return !trace.commands().empty();
  };
  EXPECT_TRUE(is_kept(48, 16, 0, 7));
  EXPECT_TRUE(is_kept(0, 40, 32, 7));
  EXPECT_FALSE(is_kept(0, 39, 32, 7));
  EXPECT_FALSE(is_kept(48, 15, 0, 7));
  EXPECT_FALSE(is_kept(49, 16, 0, 7));
  EXPECT_FALSE(is_kept(0, 16, 0, 0));  // b0 is no image
  EXPECT_FALSE(is_kept(0, 16, 0, 9));  // there is none
}

TEST_F(HostileTrace, AKindOfATomorrowKeepsItsPlace) {
  const Trace trace = with([&](Batches& b) {
    const std::vector<TraceArgument> arguments{
        {ArgumentKind::buffer, Access::write, 0, 0, 64},
        {static_cast<ArgumentKind>(200), Access::read, 0, 0, 64}};
    WorkRow work{};
    work.kind = static_cast<WorkKind>(99);
    work.arguments = std::span(arguments).first(1);
    b.add(work, 3);
    work.kind = WorkKind::dispatch;
    work.kernel = 0;
    work.arguments = arguments;
    b.add(work, 4);
    b.add(command(0, 3));
    b.add(command(1, 4));
    b.add(command(2));
  });
  ASSERT_EQ(trace.commands().size(), 3u);
  EXPECT_EQ(trace.work_of(trace.commands()[0]).kind, WorkKind::unknown);
  EXPECT_EQ(trace.arguments(trace.work_of(trace.commands()[0])).size(), 1u);
  EXPECT_EQ(trace.work_of(trace.commands()[1]).kind, WorkKind::unknown);
  EXPECT_THAT(trace.problems(), Contains(HasSubstr("newer version")));
}

TEST_F(HostileTrace, ArgumentsThatAreNotThereAreNotRead) {
  auto d = document();
  d.rows(add_basics);
  const auto works = [](FlatBufferBuilder& b, std::uint64_t count, std::vector<std::uint64_t> kinds,
                        std::vector<std::uint64_t> sizes, std::uint64_t id) {
    const std::vector<std::uint64_t> zeros(kinds.size());
    const auto none = numbers(b, {0});
    return schema::CreateWorks(b, numbers(b, {id}), none, none, none, none, none, none, none, none,
                               none, none, none, numbers(b, {count}), numbers(b, kinds),
                               numbers(b, std::vector<std::uint64_t>(kinds.size(), 1)),
                               numbers(b, zeros), numbers(b, zeros), numbers(b, sizes),
                               b.CreateVector(std::vector<std::uint8_t>{1, 2, 3}));
  };
  d.table("/works", &BatchBuilder::add_works,
          [&](FlatBufferBuilder& b) { return works(b, huge, {0}, {0}, 3); });
  d.table("/works", &BatchBuilder::add_works,
          [&](FlatBufferBuilder& b) { return works(b, 2, {0}, {0}, 4); });
  d.table("/works", &BatchBuilder::add_works,
          [&](FlatBufferBuilder& b) { return works(b, 1, {1}, {4}, 5); });
  d.table("/works", &BatchBuilder::add_works, [&](FlatBufferBuilder& b) {
    return works(b, 2, {1, 1}, {2, huge}, 6);
  });
  d.table("/works", &BatchBuilder::add_works, [&](FlatBufferBuilder& b) {
    return works(b, 2, {1, 1}, {2, 1}, 7);
  });
  d.rows([](Batches& b) { b.add(command(0, 7)); });
  d.close();
  const Trace trace = load();
  ASSERT_EQ(trace.commands().size(), 1u);
  const auto arguments = trace.arguments(trace.work_of(trace.commands()[0]));
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_EQ(trace.value_bytes(arguments[1])[0], std::byte{3});
  EXPECT_THAT(trace.problems(),
              Contains(HasSubstr("2 rows of /works are left out: the batch has fewer bytes")));
}

TEST_F(HostileTrace, ContentsThatDoNotFitAreLeftOut) {
  const std::vector<Hash128> one(1), two(2);
  const Trace trace = with([&](Batches& b) {
    b.add(command(0));
    b.add(ContentsRow{ContentRole::input, no_index, 0, 0, 64, false, one});
    b.add(ContentsRow{ContentRole::input, 1, 0, 0, 64, false, one});     // no such command
    b.add(ContentsRow{ContentRole::input, 0, 7, 0, 64, false, one});     // no such buffer
    b.add(ContentsRow{ContentRole::input, 0, 0, 32, 64, false, one});    // past its end
    b.add(ContentsRow{ContentRole::input, 0, 0, huge, 64, false, one});  // past all ends
    b.add(ContentsRow{ContentRole::input, 0, 0, 0, 64, false, two});     // a page too many
    b.add(ContentsRow{ContentRole::input, 0, 0, 0, huge, false, two});
    b.add(ContentsRow{static_cast<ContentRole>(9), 0, 0, 0, 64, false, one});
    b.add(ContentsRow{ContentRole::check, 0, 0, 0, 64, true, one});  // the page isn't there
  });
  ASSERT_EQ(trace.contents().size(), 2u);
  EXPECT_EQ(trace.contents()[0].command, no_index);
  EXPECT_FALSE(trace.contents()[1].stored);
  EXPECT_THAT(trace.problems(), Contains("1 contents have pages that are not in the document."));
}

TEST_F(HostileTrace, PagesThatAreNotThereAreNotRead) {
  auto d = document();
  d.rows([](Batches& b) {
    add_basics(b);
    b.add(command(0));
  });
  d.table("/contents", &BatchBuilder::add_contents, [](FlatBufferBuilder& b) {
    const auto zero = numbers(b, {0, 0});
    return schema::CreateContents(b, zero, zero, zero, zero, numbers(b, {64, 64}), zero,
                                  numbers(b, {1, 0xffffffffffULL}),
                                  b.CreateVector(std::vector<std::uint8_t>(31)));
  });
  d.close();
  const Trace trace = load();
  EXPECT_EQ(trace.contents().size(), 1u);
  EXPECT_THAT(trace.problems(), Contains(HasSubstr("fewer pages")));
}

TEST_F(HostileTrace, StampsOfNoCommandAndSecondStampsAreLeftOut) {
  const Trace trace = with([](Batches& b) {
    b.add(command(0));
    b.add(StampRow{0, 2000, 2001, 2002, 2003});
    b.add(StampRow{0, 1, 1, 1, 1});
    b.add(StampRow{8, 1, 1, 1, 1});
    b.add(StampRow{no_index, 1, 1, 1, 1});
  });
  EXPECT_EQ(trace.commands()[0].ended_ns, 2003u);
  EXPECT_THAT(trace.problems(),
              Contains("2 rows of /stamps are left out: the command is not in the document."));
}

TEST_F(HostileTrace, ADeviceWithoutClockHasNoTimes) {
  auto d = document();
  d.rows([](Batches& b) {
    b.add(DeviceRow{0, "odd:0", "odd", "", "", "", "", "", 1, 1, true, 1});
    b.add(StreamRow{0, 0, ""});
    WorkRow work{};
    work.kind = WorkKind::barrier;
    b.add(work, 0);
    for (std::uint32_t i = 0; i < 3; ++i) {
      b.add(command(i));
      b.add(StampRow{i, 5000, 5001, 5002, 5003});
    }
  });
  d.close();
  const Trace trace = load();
  for (const TraceCommand& c : trace.commands()) EXPECT_FALSE(c.has_run_times());
  EXPECT_THAT(trace.problems(),
              testing::ElementsAre("The clock of device 'odd:0' can't be brought to the host's, so "
                                   "the times of 3 commands are not known."));
  EXPECT_FALSE(trace.devices()[0].clock_error_ns);
  EXPECT_TRUE(trace.is_complete());
}

TEST_F(HostileTrace, AbsurdClocksGiveNoTimesRatherThanWrongOnes) {
  const Trace trace = with([](Batches& b) {
    b.add(ClockRow{0, 500, 2000, 0});  // goes back
    b.add(ClockRow{9, 500, 2000, 0});  // of no device
    b.add(ClockRow{0, huge, huge, huge});
    b.add(command(0));
    b.add(StampRow{0, 1, 999, huge, huge});
  });
  EXPECT_EQ(trace.commands()[0].submitted_ns, 999u);
  EXPECT_EQ(trace.commands()[0].ended_ns, huge);
  EXPECT_EQ(trace.devices()[0].clock_error_ns, huge);
}

TEST_F(HostileTrace, WhatEndsBeforeItBeginsHasNoLength) {
  const Trace trace = with([](Batches& b) {
    CommandRow row = command(0);
    row.call_begin_ns = huge - 5;
    row.call_end_ns = huge - 10;
    b.add(row);
    b.add(CallRow{0, 1, huge, 3, 77});
    b.add(RegionRow{TraceRegion::Kind::pass, 1, 0, 1, huge, 3});
    b.add(OverheadRow{OverheadKind::writing, 1, 12, 11, 0});
  });
  EXPECT_EQ(trace.commands()[0].call_end_ns, huge - 5);
  EXPECT_EQ(trace.commands()[0].run_ns(), 0u);
  EXPECT_THAT(trace.problems(),
              IsSupersetOf({HasSubstr("1 of the host's calls end before they begin"),
                            HasSubstr("1 of the passes and regions end before they begin"),
                            HasSubstr("1 of the times that recording took end before they begin"),
                            HasSubstr("1 of the calls that gave commands end before they begin")}));
}

TEST_F(HostileTrace, RowsWithOneIdAndRowsOfNoDeviceAreLeftOut) {
  const Trace trace = with([](Batches& b) {
    b.add(DeviceRow{0, "again", "", "", "", "", "", "", 1, 1, true, 1});
    b.add(DeviceRow{no_index, "none", "", "", "", "", "", "", 1, 1, true, 1});
    b.add(StreamRow{0, 0, "again"});
    b.add(StreamRow{4, 4, "of no device"});
    b.add(BufferRow{0, 0, 1, "again"});
    b.add(BufferRow{no_index, 0, 1, "none"});
    b.add(KernelRow{}, {});
    b.add(AllocationRow{false, 0, 5});
    b.add(AllocationRow{false, 0, 6});
    b.add(AllocationRow{true, 99, 6});
  });
  EXPECT_EQ(trace.devices().size(), 1u);
  EXPECT_EQ(trace.devices()[0].selector, "host");
  EXPECT_EQ(trace.streams().size(), 1u);
  EXPECT_EQ(trace.buffers()[0].label, "x");
  EXPECT_EQ(trace.buffers()[0].allocated_ns, 5u);
  EXPECT_EQ(trace.kernels().size(), 1u);
}

TEST_F(HostileTrace, TextsAreValidUtf8OrMadeSo) {
  const Trace trace = with([](Batches& b) {
    b.add_text(1,
               "a\xff"
               "b");
    b.add_text(1, "again");
    b.add_text(0, "zero");
    b.add(CallRow{1, 1, 10, 20});
    b.add(CallRow{4, 1, 11, 20});
    b.add(NoteRow{0, "k\xc0", "\xed\xa0\x80"});
  });
  EXPECT_EQ(trace.text(trace.calls()[0].name),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(trace.text(trace.calls()[1].name), "");
  EXPECT_EQ(trace.text(0), "");
  EXPECT_EQ(trace.notes()[0].kind, "k\xef\xbf\xbd");
  EXPECT_THAT(trace.problems(), Contains("1 label, scope or name is not in the document."));
}

TEST_F(HostileTrace, ABlobThatUncompressesToTooMuchIsNone) {
  const std::vector<std::byte> zeros(2u << 20);
  std::vector<std::byte> compressed(ZSTD_compressBound(zeros.size()));
  compressed.resize(
      ZSTD_compress(compressed.data(), compressed.size(), zeros.data(), zeros.size(), 1));
  const Hash128 hash = hash128(zeros);
  auto d = document();
  d.writer().attachment({0, 0, "xxh3:" + to_hex(hash), "application/zstd", compressed});
  d.writer().attachment({0, 0, "xxh3:" + to_hex({1, 2}), "application/zstd", bytes_of("no zstd")});
  d.writer().attachment({0, 0, "xxh3:short", "application/zstd", bytes_of("no name")});
  d.rows([&](Batches& b) {
    add_basics(b);
    const std::vector<Hash128> pages{hash};
    b.add(ContentsRow{ContentRole::input, no_index, 0, 0, 64, true, pages});
  });
  d.close();
  const Trace trace = load();
  EXPECT_FALSE(trace.bytes(trace.contents()[0]));  // a page has 64 bytes here
  EXPECT_TRUE(trace.blob({hash.low, hash.high}));
  EXPECT_TRUE(trace.has_blob({1, 2}));
  EXPECT_FALSE(trace.blob({1, 2}));
}

}  // namespace
}  // namespace reel::test
