// Bytes of a connection become requests. Boost.Beast parses them; its headers are only in the
// source file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "console/http/request.hpp"

namespace nexusfix::web {

class RequestReader {
 public:
  static constexpr std::size_t kHeaderBytesMax = 8U << 10U;
  static constexpr std::size_t kBodyBytesMax = 16U << 10U;
  // All bytes of a request, with the lines between its chunks and the fields after them.
  static constexpr std::size_t kRequestBytesMax = kHeaderBytesMax + kBodyBytesMax + (8U << 10U);
  // Each field costs memory, however short it is.
  static constexpr std::size_t kFieldsMax = 100;

  RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;
  ~RequestReader();

  // Adds received bytes, for parse(). While a request is not complete, at most kRequestBytesMax of
  // it are kept.
  void add(std::string_view bytes);
  enum class Progress : std::uint8_t {
    NeedsMore,  // the request is not complete
    Complete,   // take() has it
    Wrong,      // status() says why; the connection cannot go on
  };
  [[nodiscard]] Progress parse();
  // The complete request. Bytes after it belong to the next one.
  [[nodiscard]] Request take();
  [[nodiscard]] bool keeps_alive() const noexcept { return keeps_alive_; }
  // The status of an invalid request: 400, 405, 413 or 431.
  [[nodiscard]] unsigned status() const noexcept { return status_; }
  // Whether the client has begun a request that is not complete.
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }

 private:
  struct Parser;
  [[nodiscard]] Progress refuse(unsigned status) noexcept;

  std::unique_ptr<Parser> parser_;
  std::string pending_;     // not parsed yet
  std::size_t parsed_ = 0;  // bytes of this request
  unsigned status_ = 0;
  bool keeps_alive_ = false;
  bool has_begun_ = false;
};

}  // namespace nexusfix::web
