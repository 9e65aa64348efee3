// What a TlsContext has read from its files.
#pragma once

#include <string>
#include <vector>

#include "transport/api/tls.hpp"
#include "transport/tls/tls_openssl.hpp"

namespace nexusfix::transport {

struct TlsKeys {
  SslContext context;
  std::vector<TlsExpiry> expiries;
  std::string description;
};

}  // namespace nexusfix::transport
