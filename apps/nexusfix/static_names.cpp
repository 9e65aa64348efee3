// Names of hosts and users, in a program that is linked with glibc itself.
//
// glibc would load what /etc/nsswitch.conf names, such as `resolve` and `sss`, from the machine it
// runs on. A module of another glibc ends the process. What is built in needs no module: files, and
// DNS.
#include <nss.h>

namespace {

[[maybe_unused]] const bool kBuiltIn = [] {
  __nss_configure_lookup("hosts", "files dns");
  for (const char* const database : {"passwd", "group", "services", "protocols", "networks"}) {
    __nss_configure_lookup(database, "files");
  }
  return true;
}();

}  // namespace
