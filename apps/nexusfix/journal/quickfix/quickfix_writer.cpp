#include <array>
#include <fmt/format.h>

#include <nexusfix/wire/convert.hpp>

#include "nexusfix/journal/quickfix/quickfix_files.hpp"
#include "nexusfix/journal/quickfix/quickfix_store.hpp"

namespace nexusfix::command {
namespace {

template <class T>
using Result = std::expected<T, std::string>;

std::string to_big_endian(std::uint64_t value, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = bytes; i-- > 0; value >>= 8U) text[i] = static_cast<char>(value & 0xFFU);
  return text;
}

}  // namespace

QuickfixWriter::QuickfixWriter(Disk& disk, std::string folder, std::string_view prefix,
                               QuickfixForm form)
    : disk_{disk},
      folder_{std::move(folder)},
      path_{folder_ + '/' + std::string{prefix}},
      form_{form} {}

Result<void> QuickfixWriter::begin() {
  if (auto made = disk_.make_directories(folder_); !made) return failure(made.error());
  const auto names = disk_.list(folder_);
  if (!names) return failure(names.error());
  for (const std::string& name : *names) {
    const std::string path = folder_ + '/' + name;
    for (const std::string_view suffix : kQuickfixSuffixes) {
      if (path == path_ + std::string{suffix})
        return std::unexpected{path + ": the file exists; it was not overwritten"};
    }
  }
  if (auto made = create(".body", body_); !made) return made;
  return create(".header", header_);
}

Result<void> QuickfixWriter::create(const std::string& suffix, Output& out) {
  auto file = disk_.open(path_ + suffix, OpenMode::Create);
  if (!file) return failure(file.error());
  created_.push_back(path_ + suffix);
  out.file = std::move(*file);
  return {};
}

Result<void> QuickfixWriter::write_out(Output& out) {
  if (auto written = out.file->write_at(out.written, out.pending); !written)
    return failure(written.error());
  out.written += out.pending.size();
  out.pending.clear();
  return {};
}

Result<void> QuickfixWriter::add(std::uint64_t number, std::string_view bytes) {
  if (number >= kQuickfixNumberMax)
    return std::unexpected{fmt::format("{}: MsgSeqNum {} is above its maximum", path_, number)};
  if (form_ == QuickfixForm::Cpp) {
    header_.pending += fmt::format("{},{},{} ", number, body_bytes_, bytes.size());
  } else {
    header_.pending +=
        to_big_endian(number, 4) + to_big_endian(body_bytes_, 8) + to_big_endian(bytes.size(), 4);
  }
  body_.pending += bytes;
  body_bytes_ += bytes.size();
  if (body_.pending.size() < kQuickfixChunkBytes) return {};
  if (auto written = write_out(body_); !written) return written;
  return write_out(header_);
}

Result<void> QuickfixWriter::write_whole(const std::string& suffix, const std::string& bytes) {
  Output out;
  if (auto made = create(suffix, out); !made) return made;
  out.pending = bytes;
  if (auto written = write_out(out); !written) return written;
  if (auto synced = out.file->sync(); !synced) return failure(synced.error());
  return {};
}

Result<void> QuickfixWriter::finish(std::uint64_t next_inbound, std::uint64_t next_outbound,
                                    WallTime created) {
  if (next_inbound >= kQuickfixNumberMax || next_outbound >= kQuickfixNumberMax)
    return std::unexpected{path_ + ": the next sequence numbers are above its maximum"};
  for (Output* out : {&body_, &header_}) {
    if (auto written = write_out(*out); !written) return written;
    if (auto synced = out->file->sync(); !synced) return failure(synced.error());
  }
  std::array<char, wire::kUtcTimestampBytesMax> time;
  const bool java = form_ == QuickfixForm::Java;
  const std::size_t length = wire::from_utc_timestamp(
      created, java ? wire::TimePrecision::Millis : wire::TimePrecision::Seconds, time.data());
  const auto utf = [](std::string_view text) {
    return to_big_endian(text.size(), 2) + std::string{text};
  };
  const std::string_view time_text{time.data(), length};
  if (auto done = write_whole(".session", java ? utf(time_text) : std::string{time_text}); !done)
    return done;
  if (java) {
    if (auto done = write_whole(".targetseqnums", utf(std::to_string(next_inbound))); !done)
      return done;
    if (auto done = write_whole(".senderseqnums", utf(std::to_string(next_outbound))); !done)
      return done;
  } else if (auto done = write_whole(".seqnums",
                                     fmt::format("{:010} : {:010}", next_outbound, next_inbound));
             !done) {
    return done;
  }
  if (auto synced = disk_.sync_directory(folder_); !synced) return failure(synced.error());
  return {};
}

void QuickfixWriter::undo() noexcept {
  body_.file.reset();
  header_.file.reset();
  for (const std::string& path : created_) (void)disk_.remove(path);
  created_.clear();
}

}  // namespace nexusfix::command
