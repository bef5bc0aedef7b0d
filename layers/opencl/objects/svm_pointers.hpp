// svm_pointers.hpp - whether a kernel is given addresses of shared virtual memory inside memory or
// values. A replay has other addresses, and a kernel that follows a recorded one crashes.
//
// Looked for are whole words, aligned, that lie within memory that clSVMAlloc gave and that lives.
// What a device writes there is its own affair: in a replay it writes the addresses of the replay.
#pragma once

#include "layers/opencl/work.hpp"

namespace reel::layer {

// It was just made, and nobody has written it: what is there now is nobody's pointer.
void remember_fresh_words(Storage& storage);

// The host may have changed it since it was last looked at.
void host_wrote(Storage& storage) noexcept;
// These bytes of the program are on their way into it.
void host_writes(Storage& storage, const void* bytes, std::size_t size) noexcept;
// What is in one is on its way into the other.
void pointers_copied(const Storage& from, Storage& to) noexcept;

// Of a dispatch whose arguments are filled in.
bool is_given_svm_pointers(const Work& work) noexcept;

}  // namespace reel::layer
