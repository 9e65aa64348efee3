#include "engine/session/registry/dynamic_names.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::engine {

DynamicNames::Answer DynamicNames::connect(std::string_view name, transport::Source source) {
  const auto known = names_.find(name);
  if (known != names_.end() && known->second.state == State::Kept) return Answer::Yes;
  const bool is_full = known == names_.end() && names_.size() >= limits_.all_max;
  if (is_full && idle_ == 0) return Answer::TooMany;
  const auto of_source = sources_.find(source);
  if (of_source != sources_.end() && of_source->second.fixed.size() >= limits_.per_source_max) {
    return Answer::TooManyOfSource;
  }
  if (is_full) displace_one();
  // All allocations come before the lists change.
  Listed node(1);
  OfSource& wanted = sources_[source];
  const auto [entry, is_new] = names_.try_emplace(std::string{name});
  Name& one = entry->second;
  const transport::Source before = one.source;
  if (is_new) {
    node.front() = entry;
    one.place = node.begin();
    wanted.fixed.splice(wanted.fixed.end(), node);
  } else {
    wanted.fixed.splice(wanted.fixed.end(), sources_.at(before).idle, one.place);
    --idle_;
  }
  one.source = source;
  one.state = State::Connected;
  if (!is_new) drop_if_empty(before);
  return Answer::Yes;
}

session::Numbers DynamicNames::numbers(std::string_view name) const {
  const auto found = names_.find(name);
  NEXUSFIX_ASSERT(found != names_.end());
  return found->second.numbers;
}

void DynamicNames::keep(std::string_view name) noexcept {
  const auto found = names_.find(name);
  if (found != names_.end()) found->second.state = State::Kept;
}

void DynamicNames::disconnect(std::string_view name,
                              std::optional<session::Numbers> numbers) noexcept {
  const auto found = names_.find(name);
  if (found == names_.end() || found->second.state != State::Connected) return;
  Name& one = found->second;
  one.state = State::Idle;
  if (numbers) one.numbers = *numbers;
  OfSource& lists = sources_.find(one.source)->second;
  lists.idle.splice(lists.idle.end(), lists.fixed, one.place);
  ++idle_;
}

// At least one name must be neither connected nor kept.
void DynamicNames::displace_one() {
  const auto most = std::ranges::max_element(
      sources_, {}, [](const auto& entry) { return entry.second.idle.size(); });
  const transport::Source source = most->first;
  names_.erase(most->second.idle.front());
  most->second.idle.pop_front();
  --idle_;
  drop_if_empty(source);
}

void DynamicNames::drop_if_empty(transport::Source source) noexcept {
  const auto found = sources_.find(source);
  if (found == sources_.end() || !found->second.idle.empty() || !found->second.fixed.empty()) {
    return;
  }
  sources_.erase(found);
}

}  // namespace nexusfix::engine
