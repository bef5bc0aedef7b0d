// path_pattern.hpp - "pass_%n_of_%p.reel" with its numbers put in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/document_writer.hpp"

namespace reel::capture {

// %p: process id, %n: `number`, %r: rank, %h: host, %j: job (run_facts.hpp; `users` as there), %%:
// a percent sign. Of the three facts one that isn't known becomes "p<process id>", which no rank
// and no other process has: documents of two runs or ranks never take each other's name. Throws
// invalid_argument for anything else after a percent sign.
std::string expand_path(std::string_view pattern, std::uint32_t number,
                        const document::Facts& users = {});

// A sentence for each fact that the pattern asks for and nobody knows.
std::vector<std::string> unknown_in(std::string_view pattern, const document::Facts& users = {});

// The pattern that means exactly this path.
std::string pattern_of(std::string_view path);

bool has_number(std::string_view pattern);  // %n

}  // namespace reel::capture
