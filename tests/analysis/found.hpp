// found.hpp - what the rules find in a made document, for tests of each of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/made_document.hpp"
#include "reel/insights.hpp"

namespace reel {

using test::MadeDocument;

inline const std::vector<float> ones(1024, 1.0f), twos(1024, 2.0f);

inline std::vector<analysis::Finding> findings_of(MadeDocument& made) {
  const Trace trace = made.trace();
  return find_insights(trace, analyze(trace));
}

inline std::optional<analysis::Finding> find(MadeDocument& made, const std::string& id) {
  for (const analysis::Finding& finding : findings_of(made))
    if (finding.id == id) return finding;
  return std::nullopt;
}

inline double number(const analysis::Finding& finding, const std::string& name) {
  for (const analysis::Number& n : finding.numbers)
    if (n.name == name) return n.value;
  ADD_FAILURE() << finding.id << " has no number " << name;
  return 0;
}

// Kernels of 10 µs, `gap` us apart; each given `ahead` us before it starts.
inline void add_chain(MadeDocument& made, int count, double gap, double ahead, double run = 10) {
  const auto k = made.kernel("k");
  for (int i = 0; i < count; ++i) {
    const double t = 100 + i * (run + gap);
    made.add({.kernel = k, .run = {t, t + run}, .call = test::Span{t - ahead, t - ahead + 0.1}});
  }
}

}  // namespace reel
