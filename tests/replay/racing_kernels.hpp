// racing_kernels.hpp - host kernels for documents that lack an order their commands need.
#pragma once

namespace reel::test {

// Replays on the host use them for mul_add and mix_words from now on. Commands that nothing orders
// run there at the same time and on the same words. In C++ only atomic words allow that, so these
// use no others: the commands race, which a replay should find, and nothing undefined happens.
void register_racing_kernels();

}  // namespace reel::test
