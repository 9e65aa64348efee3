// A std::FILE* that writes into memory, for tests of printed output.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace nexusfix::testing {

class OutputText {
 public:
  OutputText() : stream_{open_memstream(&bytes_, &size_)} {}
  OutputText(const OutputText&) = delete;
  OutputText& operator=(const OutputText&) = delete;
  ~OutputText() {
    std::fclose(stream_);
    std::free(bytes_);
  }

  [[nodiscard]] std::FILE* stream() { return stream_; }
  [[nodiscard]] std::string text() {
    std::fflush(stream_);
    return {bytes_, size_};
  }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

}  // namespace nexusfix::testing
