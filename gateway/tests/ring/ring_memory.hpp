// One ring in memory of this process, of exactly its size, so that AddressSanitizer sees an access
// outside of it.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

#include "gateway/ring/frame_reader.hpp"
#include "gateway/ring/frame_writer.hpp"

namespace nexusfix::gateway::testing {

class RingMemory {
 public:
  explicit RingMemory(std::uint64_t bytes, std::uint64_t frame_bytes_max = 0)
      : data_{static_cast<char*>(::operator new(bytes, std::align_val_t{kRingHeaderBytes}))},
        place_{.data = data_.get(),
               .words = &words_,
               .bytes = bytes,
               .frame_bytes_max =
                   frame_bytes_max != 0 ? frame_bytes_max : frame_bytes_possible(bytes)} {
    std::fill_n(data_.get(), bytes, '\0');
  }
  [[nodiscard]] const RingPlace& place() const { return place_; }
  [[nodiscard]] RingWords& words() { return words_; }
  // The word of eight bytes at a position.
  std::uint64_t& word(std::uint64_t position) {
    return *reinterpret_cast<std::uint64_t*>(data_.get() + position % place_.bytes);
  }

 private:
  struct Deleter {
    void operator()(char* data) const { ::operator delete(data, std::align_val_t{4096}); }
  };
  std::unique_ptr<char[], Deleter> data_;
  RingWords words_{};
  RingPlace place_;
};

}  // namespace nexusfix::gateway::testing
