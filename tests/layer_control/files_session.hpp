// files_session.hpp - a session whose documents are copies of samples: one that was never closed
// while a capture runs, one that is whole when it has ended. Both are in $REEL_TEST_DOCUMENTS.
#pragma once

namespace reel::test {

void count_command();
void forget_session();  // in a forked child

}  // namespace reel::test
