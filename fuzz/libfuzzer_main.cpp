// libfuzzer_main.cpp - a target under libFuzzer, which finds inputs by itself.
#include <cstdint>

#include "fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  reel::fuzz_one(std::as_bytes(std::span(data, size)));
  return 0;
}
