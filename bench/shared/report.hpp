// report.hpp - results as a table for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "harness.hpp"

namespace bench {

void print_group(const GroupResult& group);
// Aims met and missed, and every wrong result; the table's last lines.
void print_summary(const std::vector<GroupResult>& groups);
bool all_right(const std::vector<GroupResult>& groups);

void write_json(const std::string& path, const std::vector<GroupResult>& groups,
                const HarnessOptions& options);

}  // namespace bench
