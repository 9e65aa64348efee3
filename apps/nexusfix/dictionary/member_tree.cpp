#include "nexusfix/dictionary/member_tree.hpp"

#include <fmt/format.h>
#include <iterator>
#include <string_view>

#include "nexusfix/messages/print_message.hpp"

namespace nexusfix::command {
namespace {

using dictionary::ComponentDefinition;
using dictionary::Dictionary;
using dictionary::FieldDefinition;
using dictionary::GroupDefinition;
using dictionary::Member;
using MemberKind = dictionary::Member::Kind;
using printing::printable;

class TextTree {
 public:
  explicit TextTree(const Dictionary& dictionary) : dictionary_{dictionary} {}

  void add(const std::vector<Member>& members, std::size_t depth) {
    for (const Member& member : members) {
      if (lines_ == kTreeLinesMax) return;
      if (++lines_ == kTreeLinesMax) {
        text_ += "  ... and more\n";
        return;
      }
      const std::string_view required = member.required ? "  required" : "";
      switch (member.kind) {
        case MemberKind::Field:
          add_field(dictionary_.fields[member.index], depth, required);
          break;
        case MemberKind::Component: {
          const ComponentDefinition& component = dictionary_.components[member.index];
          add_line(depth, "", component.name, "component", required);
          add(component.members, depth + 1);
          break;
        }
        case MemberKind::Group: {
          const GroupDefinition& group = dictionary_.groups[member.index];
          const FieldDefinition& count = dictionary_.fields[group.count_field];
          add_line(depth, std::to_string(count.tag), count.name, "group", required);
          add(group.members, depth + 1);
          break;
        }
      }
    }
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void add_field(const FieldDefinition& field, std::size_t depth, std::string_view required) {
    add_line(depth, std::to_string(field.tag), field.name, to_string(field.type), required);
  }
  void add_line(std::size_t depth, std::string_view tag, std::string_view name,
                std::string_view type, std::string_view required) {
    constexpr std::size_t kNameColumns = 36;
    const std::size_t indent = 2 * depth;
    const std::size_t columns = kNameColumns > indent ? kNameColumns - indent : 0;
    fmt::format_to(std::back_inserter(text_), "{:{}}{:>5}  {:<{}}  {}{}\n", "", indent, tag,
                   printable(name), columns, type, required);
  }

  const Dictionary& dictionary_;
  std::string text_;
  std::size_t lines_ = 0;
};

class JsonTree {
 public:
  explicit JsonTree(const Dictionary& dictionary) : dictionary_{dictionary} {}

  Json array(const std::vector<Member>& members) {
    Json json = Json::array();
    for (const Member& member : members) {
      if (lines_ == kTreeLinesMax) break;
      ++lines_;
      json.push_back(lines_ == kTreeLinesMax ? Json::object({{"kind", "left out"}})
                                             : object(member));
    }
    return json;
  }

 private:
  Json object(const Member& member) {
    if (member.kind == MemberKind::Component) {
      const ComponentDefinition& component = dictionary_.components[member.index];
      return Json::object({{"kind", "component"},
                           {"name", component.name},
                           {"required", member.required},
                           {"members", array(component.members)}});
    }
    const bool is_group = member.kind == MemberKind::Group;
    const FieldDefinition& field =
        dictionary_.fields[is_group ? dictionary_.groups[member.index].count_field : member.index];
    Json json = Json::object({{"kind", is_group ? "group" : "field"},
                              {"tag", field.tag},
                              {"name", field.name},
                              {"type", to_string(field.type)},
                              {"required", member.required}});
    if (is_group) json.set("members", array(dictionary_.groups[member.index].members));
    return json;
  }

  const Dictionary& dictionary_;
  std::size_t lines_ = 0;
};

}  // namespace

std::string members_text(const Dictionary& dictionary, const std::vector<Member>& members,
                         std::size_t depth) {
  TextTree tree{dictionary};
  tree.add(members, depth);
  return tree.take();
}

Json members_json(const Dictionary& dictionary, const std::vector<Member>& members) {
  return JsonTree{dictionary}.array(members);
}

}  // namespace nexusfix::command
