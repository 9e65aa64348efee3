#include "store/state/log_state.hpp"

namespace nexusfix::store {

void LogState::add_indexes() {
  const MessageIndex::Limits limits = MessageIndex::limits_for(sessions.size());
  const std::size_t begin = limits == limits_ ? indexes.size() : 0;
  indexes.resize(sessions.size());
  limits_ = limits;
  for (std::size_t key = begin; key < indexes.size(); ++key) indexes[key].limit(limits_);
}

}  // namespace nexusfix::store
