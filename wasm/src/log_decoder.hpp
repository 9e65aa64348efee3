// Reads the messages of a log piece by piece, and answers in the form that was asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>

#include "logs/fields/password_mask.hpp"
#include "logs/messages/message_scanner.hpp"
#include "logs/validate/version_checkers.hpp"
#include "nexusfix/messages/print_message.hpp"
#include "wasm/src/printed_fields.hpp"

namespace nexusfix::browser {

enum class Answer : std::uint32_t {
  Text,      // as `nexusfix decode`
  Summary,   // as `nexusfix decode --summary`, without the count at the end
  Verdicts,  // as `nexusfix validate --json`
  Faults,    // as `nexusfix validate`, without the count at the end
  Messages,  // a JSON array a message: heading, fields with their names, faults, verdict
  Fields,    // as Messages, without a verdict: nothing is validated
};

// The numbers of bytes and messages so far.
struct DecoderCounts {
  std::uint64_t messages = 0;
  std::uint64_t faulty = 0;   // Text, Summary, Messages, Fields: with a fault that decode prints
  std::uint64_t invalid = 0;  // Verdicts, Faults, Messages: by the dictionary
  std::uint64_t skipped = 0;  // places that begin with 8=FIX and are no message
};

// Keeps one message and the bytes that were fed and not taken. One thread.
class LogDecoder {
 public:
  // name: of the log, in verdicts. shows_passwords: false: *** is in their place.
  LogDecoder(Answer answer, std::string name, bool shows_passwords);

  void feed(std::string_view bytes) { scanner_.feed(bytes); }
  // No more bytes will come.
  void finish() { scanner_.finish(); }
  // Appends the answers to at most messages_max complete messages, and stops after about bytes_max
  // bytes. Returns the number of messages; 0: more bytes are needed, or it was the end.
  std::uint64_t take(std::string& to, std::uint64_t messages_max, std::size_t bytes_max);
  [[nodiscard]] DecoderCounts counts() const;

 private:
  void answer(std::string& to, const printing::ScannedMessage& message);
  void append_text(std::string& to, const printing::ScannedMessage& message);
  void append_checked(std::string& to, std::string_view bytes);
  void append_object(std::string& to, const printing::ScannedMessage& message);
  void append_fields(std::string& to, const printing::DecodedMessage& message,
                     const PrintedMessage& printed);
  [[nodiscard]] std::size_t word(std::string& to, std::string_view text);

  [[nodiscard]] dictionary::Explanation without_password(dictionary::Explanation wrong,
                                                         const printing::DecodedMessage& message,
                                                         std::string_view shown);

  Answer answer_;
  std::string name_;
  bool shows_passwords_;
  printing::MessageScanner scanner_;
  printing::MessagePrinter printer_;
  logs::PasswordMask mask_;
  command::VersionCheckers checkers_;
  DecoderCounts counts_;
  // Names and meanings, and by each one its number. JavaScript keeps each one once.
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::size_t> words_;
  std::string printed_;  // of the present message, as are the next two
  std::string fields_;
  std::vector<std::size_t> numbers_;  // of its words
};

}  // namespace nexusfix::browser
