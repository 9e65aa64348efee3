#include "tester/load/message_template.hpp"

#include <array>
#include <charconv>

#include "tester/script/received_fields.hpp"

namespace nexusfix::tester {
namespace {

void append_number(std::string& text, std::uint64_t number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

}  // namespace

std::expected<MessageTemplate, std::string> MessageTemplate::make(std::string_view text,
                                                                  std::string_view tag,
                                                                  std::string_view run,
                                                                  const Writer& writer,
                                                                  const Meaning& meaning) {
  auto fields = expand(text, meaning);
  if (!fields) return std::unexpected{fields.error()};
  replace_escapes(*fields);
  if (!fields->front().starts_with("35=")) return std::unexpected{"35= must come first"};
  MessageTemplate made;
  const Version& version = kVersions[meaning.version];
  made.with_milliseconds_ = version.has_milliseconds;
  made.tag_ = tag;
  made.prefix_ = std::string{run} + "-";
  made.begin_ = "8=" + std::string{version.begin_string} + kSoh + "9=";
  made.type_ = fields->front() + kSoh + "34=";
  made.sender_ = "49=" + std::string{writer.sender_comp_id} + kSoh + "52=";
  made.target_ = "56=" + std::string{writer.target_comp_id} + kSoh;
  // LastMsgSeqNumProcessed (369) differs in each message, and is optional.
  for (const std::string& field : writer.header) {
    if (!field.starts_with("369=")) (made.target_ += field) += kSoh;
  }
  bool is_found = false;
  for (std::size_t i = 1; i < fields->size(); ++i) {
    const std::string& field = (*fields)[i];
    std::string& part = is_found ? made.after_ : made.before_;
    const bool has_count = !is_found && field.starts_with(made.tag_ + "=");
    is_found = is_found || has_count;
    part += has_count ? made.tag_ + "=" + made.prefix_ : field + kSoh;
    if (has_count) made.after_ = std::string{kSoh};
  }
  if (!is_found) return std::unexpected{"the field " + made.tag_ + " is missing"};
  return made;
}

std::string_view MessageTemplate::bytes(const Made& made) {
  body_ = type_;
  append_number(body_, made.msg_seq_num);
  body_ += kSoh;
  if (made.orig_sending_time) (body_ += "43=Y") += kSoh;
  (body_ += sender_).append(utc_timestamp(made.now, with_milliseconds_)) += kSoh;
  body_ += target_;
  if (made.orig_sending_time) {
    (body_ += "122=").append(utc_timestamp(*made.orig_sending_time, with_milliseconds_)) += kSoh;
  }
  body_ += before_;
  append_number(body_, made.count);
  body_ += after_;
  bytes_ = begin_;
  append_number(bytes_, body_.size());
  (bytes_ += kSoh) += body_;
  bytes_ += check_sum_field(bytes_);
  return bytes_;
}

std::optional<std::uint64_t> MessageTemplate::count_in(std::string_view value) const {
  if (!value.starts_with(prefix_)) return std::nullopt;
  value.remove_prefix(prefix_.size());
  std::uint64_t count = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error != std::errc{} || stop != value.data() + value.size()) return std::nullopt;
  return count;
}

}  // namespace nexusfix::tester
