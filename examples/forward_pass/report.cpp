#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace forward_pass {

double larger(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

double Report::tolerance() const {
  double largest = 1;
  if (!entries.empty())
    for (const float logit : entries.front().run.logits)
      largest = std::max(largest, std::abs(double{logit}));
  return 1e-3 * largest;
}

Verdict Report::judge(const Entry& entry) const {
  const Run& reference = entries.front().run;
  const auto same_device = std::find_if(entries.begin(), entries.end(), [&](const Entry& other) {
    return other.device.id == entry.device.id;
  });
  const std::vector<float>& logits = entry.run.logits;

  Verdict verdict;
  verdict.tokens_equal = entry.run.tokens == reference.tokens;
  verdict.bits_equal = std::memcmp(logits.data(), same_device->run.logits.data(),
                                   logits.size() * sizeof(float)) == 0;
  for (std::size_t i = 0; i < logits.size(); ++i)
    verdict.logit_difference =
        larger(verdict.logit_difference, std::abs(double{logits[i]} - reference.logits[i]));
  verdict.within_tolerance = verdict.logit_difference <= tolerance();
  return verdict;
}

bool Report::good() const {
  return !entries.empty() && std::all_of(entries.begin(), entries.end(),
                                         [&](const Entry& entry) { return judge(entry).good(); });
}

}  // namespace forward_pass
