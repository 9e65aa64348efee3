#include "logs/decode/decode.hpp"

#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <nexusfix/dictionary.hpp>

#include "logs/grep/matching_work.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "nexusfix/help/pager.hpp"
#include "nexusfix/help/read_progress.hpp"
#include "nexusfix/messages/print_message.hpp"

namespace nexusfix::command {
namespace {

using printing::PrintOptions;

constexpr std::size_t kTextBytes = 256U << 10U;

class DecodeRun {
 public:
  DecodeRun(const DecodeOptions& options, Disk& disk, DecodeStreams streams)
      : options_{options}, disk_{disk}, streams_{streams} {
    print_.colour = wants_colour() ? printing::Colour::Always : printing::Colour::Never;
    if (options.summary) print_.detail = printing::Detail::HeadingOnly;
  }

  int run() {
    if (!load_dictionary() || !read_fields()) return kUsage;
    if (options_.form) {
      writer_.emplace(streams_.out, output_options());
    } else {
      printer_.emplace(print_);
    }
    const logs::LogReport report = decode_all();
    write_text();
    if (options_.summary && messages_ > 0) {
      fmt::print(streams_.out, "{} message{}, {} faulty{}\n", messages_, messages_ == 1 ? "" : "s",
                 faulty_, skipped_ > 0 ? fmt::format(", {} skipped", skipped_) : "");
    }
    if (writer_) writer_->finish();
    std::fflush(streams_.out);
    if (report.has_unopened()) return kUsage;
    if (messages_ == 0) {
      complain(skipped_ > 0 ? "no message" : "no message: nothing begins with 8=FIX");
    }
    return messages_ > 0 && faulty_ == 0 && !report.has_unread() ? kSuccess : kFailure;
  }

 private:
  // NO_COLOR is the convention of terminal programs: any value means no colour.
  [[nodiscard]] bool wants_colour() const {
    if (options_.colour != ColourChoice::Auto) return options_.colour == ColourChoice::Always;
    const char* const no_colour = std::getenv("NO_COLOR");
    return (no_colour == nullptr || *no_colour == '\0') && streams_.out == stdout &&
           is_output_a_terminal();
  }

  void complain(std::string_view text) {
    write_text();
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix decode: {}\n", printing::printable(text));
  }

  bool load_dictionary() {
    if (options_.dictionary.empty()) return true;
    const auto text = read_file(disk_, options_.dictionary, dictionary::kDictionaryBytesMax);
    if (!text) {
      complain(text.error().what());
      return false;
    }
    auto loaded = dictionary::load_dictionary(*text, options_.dictionary, options_.faults);
    if (!loaded) {
      for (const std::string& error : loaded.error().all()) complain(error);
      return false;
    }
    for (const std::string& warning : loaded->warnings) complain("warning: " + warning);
    complete_session(*loaded);
    own_names_.emplace(*loaded);
    own_dictionary_ = std::move(*loaded);
    own_table_ = own_names_->table();
    print_.own_names = &own_table_;
    return true;
  }

  bool read_fields() {
    if (options_.fields.empty()) return true;
    const FieldNames names{own_dictionary_ ? &*own_dictionary_ : nullptr};
    auto columns = logs::read_columns(options_.fields, names);
    if (!columns) {
      complain("--fields: " + columns.error());
      return false;
    }
    columns_ = std::move(*columns);
    print_.only = columns_;
    return true;
  }

  [[nodiscard]] logs::OutputOptions output_options() const {
    return {.form = *options_.form,
            .columns = columns_,
            .with_path = options_.input.files.size() > 1,
            .shows_passwords = options_.shows_passwords,
            .is_on_terminal = streams_.out == stdout && is_output_a_terminal(),
            .own_names = print_.own_names};
  }

  logs::LogReport decode_all() {
    const auto each = [&](const logs::LogMessage& message) {
      print(message);
      return logs::after_output(streams_.out);
    };
    const auto drained = [&] {
      if (writer_) writer_->flush();
      write_text();
      std::fflush(streams_.out);
    };
    const auto failed = [&](std::string_view error) { complain(error); };
    const auto found = [&](std::size_t, std::uint64_t count) {
      messages_ += count;
      return logs::after_output(streams_.out);
    };
    const auto make_work = [&]() -> std::unique_ptr<logs::ChunkWork> {
      return std::make_unique<logs::MatchingWork>(
          logs::MatchingWork::Options{.output = output_options()}, *writer_, found);
    };
    logs::LogCalls calls{each, drained, failed};
    if (writer_ && *options_.form != logs::OutputForm::Table) calls.make_work = make_work;
    logs::LogReport report = logs::read_logs(disk_, options_.input, calls);
    skipped_ = report.skipped();
    return report;
  }

  void print(const logs::LogMessage& scanned) {
    if (writer_) {
      ++messages_;
      writer_->write(scanned);
      return;
    }
    if (messages_ > 0 && !options_.summary) text_ += '\n';
    ++messages_;
    // A summary shows no field that may be a password.
    const std::string_view shown =
        options_.shows_passwords || options_.summary ? scanned.bytes : mask_.masked(scanned.bytes);
    if (printer_->append(text_, shown, scanned.bytes, scanned.prefix) > 0) ++faulty_;
    if (text_.size() >= kTextBytes) write_text();
  }

  void write_text() {
    if (text_.empty()) return;
    begin_output();
    std::fwrite(text_.data(), 1, text_.size(), streams_.out);
    text_.clear();
  }

  const DecodeOptions& options_;
  Disk& disk_;
  DecodeStreams streams_;
  std::optional<dictionary::LoadedNames> own_names_;
  std::optional<dictionary::Dictionary> own_dictionary_;
  dictionary::NameTable own_table_;
  std::vector<wire::Tag> columns_;
  std::optional<logs::MessageWriter> writer_;
  PrintOptions print_;
  std::optional<printing::MessagePrinter> printer_;
  logs::PasswordMask mask_;
  std::string text_;  // that is not written yet
  std::uint64_t messages_ = 0;
  std::uint64_t faulty_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace

int decode_files(const DecodeOptions& options, Disk& disk, DecodeStreams streams) {
  return DecodeRun{options, disk, streams}.run();
}

}  // namespace nexusfix::command
