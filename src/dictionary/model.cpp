#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

struct TypeName {
  std::string_view name;
  FieldType type;
};

// The first name of a type is the one that to_string() gives.
constexpr auto kTypeNames = std::to_array<TypeName>({
    {"AMT", FieldType::Amt},
    {"BOOLEAN", FieldType::Boolean},
    {"CHAR", FieldType::Char},
    {"COUNTRY", FieldType::Country},
    {"CURRENCY", FieldType::Currency},
    {"DATA", FieldType::Data},
    {"DATE", FieldType::Date},
    {"DAYOFMONTH", FieldType::DayOfMonth},
    {"DAY-OF-MONTH", FieldType::DayOfMonth},
    {"EXCHANGE", FieldType::Exchange},
    {"FLOAT", FieldType::Float},
    {"INT", FieldType::Int},
    {"LANGUAGE", FieldType::Language},
    {"LENGTH", FieldType::Length},
    {"LOCALMKTDATE", FieldType::LocalMktDate},
    {"MONTHYEAR", FieldType::MonthYear},
    {"MONTH-YEAR", FieldType::MonthYear},
    {"MULTIPLECHARVALUE", FieldType::MultipleCharValue},
    {"MULTIPLESTRINGVALUE", FieldType::MultipleStringValue},
    {"MULTIPLEVALUESTRING", FieldType::MultipleValueString},
    {"NUMINGROUP", FieldType::NumInGroup},
    {"PERCENTAGE", FieldType::Percentage},
    {"PRICE", FieldType::Price},
    {"PRICEOFFSET", FieldType::PriceOffset},
    {"QTY", FieldType::Qty},
    {"QUANTITY", FieldType::Qty},
    {"SEQNUM", FieldType::SeqNum},
    {"STRING", FieldType::String},
    // Types of the extension packs of FIX 5.0 SP2. Strings whose form is not checked.
    {"LOCALMKTTIME", FieldType::String},
    {"XID", FieldType::String},
    {"XIDREF", FieldType::String},
    {"TAGNUM", FieldType::TagNum},
    {"TIME", FieldType::Time},
    {"TZTIMEONLY", FieldType::TzTimeOnly},
    {"TZTIMESTAMP", FieldType::TzTimestamp},
    {"UTCDATEONLY", FieldType::UtcDateOnly},
    {"UTCDATE", FieldType::UtcDateOnly},
    {"UTCTIMEONLY", FieldType::UtcTimeOnly},
    {"UTCTIMESTAMP", FieldType::UtcTimestamp},
    {"XMLDATA", FieldType::XmlData},
});

constexpr char upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
  return std::ranges::equal(left, right, {}, upper, upper);
}

class Flattener {
 public:
  explicit Flattener(const Dictionary& dictionary) : dictionary_{dictionary} {}

  void add(const std::vector<Member>& members, bool required) {
    for (const Member& member : members) {
      const bool member_required = required && member.required;
      switch (member.kind) {
        case Member::Kind::Component:
          // A component that occurs again adds no tag and can only make some required. So each one
          // is walked at most twice, once as optional and once as required. Components that contain
          // each other twice, level after level, cost at most twice their text.
          if (components_[member_required ? 1 : 0].insert(member.index).second) {
            add(dictionary_.components[member.index].members, member_required);
          }
          break;
        case Member::Kind::Group:
          add({dictionary_.groups[member.index].count_field, member.index, member_required});
          break;
        case Member::Kind::Field:
          add({member.index, std::nullopt, member_required});
          break;
      }
    }
  }

  [[nodiscard]] std::vector<FlatMember> take() { return std::move(members_); }

 private:
  void add(const FlatMember& member) {
    const auto [place, added] = places_.emplace(member.field, members_.size());
    if (added) {
      members_.push_back(member);
    } else if (member.required) {
      members_[place->second].required = true;
    }
  }

  const Dictionary& dictionary_;
  std::array<std::unordered_set<Index>, 2> components_;  // walked as optional, as required
  std::unordered_map<Index, std::size_t> places_;        // of fields in members_
  std::vector<FlatMember> members_;
};

}  // namespace

FieldType field_type(std::string_view name) noexcept {
  const auto found = std::ranges::find_if(
      kTypeNames, [&](const TypeName& entry) { return equal_ignoring_case(entry.name, name); });
  return found == kTypeNames.end() ? FieldType::Unknown : found->type;
}

std::string_view to_string(FieldType type) noexcept {
  const auto found = std::ranges::find(kTypeNames, type, &TypeName::type);
  return found == kTypeNames.end() ? "UNKNOWN" : found->name;
}

bool is_multiple(FieldType type) noexcept {
  return type == FieldType::MultipleCharValue || type == FieldType::MultipleStringValue ||
         type == FieldType::MultipleValueString;
}

const FieldDefinition* Dictionary::field(wire::Tag tag) const noexcept {
  const auto found = std::ranges::lower_bound(fields, tag, {}, &FieldDefinition::tag);
  return found != fields.end() && found->tag == tag ? &*found : nullptr;
}

const MessageDefinition* Dictionary::message(std::string_view msg_type) const noexcept {
  const auto found = std::ranges::find(messages, msg_type, &MessageDefinition::msg_type);
  return found != messages.end() ? &*found : nullptr;
}

std::vector<FlatMember> flatten(const Dictionary& dictionary, const std::vector<Member>& members) {
  Flattener flattener{dictionary};
  flattener.add(members, true);
  return flattener.take();
}

}  // namespace nexusfix::dictionary
