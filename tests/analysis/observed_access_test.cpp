#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/contents/source_reads.hpp"
#include "analysis/made_document.hpp"
#include "reel/analysis.hpp"

namespace reel {
namespace {

using analysis::only_reads;
using test::MadeDocument;
using testing::ElementsAre;
using testing::IsEmpty;

// add(p0, p1): p1 += p0, without a const.
constexpr const char* text =
    "kernel void add(global float* p0, global float* p1) {\n"
    "  size_t i = get_global_id(0);\n"
    "  p1[i] = p1[i] + p0[i];\n"
    "}\n";

const std::vector<float> zeros(1024, 0), ones(1024, 1), twos(1024, 2);

std::vector<std::string> texts_of(const std::vector<analysis::LeftAlone>& list) {
  std::vector<std::string> texts;
  for (const analysis::LeftAlone& l : list)
    texts.push_back("k" + std::to_string(l.kernel) + " p" + std::to_string(l.parameter) + " " +
                    std::to_string(l.times));
  return texts;
}

std::vector<std::string> texts_of(const std::vector<analysis::Dependency>& list) {
  std::vector<std::string> texts;
  for (const analysis::Dependency& d : list)
    texts.push_back("c" + std::to_string(d.from) + " > c" + std::to_string(d.to) + " " +
                    to_string(d.kind));
  return texts;
}

// One source `x`, two sums on two streams; what a layer records of it.
struct TwoSums {
  explicit TwoSums(const document::Facts& facts, const std::string& source = text)
      : made(2, facts) {
    x = made.buffer(), y = made.buffer(), z = made.buffer();
    const auto add = made.kernel("add", source), side = made.stream();
    made.contents(ContentRole::input, no_index, x, ones);
    made.contents(ContentRole::input, no_index, y, zeros);
    made.contents(ContentRole::input, no_index, z, zeros);
    made.add({.kernel = add, .run = {1, 2}, .changes = {{x}, {y}}});
    made.add({.kernel = add, .stream = side, .run = {1, 2}, .changes = {{x}, {z}}});
  }
  void results(const std::vector<float>& of_x, const std::vector<float>& of_y) {
    made.contents(ContentRole::check, 1, x, of_x);
    made.contents(ContentRole::check, 1, y, of_y);
    made.contents(ContentRole::check, 1, z, of_y);
  }
  MadeDocument made;
  std::uint32_t x = 0, y = 0, z = 0;
};

const document::Facts of_layer = {{"api", "opencl"}};

// Both write `x`, in no order.
void expect_written(const Trace& trace) {
  EXPECT_THAT(analysis::find_left_alone(trace), IsEmpty());
  EXPECT_THAT(texts_of(analysis::find_dependencies(trace).edges), ElementsAre("c0 > c1 missing"));
}

TEST(ObservedAccess, WhatStaysAsItWasIsOnlyRead) {
  TwoSums sums(of_layer);
  sums.results(ones, twos);
  const Trace trace = sums.made.trace();
  EXPECT_THAT(texts_of(analysis::find_left_alone(trace)), ElementsAre("k0 p0 1"));
  EXPECT_THAT(analysis::find_dependencies(trace).edges, IsEmpty());
}

TEST(ObservedAccess, WhatChangedIsWritten) {
  TwoSums sums(of_layer);
  sums.results(zeros, twos);
  expect_written(sums.made.trace());
}

TEST(ObservedAccess, AKernelThatChangedNothingAtAllTellsNothing) {
  TwoSums sums(of_layer);
  sums.results(ones, zeros);
  expect_written(sums.made.trace());
}

TEST(ObservedAccess, SourceThatWritesIsBelieved) {
  TwoSums sums(of_layer,
               "kernel void add(global float* p0, global float* p1) {\n"
               "  if (p1[0] < 0) p0[0] = 0;\n"
               "  p1[get_global_id(0)] += 1;\n"
               "}\n");
  sums.results(ones, twos);
  EXPECT_THAT(analysis::find_left_alone(sums.made.trace()), IsEmpty());
}

TEST(ObservedAccess, WhatTheProgramDeclaredStays) {
  TwoSums sums({});
  sums.results(ones, twos);
  expect_written(sums.made.trace());
}

TEST(ObservedAccess, NobodySawItWhereACopyCameBetween) {
  MadeDocument made(2, of_layer);
  const auto x = made.buffer(), y = made.buffer(), add = made.kernel("add", text);
  made.contents(ContentRole::input, no_index, x, ones);
  made.contents(ContentRole::input, no_index, y, zeros);
  made.add({.kernel = add, .run = {1, 2}, .changes = {{x}, {y}}});
  made.add({.kind = WorkKind::fill, .run = {2, 3}, .writes = {{x}}});
  made.contents(ContentRole::check, 1, x, ones);
  made.contents(ContentRole::check, 1, y, twos);
  EXPECT_THAT(analysis::find_left_alone(made.trace()), IsEmpty());
}

bool reads_p(const std::string& body) {
  return only_reads(
      "kernel void other(global int* p) { p[0] = 1; }\n"
      "__kernel void k(global int* p, global int* q, int a);\n"
      "__kernel void k(global int* p, global int* q, int a) { " +
          body + " }\n",
      "k", "p");
}

TEST(SourceReads, PlainReads) {
  for (const char* body :
       {"q[0] = p[1];", "q[p[0]] = 2;", "int x = *p;", "q[0] = p[0] == 3;", "q[0] = p[0] <= 3;",
        "q[0] = p[0] >= a << 1;", "if (p[0] != 3) q[0] = a & p[1];", "q[0] = -p[0] + a * p[1];",
        "q[0] = vload4(0, p).x;", "q[0] = p[a].x;", "return q[0] = p[0];",
        "/* p[0] = 1; */ q[0] = p[0];", "int x = q[0] - p[0];", "int x = p[0] && p[1];",
        "q[0] = s.p + p[0];"})
    EXPECT_TRUE(reads_p(body)) << body;
}

TEST(SourceReads, WritesAndWhateverIsNotPlain) {
  for (const char* body : {"p[0] = 1;",
                           "p[q[0]] += 1;",
                           "p[0]++;",
                           "++p[0];",
                           "*p = 1;",
                           "*p += 1;",
                           "p[0] <<= 1;",
                           "p[0] >>= 1;",
                           "p[0].x = 1;",
                           "p[0].v[2] = 1;",
                           "atomic_add(p, 1);",
                           "atomic_inc(&p[3]);",
                           "vstore4(x, 0, p);",
                           "help(p);",
                           "global int* r = p;",
                           "*(p + 1) = 2;",
                           "q[0] = p[0] = 1;",
                           "return &p[0];",
                           "q[0] = 1;",
                           "",
                           "q[0] = p[1]; p[2] ^= 1;",
                           "--*p;",
                           "int x = a * p;"})
    EXPECT_FALSE(reads_p(body)) << body;
}

TEST(SourceReads, MacrosMayWriteWhatTheyAreGivenOrName) {
  const auto reads = [](const std::string& before, const std::string& body) {
    return only_reads(before + "kernel void k(global int* p, global int* q) { " + body + " }\n",
                      "k", "p");
  };
  EXPECT_TRUE(reads("#define N 4\n", "q[0] = p[N];"));
  EXPECT_FALSE(reads("#define STORE(a, v) a = v\n", "STORE(p[0], q[0]);"));
  EXPECT_FALSE(reads("#define STORE(a, v) a = v\n", "STORE((p[0]), (q[0]));"));
  EXPECT_FALSE(reads("#define STEP p[1] = 3\n", "q[0] = p[0]; STEP;"));
  EXPECT_FALSE(reads("#define STEP \\\n  p[1] = 3\n", "q[0] = p[0]; STEP;"));
}

}  // namespace
}  // namespace reel
