// Why a received message is not processed. Not for applications.
#pragma once

#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::session::detail {

struct Objection {
  unsigned reason = 0;         // SessionRejectReason (373)
  std::string_view ref_tag{};  // RefTagID (371) as it is to be sent; empty: none
  bool ends_session = false;   // a Logout follows the Reject
  bool is_business = false;    // reason is a BusinessRejectReason (380)
  std::string_view text{};     // empty: the reason's own text
  std::string_view note{};     // for the log, in more words than the Reject has; empty: text
  std::string_view ref_id{};   // BusinessRejectRefID (379)
};

}  // namespace nexusfix::session::detail
