#include "logs/messages/message_scanner.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>

#include <nexusfix/wire/frame.hpp>

#include "base/api/ascii.hpp"
#include "logs/messages/escaped_line.hpp"
#include "logs/messages/find_bytes.hpp"

namespace nexusfix::printing {
namespace {

using Kind = MessageBegin::Kind;

constexpr char kSoh = '\x01';
constexpr std::string_view kBegin = "8=FIX";
constexpr std::string_view kCheckSum = "10=";
constexpr std::size_t kCheckSumBytes = 8;  // with a separator before it
// CheckSum has three digits. More of them do not belong to it.
constexpr std::size_t kCheckSumDigitsMax = 20;
constexpr std::size_t kPrefixBytesMax = 4096;
// What may be before a message in its line if the line before belongs to it.
constexpr std::string_view kMargin = " \t(";
constexpr std::size_t kMarginBytesMax = 8;
// If a message does not end where its BodyLength says, these bytes are searched at once.
constexpr std::size_t kSearchedBytes = 512;
// Most texts before a message have none of them: one has a line before it, the mark ESCAPED, or the
// beginning of another message.
constexpr std::array kDecisive{'\n', 'E', '=', '='};
// Four bytes for each byte of a message, and the text that may precede it.
constexpr std::size_t kEscapedLineBytesMax =
    4 * (MessageScanner::kMessageBytesMax + kPrefixBytesMax);

// The end of the CheckSum field that begins at position at, with its separator if there is one: the
// next message may follow without one. text.npos: more bytes are needed.
std::size_t end_of_check_sum(std::string_view text, std::size_t at, std::string_view separator) {
  at += kCheckSum.size();
  const std::size_t first = at;
  const std::size_t digits_end = std::min(text.size(), first + kCheckSumDigitsMax);
  while (at < digits_end && is_digit(text[at])) ++at;
  if (at > first && text[at - 1] == kBegin.front()) {
    const std::string_view next = text.substr(at - 1, kBegin.size());
    if (next == kBegin) return at - 1;
    if (kBegin.starts_with(next)) return text.npos;
  }
  const std::string_view rest = text.substr(at, separator.size());
  if (rest == separator) return at + separator.size();
  return separator.starts_with(rest) ? text.npos : at;
}

// Whether a field or the end of the text follows.
bool begins_field(std::string_view text) {
  const std::size_t digits =
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  return text.empty() || (digits > 0 && digits < text.size() && text[digits] == '=');
}

enum class Reading : std::uint8_t { EachSeparator, BeforeTags };

void convert(std::string& to, std::string_view text, const MessageBegin& begin, Reading reading) {
  to.assign(text.substr(0, begin.size));
  for (std::size_t at = begin.size; at < text.size();) {
    if (text.substr(at).starts_with(begin.separator)) {
      at += begin.separator.size();
      const bool separates = reading == Reading::EachSeparator || begins_field(text.substr(at));
      to.append(separates ? std::string_view{&kSoh, 1} : begin.separator);
    }
    const std::size_t end = std::min(text.find(begin.separator, at), text.size());
    to += text.substr(at, end - at);
    at = end;
  }
  if (to.back() != kSoh) to += kSoh;
}

// Whether a line that ends here says that a message follows: `<..., incoming>`, `received:`.
bool announces(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line.ends_with('>') || line.ends_with(':');
}

// Replaces each separator by SOH, if the separator is one byte.
void replace_each(std::string& to, std::string_view text, const MessageBegin& begin) {
  to.assign(text);
  replace_bytes(to.data() + begin.size, to.size() - begin.size, begin.separator.front(), kSoh);
  if (to.back() != kSoh) to += kSoh;
}

// Whether the CheckSum is correct.
bool adds_up(std::string_view bytes) {
  constexpr std::size_t kTrailerBytes = 7;  // 10=ddd, SOH
  if (bytes.size() <= kTrailerBytes) return false;
  const std::string_view trailer = bytes.substr(bytes.size() - kTrailerBytes);
  if (!trailer.starts_with(kCheckSum)) return false;
  unsigned stated = 0;
  const char* const end = trailer.data() + trailer.size() - 1;
  return std::from_chars(trailer.data() + kCheckSum.size(), end, stated).ptr == end &&
         stated == wire::check_sum(bytes.substr(0, bytes.size() - kTrailerBytes));
}

}  // namespace

std::uint64_t new_text_id() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void MessageScanner::Skipped::add(const Skipped& more, std::uint64_t base) {
  if (count == 0) first_offset = base + more.first_offset;
  if (too_long == 0) first_too_long = base + more.first_too_long;
  count += more.count;
  too_long += more.too_long;
  cut += more.cut;
  for (const Broken& broken : more.shown) {
    if (shown.size() == kShownMax) break;
    shown.push_back({base + broken.offset, broken.is_message, broken.text});
  }
}

void MessageScanner::Skipped::add_at(Skipped more, std::uint64_t offset) {
  more.first_offset = more.first_too_long = 0;
  for (Broken& broken : more.shown) broken.offset = 0;
  add(more, offset);
}

void MessageScanner::reset() {
  buffer_.clear();
  usual_.clear();
  base_ = 0;
  starts_line_ = true;
  at_ = 0;
  tried_ = 0;
  finished_ = false;
  searched_from_ = 0;
  searched_to_ = 0;
  search_.reset();
  skipped_ = {};
  plain_.reset();
  line_.reset();
  mark_.clear();
}

void MessageScanner::feed(std::string_view bytes) {
  forget_messages();
  buffer_.append(bytes);
}

// Erasing moves the rest of the buffer, so it is not done for every message.
void MessageScanner::forget_messages() {
  text_id_ = new_text_id();
  if (at_ > buffer_.size() / 2) forget_before(at_);
}

void MessageScanner::forget_before(std::size_t position) {
  if (position == 0) return;
  text_id_ = new_text_id();
  starts_line_ = buffer_[position - 1] == '\n';
  base_ += position;
  buffer_.erase(0, position);
  at_ -= std::min(at_, position);
  tried_ -= std::min(tried_, position);
  searched_from_ = 0;
  searched_to_ = 0;
  plain_.reset();
}

// `8=` after a digit may be the end of another tag, such as 108=.
bool MessageScanner::is_after_digit(std::size_t at) const noexcept {
  return at > at_ && is_digit(buffer_[at - 1]);
}

MessageBegin MessageScanner::recognise(std::size_t at) const {
  const std::string_view text = std::string_view{buffer_}.substr(at, kRecognisedBytesMax);
  return recognise_begin(text, delimiter_,
                         is_after_digit(at) ? Evidence::Fields : Evidence::Separator, finished_);
}

void MessageScanner::skip(std::size_t at) {
  if (skipped_.count++ == 0) skipped_.first_offset = base_ + at;
  show(at, false);
  tried_ = at + 1;
}

void MessageScanner::show(std::size_t at, bool is_message) {
  constexpr std::size_t kTextBytesMax = 120;
  if (skipped_.shown.size() == Skipped::kShownMax) return;
  std::string text = buffer_.substr(at, kTextBytesMax);
  text.resize(std::min(text.size(), text.find_first_of("\r\n")));
  std::ranges::replace(text, kSoh, '|');
  skipped_.shown.push_back({base_ + at, is_message, std::move(text)});
}

// The text before this place in its line, or the last bytes of it.
std::string_view MessageScanner::line_before(std::size_t begin) const {
  const std::size_t from = std::max(at_, begin - std::min(begin, kPrefixBytesMax));
  const char* const first = buffer_.data() + from;
  const std::size_t size = begin - from;
  const void* const line_feed = ::memrchr(first, '\n', size);
  if (line_feed == nullptr) return {first, size};
  const char* const line = static_cast<const char*>(line_feed) + 1;
  return {line, static_cast<std::size_t>(first + size - line)};
}

// The end of the line after begin. It remembers the searched part for the next message of the same
// line: a line may be as long as the file.
std::size_t MessageScanner::line_end(std::size_t begin) {
  if (is_escaped_line_) return buffer_.npos;
  if (begin < searched_from_ || begin > searched_to_) searched_to_ = begin;
  searched_from_ = begin;
  if (searched_to_ < buffer_.size() && buffer_[searched_to_] == '\n') return searched_to_;
  const std::size_t found = buffer_.find('\n', searched_to_);
  searched_to_ = std::min(found, buffer_.size());
  return found;
}

// Nothing: BodyLength does not lead to a CheckSum field. With a separator of several bytes it never
// does, because BodyLength counts one byte for each.
std::optional<MessageScanner::Extent> MessageScanner::by_body_length(std::size_t at,
                                                                     const MessageBegin& begin) {
  if (begin.separator.size() != 1) return std::nullopt;
  const std::string_view text = std::string_view{buffer_}.substr(at);
  const char separator = begin.separator.front();
  const std::size_t field = begin.size + 1;
  if (!text.substr(field).starts_with("9=")) return std::nullopt;
  std::size_t length = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data() + field + 2, end, length);
  if (fault != std::errc{} || length > kMessageBytesMax) return std::nullopt;
  if (stop == end || *stop != separator) return std::nullopt;
  const std::size_t trailer = static_cast<std::size_t>(stop - text.data()) + 1 + length;
  const std::string_view whole = text.substr(0, trailer + kCheckSum.size());
  // A converted message ends within its line, no matter how many bytes after the line have arrived.
  const bool is_in_line = separator != kSoh && separator != '\n' && !is_escaped_line_;
  if (is_in_line && line_end(at) < at + whole.size()) return std::nullopt;
  if (trailer + kCheckSum.size() > text.size()) {
    if (finished_) return std::nullopt;
    return Extent{0, false};
  }
  if (text[trailer - 1] != separator || !whole.ends_with(kCheckSum)) return std::nullopt;
  const std::size_t size = end_of_check_sum(text, trailer, begin.separator);
  if (size != text.npos) return Extent{size, true};
  return Extent{text.size(), finished_};
}

// A message that is cut off ends where the next one begins, within this extent. from: the first
// place where one may begin.
MessageScanner::Extent MessageScanner::before_next(std::string_view text, const MessageBegin& begin,
                                                   std::size_t from, Extent found,
                                                   bool is_all) const {
  text = text.substr(0, found.size);
  for (std::size_t at = from; (at = text.find(kBegin, at)) != text.npos; ++at) {
    if (text[at - 1] == '=') continue;  // a value
    if (text.substr(0, at).ends_with(begin.separator)) return {at, true};
    const MessageBegin next =
        recognise_begin(text.substr(at), delimiter_, Evidence::Fields, is_all);
    if (next.kind == Kind::Undecided) return {0, false};
    if (next.kind == Kind::Found) return {at, true};
  }
  return found;
}

// The end of the message by its first CheckSum field. Looks at the separators that begin from this
// place on and before the limit. Nothing: no CheckSum field follows one of them, and from is where
// to go on.
std::optional<MessageScanner::Extent> MessageScanner::by_check_sum(std::string_view text,
                                                                   const MessageBegin& begin,
                                                                   std::size_t& from,
                                                                   std::size_t limit) const {
  const std::size_t more = begin.separator.size() - 1;
  const std::string_view searched = text.substr(0, limit + more);
  const bool is_of_lines = begin.separator.ends_with('\n');  // each field has its own
  for (std::size_t at = 0; (at = searched.find(begin.separator, from)) != text.npos;) {
    const std::size_t field = at + begin.separator.size();
    const std::string_view rest = text.substr(field);
    if (rest.size() < kCheckSum.size() && !finished_) return std::nullopt;
    from = field;
    if (is_of_lines && !rest.empty() && !is_digit(rest.front())) return Extent{field, true};
    if (!rest.starts_with(kCheckSum)) continue;
    const std::size_t size = end_of_check_sum(text, field, begin.separator);
    if (size != text.npos) return Extent{size, true};
    from = at;
    return Extent{text.size(), finished_};
  }
  from = std::max(from, searched.size() - std::min(searched.size(), more));
  return std::nullopt;
}

// Searches the first bytes of the message, then the next ones: a message costs no more than its
// size, although the next CheckSum may be far away. Begins again where it ended when more bytes
// have arrived.
MessageScanner::Extent MessageScanner::by_search(std::size_t at, std::size_t line_size,
                                                 const MessageBegin& begin) {
  const std::string_view text = std::string_view{buffer_}.substr(at);
  if (begin.separator.ends_with('\n')) line_size = text.npos;
  std::size_t limit = std::min(line_size, kMessageBytesMax);
  const bool is_all = limit <= text.size() || finished_;
  limit = std::min(limit, text.size());
  if (!search_ || search_->message != base_ + at) search_ = {base_ + at, begin.size, begin.size};
  for (;;) {
    const std::size_t end = std::min(limit, search_->begins_from + kSearchedBytes);
    if (const auto found = by_check_sum(text, begin, search_->separators_from, end)) {
      return before_next(text, begin, search_->begins_from, *found, found->complete);
    }
    const bool is_last = end == limit;
    const Extent found = before_next(text, begin, search_->begins_from, {end, is_last && is_all},
                                     !is_last || is_all);
    if (is_last || (found.complete && found.size < end)) return found;
    // A beginning is recognised by these bytes.
    search_->begins_from = end - kRecognisedBytesMax;
  }
}

MessageScanner::Extent MessageScanner::extent(std::size_t at, const MessageBegin& begin) {
  const std::string_view text = std::string_view{buffer_}.substr(at);
  if (const auto extent = by_body_length(at, begin)) return *extent;
  const std::size_t end = line_end(at);
  const Extent found = by_search(at, end == buffer_.npos ? end : end - at, begin);
  const bool is_cut = found.complete && found.size == kMessageBytesMax &&
                      !text.substr(found.size - kCheckSumBytes, kCheckSumBytes).contains(kCheckSum);
  if (is_cut && skipped_.too_long++ == 0) skipped_.first_too_long = base_ + at;
  // A separator of several bytes makes every message longer than its BodyLength says.
  if (found.complete && begin.separator.size() == 1) {
    ++skipped_.cut;
    show(at, true);
  }
  return found;
}

// A value may contain the separator, too. If only that reading gives the correct CheckSum, it is
// used.
std::string_view MessageScanner::converted(std::string_view text, const MessageBegin& begin) {
  if (begin.separator.front() == kSoh && text.ends_with(kSoh)) return text;
  if (text.ends_with('\r') && begin.separator.back() != '\r') text.remove_suffix(1);  // cut off
  if (begin.separator.size() == 1) {
    replace_each(converted_, text, begin);
  } else {
    convert(converted_, text, begin, Reading::EachSeparator);
  }
  if (!adds_up(converted_)) {
    convert(other_, text, begin, Reading::BeforeTags);
    if (adds_up(other_)) return other_;
  }
  return converted_;
}

bool MessageScanner::next_of_line(ScannedMessage& to) {
  if (!line_->next(to)) {
    skipped_.add_at(line_->skipped(), line_offset_);
    line_.reset();
    return false;
  }
  if (!mark_.empty()) {
    other_.assign(mark_).append(to.prefix);
    mark_.clear();
    to.prefix = other_;
  }
  to.offset = line_offset_;
  return true;
}

// Called for each place of a line. It looks at the beginning of the line once.
bool MessageScanner::is_in_plain_line(std::size_t begin) {
  const std::string_view text{buffer_};
  const bool is_known = plain_ && !text.substr(*plain_, begin - *plain_).contains('\n');
  plain_ = begin;
  return is_known;
}

// A line may stay undecided until all of it has arrived.
MessageScanner::LineState MessageScanner::open_escaped_line(std::size_t begin) {
  const std::string_view front = line_before(begin);
  const std::size_t from = begin - front.size();
  const bool is_whole = from == 0 ? starts_line_ : buffer_[from - 1] == '\n';
  if (!is_whole) return LineState::Plain;
  const std::size_t mark = escaped_mark_size(front);
  if (mark == 0) return LineState::Plain;
  plain_.reset();
  std::size_t end = line_end(begin);
  if (end == buffer_.npos) {
    if (!finished_ && buffer_.size() - from < kEscapedLineBytesMax) return LineState::Incomplete;
    end = buffer_.size();
  }
  end = std::min(end, from + kEscapedLineBytesMax);
  // The bytes are not escaped any more: what is printed can be read again.
  mark_.assign(front.substr(0, mark - kEscapedMark.size())).append(kMarkEnd);
  line_offset_ = base_ + from;
  line_ = std::make_unique<MessageScanner>(delimiter_);
  line_->is_escaped_line_ = true;
  converted_.clear();
  append_unescaped(converted_, std::string_view{buffer_}.substr(from + mark, end - from - mark));
  line_->feed(converted_);
  line_->finish();
  at_ = end;
  tried_ = end;
  return LineState::Escaped;
}

void MessageScanner::take(std::size_t at, std::size_t size, const MessageBegin& begin,
                          std::string_view prefix, ScannedMessage& to) {
  to.prefix = prefix;
  to.bytes = converted(std::string_view{buffer_}.substr(at, size), begin);
  to.offset = base_ + at;
  at_ = at + size;
  tried_ = at_;
}

// The next message most likely begins with the same bytes: its BeginString and separator need not
// be recognised again.
void MessageScanner::remember(std::size_t at, const MessageBegin& begin) {
  usual_.clear();
  const std::string_view text = std::string_view{buffer_}.substr(at);
  if (begin.separator.size() == 1 && text.substr(begin.size + 1).starts_with("9=")) {
    usual_.assign(text.substr(0, begin.size + 3));
  }
}

// Whether the bytes begin as the last message did. text: at least kRecognisedBytesMax bytes. The
// usual beginning has 8 to 16 bytes: two loads decide.
bool MessageScanner::begins_usually(std::string_view text) const noexcept {
  const auto load = [](const char* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
  };
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const std::size_t size = usual_.size();
  if (size < kWord || size > 2 * kWord) return size > 0 && text.starts_with(usual_);
  return load(text.data()) == load(usual_.data()) &&
         load(text.data() + size - kWord) == load(usual_.data() + size - kWord);
}

// The size of a message with SOH that ends where its BodyLength says, with a CheckSum of three
// digits; 0: by_body_length() decides. text: from the message to the end of the buffer.
std::size_t MessageScanner::usual_size(std::string_view text) const noexcept {
  constexpr std::size_t kDigitsMax = 7;
  constexpr std::size_t kTrailerBytes = 7;
  const std::size_t first = usual_.size();
  std::size_t at = first;
  std::size_t length = 0;
  for (; at < first + kDigitsMax && is_digit(text[at]); ++at) {
    length = length * 10 + static_cast<std::size_t>(text[at] - '0');
  }
  const std::size_t trailer = at + 1 + length;
  if (at == first || text[at] != kSoh || length > kMessageBytesMax ||
      trailer + kTrailerBytes > text.size()) {
    return 0;
  }
  const char* const end = text.data() + trailer;
  const bool is_trailer = end[-1] == kSoh && end[0] == '1' && end[1] == '0' && end[2] == '=' &&
                          is_digit(end[3]) && is_digit(end[4]) && is_digit(end[5]) &&
                          end[6] == kSoh;
  return is_trailer ? trailer + kTrailerBytes : 0;
}

// A message that begins as the last one did, in a line without the mark ESCAPED, and is as long as
// its BodyLength says. False: next() looks at it in detail, and decides the same.
bool MessageScanner::next_usual(std::size_t at, ScannedMessage& to) {
  constexpr std::size_t kBytesMin = kRecognisedBytesMax;
  const std::string_view text{buffer_.data() + at, buffer_.size() - at};
  if (text.size() < kBytesMin || !begins_usually(text) || is_after_digit(at)) return false;
  std::string_view front{buffer_.data() + at_, at - at_};
  // Usually it is one line feed, and the text before the message.
  if (front.starts_with('\n')) front.remove_prefix(1);
  if (front.size() > kPrefixBytesMax || contains_any(front, kDecisive)) {
    if (front.size() > kPrefixBytesMax || front.contains('\n')) front = line_before(at);
    if (!is_escaped_line_ && front.contains('E')) return false;
  }
  return read_usual(at, front, to);
}

// front: the text before the message in its line, without the mark.
bool MessageScanner::read_usual(std::size_t at, std::string_view front, ScannedMessage& to) {
  const std::string_view text{buffer_.data() + at, buffer_.size() - at};
  constexpr std::size_t kTagBytes = 3;  // the separator, and `9=`
  const char separator = text[usual_.size() - kTagBytes];
  if (separator == kSoh) {
    if (const std::size_t size = usual_size(text); size > 0) {
      const std::size_t size_before = at - at_;
      if (size_before != usual_fronts_[0] && size_before != usual_fronts_[1]) {
        usual_fronts_ = {size_before, usual_fronts_[0]};
      }
      at_ = at + size;
      tried_ = at_;
      to.bytes = text.substr(0, size);
      to.prefix = front;
      to.offset = base_ + at;
      to.ahead = text;
      to.text_id = text_id_;
      return true;
    }
  }
  const MessageBegin begin{.kind = Kind::Found,
                           .size = usual_.size() - kTagBytes,
                           .separator = text.substr(usual_.size() - kTagBytes, 1)};
  const auto found = by_body_length(at, begin);
  if (!found || !found->complete) return false;
  take(at, found->size, begin, front, to);
  return true;
}

// The text before a message most often has the size of an earlier one. A message that begins there
// is the next one if no other begins earlier: that one would have a `=`.
bool MessageScanner::next_after_usual_text(ScannedMessage& to) {
  for (const std::size_t size : usual_fronts_) {
    const std::size_t at = at_ + size;
    if (size > kPrefixBytesMax || at + kRecognisedBytesMax > buffer_.size()) continue;
    const std::string_view text{buffer_.data() + at_, buffer_.size() - at_};
    if (!begins_usually(text.substr(size)) || is_after_digit(at)) continue;
    std::string_view front = text.substr(0, size);
    if (front.starts_with('\n')) front.remove_prefix(1);
    if (!contains_any(front, kDecisive)) return read_usual(at, front, to);
    return !front.contains('=') && next_usual(at, to);
  }
  return false;
}

bool MessageScanner::next(ScannedMessage& to) {
  const std::size_t after_last = at_;
  if (!find_next(to)) return false;
  const bool has_line_before = line_ == nullptr && to.prefix.size() <= kMarginBytesMax &&
                               to.offset - base_ - after_last > to.prefix.size() + 1;
  if (has_line_before) add_line_before(after_last, to);
  return true;
}

// The beginning of the last line of the buffer, or of the line before it if that one announces a
// message.
std::size_t MessageScanner::last_line_begin() const {
  const std::size_t last = buffer_.rfind('\n') + 1;
  if (last == 0 || !announces(std::string_view{buffer_}.substr(0, last - 1))) return last;
  return last < 2 ? 0 : buffer_.rfind('\n', last - 2) + 1;
}

// The screen log of QuickFIX has the time and the direction in the line before a message, which
// stands in parentheses. That line becomes the text before the message.
void MessageScanner::add_line_before(std::size_t after_last, ScannedMessage& to) {
  const std::size_t begin = static_cast<std::size_t>(to.offset - base_) - to.prefix.size();
  std::string_view text = std::string_view{buffer_}.substr(after_last, begin - after_last);
  if (!text.ends_with('\n') || to.prefix.find_first_not_of(kMargin) != to.prefix.npos) return;
  text.remove_suffix(1);
  if (!announces(text)) return;
  if (text.ends_with('\r')) text.remove_suffix(1);
  const std::size_t line = text.rfind('\n') + 1;
  // The rest of another message's line is none.
  const bool is_whole =
      line > 0 || (after_last == 0 ? starts_line_ : buffer_[after_last - 1] == '\n');
  if (!is_whole || text.size() - line > kPrefixBytesMax) return;
  joined_.assign(text.substr(line)).append(1, ' ');
  joined_ += to.prefix.substr(std::min(to.prefix.find_first_not_of(" \t"), to.prefix.size()));
  to.prefix = joined_;
}

bool MessageScanner::find_next(ScannedMessage& to) {
  to.ahead = {};
  for (;;) {
    if (line_ != nullptr && next_of_line(to)) return true;
    if (tried_ == at_ && next_after_usual_text(to)) return true;
    const std::size_t at = find_bytes(buffer_, kBegin, std::max(at_, tried_));
    if (at == buffer_.npos) {
      // Only the beginning of the last line may still be the prefix of a message.
      const std::size_t keep = std::max(last_line_begin(), at_);
      forget_before(std::max(keep, buffer_.size() - std::min(buffer_.size(), kPrefixBytesMax)));
      tried_ = std::max(tried_, buffer_.size() - std::min(buffer_.size(), kBegin.size() - 1));
      return false;
    }
    if (next_usual(at, to)) return true;
    if (!is_escaped_line_ && at > at_ && !is_in_plain_line(at)) {
      const LineState line = open_escaped_line(at);
      if (line == LineState::Incomplete) return false;
      if (line == LineState::Escaped) continue;
    }
    const MessageBegin begin = recognise(at);
    if (begin.kind == Kind::Undecided) return false;
    if (begin.kind == Kind::None) {
      skip(at);
      continue;
    }
    const Extent found = extent(at, begin);
    if (!found.complete) return false;
    remember(at, begin);
    take(at, found.size, begin, line_before(at), to);
    return true;
  }
}

}  // namespace nexusfix::printing
