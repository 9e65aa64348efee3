#include "logs/columns/column_plan.hpp"

#include <algorithm>
#include <array>

#include "logs/output/message_writer.hpp"

namespace nexusfix::logs {
namespace {

using dictionary::Dictionary;
using dictionary::FieldType;

constexpr std::size_t kDepthMax = 8;  // of groups within groups

constexpr std::array<wire::Tag, 25> kUsual{52, 49, 56, 34, 35, 1,  11, 41,  37, 17, 20, 150, 39,
                                           55, 54, 38, 44, 32, 31, 14, 151, 6,  60, 58, 453};

// ClOrdID, OrigClOrdID, OrderID, ExecID, ExecRefID, SecondaryOrderID and SecondaryClOrdID.
constexpr std::array<wire::Tag, 7> kIdentifiers{11, 17, 19, 37, 41, 198, 526};

class Planner {
 public:
  Planner(const command::FieldNames& names, ColumnForms forms) : names_{names}, forms_{forms} {}
  [[nodiscard]] Column planned(wire::Tag tag) const;

 private:
  [[nodiscard]] Column scalar(wire::Tag tag, const dictionary::FieldDefinition* field) const;
  [[nodiscard]] std::vector<Column> members_of(const Dictionary& dictionary, wire::Tag count,
                                               std::size_t depth) const;

  const command::FieldNames& names_;
  ColumnForms forms_;
};

Column Planner::scalar(wire::Tag tag, const dictionary::FieldDefinition* field) const {
  Column column;
  column.tag = tag;
  column.name = field == nullptr ? std::to_string(tag) : field->name;
  column.type = field == nullptr ? ColumnType::Text : column_type(field->type);
  column.is_identifier = std::ranges::find(kIdentifiers, tag) != kIdentifiers.end();
  column.scale = forms_.scale;
  // Y and N have a type of their own.
  if (!forms_.with_names || column.type == ColumnType::Boolean) return column;
  CodeNames codes{.names = names_.values(tag),
                  .is_multiple = field != nullptr && dictionary::is_multiple(field->type)};
  if (codes.names.empty()) return column;
  column.type = ColumnType::Text;
  column.codes = std::make_shared<const CodeNames>(std::move(codes));
  return column;
}

// The members of all groups of a dictionary with this count field, each once.
std::vector<Column> Planner::members_of(const Dictionary& dictionary, wire::Tag count,
                                        std::size_t depth) const {
  std::vector<Column> members;
  for (const dictionary::GroupDefinition& group : dictionary.groups) {
    if (dictionary.fields[group.count_field].tag != count) continue;
    for (const dictionary::FlatMember& member : dictionary::flatten(dictionary, group.members)) {
      const dictionary::FieldDefinition& field = dictionary.fields[member.field];
      if (std::ranges::find(members, field.tag, &Column::tag) != members.end()) continue;
      Column column = scalar(field.tag, &field);
      if (member.group) {
        if (depth == kDepthMax) continue;
        column.type = ColumnType::Group;
        column.members = members_of(dictionary, field.tag, depth + 1);
      }
      members.push_back(std::move(column));
    }
  }
  return members;
}

Column Planner::planned(wire::Tag tag) const {
  Column column = scalar(tag, names_.field(tag));
  if (const Dictionary* const dictionary = names_.dictionary_of_group(tag); dictionary != nullptr) {
    column.type = ColumnType::Group;
    column.members = members_of(*dictionary, tag, 0);
  }
  return column;
}

}  // namespace

std::string_view CodeNames::name(std::string_view value, std::string& memory) const {
  const auto one = [&](std::string_view code) -> std::string_view {
    const auto found =
        std::ranges::lower_bound(names, code, {}, &dictionary::FieldDefinition::EnumValue::value);
    return found == names.end() || found->value != code ? code : std::string_view{found->name};
  };
  if (!is_multiple || !value.contains(' ')) return one(value);
  memory.clear();
  for (;;) {
    const std::size_t space = std::min(value.find(' '), value.size());
    memory += one(value.substr(0, space));
    if (space == value.size()) return memory;
    memory += ' ';
    value.remove_prefix(space + 1);
  }
}

ColumnType column_type(FieldType type) noexcept {
  using enum FieldType;
  switch (type) {
    case Int:
    case Length:
    case NumInGroup:
    case SeqNum:
    case TagNum:
    case DayOfMonth:
      return ColumnType::Integer;
    case Amt:
    case Float:
    case Percentage:
    case Price:
    case PriceOffset:
    case Qty:
      return ColumnType::Decimal;
    case Boolean:
      return ColumnType::Boolean;
    case UtcTimestamp:
    case Time:
      return ColumnType::Timestamp;
    case UtcDateOnly:
    case LocalMktDate:
    case Date:
      return ColumnType::Date;
    case UtcTimeOnly:
      return ColumnType::TimeOfDay;
    case Data:
    case XmlData:
      return ColumnType::Bytes;
    default:
      return ColumnType::Text;
  }
}

std::expected<std::vector<Column>, std::string> plan_columns(std::string_view text,
                                                             const command::FieldNames& names,
                                                             ColumnForms forms) {
  std::vector<wire::Tag> tags(kUsual.begin(), kUsual.end());
  if (!text.empty()) {
    auto read = read_columns(text, names);
    if (!read) return std::unexpected{std::move(read.error())};
    tags = std::move(*read);
  }
  const Planner planner{names, forms};
  std::vector<Column> columns;
  for (const wire::Tag tag : tags) {
    if (std::ranges::find(columns, tag, &Column::tag) != columns.end()) continue;
    columns.push_back(planner.planned(tag));
  }
  return columns;
}

}  // namespace nexusfix::logs
