#include <algorithm>
#include <cstring>
#include <utility>

#include "logs/source/byte_source.hpp"
#include "logs/source/wait.hpp"
#include "nexusfix/help/read_progress.hpp"

namespace nexusfix::logs {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(std::unique_ptr<File> file, Sharing sharing) : file_{std::move(file)} {
    size_ = file_->size().value_or(0);
    command::expect_bytes(size_);
    // A pipe, a terminal and a file of the kernel have no size.
    is_shared_ = sharing == Sharing::Yes && size_ > 0;
  }

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    const DiskResult<std::size_t> got = file_->read_some_at(offset_, bytes);
    if (!got) return std::unexpected{got.error().what()};
    if (*got == 0 && offset_ < size_) return std::unexpected{std::string{kFileCut}};
    offset_ += *got;
    command::count_bytes_read(*got);
    return *got;
  }
  [[nodiscard]] File* shared_file() noexcept override { return is_shared_ ? file_.get() : nullptr; }

 private:
  std::unique_ptr<File> file_;
  std::uint64_t size_ = 0;  // when it was opened; 0: it has none
  std::uint64_t offset_ = 0;
  bool is_shared_ = false;
};

class InputSource final : public ByteSource {
 public:
  explicit InputSource(std::unique_ptr<File> input) : file_{std::move(input), Sharing::No} {}

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    if (!wait_for_input()) return std::unexpected{std::string{kInterrupted}};
    return file_.read(bytes);
  }

 private:
  FileSource file_;
};

class FollowedSource final : public ByteSource {
 public:
  FollowedSource(Disk& disk, std::string path, std::unique_ptr<File> file)
      : disk_{disk}, path_{std::move(path)}, file_{std::move(file)} {}

  std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
    const DiskResult<std::size_t> got = file_->read_some_at(offset_, bytes);
    if (!got) return std::unexpected{got.error().what()};
    offset_ += *got;
    if (*got == 0) end_ = find_end();
    return *got;
  }
  [[nodiscard]] SourceEnd end() const override { return end_; }

 private:
  // A writer may still append to a file that was renamed: the file ends when it did not grow
  // between two reads after that.
  SourceEnd find_end() {
    if (const auto size = file_->size(); size && *size < offset_) return SourceEnd::Truncated;
    const auto opened = file_->status();
    const auto named = disk_.status(path_);
    const bool is_replaced = opened && named && !opened->is_same_as(*named);
    if (is_replaced && was_replaced_) return SourceEnd::Rotated;
    was_replaced_ = is_replaced;
    return SourceEnd::Waits;
  }

  Disk& disk_;
  std::string path_;
  std::unique_ptr<File> file_;
  std::uint64_t offset_ = 0;
  SourceEnd end_ = SourceEnd::Waits;
  bool was_replaced_ = false;
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
  [[nodiscard]] SourceEnd end() const override {
    return rest_ == nullptr ? SourceEnd::Final : rest_->end();
  }
  [[nodiscard]] File* shared_file() noexcept override {
    return rest_ == nullptr ? nullptr : rest_->shared_file();
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

Source input_source(std::unique_ptr<File> input) {
  return std::make_unique<InputSource>(std::move(input));
}

Source followed_source(Disk& disk, std::string path, std::unique_ptr<File> file) {
  return std::make_unique<FollowedSource>(disk, std::move(path), std::move(file));
}

Source file_source(std::unique_ptr<File> file, Sharing sharing) {
  return std::make_unique<FileSource>(std::move(file), sharing);
}

}  // namespace nexusfix::logs
