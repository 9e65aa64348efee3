#include "simulator/check/checked_engine.hpp"

#include <string>

namespace nexusfix::simulator {

CheckedEngine::CheckedEngine(engine::Engine& engine, const config::Settings& settings)
    : engine_{engine} {
  const store::Store& store = engine.store();
  for (const config::SessionSettings& one : settings.sessions) {
    const std::string name = one.session.id.to_string();
    keys_.push_back(0);
    for (std::size_t i = 0; i < store.session_count(); ++i) {
      const auto key = static_cast<store::SessionKey>(i);
      if (store.session_name(key) == name) keys_.back() = key;
    }
  }
}

}  // namespace nexusfix::simulator
