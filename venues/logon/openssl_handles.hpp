// Objects of OpenSSL that end with their owner.
#pragma once

#include <memory>
#include <openssl/bio.h>
#include <openssl/evp.h>

namespace nexusfix::venues {

struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
struct FreeBio {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
using KeyHandle = std::unique_ptr<EVP_PKEY, FreeKey>;
using DigestHandle = std::unique_ptr<EVP_MD_CTX, FreeDigest>;
using BioHandle = std::unique_ptr<BIO, FreeBio>;

}  // namespace nexusfix::venues
