#include "nexusfix/logs/columns/column_plan.hpp"

#include <algorithm>
#include <array>

#include "nexusfix/logs/output/message_writer.hpp"

namespace nexusfix::logs {
namespace {

using dictionary::Dictionary;
using dictionary::FieldType;

constexpr std::size_t kDepthMax = 8;  // of groups within groups

constexpr std::array<wire::Tag, 20> kUsual{52, 49, 56, 34, 35, 11, 41, 37, 17, 150,
                                           39, 55, 54, 38, 44, 32, 31, 60, 58, 453};

// ClOrdID, OrigClOrdID, OrderID, ExecID, ExecRefID, SecondaryOrderID and SecondaryClOrdID.
constexpr std::array<wire::Tag, 7> kIdentifiers{11, 17, 19, 37, 41, 198, 526};

Column scalar(wire::Tag tag, const dictionary::FieldDefinition* field) {
  Column column;
  column.tag = tag;
  column.name = field == nullptr ? std::to_string(tag) : field->name;
  column.type = field == nullptr ? ColumnType::Text : column_type(field->type);
  column.is_identifier = std::ranges::find(kIdentifiers, tag) != kIdentifiers.end();
  return column;
}

// The members of all groups of a dictionary with this count field, each once.
std::vector<Column> members_of(const Dictionary& dictionary, wire::Tag count, std::size_t depth) {
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

Column planned(wire::Tag tag, const FieldNames& names) {
  Column column = scalar(tag, names.field(tag));
  if (const Dictionary* const dictionary = names.dictionary_of_group(tag); dictionary != nullptr) {
    column.type = ColumnType::Group;
    column.members = members_of(*dictionary, tag, 0);
  }
  return column;
}

}  // namespace

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
                                                             const FieldNames& names) {
  std::vector<wire::Tag> tags(kUsual.begin(), kUsual.end());
  if (!text.empty()) {
    auto read = read_columns(text, names);
    if (!read) return std::unexpected{std::move(read.error())};
    tags = std::move(*read);
  }
  std::vector<Column> columns;
  for (const wire::Tag tag : tags) {
    if (std::ranges::find(columns, tag, &Column::tag) != columns.end()) continue;
    columns.push_back(planned(tag, names));
  }
  return columns;
}

}  // namespace nexusfix::logs
