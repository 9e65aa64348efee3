// What the configuration of the tester's session adds to its messages.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/observe/logs.hpp>

#include "observe/api/logs.hpp"
#include "tester/script/message_text.hpp"

namespace nexusfix::tester {

// Whether Logons get their nonce and their signature.
enum class Signing : std::uint8_t { On, Off };

// Any number of threads.
class OwnFields {
 public:
  virtual ~OwnFields() = default;
  // Fields of the standard header. last_in: the MsgSeqNum of the last message that came; 0: none.
  [[nodiscard]] virtual Fields header(std::string_view msg_type, std::uint64_t last_in) const = 0;
  // Adds the last fields of a Logon, which has all others but 8, 9 and 10. line: as the script has
  // it; what it gives or leaves out is not added. The error: the Logon cannot be signed.
  [[nodiscard]] virtual std::expected<void, std::string> complete_logon(Fields& logon,
                                                                        const Fields& line,
                                                                        WallTime now,
                                                                        Signing signing) = 0;
  // Fields that no report shows, in addition to passwords. Valid as long as this object.
  [[nodiscard]] virtual std::span<const observe::MaskedField> masked() const = 0;
};

}  // namespace nexusfix::tester
