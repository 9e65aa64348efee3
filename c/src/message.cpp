#include <memory_resource>

#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/group_view.hpp>

#include "c/src/message_data.hpp"
#include "c/src/results.hpp"

using nexusfix::c::DictionaryData;
using nexusfix::c::guarded;
using nexusfix::c::refuse_argument;
using nexusfix::c::report;
using nexusfix::c::text_of;
using nexusfix::c::to_text;
namespace wire = nexusfix::wire;

nxf_status nxf_next_frame(const char* bytes, size_t size, size_t message_bytes_max,
                          size_t* frame_size, nxf_error* error) {
  if ((bytes == nullptr && size != 0) || frame_size == nullptr) {
    return refuse_argument(error, "nxf_next_frame: an argument is NULL");
  }
  wire::FrameLimits limits;
  if (message_bytes_max != 0) {
    limits.message_bytes_max = std::min(message_bytes_max, wire::kMessageBytesMax);
  }
  const std::string_view rest{bytes, size};
  const wire::FrameResult found = wire::next_frame(rest, limits);
  *frame_size = found.size;
  if (found.status == wire::FrameResult::Status::NeedMore) return NXF_NEED_MORE;
  if (found.status == wire::FrameResult::Status::Complete) return NXF_OK;
  if (error == nullptr) return NXF_GARBLED;
  return guarded(error, [&] {
    const wire::ParseError why{.reason = found.reason, .offset = 0};
    const auto explained = nexusfix::dictionary::explain(why, rest.substr(0, found.size));
    return report(error, NXF_GARBLED, {.text = explained.problem});
  });
}

nxf_status nxf_parser_new(const nxf_dictionary* dictionary, nxf_parser** parser, nxf_error* error) {
  if (parser == nullptr) return refuse_argument(error, "nxf_parser_new: an argument is NULL");
  *parser = nullptr;
  return guarded(error, [&] {
    const DictionaryData::Shared data = dictionary == nullptr ? nullptr : dictionary->data;
    const wire::DataFieldTable data_fields =
        data ? nexusfix::dictionary::data_fields(data->application())
             : wire::DataFieldTable::standard();
    *parser = new nxf_parser{.parser = wire::Parser{data_fields},
                             .message = {.view = {}, .dictionary = data, .owned = {}}};
    return NXF_OK;
  });
}

void nxf_parser_free(nxf_parser* parser) { delete parser; }

nxf_status nxf_parse(nxf_parser* parser, const char* bytes, size_t size,
                     const nxf_message** message, nxf_error* error) {
  if (parser == nullptr || message == nullptr || (bytes == nullptr && size != 0)) {
    return refuse_argument(error, "nxf_parse: an argument is NULL");
  }
  *message = nullptr;
  if (size > wire::kMessageBytesMax) {
    return report(error, NXF_GARBLED, {.text = "the message is longer than 2 GiB"});
  }
  return guarded(error, [&]() -> nxf_status {
    const std::string_view frame{bytes, size};
    const auto parsed = parser->parser.parse(frame);
    if (!parsed) {
      parser->message.view = {};
      if (error == nullptr) return NXF_GARBLED;
      const auto explained = nexusfix::dictionary::explain(parsed.error(), frame);
      return report(error, NXF_GARBLED,
                    {.text = explained.problem, .tag = explained.tag, .offset = explained.offset});
    }
    parser->message.view = *parsed;
    *message = &parser->message;
    return NXF_OK;
  });
}

nxf_status nxf_message_copy(const nxf_message* message, nxf_message** copy) {
  if (message == nullptr || copy == nullptr) return NXF_INVALID_ARGUMENT;
  *copy = nullptr;
  return guarded(nullptr, [&]() -> nxf_status {
    auto owned = wire::to_owned(message->view, *std::pmr::new_delete_resource());
    if (!owned) return NXF_NO_MEMORY;
    const wire::MessageView view = owned->view();
    *copy = new nxf_message{
        .view = view, .dictionary = message->dictionary, .owned = std::move(*owned)};
    return NXF_OK;
  });
}

void nxf_message_free(nxf_message* copy) { delete copy; }

nxf_text nxf_message_bytes(const nxf_message* message) {
  return message == nullptr ? nxf_text{} : to_text(message->view.bytes());
}

nxf_text nxf_message_type(const nxf_message* message) {
  return message == nullptr ? nxf_text{} : to_text(message->view.msg_type());
}

namespace {

// The fields of a message, or of an entry of a group.
struct Fields {
  const wire::MessageView* view = nullptr;  // null: the argument is not valid
  std::size_t begin = 0;
  std::size_t end = 0;
};

Fields fields_of(const nxf_message* message) {
  if (message == nullptr) return {};
  return {&message->view, 0, message->view.field_count()};
}

Fields fields_of(const nxf_entry* entry) {
  if (entry == nullptr || entry->struct_size < sizeof(nxf_entry)) return {};
  if (entry->message == nullptr) return {};
  const wire::MessageView& view = entry->message->view;
  const std::size_t end = std::size_t{entry->first} + entry->count;
  if (end > view.field_count()) return {};  // of an earlier message of the parser
  return {&view, entry->first, end};
}

nxf_status status_of(wire::FieldErrorCode code) {
  switch (code) {
    case wire::FieldErrorCode::Missing:
      return NXF_MISSING;
    case wire::FieldErrorCode::Empty:
      return NXF_EMPTY;
    case wire::FieldErrorCode::Malformed:
      return NXF_MALFORMED;
    case wire::FieldErrorCode::OutOfRange:
      return NXF_OUT_OF_RANGE;
  }
  return NXF_INTERNAL;
}

void set(nxf_text& to, std::string_view value) { to = to_text(value); }
void set(std::int64_t& to, std::int64_t value) { to = value; }
void set(char& to, char value) { to = value; }
void set(std::int32_t& to, bool value) { to = value ? 1 : 0; }
void set(std::int64_t& to, nexusfix::WallTime value) { to = value.time_since_epoch().count(); }
void set(nxf_decimal& to, nexusfix::Decimal value) {
  to = {value.mantissa(), -static_cast<std::int32_t>(value.scale())};
}

template <class T, class Value>
nxf_status convert_to(std::string_view text, Value* value) {
  const auto converted = wire::convert<T>(text);
  if (!converted) return status_of(converted.error());
  set(*value, *converted);
  return NXF_OK;
}

template <class T, class Value>
nxf_status read(const Fields& fields, std::uint32_t tag, Value* value) {
  if (fields.view == nullptr || value == nullptr) return NXF_INVALID_ARGUMENT;
  const auto found = fields.view->find_index(tag, fields.begin);
  if (!found || *found >= fields.end) return NXF_MISSING;
  return convert_to<T>(fields.view->field(*found).value, value);
}

nxf_status field_at(const Fields& fields, std::size_t index, std::uint32_t* tag, nxf_text* value) {
  if (fields.view == nullptr) return NXF_INVALID_ARGUMENT;
  if (index >= fields.end - fields.begin) return NXF_MISSING;
  const wire::FieldView field = fields.view->field(fields.begin + index);
  if (tag != nullptr) *tag = field.tag;
  if (value != nullptr) *value = to_text(field.value);
  return NXF_OK;
}

const wire::GroupShape* shape_of(const nxf_entry& entry) {
  return entry.message->structure().group(entry.message->view.msg_type(),
                                          {entry.path, entry.depth});
}

// The place before the first entry of the group that the last tag of the path names.
nxf_status open_group(const Fields& fields, nxf_entry made, nxf_entry* entry) {
  return guarded(nullptr, [&]() -> nxf_status {
    if (shape_of(made) == nullptr) return NXF_MISSING;
    const wire::Tag count_tag = made.path[made.depth - 1];
    const auto found = fields.view->find_index(count_tag, fields.begin);
    if (!found || *found >= fields.end) return NXF_MISSING;
    made.first = static_cast<std::uint32_t>(*found + 1);
    made.count = 0;
    made.limit = static_cast<std::uint32_t>(fields.end);
    made.struct_size = entry->struct_size;
    nexusfix::c::write_result(entry, made);
    return NXF_OK;
  });
}

}  // namespace

nxf_status nxf_message_text(const nxf_message* message, uint32_t tag, nxf_text* value) {
  return read<std::string_view>(fields_of(message), tag, value);
}
nxf_status nxf_message_int(const nxf_message* message, uint32_t tag, int64_t* value) {
  return read<std::int64_t>(fields_of(message), tag, value);
}
nxf_status nxf_message_decimal(const nxf_message* message, uint32_t tag, nxf_decimal* value) {
  return read<nexusfix::Decimal>(fields_of(message), tag, value);
}
nxf_status nxf_message_time(const nxf_message* message, uint32_t tag, int64_t* nanoseconds) {
  return read<nexusfix::WallTime>(fields_of(message), tag, nanoseconds);
}
nxf_status nxf_message_char(const nxf_message* message, uint32_t tag, char* value) {
  return read<char>(fields_of(message), tag, value);
}
nxf_status nxf_message_bool(const nxf_message* message, uint32_t tag, int32_t* value) {
  return read<bool>(fields_of(message), tag, value);
}

size_t nxf_message_field_count(const nxf_message* message) { return fields_of(message).end; }
nxf_status nxf_message_field(const nxf_message* message, size_t index, uint32_t* tag,
                             nxf_text* value) {
  return field_at(fields_of(message), index, tag, value);
}

nxf_status nxf_text_int(nxf_text text, int64_t* value) {
  if (value == nullptr) return NXF_INVALID_ARGUMENT;
  return convert_to<std::int64_t>(text_of(text.data, text.size), value);
}
nxf_status nxf_text_decimal(nxf_text text, nxf_decimal* value) {
  if (value == nullptr) return NXF_INVALID_ARGUMENT;
  return convert_to<nexusfix::Decimal>(text_of(text.data, text.size), value);
}
nxf_status nxf_text_time(nxf_text text, int64_t* nanoseconds) {
  if (nanoseconds == nullptr) return NXF_INVALID_ARGUMENT;
  return convert_to<nexusfix::WallTime>(text_of(text.data, text.size), nanoseconds);
}

nxf_status nxf_message_group(const nxf_message* message, uint32_t count_tag, nxf_entry* entry) {
  const bool is_valid = message != nullptr && entry != nullptr;
  if (!is_valid || entry->struct_size < sizeof(nxf_entry)) return NXF_INVALID_ARGUMENT;
  nxf_entry made{};
  made.message = message;
  made.depth = 1;
  made.path[0] = count_tag;
  return open_group(fields_of(message), made, entry);
}

nxf_status nxf_entry_group(const nxf_entry* around, uint32_t count_tag, nxf_entry* entry) {
  const Fields fields = fields_of(around);
  if (fields.view == nullptr || entry == nullptr) return NXF_INVALID_ARGUMENT;
  if (entry->struct_size < sizeof(nxf_entry)) return NXF_INVALID_ARGUMENT;
  if (around->depth >= NXF_GROUP_DEPTH) return NXF_OUT_OF_RANGE;
  nxf_entry made = *around;
  made.path[made.depth++] = count_tag;
  return open_group(fields, made, entry);
}

nxf_status nxf_entry_next(nxf_entry* entry) {
  const Fields fields = fields_of(entry);
  if (fields.view == nullptr || entry->depth == 0 || entry->depth > NXF_GROUP_DEPTH) {
    return NXF_INVALID_ARGUMENT;
  }
  return guarded(nullptr, [&]() -> nxf_status {
    const wire::GroupShape* const shape = shape_of(*entry);
    if (shape == nullptr) return NXF_INVALID_ARGUMENT;
    const wire::MessageView& view = *fields.view;
    const std::size_t limit = std::min<std::size_t>(entry->limit, view.field_count());
    std::size_t at = fields.end;
    if (at >= limit || view.field(at).tag != shape->delimiter()) return NXF_END;
    entry->first = static_cast<std::uint32_t>(at);
    for (++at; at < limit; ++at) {
      const wire::Tag tag = view.field(at).tag;
      if (tag == shape->delimiter() || !shape->has(tag)) break;
    }
    entry->count = static_cast<std::uint32_t>(at) - entry->first;
    return NXF_OK;
  });
}

nxf_status nxf_entry_text(const nxf_entry* entry, uint32_t tag, nxf_text* value) {
  return read<std::string_view>(fields_of(entry), tag, value);
}
nxf_status nxf_entry_int(const nxf_entry* entry, uint32_t tag, int64_t* value) {
  return read<std::int64_t>(fields_of(entry), tag, value);
}
nxf_status nxf_entry_decimal(const nxf_entry* entry, uint32_t tag, nxf_decimal* value) {
  return read<nexusfix::Decimal>(fields_of(entry), tag, value);
}
nxf_status nxf_entry_time(const nxf_entry* entry, uint32_t tag, int64_t* nanoseconds) {
  return read<nexusfix::WallTime>(fields_of(entry), tag, nanoseconds);
}
nxf_status nxf_entry_char(const nxf_entry* entry, uint32_t tag, char* value) {
  return read<char>(fields_of(entry), tag, value);
}
nxf_status nxf_entry_bool(const nxf_entry* entry, uint32_t tag, int32_t* value) {
  return read<bool>(fields_of(entry), tag, value);
}

size_t nxf_entry_field_count(const nxf_entry* entry) {
  const Fields fields = fields_of(entry);
  return fields.end - fields.begin;
}
nxf_status nxf_entry_field(const nxf_entry* entry, size_t index, uint32_t* tag, nxf_text* value) {
  return field_at(fields_of(entry), index, tag, value);
}
