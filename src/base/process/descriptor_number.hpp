// descriptor_number.hpp - descriptor numbers that the program of a foreign process seldom uses.
#pragma once

namespace reel {

// Where a descriptor is rarely closed by a program that doesn't know it. Higher ones would make
// the system's table large.
int number_out_of_the_way() noexcept;

// The same open file with a number of at least `wanted`; the number that it had where none is free.
int moved_to(int descriptor, int wanted) noexcept;

}  // namespace reel
