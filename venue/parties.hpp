// The sessions that own orders.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine.hpp>

#include "venue/book/order_book.hpp"

namespace nexusfix::venue {

struct Party {
  std::string name{};                  // of the session
  engine::Session* session = nullptr;  // null: the engine does not serve it, or not yet
  bool has_exec_trans_type = false;    // before FIX 4.3: reports have ExecTransType

  // CompID of the counterparty. The session is not null.
  [[nodiscard]] std::string_view comp_id() const noexcept { return session->id().target_comp_id; }
};

// An Owner is the place of a party; it never changes.
class Parties {
 public:
  // Adds it if there is none of this name.
  [[nodiscard]] Owner find_or_add(std::string_view name);
  // Adds the session, or gives it to the party of its name.
  Owner join(engine::Session& session);
  // The session has joined.
  [[nodiscard]] Owner of(const engine::Session& session) const noexcept;
  [[nodiscard]] bool has(const engine::Session& session) const noexcept;
  // The party whose session has this CompID, or this name. Null: none.
  [[nodiscard]] const Party* named(std::string_view comp_id) const noexcept;

  [[nodiscard]] const Party& operator[](Owner owner) const noexcept { return parties_[owner]; }
  [[nodiscard]] auto begin() const noexcept { return parties_.begin(); }
  [[nodiscard]] auto end() const noexcept { return parties_.end(); }

 private:
  std::vector<Party> parties_;  // by Owner
};

}  // namespace nexusfix::venue
