#include "transport/tls/tls_files.hpp"

#include <algorithm>
#include <cstring>
#include <openssl/pem.h>
#include <utility>

#include "base/api/secret.hpp"

namespace nexusfix::transport {
namespace {

constexpr std::uint64_t kFileBytesMax = 4U << 20U;

enum class Format : std::uint8_t { Pem, Pkcs12, JavaKeyStore, Unknown };

Format format_of(std::string_view bytes) noexcept {
  if (bytes.find("-----BEGIN ") != std::string_view::npos) return Format::Pem;
  if (bytes.starts_with("\xFE\xED\xFE\xED") || bytes.starts_with("\xCE\xCE\xCE\xCE")) {
    return Format::JavaKeyStore;
  }
  return bytes.starts_with('\x30') ? Format::Pkcs12 : Format::Unknown;
}

struct CertificateStack {
  STACK_OF(X509) * all = nullptr;
  CertificateStack() = default;
  CertificateStack(const CertificateStack&) = delete;
  CertificateStack& operator=(const CertificateStack&) = delete;
  ~CertificateStack() { sk_X509_pop_free(all, X509_free); }
  [[nodiscard]] std::vector<Certificate> take() {
    std::vector<Certificate> taken;
    while (sk_X509_num(all) > 0) taken.emplace_back(sk_X509_shift(all));
    return taken;
  }
};

// Without a callback OpenSSL would ask on the terminal.
int give_password(char* buffer, int size, int, void* password) {
  const auto& text = *static_cast<const std::string*>(password);
  if (text.size() > static_cast<std::size_t>(size)) return -1;
  std::memcpy(buffer, text.data(), text.size());
  return static_cast<int>(text.size());
}

// A file that is being read. Its errors name it.
class TlsFile {
 public:
  // password must outlive it.
  TlsFile(TlsItem item, std::string path, const std::string& password)
      : item_{item}, path_{std::move(path)}, password_{password} {}
  TlsFile(const TlsFile&) = delete;
  TlsFile& operator=(const TlsFile&) = delete;
  ~TlsFile() { wipe_bytes(bytes_); }

  [[nodiscard]] std::unexpected<TlsError> error(const std::string& text) const {
    return std::unexpected{TlsError{item_, path_ + ": " + text}};
  }

  [[nodiscard]] TlsResult<void> read(Disk& disk) {
    auto bytes = read_regular_file(disk, path_, kFileBytesMax);
    if (!bytes) return std::unexpected{TlsError{item_, "cannot be read: " + bytes.error().what()}};
    bytes_ = std::move(*bytes);
    format_ = format_of(bytes_);
    if (format_ == Format::JavaKeyStore) {
      return error(
          "a Java key store (JKS) cannot be read. Convert it: keytool -importkeystore "
          "-srckeystore " +
          path_ + " -destkeystore " + path_ + ".p12 -deststoretype PKCS12");
    }
    if (format_ == Format::Unknown) return error("neither PEM nor PKCS#12");
    return {};
  }

  [[nodiscard]] TlsResult<void> check_is_private(Disk& disk) const {
    const auto is_private = disk.is_private(path_);
    if (!is_private) return error(is_private.error().what());
    if (*is_private) return {};
    return error("has a private key and is readable by other users: chmod 600 " + path_);
  }

  [[nodiscard]] bool is_pem() const noexcept { return format_ == Format::Pem; }

  [[nodiscard]] TlsResult<std::vector<Certificate>> pem_certificates() const {
    const Bio bio = reader_of(bytes_);
    std::vector<Certificate> all;
    while (X509* const one = PEM_read_bio_X509(bio.get(), nullptr, give_password, no_password())) {
      all.emplace_back(one);
    }
    if (!is_end_of_pem()) return error(consume_openssl_error());
    if (all.empty()) return error("contains no certificate");
    return all;
  }

  [[nodiscard]] TlsResult<std::vector<RevocationList>> revocation_lists() const {
    if (!is_pem()) return error("a list of revoked certificates must be PEM");
    const Bio bio = reader_of(bytes_);
    std::vector<RevocationList> all;
    while (X509_CRL* const one =
               PEM_read_bio_X509_CRL(bio.get(), nullptr, give_password, no_password())) {
      all.emplace_back(one);
    }
    if (!is_end_of_pem()) return error(consume_openssl_error());
    if (all.empty()) return error("contains no list of revoked certificates (X509 CRL)");
    return all;
  }

  [[nodiscard]] TlsResult<PrivateKey> pem_key() const {
    const Bio bio = reader_of(bytes_);
    PrivateKey key{PEM_read_bio_PrivateKey(bio.get(), nullptr, give_password,
                                           const_cast<std::string*>(&password_))};
    if (key) return key;
    const std::string why = consume_openssl_error();
    if (bytes_.find("PRIVATE KEY-----") == std::string::npos)
      return error("contains no private key");
    return error("the private key cannot be read: " + why +
                 (password_.empty() ? "; it may need a password" : "; is the password right?"));
  }

  [[nodiscard]] TlsResult<TlsIdentity> pkcs12() const {
    const Bio bio = reader_of(bytes_);
    const Pkcs12 store{d2i_PKCS12_bio(bio.get(), nullptr)};
    if (!store) return error("neither PEM nor PKCS#12: " + consume_openssl_error());
    EVP_PKEY* key = nullptr;
    X509* certificate = nullptr;
    CertificateStack others;
    if (PKCS12_parse(store.get(), password_.c_str(), &key, &certificate, &others.all) != 1) {
      return error("the PKCS#12 store cannot be opened: " + consume_openssl_error() +
                   "; is the password right?");
    }
    return TlsIdentity{Certificate{certificate}, others.take(), PrivateKey{key}};
  }

 private:
  // The password of no file: an encrypted certificate is not supported.
  static void* no_password() {
    static std::string none;
    return &none;
  }
  // Whether reading ended because the file has no more items of its kind.
  static bool is_end_of_pem() noexcept {
    const unsigned long error = ERR_peek_last_error();
    if (ERR_GET_LIB(error) != ERR_LIB_PEM || ERR_GET_REASON(error) != PEM_R_NO_START_LINE) {
      return error == 0;
    }
    ERR_clear_error();
    return true;
  }

  TlsItem item_;
  std::string path_;
  const std::string& password_;
  std::string bytes_;  // may have a private key
  Format format_ = Format::Unknown;
};

TlsResult<std::vector<std::string>> paths_of(TlsItem item, const std::string& file,
                                             const std::string& folder, Disk& disk) {
  std::vector<std::string> paths;
  if (!file.empty()) paths.push_back(file);
  if (folder.empty()) return paths;
  const auto names = disk.list(folder);
  if (!names) return std::unexpected{TlsError{item, "cannot be read: " + names.error().what()}};
  for (const std::string& name : *names) paths.push_back(folder + "/" + name);
  if (names->empty()) return std::unexpected{TlsError{item, folder + ": the folder is empty"}};
  return paths;
}

TlsResult<TlsIdentity> read_pem_identity(const TlsSettings& settings, const TlsFile& certificates,
                                         Disk& disk) {
  auto all = certificates.pem_certificates();
  if (!all) return std::unexpected{std::move(all.error())};
  TlsIdentity identity;
  identity.certificate = std::move(all->front());
  std::move(all->begin() + 1, all->end(), std::back_inserter(identity.chain));
  const bool is_apart = !settings.key_file.empty();
  TlsFile key_file{TlsItem::Key, is_apart ? settings.key_file : settings.certificate_file,
                   settings.key_password};
  if (auto read = key_file.read(disk); !read) return std::unexpected{std::move(read.error())};
  if (!key_file.is_pem()) return key_file.error("a separate private key file must be PEM");
  auto key = key_file.pem_key();
  if (!key) return std::unexpected{std::move(key.error())};
  if (auto mine = key_file.check_is_private(disk); !mine) {
    return std::unexpected{std::move(mine.error())};
  }
  identity.key = std::move(*key);
  return identity;
}

}  // namespace

TlsResult<TlsIdentity> read_identity(const TlsSettings& settings, Disk& disk) {
  TlsFile file{TlsItem::Certificate, settings.certificate_file, settings.key_password};
  if (auto read = file.read(disk); !read) return std::unexpected{std::move(read.error())};
  if (file.is_pem()) return read_pem_identity(settings, file, disk);
  auto identity = file.pkcs12();
  if (!identity) return identity;
  if (!identity->certificate || !identity->key)
    return file.error("contains no certificate for its key");
  if (auto mine = file.check_is_private(disk); !mine) {
    return std::unexpected{std::move(mine.error())};
  }
  return identity;
}

TlsResult<std::vector<Certificate>> read_authorities(const TlsSettings& settings, Disk& disk) {
  const auto paths =
      paths_of(TlsItem::Authorities, settings.authorities_file, settings.authorities_folder, disk);
  if (!paths) return std::unexpected{paths.error()};
  std::vector<Certificate> all;
  for (const std::string& path : *paths) {
    TlsFile file{TlsItem::Authorities, path, settings.authorities_password};
    if (auto read = file.read(disk); !read) return std::unexpected{std::move(read.error())};
    if (file.is_pem()) {
      auto certificates = file.pem_certificates();
      if (!certificates) return certificates;
      std::ranges::move(*certificates, std::back_inserter(all));
      continue;
    }
    auto store = file.pkcs12();
    if (!store) return std::unexpected{std::move(store.error())};
    if (store->certificate) all.push_back(std::move(store->certificate));
    std::ranges::move(store->chain, std::back_inserter(all));
  }
  if (!paths->empty() && all.empty()) {
    return std::unexpected{
        TlsError{TlsItem::Authorities, paths->front() + ": contains no certificate"}};
  }
  return all;
}

TlsResult<std::vector<RevocationList>> read_revocations(const TlsSettings& settings, Disk& disk) {
  const auto paths =
      paths_of(TlsItem::Revocation, settings.revocation_file, settings.revocation_folder, disk);
  if (!paths) return std::unexpected{paths.error()};
  std::vector<RevocationList> all;
  for (const std::string& path : *paths) {
    const std::string no_password;
    TlsFile file{TlsItem::Revocation, path, no_password};
    if (auto read = file.read(disk); !read) return std::unexpected{std::move(read.error())};
    auto lists = file.revocation_lists();
    if (!lists) return lists;
    std::ranges::move(*lists, std::back_inserter(all));
  }
  return all;
}

}  // namespace nexusfix::transport
