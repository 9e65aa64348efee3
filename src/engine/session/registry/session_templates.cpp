#include "engine/session/registry/session_templates.hpp"

#include <algorithm>
#include <utility>

#include "engine/link/io.hpp"
#include "engine/session/registry/session_registry.hpp"
#include "session/api/logon_identity.hpp"

namespace nexusfix::engine {
namespace {

bool is_same(const SessionSettings& a, const SessionSettings& b) {
  return a.session.id == b.session.id && a.accept->host == b.accept->host &&
         a.accept->port == b.accept->port;
}

}  // namespace

bool SessionTemplates::has(const SessionSettings& settings) const {
  return std::ranges::any_of(
      templates_, [&](const SessionTemplate& one) { return is_same(one.settings, settings); });
}

// Clients that already have a session of the template keep it.
void SessionTemplates::drop_missing(const Settings& fresh) {
  for (std::size_t i = templates_.size(); i-- > 0;) {
    if (!keeps(templates_[i], fresh)) drop(i);
  }
}

bool SessionTemplates::keeps(const SessionTemplate& one, const Settings& fresh) {
  return !one.origin || std::ranges::any_of(fresh.sessions, [&](const SessionSettings& other) {
    return other.is_template && is_same(other, one.settings);
  });
}

void SessionTemplates::add(SessionTemplate& one) {
  note_rules(loop_, one.settings);
  if (loop_.shared.directory)
    loop_.shared.directory->add_template(one.settings.session.id, loop_.index);
  templates_.push_back(std::move(one));
}

void SessionTemplates::drop(std::size_t index) noexcept {
  if (loop_.shared.directory) {
    loop_.shared.directory->remove_template(templates_[index].settings.session.id, loop_.index);
  }
  templates_.erase(templates_.begin() + static_cast<std::ptrdiff_t>(index));
}

const SessionTemplate* SessionTemplates::find(std::size_t listener,
                                              const session::SessionId& id) const {
  const auto found = std::ranges::find_if(templates_, [&](const SessionTemplate& one) {
    return one.listener == listener && session::stands_for(one.settings.session.id, id);
  });
  return found == templates_.end() ? nullptr : &*found;
}

void close_unused(Listeners& listeners, const SessionRegistry& registry,
                  const SessionTemplates& templates) {
  listeners.close_unused([&](std::size_t listener) {
    return std::ranges::any_of(registry.entries(),
                               [&](const auto& one) {
                                 return one->settings().accept &&
                                        one->acceptor.listener() == listener &&
                                        !one->membership.is_out();
                               }) ||
           std::ranges::any_of(templates.all(), [&](const SessionTemplate& one) {
             return one.listener == listener;
           });
  });
}

}  // namespace nexusfix::engine
