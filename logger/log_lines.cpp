#include "logger/log_lines.hpp"

#include <chrono>
#include <cstring>
#include <iterator>

#include "base/api/printable_text.hpp"
#include "base/api/utc_text.hpp"

namespace nexusfix::deferred::detail {

namespace {

constexpr std::size_t kWordBytes = 8;

class WordReader {
 public:
  explicit WordReader(std::span<const std::byte> bytes) noexcept : bytes_{bytes} {}

  template <class T>
  [[nodiscard]] T take() noexcept {
    static_assert(sizeof(T) == kWordBytes);
    T word;
    std::memcpy(&word, bytes_.data(), kWordBytes);
    bytes_ = bytes_.subspan(kWordBytes);
    return word;
  }
  [[nodiscard]] std::string_view read_text() noexcept {
    const auto size = static_cast<std::size_t>(take<std::uint64_t>());
    const std::string_view text{static_cast<const char*>(static_cast<const void*>(bytes_.data())),
                                size};
    bytes_ = bytes_.subspan((size + kWordBytes - 1) / kWordBytes * kWordBytes);
    return text;
  }
  [[nodiscard]] std::span<const std::byte> rest() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

void append_decimal(Decimal value, std::string& to) {
  const bool negative = value.mantissa() < 0;
  // Unsigned negation is defined for the smallest value, too.
  const auto bits = static_cast<std::uint64_t>(value.mantissa());
  std::string digits = fmt::format_int{negative ? 0 - bits : bits}.str();
  if (digits.size() <= value.scale()) digits.insert(0, value.scale() + 1 - digits.size(), '0');
  if (value.scale() != 0) digits.insert(digits.size() - value.scale(), 1, '.');
  if (negative) to.push_back('-');
  to.append(digits);
}

void LogLines::append_time(WallTime time) {
  char text[kUtcTextBytesMax];
  const std::size_t size = write_utc(text, time, UtcForm::Iso, kUtcFractionDigitsMax);
  lines_.append(text, text + size);
  lines_.push_back('Z');
  lines_.push_back(' ');
}

void LogLines::read_arguments(const LogCallSite& site, std::span<const std::byte> bytes) {
  arguments_.clear();
  texts_.clear();
  // An escaped byte takes at most four, a decimal's 16 bytes fewer than 64: from here on the text
  // does not move, and pointers into it stay valid.
  constexpr std::size_t kGrowthMax = 4;
  texts_.reserve(kGrowthMax * bytes.size());
  WordReader reader{bytes};
  const auto push_text_from = [this](std::size_t begin) {
    arguments_.push_back(std::string_view{texts_}.substr(begin));
  };
  for (const LogArgument kind : std::span{site.arguments, site.argument_count}) {
    const std::size_t begin = texts_.size();
    switch (kind) {
      case LogArgument::Bool:
        arguments_.push_back(reader.take<std::uint64_t>() != 0);
        break;
      case LogArgument::Int:
        arguments_.push_back(reader.take<std::int64_t>());
        break;
      case LogArgument::Uint:
        arguments_.push_back(reader.take<std::uint64_t>());
        break;
      case LogArgument::Double:
        arguments_.push_back(reader.take<double>());
        break;
      case LogArgument::Pointer:
        arguments_.push_back(reader.take<const void*>());
        break;
      case LogArgument::Char: {
        const auto c = static_cast<char>(reader.take<std::uint64_t>());
        append_printable(texts_, {&c, 1}, Backslashes::Doubled);
        push_text_from(begin);
        break;
      }
      case LogArgument::Text:
        append_printable(texts_, reader.read_text(), Backslashes::Doubled);
        push_text_from(begin);
        break;
      case LogArgument::Decimal: {
        const auto mantissa = reader.take<std::int64_t>();
        append_decimal({mantissa, static_cast<unsigned>(reader.take<std::uint64_t>())}, texts_);
        push_text_from(begin);
        break;
      }
    }
  }
}

void LogLines::append_record(std::span<const std::byte> record) {
  WordReader reader{record};
  const LogCallSite& site = *reader.take<const LogCallSite*>();
  const WallTime time{std::chrono::nanoseconds{reader.take<std::int64_t>()}};
  const std::size_t before = lines_.size();
  try {
    append_time(time);
    read_arguments(site, reader.rest());
    // Logger::write() has checked the format, a template argument there, against its arguments. It
    // is not a constant expression here.
    fmt::vformat_to(std::back_inserter(lines_), fmt::string_view{site.format}, arguments_);
    lines_.push_back('\n');
  } catch (...) {
    lines_.resize(before);
    throw;
  }
}

}  // namespace nexusfix::deferred::detail
