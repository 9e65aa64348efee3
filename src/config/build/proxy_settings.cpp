#include <optional>
#include <string_view>

#include "config/build/session_settings.hpp"
#include "config/text/settings_values.hpp"

namespace nexusfix::config {
namespace {

using Protocol = transport::ConnectProxy::Protocol;

constexpr Key kAll[] = {"ProxyType", "ProxyVersion", "ProxyHost",
                        "ProxyPort", "ProxyUser",    "ProxyPassword"};

class ProxyBuilder {
 public:
  ProxyBuilder(const MergedSection& keys, SettingsReport& report) : keys_{keys}, report_{report} {}

  [[nodiscard]] std::shared_ptr<const transport::ConnectProxy> build() {
    if (keys_.find("ProxyType") == nullptr) {
      refuse_without_type();
      return nullptr;
    }
    const Given* const type = keys_.valid("ProxyType");
    if (type == nullptr || type->value.empty()) return nullptr;  // invalid, or none
    const bool is_http = equals_ignoring_case(type->value, "http");
    const auto protocol = read_protocol(is_http);
    transport::ConnectProxy proxy;
    proxy.host = std::string{transport::without_brackets(text_of("ProxyHost"))};
    const Given* const port = keys_.valid("ProxyPort");
    require_place(*type, !proxy.host.empty());
    proxy.user = text_of("ProxyUser");
    proxy.password = text_of("ProxyPassword");
    if (!protocol || proxy.host.empty() || port == nullptr) return nullptr;
    proxy.protocol = *protocol;
    proxy.port = static_cast<std::uint16_t>(*read_number(port->value));
    return check_user(proxy) ? std::make_shared<const transport::ConnectProxy>(std::move(proxy))
                             : nullptr;
  }

 private:
  void error(std::size_t line, Key key, std::string_view text) {
    report_.error(line,
                  std::string{key.name()} + ": " + std::string{text} + std::string{kNotWithout});
  }
  [[nodiscard]] std::string_view text_of(Key key) const {
    const Given* const given = keys_.valid(key);
    return given == nullptr ? std::string_view{} : given->value;
  }
  [[nodiscard]] std::size_t line_of(Key key) const {
    const Given* const given = keys_.find(key);
    return given == nullptr ? keys_.line() : given->line;
  }

  // In [DEFAULT], too: a session that wants none has an empty ProxyType.
  void refuse_without_type() {
    for (const Key key : kAll) {
      const Given* const given = keys_.valid(key);
      if (given == nullptr || given->value.empty()) continue;
      return error(given->line, key, "asks for a proxy, and ProxyType is missing: http or socks");
    }
  }

  // An invalid value has been reported.
  void require_place(const Given& type, bool has_host) {
    std::string missing;
    if (!has_host && !is_invalid("ProxyHost")) missing = "ProxyHost";
    if (keys_.find("ProxyPort") == nullptr)
      missing += missing.empty() ? "ProxyPort" : " and ProxyPort";
    if (missing.empty()) return;
    error(type.line, "ProxyType", "where the proxy is, is missing: " + missing);
  }
  [[nodiscard]] bool is_invalid(Key key) const {
    return keys_.find(key) != nullptr && keys_.valid(key) == nullptr;
  }

  [[nodiscard]] std::optional<Protocol> read_protocol(bool is_http) {
    const auto* given = keys_.find("ProxyVersion");
    if (!given || (given->is_valid && given->value.empty())) {
      return is_http ? Protocol::Http11 : Protocol::Socks5;
    }
    if (!given->is_valid) return std::nullopt;
    const std::string_view value = given->value;
    if (is_http) {
      if (value == "1.0") return Protocol::Http10;
      if (value == "1.1") return Protocol::Http11;
    } else {
      if (value == "4") return Protocol::Socks4;
      if (value == "5") return Protocol::Socks5;
      if (equals_ignoring_case(value, "4a")) return Protocol::Socks4a;
    }
    report_.error(given->line, "ProxyVersion=" + std::string{value} + ": " +
                                   (is_http ? "1.0 or 1.1 was expected with ProxyType=http"
                                            : "4, 4a or 5 was expected with ProxyType=socks"));
    return std::nullopt;
  }

  [[nodiscard]] bool check_user(const transport::ConnectProxy& proxy) {
    const bool is_socks_4 =
        proxy.protocol == Protocol::Socks4 || proxy.protocol == Protocol::Socks4a;
    if (is_socks_4 && !proxy.password.empty()) {
      // QuickFIX/J asks for one beside each user.
      report_.warning(line_of("ProxyPassword"),
                      "ProxyPassword: is not sent, because SOCKS 4 has no passwords");
    }
    const bool has_password = keys_.find("ProxyPassword") != nullptr;
    if (!proxy.user.empty() && !has_password && !is_socks_4) {
      error(line_of("ProxyUser"), "ProxyUser", "ProxyPassword is missing: the password of it");
      return false;
    }
    const std::string_view wrong = transport::validate(proxy);
    if (wrong.empty()) return true;
    // A wrong password has been reported, and is not here.
    const bool is_of_password = wrong.starts_with("a password") && has_password;
    const Key key = is_of_password ? Key{"ProxyPassword"} : Key{"ProxyUser"};
    if (!is_invalid(key)) error(line_of(key), key, wrong);
    return false;
  }

  const MergedSection& keys_;
  SettingsReport& report_;
};

}  // namespace

std::shared_ptr<const transport::ConnectProxy> build_proxy(const MergedSection& keys,
                                                           SettingsReport& report) {
  return ProxyBuilder{keys, report}.build();
}

void check_target(const transport::ConnectProxy& proxy, const std::string& name, const Given& host,
                  SettingsReport& report) {
  const std::string_view wrong =
      transport::validate(proxy.protocol, std::string{transport::without_brackets(host.value)});
  if (wrong.empty()) return;
  report.error(host.line, name + "=" + std::string{host.value} + ": " + std::string{wrong});
}

void refuse_proxy_of(const Section& section, SettingsReport& report) {
  for (const Key key : kAll) {
    const Given* const given = section.own(key);
    if (!given || given->value.empty()) continue;
    report.error(given->line, std::string{key.name()} +
                                  ": is of initiators; an acceptor has UseTCPProxy" +
                                  std::string{kNotWithout});
  }
}

}  // namespace nexusfix::config
