// git_commit.hpp - the commit that is checked out where the process runs, read from git's files.
#pragma once

#include <string>
#include <string_view>

namespace reel::capture {

// 7 to 64 hexadecimal digits.
bool is_commit(std::string_view text) noexcept;

// Of the checkout that `folder` lies in; empty: it lies in none, or that has no commit, or keeps
// its references in another way than as files (reftable). Changes that are not committed don't
// show.
std::string commit_of_checkout(const std::string& folder);
std::string commit_of_checkout();  // the current folder's

}  // namespace reel::capture
