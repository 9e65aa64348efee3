// The base of the sources that emit_round_trip.cpp generates: the generated readers read each field
// of a message, and the typed writers write it again.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed_read.hpp>
#include <nexusfix/wire/typed_write.hpp>

namespace nexusfix::testing {

class TypedCopier {
 public:
  explicit TypedCopier(wire::Encoder& encoder) : encoder_{encoder} {}

  // The first read error.
  [[nodiscard]] const std::optional<wire::FieldError>& error() const { return error_; }
  void fail(const wire::FieldError& error) {
    if (!error_) error_ = error;
  }

  template <wire::detail::TypedField F>
  void field(const wire::OptionalField<F>& read) {
    if (read) return value(*read);
    if (read.error().code != wire::FieldErrorCode::Missing) fail(read.error());
  }
  template <wire::detail::TypedField F>
  void field(const F& read) {
    value(read);
  }
  template <wire::detail::TypedField F>
  void value(const F& read) {
    // A Length field is written with its data field.
    if constexpr (!wire::detail::PartOfLength<F>) wire::write_field(encoder_, read);
  }

  // Reads a required field through the accessor that returns its value and through the one that may
  // return an error.
  template <wire::detail::TypedField F>
  void same(const F& checked, const wire::OptionalField<F>& unchecked) {
    if (!unchecked) return fail(unchecked.error());
    if (!(checked == *unchecked)) fail({wire::FieldErrorCode::Malformed, wire::tag_of<F>(), 0});
  }

  template <class Entry>
  void group(const wire::TypedGroup<Entry>& entries, void (*copy)(const Entry&, TypedCopier&)) {
    if (!entries.view().count_field()) return;
    const std::size_t count = entries.size();
    if (!entries.view().count_is_valid()) {
      return fail({wire::FieldErrorCode::Malformed, Entry::kCountTag, 0});
    }
    wire::GroupWriter writer = encoder_.group(Entry::kCountTag, count);
    for (const Entry entry : entries) {
      static_cast<void>(writer.entry());
      copy(entry, *this);
    }
  }

  // Reads a component through its own class if it has all of its required fields, which an optional
  // component may lack.
  template <class Component>
  void component(const Component&) {}
  template <class Component>
  void component(const std::expected<Component, wire::FieldError>& read) {
    if (!read && read.error().code != wire::FieldErrorCode::Missing) fail(read.error());
  }

 private:
  wire::Encoder& encoder_;
  std::optional<wire::FieldError> error_;
};

// The accessors of a component as messages and entries inherit them; required fields may be
// missing. The later versions stay cheap, because a component is compiled once and not once for
// each message.
template <template <class, bool> class Members>
class ComponentPart : public wire::TypedEntryView<ComponentPart<Members>>,
                      public Members<ComponentPart<Members>, false> {
 public:
  explicit ComponentPart(const wire::GroupEntry& fields)
      : wire::TypedEntryView<ComponentPart<Members>>{fields} {}
  explicit ComponentPart(const wire::MessageView& message)
      : ComponentPart{wire::GroupEntry::whole(message)} {}
};

struct MessageCopy {
  std::string_view msg_type;
  void (*copy)(const wire::MessageView&, TypedCopier&);
};

// The generated copiers of each version.
struct VersionCopies {
  std::span<const MessageCopy> messages;
  // The fields of the trailer and those of the header that an Encoder does not write itself.
  // Without groups, because those of the header have no class.
  void (*header)(const wire::MessageView&, TypedCopier&);
  void (*trailer)(const wire::MessageView&, TypedCopier&);
};

}  // namespace nexusfix::testing
