// The tables of a generated message or group entry that a draft reads. Applications use draft.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <nexusfix/wire/typed/draft_fields.hpp>
#include <nexusfix/wire/typed/group_shape.hpp>
#include <nexusfix/wire/typed/typed.hpp>
#include <nexusfix/wire/typed/typed_read.hpp>

namespace nexusfix::wire {

namespace detail {

// "ClOrdID" for the type names::ClOrdID.
template <class Name>
[[nodiscard]] consteval std::string_view last_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("Name = "));
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}

template <class List>
inline constexpr std::array<std::string_view, 0> kNames{};
template <class... Names>
inline constexpr std::array<std::string_view, sizeof...(Names)> kNames<FieldNames<Names...>>{
    last_name<Names>()...};

template <class List>
inline constexpr std::array<Tag, 0> kTags{};
template <Tag... Tags>
inline constexpr std::array<Tag, sizeof...(Tags)> kTags<TagList<Tags...>>{Tags...};

// For a field that is no data field: {0, 0}.
template <class F>
[[nodiscard]] consteval DraftRules::DataPair data_pair() {
  if constexpr (DataTypedField<F>) {
    return {F::kLengthTag, F::kTag};
  } else {
    return {0, 0};
  }
}

// Without fold expressions: clang limits them to 256 operands, and a group of FIX 5.0 SP2 has 463
// fields.
template <class List>
struct DataPairsOf;
template <class... Fields>
struct DataPairsOf<FieldList<Fields...>> {
  // The last one is XmlData, which the header of a message may have.
  static constexpr std::array<DraftRules::DataPair, sizeof...(Fields) + 1> kAll{
      data_pair<Fields>()..., DraftRules::DataPair{212, 213}};
  static constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    for (const DraftRules::DataPair& pair : kAll) count += pair.data != 0;
    return count;
  }();
  static constexpr auto kPairs = [] {
    std::array<DraftRules::DataPair, kCount> pairs{};
    [[maybe_unused]] std::size_t at = 0;
    for (const DraftRules::DataPair& pair : kAll) {
      if (pair.data != 0) pairs[at++] = pair;
    }
    return pairs;
  }();
};

template <class Entry>
inline constexpr const GroupShape* kShapePointer = nullptr;
template <class Entry>
  requires requires { Entry::kCountTag; }
inline constexpr const GroupShape* kShapePointer<Entry> = &kShapeOf<Entry>;

template <class T>
struct RulesOf;
template <class List>
inline constexpr std::array<const DraftRules*, 0> kGroupRules{};
template <class... Entries>
inline constexpr std::array<const DraftRules*, sizeof...(Entries)>
    kGroupRules<EntryList<Entries...>>{&RulesOf<Entries>::kRules...};

template <class T>
[[nodiscard]] consteval std::string_view begin_string_of() {
  if constexpr (TypedMessage<T>) {
    return T::kBeginString;
  } else {
    return {};
  }
}
template <class T>
[[nodiscard]] consteval std::string_view msg_type_of() {
  if constexpr (TypedMessage<T>) {
    return T::kMsgType;
  } else {
    return {};
  }
}

// The tables of a generated message or group entry.
template <class T>
struct RulesOf {
  static constexpr DraftRules kRules{.begin_string = begin_string_of<T>(),
                                     .msg_type = msg_type_of<T>(),
                                     .shape = kShapePointer<T>,
                                     .members = T::kMembers,
                                     .checks = kFieldChecks<typename T::Fields>,
                                     .required = kTags<typename T::Required>,
                                     .required_names = kNames<typename T::RequiredNames>,
                                     .data_pairs = DataPairsOf<typename T::Fields>::kPairs,
                                     .groups = kGroupRules<typename T::Groups>};
};

}  // namespace detail

}  // namespace nexusfix::wire
