// contents_hash.hpp - a name for recorded bytes: equal names, equal bytes.
#pragma once

#include "base/bytes/hash128.hpp"
#include "reel/trace.hpp"

namespace reel::analysis {

// Of one page, its name; of more, the hash of theirs.
inline BlobId hash_of(const Trace& trace, const TraceContents& contents) {
  const auto pages = trace.pages(contents);
  if (pages.size() == 1) return pages[0];
  const Hash128 hash = hash128(std::as_bytes(pages));
  return {hash.low, hash.high};
}

}  // namespace reel::analysis
