// The dictionary of what messages have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>

#include "logs/learn/seen_messages.hpp"

namespace nexusfix::logs {

// Each message, member, group and value that was seen, with the names and types of the standard
// where the values fit them. It accepts every message that was seen. The header and the trailer are
// those of the standard, with the members that it lacks.
[[nodiscard]] dictionary::Dictionary learned_dictionary(const SeenMessages& seen);

// The name of a field: that of the version, or of a later one; otherwise "Field5001".
[[nodiscard]] std::string name_of_field(const SeenMessages& seen, wire::Tag tag);
// The name of a message: that of the version, or of a later one; otherwise "Message_U1".
[[nodiscard]] std::string name_of_message(const SeenMessages& seen, std::string_view msg_type);

enum class DictionaryFormat : std::uint8_t { QuickFixXml, Orchestra };

// A file with the counts of messages, fields and values as comments.
[[nodiscard]] std::string to_counted_xml(const dictionary::Dictionary& learned,
                                         const SeenMessages& seen, DictionaryFormat format);

}  // namespace nexusfix::logs
