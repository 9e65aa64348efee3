// Loads any bytes as a dictionary of either format: no crash, no hang, and a loaded dictionary
// satisfies the guarantees of Dictionary, because its readers check nothing again. This also holds
// for files with faults that are warnings.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/dictionary.hpp>

#include "dictionary/builtin/packed.hpp"
#include "random/fuzz/harness/target.hpp"

namespace {

using namespace nexusfix::dictionary;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_members(const Dictionary& dictionary, const std::vector<Member>& members) {
  for (const Member& member : members) {
    switch (member.kind) {
      case Member::Kind::Field:
        require(member.index < dictionary.fields.size());
        break;
      case Member::Kind::Component:
        require(member.index < dictionary.components.size());
        break;
      case Member::Kind::Group:
        require(member.index < dictionary.groups.size());
        break;
    }
  }
  std::set<Index> seen;
  for (const FlatMember& member : flatten(dictionary, members)) {
    require(member.field < dictionary.fields.size());
    require(seen.insert(member.field).second);
  }
}

void check_fields(const Dictionary& dictionary) {
  std::set<std::string_view> names;
  nexusfix::wire::Tag before = 0;
  for (const FieldDefinition& field : dictionary.fields) {
    require(field.tag > before && field.tag <= nexusfix::wire::kTagMax);
    require(names.insert(field.name).second);
    require(field.length_tag == 0 || dictionary.field(field.length_tag) != nullptr);
    before = field.tag;
  }
}

void check(const Dictionary& dictionary) {
  check_fields(dictionary);
  check_members(dictionary, dictionary.header);
  check_members(dictionary, dictionary.trailer);
  for (const ComponentDefinition& component : dictionary.components) {
    check_members(dictionary, component.members);
  }
  for (const GroupDefinition& group : dictionary.groups) {
    require(group.count_field < dictionary.fields.size());
    require(!flatten(dictionary, group.members).empty());
    check_members(dictionary, group.members);
  }
  for (const MessageDefinition& message : dictionary.messages) {
    require(dictionary.message(message.msg_type) == &message);
    check_members(dictionary, message.members);
  }
}

void check_packing(Dictionary dictionary) {
  TextPool pool;
  const std::string packed = pack(dictionary, pool);
  dictionary.warnings.clear();
  require(unpack(packed, pool.text()) == dictionary);
}

// One more line counts the rest.
std::size_t lines_max() { return kDictionaryFaultsNamed + 1; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of exact size, so that the sanitizer detects a read after its end.
  const std::vector<char> bytes{data, data + size};
  const std::string_view text{bytes.data(), bytes.size()};
  const auto loaded = load_dictionary(text, "fuzz.xml");
  const auto lenient = load_dictionary(text, "fuzz.xml", DictionaryFaults::Warn);
  if (lenient) check(*lenient);
  if (!loaded) {
    require(!loaded.error().text.empty() && loaded.error().all().size() <= lines_max());
    require(!lenient || lenient->warnings.size() <= lines_max());
    return 0;
  }
  require(lenient && *lenient == *loaded);
  check(*loaded);
  require(data_fields(*loaded).pairs().size() >=
          nexusfix::wire::DataFieldTable::standard().pairs().size());
  const LoadedNames names{*loaded};
  for (const FieldDefinition& field : loaded->fields) {
    require(names.table().field_name(field.tag) == field.name);
  }
  check_packing(*loaded);
  return 0;
}
