#include "nexusfix/journal/quickfix/quickfix_store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <span>

#include <nexusfix/session/identity.hpp>

#include "base/api/ascii.hpp"
#include "nexusfix/journal/quickfix/quickfix_files.hpp"

namespace nexusfix::command {
namespace {

template <class T>
using Result = std::expected<T, std::string>;

using Parties = session::SessionId;

std::optional<Parties> parties_of(std::string_view message) {
  const auto begin_string = quickfix_field(message, "8");
  const auto sender = quickfix_field(message, "49");
  const auto target = quickfix_field(message, "56");
  if (!begin_string || !sender || !target) return std::nullopt;
  return Parties{.begin_string = std::string{*begin_string},
                 .sender_comp_id = std::string{*sender},
                 .target_comp_id = std::string{*target}};
}

std::string name_of(Parties parties, std::string_view qualifier) {
  parties.qualifier = qualifier;
  return parties.to_string();
}

// A name in the form that QuickFIX/J uses in a file's name.
std::string in_file_name(std::string_view name) {
  std::string text{name};
  for (char& c : text) {
    if (!is_alphanumeric(c) && c != '.' && c != '-') c = '_';
  }
  return text;
}

// The part of a file's name to compare by. Some engines write a CompID unchanged, some change it.
std::string compared(const QuickfixStore& store, std::string_view name) {
  return store.kind == QuickfixKind::Cpp ? std::string{name} : in_file_name(name);
}

// The qualifier is what follows the CompIDs (and their sub and location IDs) in the prefix.
Result<std::string> qualifier_of(const QuickfixStore& store, const Parties& parties,
                                 std::string_view given) {
  const std::string prefix = compared(store, given);
  const std::string front = compared(store, parties.begin_string + "-" + parties.sender_comp_id);
  const std::string back = "-" + compared(store, parties.target_comp_id);
  const std::size_t at =
      prefix.starts_with(front) ? prefix.find(back, front.size()) : std::string_view::npos;
  const std::string_view between =
      at == std::string_view::npos
          ? std::string_view{}
          : std::string_view{prefix}.substr(front.size(), at - front.size());
  if (at == std::string_view::npos || (!between.empty() && between.front() != '_')) {
    return std::unexpected{
        fmt::format("{}.body: its messages are of {}, which does not fit the files' name; if it "
                    "is the right session, use --prefix {} --session {}",
                    store.path, name_of(parties, ""), given, name_of(parties, ""))};
  }
  std::string_view rest = given.substr(at + back.size());
  if (rest.starts_with('_')) {  // sub and location IDs of the target
    const std::size_t dash = rest.find('-');
    rest = dash == std::string_view::npos ? std::string_view{} : rest.substr(dash);
  }
  if (rest.empty()) return std::string{};
  if (rest.front() != '-') {
    return std::unexpected{
        fmt::format("{}: '{}' in its name is ambiguous; use --prefix {}, and name the session "
                    "with --session",
                    store.path, rest, given)};
  }
  return std::string{rest.substr(1)};
}

Result<std::string> name_from_prefix(const QuickfixStore& store, std::string_view prefix,
                                     std::span<const std::string> configured) {
  std::vector<std::string> fitting;
  std::ranges::copy_if(configured, std::back_inserter(fitting), [&](const std::string& session) {
    return is_quickfix_prefix(prefix, session);
  });
  if (fitting.size() == 1) return fitting.front();
  if (fitting.size() > 1) {
    return std::unexpected{
        fmt::format("{}: it has no message that shows its session, and its name fits {} of the "
                    "configuration; use --prefix {}, and name the session with --session",
                    store.path, fmt::join(fitting, " and "), prefix)};
  }
  std::vector<std::string> parts{""};
  for (const char c : prefix) {
    if (c == '-') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  const bool clear = parts.size() >= 3 && parts.size() <= 4 &&
                     prefix.find('_') == std::string_view::npos &&
                     std::ranges::none_of(parts, [](const auto& part) { return part.empty(); });
  if (!clear) {
    return std::unexpected{
        fmt::format("{}: it has no message that shows its session, and its name is ambiguous; use "
                    "--prefix {}, and name the session with --session",
                    store.path, prefix)};
  }
  return name_of({.begin_string = parts[0], .sender_comp_id = parts[1], .target_comp_id = parts[2]},
                 parts.size() == 4 ? parts[3] : "");
}

Result<void> check_message(const QuickfixStore& store, const Parties& parties, std::uint64_t number,
                           std::string_view bytes) {
  const auto wrong = [&](std::string_view what) {
    return std::unexpected{fmt::format("{}.body: message {} at offset {}: {}", store.path, number,
                                       store.messages.at(number).offset, what)};
  };
  constexpr std::size_t kTrailerBytes = 8;  // SOH, 10=ddd, SOH
  if (!bytes.starts_with("8=") || bytes.back() != '\x01' || bytes.size() < kTrailerBytes ||
      bytes.substr(bytes.size() - kTrailerBytes, 4) !=
          "\x01"
          "10=") {
    return wrong("is no FIX message");
  }
  const auto has = [&](std::string_view tag, std::string_view value) {
    return quickfix_field(bytes, tag) == value;
  };
  if (!has("34", std::to_string(number))) return wrong("its MsgSeqNum is another");
  if (!has("8", parties.begin_string) || !has("49", parties.sender_comp_id) ||
      !has("56", parties.target_comp_id)) {
    return wrong("is of another session");
  }
  return {};
}

// If sub and location IDs are part of a session's identity, all files but QuickFIX's have them in
// their names.
void name_sub_ids(const QuickfixStore& store, Parties& parties, std::string_view given,
                  std::string_view message) {
  if (store.kind == QuickfixKind::Cpp) return;
  const std::string prefix = in_file_name(given);
  const std::string sender =
      in_file_name(parties.begin_string + "-" + parties.sender_comp_id + "_");
  const std::string target = "-" + in_file_name(parties.target_comp_id) + "_";
  const bool has_sender = prefix.starts_with(sender);
  const bool has_target = prefix.find(target) != std::string_view::npos;
  const auto text_of = [&](std::string_view tag) {
    return std::string{quickfix_field(message, tag).value_or("")};
  };
  if (has_sender) {
    parties.sender_sub_id = text_of("50");
    parties.sender_location_id = text_of("142");
  }
  if (has_target) {
    parties.target_sub_id = text_of("57");
    parties.target_location_id = text_of("143");
  }
}

Result<void> find_name(Disk& disk, QuickfixStore& store, const std::string& prefix,
                       std::span<const std::string> configured) {
  if (store.messages.empty()) {
    auto name = name_from_prefix(store, prefix, configured);
    if (!name) return std::unexpected{name.error()};
    store.session = std::move(*name);
    return {};
  }
  bool seen = false;
  return visit_quickfix_messages(
      disk, store, 1, [&](std::uint64_t number, std::string_view bytes) -> Result<void> {
        if (seen) return {};
        seen = true;
        auto parties = parties_of(bytes);
        if (!parties) {
          return std::unexpected{
              fmt::format("{}.body: message {} is no FIX message", store.path, number)};
        }
        const auto qualifier = qualifier_of(store, *parties, prefix);
        if (!qualifier) return std::unexpected{qualifier.error()};
        name_sub_ids(store, *parties, prefix, bytes);
        store.session = name_of(*parties, *qualifier);
        return {};
      });
}

// Accepts a session with its name of earlier versions: the CompIDs without escapes.
void accept_former_name(Disk& disk, QuickfixStore& store) {
  std::optional<Parties> parties;
  const auto visit = [&](std::uint64_t, std::string_view bytes) -> Result<void> {
    if (!parties) parties = parties_of(bytes);
    return {};
  };
  if (store.messages.empty() || !visit_quickfix_messages(disk, store, 1, visit) || !parties) return;
  const std::string former = parties->former_name();
  if (!store.session.starts_with(former)) return;
  const std::string rest = store.session.substr(former.size());
  if (!rest.empty() && rest.front() != ':') return;
  store.session = name_of(*parties, rest.empty() ? rest : rest.substr(1));
}

// Reads everything but the kind of the files.
Result<void> read_store(Disk& disk, QuickfixStore& store, const std::string& prefix,
                        std::span<const std::string> configured) {
  if (auto read = read_quickfix_files(disk, store); !read) return read;
  if (store.session.empty()) {
    if (auto found = find_name(disk, store, prefix, configured); !found) return found;
  }
  accept_former_name(disk, store);
  const auto parties = Parties::parse(store.session);
  if (!parties) {
    return std::unexpected{
        fmt::format("--session {}: BeginString:Sender->Target was expected, and within a part %3A "
                    "for :, %2F for / and %3E for >",
                    store.session)};
  }
  return visit_quickfix_messages(disk, store, 1, [&](std::uint64_t number, std::string_view bytes) {
    return check_message(store, *parties, number, bytes);
  });
}

}  // namespace

Result<std::vector<std::string>> quickfix_prefixes(Disk& disk, const std::string& folder) {
  const auto names = disk.list(folder);
  if (!names) return failure(names.error());
  std::set<std::string> prefixes;
  for (const std::string& name : *names) {
    for (const std::string_view suffix : kQuickfixSuffixes) {
      if (name.ends_with(suffix) && name.size() > suffix.size()) {
        prefixes.insert(name.substr(0, name.size() - suffix.size()));
      }
    }
  }
  if (prefixes.empty()) {
    return std::unexpected{folder +
                           ": there is no file store of QuickFIX, QuickFIX/J, QuickFIX/n or "
                           "QuickFIX/Go in it (no *.seqnums, *.senderseqnums, *.body)"};
  }
  return std::vector<std::string>{prefixes.begin(), prefixes.end()};
}

Result<QuickfixStore> read_quickfix_store(Disk& disk, const std::string& folder,
                                          const std::string& prefix, const std::string& session,
                                          std::span<const std::string> configured) {
  QuickfixStore store;
  store.path = folder + '/' + prefix;
  store.session = session;
  if (const auto read = read_store(disk, store, prefix, configured); !read) {
    if (store.kind == QuickfixKind::Unknown) return std::unexpected{read.error()};
    return std::unexpected{
        fmt::format("{} (read as a store of {})", read.error(), to_string(store.kind))};
  }
  return store;
}

Result<void> visit_quickfix_messages(Disk& disk, const QuickfixStore& store, std::uint64_t first,
                                     QuickfixVisitor visit) {
  const std::string path = store.path + ".body";
  const auto body = disk.open(path, OpenMode::Read);
  if (!body) return failure(body.error());
  std::vector<char> window;
  std::uint64_t begin = 0;
  for (auto at = store.messages.lower_bound(first); at != store.messages.end(); ++at) {
    const QuickfixMessage& message = at->second;
    if (message.offset < begin || message.offset + message.bytes > begin + window.size()) {
      window.resize(std::max<std::size_t>(kQuickfixChunkBytes, message.bytes));
      begin = message.offset;
      const auto got = (*body)->read_at(begin, window);
      if (!got) return failure(got.error());
      window.resize(*got);
      if (*got < message.bytes) {
        return std::unexpected{fmt::format("{}: cut off while it was read", path)};
      }
    }
    const std::string_view bytes{window.data() + (message.offset - begin), message.bytes};
    if (auto visited = visit(at->first, bytes); !visited) return visited;
  }
  return {};
}

std::string quickfix_prefix(std::string_view session, QuickfixForm form) {
  const auto parties = Parties::parse(session);
  if (!parties) return {};
  std::string prefix = parties->begin_string;
  // QuickFIX's sessions have no sub and location IDs. QuickFIX/J leaves out the empty ones.
  const auto add = [&](std::initializer_list<std::string_view> party) {
    char separator = '-';
    for (const std::string_view part : party) {
      if (part.empty()) continue;
      (prefix += separator) += part;
      separator = '_';
      if (form == QuickfixForm::Cpp) return;
    }
  };
  add({parties->sender_comp_id, parties->sender_sub_id, parties->sender_location_id});
  add({parties->target_comp_id, parties->target_sub_id, parties->target_location_id});
  add({parties->qualifier});
  return form == QuickfixForm::Cpp ? prefix : in_file_name(prefix);
}

bool is_quickfix_prefix(std::string_view prefix, std::string_view session) {
  return prefix == quickfix_prefix(session, QuickfixForm::Cpp) ||
         in_file_name(prefix) == quickfix_prefix(session, QuickfixForm::Java);
}

}  // namespace nexusfix::command
