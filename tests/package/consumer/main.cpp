// A program that knows Reel only by its installed package.
#include <cstdint>
#include <cstdio>
#include <reel/reel.hpp>
#include <vector>

void count(const reel::HostGroup& group, std::uint32_t* numbers) {
  group.for_each([&](const reel::HostItem& item) { numbers[item.global.x] = item.global.x + 1; });
}

int main() {
  reel::Device device = reel::open_device("host");
  reel::Kernel kernel = device.kernel({.name = "count", .host = reel::host_kernel<&count>()});
  reel::Buffer numbers = device.buffer(4 * sizeof(std::uint32_t), "numbers");

  device.stream("main").dispatch(kernel, {.groups = {1}, .group_size = {4}}, out(numbers));
  for (std::uint32_t number : numbers.read<std::uint32_t>()) std::printf("%u ", number);
  std::printf("on %s\n", device.info().id.c_str());
}
