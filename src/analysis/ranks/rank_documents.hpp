// rank_documents.hpp - documents put in order by rank; what can't be compared is left out, by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reel/ranks.hpp"

namespace reel::analysis {

struct RankDocuments {
  std::string program;
  std::vector<std::uint32_t> ranks;   // ascending
  std::vector<RankSteps> documents;   // as ranks
  bool numbered_by_name = false;      // no document tells its rank
  std::vector<std::string> problems;  // sentences
};
RankDocuments arrange(std::vector<RankSteps> documents);

}  // namespace reel::analysis
