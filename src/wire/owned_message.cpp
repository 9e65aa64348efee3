#include <cstring>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <nexusfix/base/arena.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::wire {

// At the start of the allocation. Then follow without gaps: the keys with the readable keys after
// them, the places, and the bytes of the message.
struct alignas(kKeysAlignment) OwnedMessage::Contents {
  std::size_t size_bytes = 0;  // of the allocation
  std::string_view bytes;
  detail::FieldIndex index;
  Faults faults;
};

namespace {

// The fault for the copy: its text lies in the copied bytes.
[[nodiscard]] std::optional<Fault> moved(const std::optional<Fault>& fault, const char* from,
                                         const char* to) noexcept {
  if (!fault) return std::nullopt;
  return Fault{
      fault->rule, fault->offset, {to + (fault->tag_text.data() - from), fault->tag_text.size()}};
}

// With one loop for each kind of place: without a branch for each field.
void copy_places(const detail::FieldIndex& index, detail::FieldPlace* to) noexcept {
  for (std::uint32_t i = 0; i < index.narrow_count; ++i) {
    const detail::NarrowPlace place = index.narrow_places[i];
    to[i] = {place.begin, std::uint32_t{place.begin} + place.size};
  }
  for (std::uint32_t i = index.narrow_count; i < index.count; ++i) to[i] = index.places[i];
}

}  // namespace

std::expected<OwnedMessage, OutOfMemory> to_owned(const MessageView& message,
                                                  std::pmr::memory_resource& resource) noexcept {
  using Contents = OwnedMessage::Contents;
  static_assert(std::is_trivially_destructible_v<Contents>);
  static_assert(sizeof(Contents) % kKeysAlignment == 0);
  const std::string_view bytes = message.bytes();
  // A message has fewer fields than its limit has bytes, so nothing here overflows.
  const std::size_t count = message.field_count();
  const std::size_t places_bytes = count * sizeof(detail::FieldPlace);
  // A multiple of a place's alignment.
  const std::size_t keys_count = (count + kKeysReadable + 1) / 2 * 2;
  const std::size_t keys_bytes = keys_count * sizeof(std::uint16_t);
  const std::size_t size = sizeof(Contents) + places_bytes + keys_bytes + bytes.size();
  void* const memory = try_allocate(resource, size, alignof(Contents));
  if (memory == nullptr) return std::unexpected{OutOfMemory{size}};

  void* at = static_cast<std::byte*>(memory) + sizeof(Contents);
  // Arrays of plain numbers follow. Their lifetime begins with the storage.
  auto* const keys = static_cast<std::uint16_t*>(at);
  at = keys + keys_count;
  auto* const places = static_cast<detail::FieldPlace*>(at);
  at = places + count;
  auto* const copy = static_cast<char*>(at);

  // An empty view may have a null pointer, which memcpy must not get.
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  copy_places(message.index(), places);
  std::memcpy(keys, message.index().keys, count * sizeof(std::uint16_t));
  std::memset(keys + count, 0, (keys_count - count) * sizeof(std::uint16_t));

  return OwnedMessage{
      ::new (memory) Contents{
          .size_bytes = size,
          .bytes = {copy, bytes.size()},
          .index = {.keys = keys, .places = places, .count = static_cast<std::uint32_t>(count)},
          .faults = {moved(message.fault(), bytes.data(), copy),
                     moved(message.fault_but_empty(), bytes.data(), copy)}},
      resource};
}

OwnedMessage::OwnedMessage(OwnedMessage&& other) noexcept
    : contents_{std::exchange(other.contents_, nullptr)},
      resource_{std::exchange(other.resource_, nullptr)} {}

OwnedMessage& OwnedMessage::operator=(OwnedMessage&& other) noexcept {
  std::swap(contents_, other.contents_);
  std::swap(resource_, other.resource_);
  const OwnedMessage former{std::move(other)};  // Its content dies now, not when other does.
  return *this;
}

OwnedMessage::~OwnedMessage() {
  if (contents_ == nullptr) return;
  resource_->deallocate(contents_, contents_->size_bytes, alignof(Contents));
}

MessageView OwnedMessage::view() const noexcept {
  if (contents_ == nullptr) return {};
  return {contents_->bytes, contents_->index, contents_->faults};
}

}  // namespace nexusfix::wire
