#include "logs/anonymise/anonymise.hpp"

#include <expected>
#include <fmt/format.h>
#include <optional>

#include "base/api/printable_text.hpp"
#include "logs/grep/matcher.hpp"
#include "logs/output/message_writer.hpp"
#include "nexusfix/dictionary/own_dictionary.hpp"
#include "nexusfix/help/read_progress.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using logs::PseudonymKey;

constexpr std::uint64_t kKeyBytesMin = 16;
constexpr std::uint64_t kKeyBytesMax = 64U << 10U;
constexpr unsigned kOwnerOnly = 0600;

std::expected<std::string, std::string> create_key(Disk& disk, const std::string& path) {
  if (disk.open(path, OpenMode::Read)) {
    return std::unexpected{path + ": it exists; --key reads it"};
  }
  const PseudonymKey random = logs::random_key();
  std::string text = hex_text({reinterpret_cast<const char*>(random.data()), random.size()});
  text += '\n';
  auto file = disk.open(path, OpenMode::Create);
  if (!file) return std::unexpected{file.error().what()};
  // EOPNOTSUPP: a disk without permissions.
  static_cast<void>((*file)->set_permissions(kOwnerOnly));
  if (auto done = (*file)->write_at(0, text); !done) return std::unexpected{done.error().what()};
  return text;
}

std::expected<PseudonymKey, std::string> key_for(const AnonymiseOptions& options, Disk& disk) {
  if (!options.new_key_file.empty()) {
    const auto made = create_key(disk, options.new_key_file);
    if (!made) return std::unexpected{made.error()};
    return logs::key_of(*made);
  }
  if (options.key_file.empty()) return logs::random_key();
  const auto text = read_file(disk, options.key_file, kKeyBytesMax);
  if (!text) return std::unexpected{text.error().what()};
  if (text->size() < kKeyBytesMin) {
    return std::unexpected{fmt::format("{}: a key has at least {} bytes; --new-key makes one",
                                       options.key_file, kKeyBytesMin)};
  }
  return logs::key_of(*text);
}

std::expected<std::vector<wire::Tag>, std::string> tags_of(const std::string& text,
                                                           const FieldNames& names) {
  if (text.empty()) return std::vector<wire::Tag>{};
  return logs::read_columns(text, names);
}

// Without these a message cannot be read, and a value of another form would be an error.
std::string not_to_be_hidden(const std::vector<wire::Tag>& hidden, const FieldNames& names) {
  using enum dictionary::FieldType;
  for (const wire::Tag tag : hidden) {
    const auto* const field = names.field(tag);
    const auto type = field == nullptr ? Unknown : field->type;
    if (tag == 8 || tag == 9 || tag == 10 || tag == 35 || type == Length || type == NumInGroup) {
      return fmt::format("--hide: {} cannot be hidden: a message is not readable without it", tag);
    }
  }
  return {};
}

}  // namespace

int anonymise_files(const AnonymiseOptions& options, Disk& disk, AnonymiseStreams streams) {
  const auto complain = [&](std::string_view text) {
    std::fflush(streams.out);
    fmt::print(streams.err, "nexusfix anonymise: {}\n", text);
    return kUsage;
  };
  const auto own = own_dictionary(disk, options.dictionary);
  if (!own) return complain(own.error());
  const FieldNames names{own->get()};
  auto made = logs::make_matcher(options.expression, names);
  if (!made) return complain(made.error());
  std::optional<logs::Matcher>& matcher = *made;
  const auto kept = tags_of(options.kept, names);
  if (!kept) return complain("--keep: " + kept.error());
  const auto hidden = tags_of(options.hidden, names);
  if (!hidden) return complain("--hide: " + hidden.error());
  if (const std::string error = not_to_be_hidden(*hidden, names); !error.empty()) {
    return complain(error);
  }
  const auto key = key_for(options, disk);
  if (!key) return complain(key.error());

  constexpr std::size_t kBufferBytes = 256U << 10U;
  logs::FieldTreatments treatments{names, *kept, *hidden};
  logs::Anonymiser anonymiser{*key, treatments, options.prices};
  std::string buffer;
  bool has_message = false;
  bool is_written = true;
  const auto write = [&] {
    if (buffer.empty()) return;
    command::begin_output();
    is_written = std::fwrite(buffer.data(), 1, buffer.size(), streams.out) == buffer.size();
    buffer.clear();
  };
  const auto each = [&](const logs::LogMessage& message) {
    if (matcher && !matcher->matches(message.bytes)) return logs::AfterMessage::Continue;
    has_message = true;
    anonymiser.append(buffer, message);
    if (buffer.size() >= kBufferBytes) write();
    return is_written ? logs::AfterMessage::Continue : logs::AfterMessage::Stop;
  };
  const auto drained = [&] {
    write();
    std::fflush(streams.out);
  };
  const auto failed = [&](std::string_view error) { complain(printable(error)); };
  const logs::LogReport report = logs::read_logs(disk, options.input, {each, drained, failed});
  write();
  std::fflush(streams.out);
  if (report.has_unopened()) return kUsage;
  if (!has_message) complain("no message");
  return has_message && !report.has_unread() && is_written ? kSuccess : kFailure;
}

}  // namespace nexusfix::command
