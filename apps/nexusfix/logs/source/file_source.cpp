#include <algorithm>
#include <cstring>
#include <utility>

#include "nexusfix/help/read_progress.hpp"
#include "nexusfix/logs/source/byte_source.hpp"

namespace nexusfix::logs {
namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(std::unique_ptr<File> file) : file_{std::move(file)} {
    command::expect_bytes(file_->size().value_or(0));
  }

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    const DiskResult<std::size_t> got = file_->read_some_at(offset_, bytes);
    if (!got) return std::unexpected{got.error().what()};
    offset_ += *got;
    command::note_bytes_read(*got);
    return *got;
  }

 private:
  std::unique_ptr<File> file_;
  std::uint64_t offset_ = 0;
};

class HeadedSource final : public ByteSource {
 public:
  HeadedSource(std::string head, Source rest) : head_{std::move(head)}, rest_{std::move(rest)} {}

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    if (at_ == head_.size()) return rest_ == nullptr ? 0 : rest_->read(bytes);
    const std::size_t size = std::min(bytes.size(), head_.size() - at_);
    std::memcpy(bytes.data(), head_.data() + at_, size);
    at_ += size;
    return size;
  }

 private:
  std::string head_;
  std::size_t at_ = 0;
  Source rest_;
};

class FailingSource final : public ByteSource {
 public:
  explicit FailingSource(std::string error) : error_{std::move(error)} {}

  std::expected<std::size_t, std::string> read(std::span<char>) override {
    return std::unexpected{error_};
  }

 private:
  std::string error_;
};

}  // namespace

Source failing_source(std::string error) {
  return std::make_unique<FailingSource>(std::move(error));
}

Source source_of(std::string head, Source rest) {
  return std::make_unique<HeadedSource>(std::move(head), std::move(rest));
}

Source file_source(std::unique_ptr<File> file) {
  return std::make_unique<FileSource>(std::move(file));
}

}  // namespace nexusfix::logs
