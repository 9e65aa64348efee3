#include "venue/parties.hpp"

#include <algorithm>

namespace nexusfix::venue {

Owner Parties::find_or_add(std::string_view name) {
  const auto found = std::ranges::find(parties_, name, &Party::name);
  if (found != parties_.end()) return static_cast<Owner>(found - parties_.begin());
  parties_.push_back({.name = std::string{name}});
  return static_cast<Owner>(parties_.size() - 1);
}

Owner Parties::join(engine::Session& session) {
  const Owner owner = find_or_add(session.name());
  parties_[owner].session = &session;
  parties_[owner].has_exec_trans_type = session.application_version() == "FIX.4.2";
  return owner;
}

Owner Parties::of(const engine::Session& session) const noexcept {
  Owner owner = 0;
  while (parties_[owner].session != &session) ++owner;
  return owner;
}

bool Parties::has(const engine::Session& session) const noexcept {
  return std::ranges::find(parties_, &session, &Party::session) != parties_.end();
}

const Party* Parties::named(std::string_view comp_id) const noexcept {
  const auto found = std::ranges::find_if(parties_, [&](const Party& one) {
    return one.session != nullptr && (one.comp_id() == comp_id || one.name == comp_id);
  });
  return found == parties_.end() ? nullptr : &*found;
}

}  // namespace nexusfix::venue
