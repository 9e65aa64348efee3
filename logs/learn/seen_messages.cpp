#include "logs/learn/seen_messages.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/session/identity.hpp>

#include "dictionary/api/value_type.hpp"

namespace nexusfix::logs {
namespace {

using dictionary::Dictionary;
using dictionary::FieldType;
using dictionary::Version;

// More entries than any venue sends; a larger count is a number of another kind.
constexpr std::uint64_t kEntriesMax = 100'000;
constexpr std::size_t kMsgTypeBytesMax = 32;

[[nodiscard]] bool is_msg_type(std::string_view text) noexcept {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  return !text.empty() && text.size() <= kMsgTypeBytesMax && std::ranges::all_of(text, is_plain);
}

// 0: the value is no count of entries.
[[nodiscard]] std::uint64_t count_of(std::string_view value) noexcept {
  const bool is_number =
      !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
  const std::uint64_t number = is_number ? number_of(value) : 0;
  return number <= kEntriesMax ? number : 0;
}

}  // namespace

void collect_tags(const Dictionary& from, const std::vector<dictionary::Member>& members,
                  std::set<wire::Tag>& to) {
  for (const dictionary::FlatMember& member : dictionary::flatten(from, members)) {
    to.insert(from.fields[member.field].tag);
    if (member.group) collect_tags(from, from.groups[*member.group].members, to);
  }
}

bool is_over_fixt(Version version) noexcept {
  return version == Version::Fix50 || version == Version::Fix50Sp1 || version == Version::Fix50Sp2;
}

SeenMember* SeenLevel::find(wire::Tag tag) noexcept {
  const auto found = std::ranges::find(members, tag, &SeenMember::tag);
  return found == members.end() ? nullptr : &*found;
}

bool SeenLevel::has_deep(wire::Tag tag) const noexcept {
  return std::ranges::any_of(members, [tag](const SeenMember& member) {
    return member.tag == tag || (member.group && member.group->has_deep(tag));
  });
}

void SeenValues::add(std::string_view value, const SeenPlace& place) {
  ++count_;
  auto found = listed_.find(value);
  if (found == listed_.end() && listed_.size() < kListedMax && value.size() <= kListedBytesMax)
    found = listed_.emplace(std::string{value}, Value{.count = 0, .first = place}).first;
  if (found != listed_.end()) {
    ++found->second.count;
    return;
  }
  ++unlisted_;
  for (std::size_t type = 0; type < kTypes; ++type) {
    if (dictionary::is_of_type(static_cast<FieldType>(type), value)) continue;
    if (unlisted_misfits_[type].count++ == 0) unlisted_misfits_[type].first = place;
  }
}

SeenValues::Value SeenValues::misfits(FieldType type) const {
  Value all = unlisted_misfits_[static_cast<std::size_t>(type)];
  for (const auto& [value, seen] : listed_) {
    if (dictionary::is_of_type(type, value)) continue;
    const bool is_before = all.count == 0 || (seen.first.file == all.first.file &&
                                              seen.first.message < all.first.message);
    if (is_before) all.first = seen.first;
    all.count += seen.count;
  }
  return all;
}

SeenMessages::SeenMessages(Version version)
    : version_{version}, standard_{&dictionary::builtin_dictionary(version)} {
  const Dictionary& transport =
      dictionary::builtin_dictionary(is_over_fixt(version) ? Version::Fixt11 : version);
  collect_tags(transport, transport.header, envelope_);
  collect_tags(transport, transport.trailer, envelope_);
  collect_groups(*standard_);
  collect_groups(dictionary::builtin_dictionary(Version::Fix50Sp2));
}

// A count field that both versions have keeps the members of the first.
void SeenMessages::collect_groups(const Dictionary& from) {
  std::map<wire::Tag, std::set<wire::Tag>> groups;
  for (const dictionary::GroupDefinition& group : from.groups) {
    collect_tags(from, group.members, groups[from.fields[group.count_field].tag]);
  }
  group_members_.merge(groups);
}

bool SeenMessages::is_standard_member(wire::Tag count_tag, wire::Tag tag) const {
  const auto found = group_members_.find(count_tag);
  return found != group_members_.end() && found->second.contains(tag);
}

bool SeenMessages::add(Fields fields, const SeenPlace& place) {
  constexpr std::size_t kFront = 3;  // BeginString, BodyLength, MsgType
  const bool has_faults = std::ranges::any_of(
      fields, [](const MessageField& field) { return field.tag == 0 || field.value.empty(); });
  if (has_faults || fields.size() <= kFront || fields[kFront - 1].tag != tag::MsgType) return false;
  const std::string_view msg_type = fields[kFront - 1].value;
  if (!is_msg_type(msg_type)) return false;
  if (is_over_fixt(version_) && session::is_administrative(msg_type)) return true;
  // A field of the venue between those of the header is one of the header.
  std::size_t header_end = fields.size();
  while (header_end > 0 && !is_of_envelope(fields[header_end - 1].tag)) --header_end;
  const auto is_trailer = [](wire::Tag tag) {
    return tag == tag::CheckSum || tag == tag::Signature || tag == tag::SignatureLength;
  };
  while (header_end > kFront &&
         (is_trailer(fields[header_end - 1].tag) || !is_of_envelope(fields[header_end - 1].tag)))
    --header_end;
  std::vector<MessageField> header;
  std::vector<MessageField> body;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (is_of_envelope(fields[i].tag)) continue;
    (i < header_end ? header : body).push_back(fields[i]);
  }
  read_level(header_, header, place);
  read_level(messages_[std::string{msg_type}], body, place);
  for (const MessageField& field : fields) {
    const dictionary::FieldDefinition* const known = standard_->field(field.tag);
    const bool is_data =
        known != nullptr && (known->type == FieldType::Data || known->type == FieldType::XmlData);
    if (!is_data && !is_password(field.tag)) values_[field.tag].add(field.value, place);
  }
  return true;
}

SeenMember& SeenMessages::seen(SeenLevel& level, wire::Tag tag, std::uint64_t serial,
                               const SeenPlace& place) {
  SeenMember* member = level.find(tag);
  if (member == nullptr) {
    member = &level.members.emplace_back();
    member->tag = tag;
    member->first = place;
    if (level.count > 1) member->missing = level.first;
  }
  if (std::exchange(member->serial, serial) != serial) ++member->count;
  return *member;
}

// One message, or one entry of a group.
void SeenMessages::read_level(SeenLevel& level, Fields fields, const SeenPlace& place) {
  const std::uint64_t serial = ++serial_;
  if (level.count++ == 0) level.first = place;
  for (std::size_t i = 0; i < fields.size();) {
    const wire::Tag tag = fields[i].tag;
    const std::optional<Group> group = group_at(level, fields, i);
    SeenMember& member = seen(level, tag, serial, place);
    if (!group) {
      member.was_flat |= !member.group && count_of(fields[i].value) > 0;
      ++i;
      continue;
    }
    // Its entries may move members of the level: the group itself does not move.
    if (!member.group) member.group = std::make_unique<SeenLevel>();
    SeenLevel& entries = *member.group;
    for (std::size_t k = 0; k < group->begins.size(); ++k) {
      const std::size_t begin = group->begins[k];
      const std::size_t end = k + 1 < group->begins.size() ? group->begins[k + 1] : group->end;
      read_level(entries, fields.subspan(begin, end - begin), place);
    }
    i = group->end;
  }
  for (SeenMember& member : level.members) {
    if (member.serial != serial && !member.missing) member.missing = place;
  }
}

// The group that the field counts. A tag that is no count field of the standard counts a group if
// the next tag occurs as often as its value says, at least twice.
std::optional<SeenMessages::Group> SeenMessages::group_at(SeenLevel& level, Fields fields,
                                                          std::size_t at) {
  const wire::Tag count_tag = fields[at].tag;
  const std::uint64_t count = count_of(fields[at].value);
  if (count == 0 || at + 1 == fields.size()) return std::nullopt;
  const wire::Tag first = fields[at + 1].tag;
  SeenMember* const member = level.find(count_tag);
  SeenLevel* const known = member == nullptr ? nullptr : member->group.get();
  const bool is_known = known != nullptr && known->members.front().tag == first;
  if (count == 1 && !is_known && !is_standard_member(count_tag, first)) return std::nullopt;
  Group group;
  for (std::size_t i = at + 1; i < fields.size(); ++i) {
    if (fields[i].tag == first) group.begins.push_back(i);
  }
  const bool is_standard = group_members_.contains(count_tag);
  if (group.begins.size() < count) return std::nullopt;
  if (group.begins.size() > count && !is_known && !is_standard) return std::nullopt;
  group.begins.resize(count);
  // The entries before the last one show their ends.
  std::set<wire::Tag> of_others;
  for (std::size_t i = group.begins.front(); i < group.begins.back(); ++i) {
    of_others.insert(fields[i].tag);
  }
  SeenLevel none;
  group.end = entry_end(known != nullptr ? *known : none, count_tag, of_others, fields,
                        group.begins.back());
  return group;
}

// Nothing marks the end of the last entry: it ends before a tag that no entry has, or that this one
// has already.
std::size_t SeenMessages::entry_end(SeenLevel& entry, wire::Tag count_tag,
                                    const std::set<wire::Tag>& of_others, Fields fields,
                                    std::size_t begin) {
  std::set<wire::Tag> tags{fields[begin].tag};
  std::size_t i = begin + 1;
  while (i < fields.size()) {
    const wire::Tag tag = fields[i].tag;
    const bool is_member =
        entry.has_deep(tag) || of_others.contains(tag) || is_standard_member(count_tag, tag);
    if (!is_member || !tags.insert(tag).second) break;
    const std::optional<Group> nested = group_at(entry, fields, i);
    i = nested ? nested->end : i + 1;
  }
  return i;
}

}  // namespace nexusfix::logs
