#include <algorithm>

#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "wire/bounded_writer.hpp"
#include "wire/envelope.hpp"

namespace nexusfix::wire {
namespace {

// Tag, `=`, SOH, and a digit more for BodyLength.
constexpr std::size_t kFieldGrowthBytes = 13;
// BeginString, BodyLength and MsgType precede every field that may be edited.
constexpr std::size_t kFirstIndex = 3;

[[nodiscard]] std::unexpected<EncodeError> failure(EncodeErrorCode code, Tag tag) noexcept {
  return std::unexpected{EncodeError{code, tag}};
}

// The field before a data field holds its length, so neither of the two is edited alone.
[[nodiscard]] bool is_of_data(Tag tag) {
  static const DataFieldTable table = DataFieldTable::standard();
  return table.data_tag_for(tag) || table.length_tag_for(tag);
}

}  // namespace

void FieldEdits::set_text(Tag tag, std::string_view value) {
  Edit& edit = edit_of(tag);
  edit.removes = false;
  edit.begin = text_.size();
  edit.size = value.size();
  text_.append(value);
}

void FieldEdits::remove(Tag tag) { edit_of(tag) = {.tag = tag, .removes = true}; }

void FieldEdits::clear() noexcept {
  edits_.clear();
  text_.clear();
}

bool FieldEdits::has_password() const noexcept {
  return std::ranges::any_of(
      edits_, [](const Edit& edit) { return !edit.removes && is_password(edit.tag); });
}

std::size_t FieldEdits::growth_bytes() const noexcept {
  return text_.size() + kFieldGrowthBytes * (edits_.size() + 1);
}

FieldEdits::Edit& FieldEdits::edit_of(Tag tag) {
  const auto found = std::find_if(edits_.begin(), edits_.end(),
                                  [tag](const Edit& edit) { return edit.tag == tag; });
  if (found != edits_.end()) return *found;
  edits_.push_back({.tag = tag});
  return edits_.back();
}

// One call of edited_copy().
class EditedCopy {
 public:
  EditedCopy(const MessageView& message, const FieldEdits& edits) noexcept
      : message_{message}, edits_{edits} {}

  [[nodiscard]] std::expected<std::string_view, EncodeError> write(std::span<char> out) const {
    if (message_.fault() || message_.field_count() <= kFirstIndex) {
      return failure(EncodeErrorCode::MessageMalformed, tag::MsgType);
    }
    if (const std::optional<EncodeError> error = find_error()) return std::unexpected{*error};
    const std::string_view begin_string = message_.begin_string();
    const std::size_t front_bytes = envelope_front_bytes(begin_string.size(), out.size());
    if (out.size() < front_bytes + kTrailerBytes) {
      return failure(EncodeErrorCode::BufferFull, tag::BeginString);
    }
    char* const body = out.data() + front_bytes;
    BoundedWriter writer{body, out.data() + out.size() - kTrailerBytes};
    write_fields(writer);
    if (writer.full()) return failure(EncodeErrorCode::BufferFull, tag::CheckSum);
    return seal(body, writer.end(), begin_string);
  }

 private:
  using Edit = FieldEdits::Edit;

  [[nodiscard]] std::string_view value_of(const Edit& edit) const noexcept {
    return std::string_view{edits_.text_}.substr(edit.begin, edit.size);
  }

  [[nodiscard]] std::optional<EncodeError> find_error() const {
    for (const Edit& edit : edits_.edits_) {
      if (belongs_to_session(edit.tag) || !can_be_written(edit.tag) || is_of_data(edit.tag)) {
        return EncodeError{EncodeErrorCode::TagInvalid, edit.tag};
      }
      if (edit.removes) continue;
      const std::string_view value = value_of(edit);
      if (value.empty()) return EncodeError{EncodeErrorCode::EmptyValue, edit.tag};
      if (value.find(kSoh) != std::string_view::npos) {
        return EncodeError{EncodeErrorCode::SohInValue, edit.tag};
      }
    }
    return std::nullopt;
  }

  // Where the tag of the field begins: right after the field before it, as the message has no
  // fault.
  [[nodiscard]] std::size_t begin_of(std::size_t index) const noexcept {
    const FieldView before = message_.field(index - 1);
    return before.offset + before.value.size() + 1;
  }

  void write_fields(BoundedWriter& writer) const {
    const std::size_t end = trailer_index();
    std::size_t header_end = kFirstIndex;
    while (header_end < end && is_header_tag(message_.field(header_end).tag)) ++header_end;
    std::size_t copied = begin_of(kFirstIndex - 1);  // MsgType goes with the body
    const auto copy_to = [&](std::size_t at) {
      writer.append(message_.bytes().substr(copied, at - copied));
      copied = at;
    };
    for (std::size_t i = kFirstIndex; i < end; ++i) {
      if (i == header_end) {
        copy_to(begin_of(i));
        append_new(writer, true);
      }
      const Edit* const edit = edit_at(i);
      if (edit == nullptr) continue;
      copy_to(begin_of(i));
      if (!edit->removes) append_field(writer, *edit);
      copied = begin_of(i + 1);
    }
    copy_to(begin_of(end));
    if (header_end == end) append_new(writer, true);
    append_new(writer, false);
    copy_to(begin_of(message_.field_count() - 1));
  }

  // The index of the first field of the trailer. Signature and its length may precede CheckSum.
  [[nodiscard]] std::size_t trailer_index() const noexcept {
    std::size_t index = message_.field_count() - 1;
    while (index > kFirstIndex) {
      const Tag tag = message_.field(index - 1).tag;
      if (tag != tag::Signature && tag != tag::SignatureLength) break;
      --index;
    }
    return index;
  }

  [[nodiscard]] const Edit* edit_at(std::size_t index) const noexcept {
    const Tag tag = message_.field(index).tag;
    for (const Edit& edit : edits_.edits_) {
      if (edit.tag == tag && message_.find_index(tag) == index) return &edit;
    }
    return nullptr;
  }

  void append_new(BoundedWriter& writer, bool header) const noexcept {
    for (const Edit& edit : edits_.edits_) {
      if (edit.removes || is_header_tag(edit.tag) != header || message_.has(edit.tag)) continue;
      append_field(writer, edit);
    }
  }

  void append_field(BoundedWriter& writer, const Edit& edit) const noexcept {
    char tag_text[kIntBytesMax];
    writer.append({tag_text, from_uint(edit.tag, tag_text)});
    writer.append("=");
    writer.append(value_of(edit));
    writer.append({&kSoh, 1});
  }

  const MessageView& message_;
  const FieldEdits& edits_;
};

std::expected<std::string_view, EncodeError> edited_copy(const MessageView& message,
                                                         const FieldEdits& edits,
                                                         std::span<char> out) {
  return EditedCopy{message, edits}.write(out);
}

}  // namespace nexusfix::wire
