#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "bench/ladder/rung.hpp"

namespace nexusfix::bench::ladder {

// Rung 5, cache lines: the data of a message is together on its own cache lines (tags, positions
// and a table of one byte for each tag), the fast path is marked as likely and straight, and the
// slow path is in other functions.
class AlignedParser {
 public:
  AlignedParser() : hot_{std::make_unique<Hot>()} {
    hot_->tags = hot_->first_tags.data();
    hot_->spans = hot_->first_spans.data();
  }

  [[nodiscard, gnu::hot]] bool parse(std::string_view message);
  [[nodiscard]] std::size_t field_count() const noexcept { return hot_->count; }
  [[nodiscard]] std::optional<std::string_view> find(Tag tag) const noexcept {
    const Hot& hot = *hot_;
    if (tag < kTagsDirect && hot.count < kFieldsDirect) [[likely]] {
      const std::size_t place = hot.places[tag];
      if (place == 0) return std::nullopt;
      return value(place - 1);
    }
    return find_along(tag);
  }

 private:
  static constexpr std::size_t kCacheLineBytes = 64;
  static constexpr Tag kTagsDirect = 1024;
  static constexpr std::size_t kFieldsDirect = 255;  // one byte holds the numbers from 1 to 255
  static constexpr std::size_t kFieldsFirst = 64;

  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct alignas(kCacheLineBytes) Hot {
    const char* bytes = nullptr;
    std::uint32_t count = 0;
    std::uint32_t capacity = kFieldsFirst;
    Tag* tags = nullptr;
    Span* spans = nullptr;
    alignas(kCacheLineBytes) std::array<Tag, kFieldsFirst> first_tags{};
    alignas(kCacheLineBytes) std::array<Span, kFieldsFirst> first_spans{};
    alignas(kCacheLineBytes) std::array<std::uint8_t, kTagsDirect> places{};
  };
  static_assert(offsetof(Hot, first_tags) == kCacheLineBytes);

  [[nodiscard]] std::string_view value(std::size_t index) const noexcept {
    const Span span = hot_->spans[index];
    return {hot_->bytes + span.begin, span.end - span.begin};
  }
  void clear(std::string_view message) noexcept;
  void add(Tag tag, std::size_t begin, std::size_t end);
  [[gnu::cold, gnu::noinline]] void grow();
  [[gnu::cold, gnu::noinline]] bool parse_any(std::string_view message);
  [[nodiscard, gnu::cold, gnu::noinline]] std::optional<std::string_view> find_along(
      Tag tag) const noexcept;

  std::unique_ptr<Hot> hot_;
  std::unique_ptr<Tag[]> more_tags_;
  std::unique_ptr<Span[]> more_spans_;
};

}  // namespace nexusfix::bench::ladder
