// What the sources that emit_round_trip.cpp makes are built on: each field of a message is read by
// the generated readers and written again by the typed writers.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/group_writer.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed/typed_read.hpp>
#include <nexusfix/wire/typed/typed_write.hpp>

namespace nexusfix::testing {

class TypedCopier {
 public:
  explicit TypedCopier(wire::Encoder& encoder) : encoder_{encoder} {}

  // The first thing that could not be read.
  [[nodiscard]] const std::optional<wire::FieldError>& error() const { return error_; }
  void fail(const wire::FieldError& error) {
    if (!error_) error_ = error;
  }

  template <wire::TypedField F>
  void field(const wire::FieldResult<F>& read) {
    if (read) return value(*read);
    if (read.error().code != wire::FieldErrorCode::Missing) fail(read.error());
  }
  template <wire::TypedField F>
  void field(const F& read) {
    value(read);
  }
  template <wire::TypedField F>
  void value(const F& read) {
    // A Length field is written with its data field.
    if constexpr (!wire::detail::PartOfLength<F>) wire::write_field(encoder_, read);
  }

  // A required field, by the accessor that gives its value and by the one that may give an error.
  template <wire::TypedField F>
  void same(const F& checked, const wire::FieldResult<F>& unchecked) {
    if (!unchecked) return fail(unchecked.error());
    if (!(checked == *unchecked)) fail({wire::FieldErrorCode::Malformed, wire::tag_of<F>(), 0});
  }

  template <class Entry>
  void group(const wire::TypedGroup<Entry>& entries, void (*copy)(const Entry&, TypedCopier&)) {
    if (!entries.view().count_field()) return;
    const std::size_t count = entries.size();
    if (!entries.view().count_is_right()) {
      return fail({wire::FieldErrorCode::Malformed, Entry::kCountTag, 0});
    }
    wire::GroupWriter writer = encoder_.group(Entry::kCountTag, count);
    for (const Entry entry : entries) {
      static_cast<void>(writer.entry());
      copy(entry, *this);
    }
  }

  // A component is read by its own class if all that it requires is there, which an optional
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

// A component's accessors as messages and entries inherit them: nothing that it requires need be
// there. That a component is compiled once, and not once for each message that has it, is what
// keeps the later versions cheap.
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

// What is made for each version.
struct VersionCopies {
  std::span<const MessageCopy> messages;
  // The fields of the header that an Encoder does not write itself, and of the trailer; groups are
  // left out: the header's have no class.
  void (*header)(const wire::MessageView&, TypedCopier&);
  void (*trailer)(const wire::MessageView&, TypedCopier&);
};

}  // namespace nexusfix::testing
