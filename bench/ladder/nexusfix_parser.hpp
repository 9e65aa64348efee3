#pragma once

#include <nexusfix/wire/parser.hpp>

#include "bench/ladder/rung.hpp"

namespace nexusfix::bench::ladder {

// Rung 6: the product's parser, which also supports data fields and reports an error with its
// place.
class NexusFixParser {
 public:
  [[nodiscard]] bool parse(std::string_view message) {
    const auto parsed = parser_.parse(message);
    message_ = parsed ? *parsed : wire::MessageView{};
    return parsed && !message_.fault();
  }
  [[nodiscard]] std::size_t field_count() const noexcept { return message_.field_count(); }
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept {
    return message_[tag];
  }

 private:
  wire::Parser parser_;
  wire::MessageView message_;
};

}  // namespace nexusfix::bench::ladder
