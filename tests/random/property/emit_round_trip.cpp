// Generates the source that copies every message of a dictionary through its typed classes:
//
//     emit_round_trip DICTIONARY NAMESPACE OUTPUT.cpp
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/wire/field.hpp>

#include "codegen/blocks.hpp"
#include "codegen/generate.hpp"
#include "codegen/type_names.hpp"

namespace nexusfix::codegen {
namespace {

using dictionary::Dictionary;
using dictionary::FlatMember;
using dictionary::Index;
using dictionary::Member;
using MemberKind = dictionary::Member::Kind;

class RoundTripEmitter {
 public:
  RoundTripEmitter(const Dictionary& dictionary, const std::string& name_space)
      : dictionary_{dictionary}, name_space_{name_space} {}

  [[nodiscard]] std::string emit() {
    for (Index i = 0; i < dictionary_.components.size(); ++i) {
      const std::string& name = names_.component_names[i];
      add(fmt::format("copy_{0}(const ComponentPart<fix::members::{0}>& from, TypedCopier& out)",
                      name),
          copies(blocks_.component(i), dictionary_.components[i].members));
    }
    for (const auto& [index, name] : names_.named_groups) {
      const auto& members = dictionary_.groups[index].members;
      add(fmt::format("copy_{0}(const fix::groups::{0}& from, TypedCopier& out)", name.name),
          copies(blocks_.make(members, name.name), members));
    }
    std::string rows;
    for (std::size_t i = 0; i < dictionary_.messages.size(); ++i) rows += emit_message(i);
    add("copy_header(const wire::MessageView& view, TypedCopier& out)", fields(dictionary_.header));
    add("copy_trailer(const wire::MessageView& view, TypedCopier& out)",
        fields(dictionary_.trailer));
    return text(rows);
  }

 private:
  void add(const std::string& signature, const std::string& body) {
    declarations_ += fmt::format("void {};\n", signature);
    definitions_ += fmt::format("void {} {{\n{}}}\n", signature, body);
  }

  [[nodiscard]] std::string text(const std::string& rows) const {
    std::string text = fmt::format("#include <nexusfix/{}/fields.hpp>\n", name_space_);
    for (const TypeName& message : names_.messages) {
      text += fmt::format("#include <nexusfix/{}/{}.hpp>\n", name_space_, message.file);
    }
    // A component that no message has.
    for (const TypeName& component : names_.components) {
      text += fmt::format("#include <nexusfix/{}/{}.hpp>\n", name_space_, component.file);
    }
    return text + fmt::format(
                      "\n#include \"random/property/typed_copier.hpp\"\n\n"
                      "namespace nexusfix::testing {{\nnamespace {{\n\n"
                      "namespace fix = nexusfix::{0};\n\n{1}\n{2}\n"
                      "constexpr MessageCopy kMessages[] = {{\n{3}}};\n\n}}  // namespace\n\n"
                      "extern const VersionCopies k_{0}_copies;\n"
                      "const VersionCopies k_{0}_copies{{kMessages, copy_header, copy_trailer}};\n"
                      "\n}}  // namespace nexusfix::testing\n",
                      name_space_, declarations_, definitions_, rows);
  }

  [[nodiscard]] std::string emit_message(std::size_t index) {
    const auto& message = dictionary_.messages[index];
    const std::string& name = names_.messages[index].name;
    const std::string body = fmt::format(
        "  const auto read = view.as<fix::{}>();\n"
        "  if (!read) return out.fail(read.error());\n"
        "  [[maybe_unused]] const auto& from = *read;\n",
        name);
    const Block block = blocks_.make(message.members, name);
    add(fmt::format("copy_{}(const wire::MessageView& view, TypedCopier& out)", name),
        body + copies(block, message.members) + checks(block, message.members));
    return fmt::format("    {{fix::{0}::kMsgType, copy_{0}}},\n", name);
  }

  // A component's function checks every field; from() has already checked the required ones.
  [[nodiscard]] std::string checks(const Block& block, const std::vector<Member>& members) const {
    std::string text;
    for (const FlatMember& member : flatten(dictionary_, members)) {
      if (!member.required || member.group) continue;
      text += fmt::format("  out.same(from.{}(), wire::read_field<fix::{}>(view));\n",
                          accessor_of(block, dictionary_.fields[member.field].tag),
                          names_.fields[member.field]);
    }
    return text;
  }

  struct Walk {
    const Block& block;
    std::set<wire::Tag> written;
    std::string text;
  };

  [[nodiscard]] std::string copies(const Block& block, const std::vector<Member>& members) {
    Walk walk{block, {}, {}};
    copy_members(walk, members);
    return walk.text;
  }

  [[nodiscard]] static std::string accessor_of(const Block& block, wire::Tag tag) {
    const auto found = std::ranges::find(block.names, tag, [](const auto& e) { return e.second; });
    return found->first;
  }

  void copy_members(Walk& walk, const std::vector<Member>& members) {
    for (const Member& member : members) {
      if (member.kind == MemberKind::Component) {
        copy_component(walk, member.index);
        continue;
      }
      const bool is_group = member.kind == MemberKind::Group;
      const Index field = is_group ? dictionary_.groups[member.index].count_field : member.index;
      const wire::Tag tag = dictionary_.fields[field].tag;
      if (!walk.written.insert(tag).second) continue;
      const std::string accessor = accessor_of(walk.block, tag);
      walk.text += is_group ? fmt::format("  out.group(from.{}(), copy_{});\n", accessor,
                                          names_.groups[member.index].name)
                            : fmt::format("  out.field(from.{}());\n", accessor);
    }
  }

  // By its own function, if the block inherits it and none of its fields has been written yet.
  void copy_component(Walk& walk, Index index) {
    const auto& members = dictionary_.components[index].members;
    const auto inherited =
        std::ranges::find(walk.block.inherited, index, &InheritedComponent::component);
    const std::vector<FlatMember> flat = flatten(dictionary_, members);
    const auto is_written = [&](const FlatMember& member) {
      return walk.written.contains(dictionary_.fields[member.field].tag);
    };
    if (inherited == walk.block.inherited.end() || std::ranges::any_of(flat, is_written)) {
      return copy_members(walk, members);
    }
    const std::string& name = names_.component_names[index];
    const std::string part = fmt::format("ComponentPart<fix::members::{}>{{from.view()}}", name);
    walk.text += fmt::format("  copy_{}({}, out);\n", name, part);
    for (const Accessor& own : walk.block.own) {
      if (own.member.kind == MemberKind::Component && own.member.index == index) {
        walk.text += fmt::format("  out.component(from.{}());\n", own.name);
      }
    }
    for (const FlatMember& member : flat) walk.written.insert(dictionary_.fields[member.field].tag);
  }

  // The fields of the header or the trailer, which have no class.
  [[nodiscard]] std::string fields(const std::vector<Member>& members) const {
    std::string text;
    for (const FlatMember& member : flatten(dictionary_, members)) {
      if (member.group) continue;
      const wire::Tag tag = dictionary_.fields[member.field].tag;
      switch (tag) {
        case tag::BeginString:  // an Encoder writes all of these
        case tag::BodyLength:
        case tag::MsgType:
        case tag::CheckSum:
        case tag::MsgSeqNum:
        case tag::PossDupFlag:
        case tag::PossResend:
        case tag::SenderCompID:
        case tag::TargetCompID:
        case tag::SendingTime:
        case tag::OrigSendingTime:
          continue;
        default:
          text += fmt::format("  out.field(wire::read_field<fix::{}>(view));\n",
                              names_.fields[member.field]);
      }
    }
    return text;
  }

  const Dictionary& dictionary_;
  const std::string& name_space_;
  const TypeNames names_ = type_names(dictionary_);
  BlockMaker blocks_{dictionary_, names_.fields, names_.component_names};
  std::string declarations_;
  std::string definitions_;
};

int emit_main(const std::string& path, const std::string& name_space, const std::string& output) {
  PosixDisk disk;
  const auto dictionary = load_file(disk, path);
  if (!dictionary) {
    std::fprintf(stderr, "%s\n", dictionary.error().c_str());
    return 1;
  }
  const auto written =
      write_if_different(disk, output, RoundTripEmitter{*dictionary, name_space}.emit());
  if (!written) std::fprintf(stderr, "%s\n", written.error().c_str());
  return written ? 0 : 1;
}

}  // namespace
}  // namespace nexusfix::codegen

int main(int argc, char** argv) {
  constexpr int kArguments = 4;
  if (argc != kArguments) {
    std::fputs("Usage: emit_round_trip DICTIONARY NAMESPACE OUTPUT.cpp\n", stderr);
    return 2;
  }
  return nexusfix::codegen::emit_main(argv[1], argv[2], argv[3]);
}
