#include "python/src/builder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <nexusfix/wire/frame.hpp>

#include "dictionary/api/nearest_name.hpp"
#include "python/src/values.hpp"

namespace nexusfix::python {
namespace {

constexpr char kSoh = '\x01';
constexpr std::size_t kPlansMax = 16;

// The parts of a message, in their order.
enum class Part : std::uint8_t { Header, Body, Trailer };

// Where an argument goes.
struct Target {
  Part part = Part::Body;
  std::size_t order = 0;  // within the header or the trailer: that of the dictionary
  const Field* field = nullptr;
  const Group* group = nullptr;
};

// The targets of the names of a call, in the order of the message.
struct Plan {
  nb::object names;  // the tuple of the call
  std::vector<std::pair<std::size_t, Target>> targets;
};

struct Builder {
  std::shared_ptr<Catalog> catalog;
  const Message* message = nullptr;
  std::deque<std::shared_ptr<const Plan>> plans;
  std::string name;
  std::string doc;
  PyMethodDef method{};
};

void collect_names(const Members& members, std::vector<std::string_view>& names) {
  for (const Members::Member& member : members.all) names.push_back(member.field->name);
}

[[noreturn]] void raise_name(const std::string& owner, std::string_view name,
                             const std::vector<std::string_view>& names) {
  std::string text = owner + " has no field '" + std::string{name} + "'";
  if (const auto nearest = dictionary::nearest_name(name, names)) {
    text += "; nearest: '" + std::string{*nearest} + "'";
  }
  raise({.type = "FieldNameError", .text = text, .tag = {}, .offset = {}, .rule = "NameUnknown"});
}

std::optional<wire::Tag> tag_in_digits(std::string_view name) {
  wire::Tag tag = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), tag);
  if (error != std::errc{} || end != name.data() + name.size() || tag == 0 || tag > INT32_MAX) {
    return std::nullopt;
  }
  return tag;
}

bool is_computed(wire::Tag tag) {
  return tag == tag::BeginString || tag == tag::BodyLength || tag == tag::MsgType ||
         tag == tag::CheckSum;
}

// A tag in digits may be any that the message lacks: a counterparty's own field.
Target target_of(Catalog& catalog, const Message& message, std::string_view name) {
  const auto digits = tag_in_digits(name);
  const Field* const field = digits ? &catalog.field(*digits) : catalog.field(name);
  if (field != nullptr && is_computed(field->tag)) {
    raise({.type = "FieldError",
           .text = named(*field) + " is computed: leave it out",
           .tag = field->tag,
           .offset = {},
           .rule = "TagOutOfSection"});
  }
  if (field != nullptr) {
    const std::array parts{std::pair{&message.header, Part::Header},
                           std::pair{&message.body, Part::Body},
                           std::pair{&message.trailer, Part::Trailer}};
    for (const auto& [members, part] : parts) {
      const auto place = members->places.find(field->tag);
      if (place == members->places.end()) continue;
      const std::size_t order = part == Part::Body ? 0 : place->second;
      return {part, order, field, members->all[place->second].group};
    }
    if (digits) return {Part::Body, 0, field, nullptr};
  }
  std::vector<std::string_view> names;
  for (const Members* const members : {&message.header, &message.body, &message.trailer}) {
    collect_names(*members, names);
  }
  raise_name(message.name, name, names);
}

void append_entries(FieldText& to, Catalog& catalog, const Group& group, PyObject* entries);

void append_number(FieldText& to, std::size_t number) {
  std::array<char, 20> digits{};
  char* const end = std::to_chars(digits.begin(), digits.end(), number).ptr;
  to.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

// A data field has its Length field before it.
void append_field(FieldText& to, Catalog& catalog, const Field& field, PyObject* value) {
  if (field.kind == ValueKind::Bytes && field.length_tag != 0) {
    FieldText data;
    append_value(data, field, value);
    to += catalog.field(field.length_tag).prefix;
    append_number(to, data.size());
    to += kSoh;
    to += field.prefix;
    to += data.view();
    to += kSoh;
    return;
  }
  to += field.prefix;
  append_value(to, field, value);
  to += kSoh;
}

void append_target(FieldText& to, Catalog& catalog, const Field& field, const Group* group,
                   PyObject* value) {
  if (group != nullptr) {
    append_entries(to, catalog, *group, value);
  } else {
    append_field(to, catalog, field, value);
  }
}

void append_entry(FieldText& to, Catalog& catalog, const Group& group, nb::handle entry) {
  std::vector<std::pair<std::size_t, nb::object>> values;
  const nb::object items =
      nb::hasattr(entry, "items") ? nb::object{entry.attr("items")()} : nb::object{};
  if (!items.is_valid()) {
    raise({.type = "FieldError",
           .text = named(*group.count) + ": an entry is a mapping of names to values",
           .tag = group.count->tag,
           .offset = {},
           .rule = "TypeWrong"});
  }
  for (const nb::handle item : items) {
    const nb::object key = item[0];
    std::optional<wire::Tag> tag;
    if (PyUnicode_Check(key.ptr()) == 0) {
      tag = tag_of(catalog, key.ptr());
    } else if (const Field* const field = catalog.field(text_of(key.ptr()))) {
      tag = field->tag;
    }
    const auto place = tag ? group.members.places.find(*tag) : group.members.places.end();
    if (place == group.members.places.end()) {
      std::vector<std::string_view> names;
      collect_names(group.members, names);
      raise_name(std::string{group.count->name}, text_of(nb::str(key).ptr()), names);
    }
    values.emplace_back(place->second, item[1]);
  }
  std::ranges::stable_sort(values, {}, [](const auto& value) { return value.first; });
  const Members::Member& first = group.members.all.front();
  if (!group.any_field_begins && (values.empty() || values.front().first != 0)) {
    raise({.type = "FieldError",
           .text = "an entry of " + named(*group.count) + " needs " + named(*first.field) +
                   ", which begins it",
           .tag = first.field->tag,
           .offset = {},
           .rule = "DelimiterMissing"});
  }
  for (const auto& [place, value] : values) {
    const Members::Member& member = group.members.all[place];
    if (value.is_none()) continue;
    append_target(to, catalog, *member.field, member.group, value.ptr());
  }
}

void append_entries(FieldText& to, Catalog& catalog, const Group& group, PyObject* entries) {
  if (PyUnicode_Check(entries) != 0 || PySequence_Check(entries) == 0) {
    raise({.type = "FieldError",
           .text = named(*group.count) + ": a group is a sequence of mappings",
           .tag = group.count->tag,
           .offset = {},
           .rule = "TypeWrong"});
  }
  FieldText text;
  std::size_t count = 0;
  for (const nb::handle entry : nb::borrow(entries)) {
    append_entry(text, catalog, group, entry);
    ++count;
  }
  if (count == 0) return;
  to += group.count->prefix;
  append_number(to, count);
  to += kSoh;
  to += text.view();
}

// A message that is built: its fields after MsgType, and room for what comes before them, which has
// their size.
class Draft {
 public:
  Draft(const std::shared_ptr<Catalog>& catalog, const Message& message)
      : catalog_{catalog}, message_{message}, texts_{std::exchange(kept(), Texts{})} {
    texts_.head.clear();
    texts_.fields.clear();
    constexpr std::string_view kOther = "8=|9=12345678901234567890|35=|";
    room_ = kOther.size() + catalog->begin_string().size() + message.msg_type.size();
    texts_.fields.append(room_);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() { kept() = std::move(texts_); }

  [[nodiscard]] FieldText& fields() noexcept { return texts_.fields; }
  // A new reference. Call it once.
  [[nodiscard]] PyObject* finish() {
    constexpr std::size_t kMsgTypeOverhead = std::string_view{"35=|"}.size();
    FieldText& head = texts_.head;
    head += "8=";
    head += catalog_->begin_string();
    head +=
        "\x01"
        "9=";
    append_number(head, kMsgTypeOverhead + message_.msg_type.size() + fields().size() - room_);
    head +=
        "\x01"
        "35=";
    head += message_.msg_type;
    head += kSoh;
    const std::size_t begin = room_ - head.size();
    fields().overwrite(begin, head.view());
    const unsigned sum = wire::check_sum(fields().view().substr(begin));
    fields() += "10=";
    for (const unsigned unit : {100U, 10U, 1U})
      fields() += static_cast<char>('0' + sum / unit % 10);
    fields() += kSoh;
    return make_message(fields().view().substr(begin), catalog_);
  }

 private:
  struct Texts {
    FieldText head;
    FieldText fields;
  };
  // The memory of the last draft, for the next one.
  static Texts& kept() {
    static Texts& texts = *new Texts;
    return texts;
  }
  const std::shared_ptr<Catalog>& catalog_;
  const Message& message_;
  Texts texts_;
  std::size_t room_ = 0;
};

std::shared_ptr<const Plan> plan_of(Builder& builder, PyObject* names) {
  for (const auto& plan : builder.plans) {
    if (plan->names.ptr() == names) return plan;
  }
  Plan plan;
  plan.names = nb::borrow(names);
  const Py_ssize_t count = names == nullptr ? 0 : PyTuple_Size(names);
  for (Py_ssize_t i = 0; i < count; ++i) {
    const std::string_view name = text_of(PyTuple_GetItem(names, i));
    plan.targets.emplace_back(static_cast<std::size_t>(i),
                              target_of(*builder.catalog, *builder.message, name));
  }
  // The body stays in the order of the call.
  std::ranges::stable_sort(plan.targets, {}, [](const auto& target) {
    return std::pair{target.second.part, target.second.order};
  });
  // The Length field of a data field is written with it.
  std::erase_if(plan.targets, [&](const auto& target) {
    return std::ranges::any_of(plan.targets, [&](const auto& data) {
      return data.second.field->kind == ValueKind::Bytes &&
             data.second.field->length_tag == target.second.field->tag;
    });
  });
  if (builder.plans.size() == kPlansMax) builder.plans.pop_front();
  builder.plans.push_back(std::make_shared<const Plan>(std::move(plan)));
  return builder.plans.back();
}

constexpr const char* kCapsule = "nexusfix.builder";

PyObject* call_builder(PyObject* self, PyObject* const* values, Py_ssize_t count,
                       PyObject* names) noexcept {
  return guarded<PyObject*>(nullptr, [&] {
    auto& builder = *static_cast<Builder*>(PyCapsule_GetPointer(self, kCapsule));
    if (count != 0) {
      PyErr_SetString(PyExc_TypeError,
                      (builder.name + " takes keywords only: ClOrdID=...").c_str());
      throw nb::python_error{};
    }
    Draft draft{builder.catalog, *builder.message};
    const auto plan = plan_of(builder, names);
    for (const auto& [place, target] : plan->targets) {
      if (values[place] == Py_None) continue;
      append_target(draft.fields(), *builder.catalog, *target.field, target.group, values[place]);
    }
    return draft.finish();
  });
}

std::string doc_of(const Message& message) {
  std::string doc = message.name + "(**fields)\n--\n\nBuilds a " + message.name + " (" +
                    message.msg_type + ").\n\nRequired:";
  std::string optional;
  for (const Members::Member& member : message.body.all) {
    std::string& to = member.required ? doc : optional;
    to.append(" ").append(member.field->name);
  }
  return doc + "\nOptional:" + optional + "\n";
}

// A field, or a group with its entries, as it is in a message.
struct Piece {
  Target target;
  std::string text;
};

}  // namespace

nb::object make_builder(const std::shared_ptr<Catalog>& catalog, std::string_view name) {
  const Message* const message = catalog->message_of_name(name);
  if (message == nullptr) raise_name(catalog->label(), name, catalog->message_names());
  auto* const builder = new Builder{};
  const nb::capsule capsule{builder, kCapsule,
                            [](void* made) noexcept { delete static_cast<Builder*>(made); }};
  builder->catalog = catalog;
  builder->message = message;
  builder->name = name;
  builder->doc = doc_of(*message);
  builder->method = {.ml_name = builder->name.c_str(),
                     .ml_meth = reinterpret_cast<PyCFunction>(call_builder),
                     .ml_flags = METH_FASTCALL | METH_KEYWORDS,
                     .ml_doc = builder->doc.c_str()};
  return nb::steal(PyCFunction_NewEx(&builder->method, capsule.ptr(), nullptr));
}

PyObject* replace_fields(const MessageObject& message, nb::dict changes) {
  Catalog& catalog = *message.catalog;
  const Scope& scope = message.scope;
  if (scope.message == nullptr) {
    raise({.type = "FieldNameError",
           .text = catalog.label() + " has no message of MsgType '" +
                   std::string{scope.view.msg_type()} + "'",
           .tag = tag::MsgType,
           .offset = {},
           .rule = "MsgTypeUnknown"});
  }
  std::vector<Piece> pieces;
  const std::string_view bytes = scope.view.bytes();
  for (std::uint32_t at = scope.begin; at < scope.end;) {
    const std::uint32_t next = scope.next(at);
    const wire::FieldView first = scope.view.field(at);
    const wire::FieldView last = scope.view.field(next - 1);
    at = next;
    if (is_computed(first.tag)) continue;
    const std::size_t from = first.offset - catalog.field(first.tag).prefix.size();
    pieces.push_back({target_of(catalog, *scope.message, std::to_string(first.tag)),
                      std::string{bytes.substr(from, last.offset + last.value.size() + 1 - from)}});
  }
  for (const auto [key, value] : changes) {
    const Target target = target_of(catalog, *scope.message, text_of(key.ptr()));
    const wire::Tag length = target.field->kind == ValueKind::Bytes ? target.field->length_tag : 0;
    Piece made{target, {}};
    if (!value.is_none()) {
      FieldText text;
      append_target(text, catalog, *target.field, target.group, value.ptr());
      made.text = text.view();
    }
    if (length != 0) {
      std::erase_if(pieces, [&](const Piece& one) { return one.target.field->tag == length; });
    }
    const auto old = std::ranges::find_if(
        pieces, [&](const Piece& one) { return one.target.field == target.field; });
    if (old != pieces.end()) {
      old->text = std::move(made.text);
    } else {
      pieces.push_back(std::move(made));
    }
  }
  std::ranges::stable_sort(pieces, {}, [](const Piece& one) { return one.target.part; });
  Draft draft{message.catalog, *scope.message};
  for (const Piece& piece : pieces) draft.fields() += piece.text;
  return draft.finish();
}

}  // namespace nexusfix::python
