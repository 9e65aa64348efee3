// The Python class Stream: messages of bytes that arrive in any pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nanobind/nanobind.h>
#include <string>
#include <string_view>

#include <nexusfix/wire/frame.hpp>

#include "python/src/catalog.hpp"

namespace nexusfix::python {

class Stream {
 public:
  // catalog: null: that of each message's version.
  Stream(std::shared_ptr<Catalog> catalog, std::size_t message_bytes_max)
      : catalog_{std::move(catalog)}, limits_{.message_bytes_max = message_bytes_max} {}

  // The messages that these bytes complete. What is no message is counted, and kept as errors.
  [[nodiscard]] nb::list feed(std::string_view bytes);
  // The newest errors, at most kErrorsKept.
  [[nodiscard]] const nb::list& errors() const noexcept { return errors_; }
  [[nodiscard]] std::uint64_t garbled() const noexcept { return garbled_; }
  // Bytes of a message that is not complete.
  [[nodiscard]] std::size_t pending() const noexcept { return pending_.size(); }

 private:
  static constexpr std::size_t kErrorsKept = 100;
  void keep_error(nb::object error);

  std::shared_ptr<Catalog> catalog_;
  wire::FrameLimits limits_;
  std::string pending_;
  nb::list errors_;
  std::uint64_t garbled_ = 0;
};

}  // namespace nexusfix::python
