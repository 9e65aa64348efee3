#include <string>

#include <nexusfix/engine/parts.hpp>

#include "engine/ground/credentials/password_service.hpp"

namespace nexusfix::engine {
namespace {

std::shared_ptr<Credentials> make_service(Disk& disk, std::shared_ptr<Disk> owner,
                                          std::size_t waiting_max) {
  return PasswordService::make(disk, std::move(owner), waiting_max);
}

std::expected<void, std::string> check_file(Disk& disk, const std::string& path) {
  if (!has_passwords()) {
    return std::unexpected{"this program was built without passwords (NEXUSFIX_PASSWORDS=OFF)"};
  }
  if (const auto read = PasswordFile::load(disk, path); !read) {
    return std::unexpected{read.error().what()};
  }
  return {};
}

}  // namespace

const PasswordPart* password_part() noexcept {
  static constexpr PasswordPart kPart{.make_service = make_service, .check_file = check_file};
  return &kPart;
}

}  // namespace nexusfix::engine
