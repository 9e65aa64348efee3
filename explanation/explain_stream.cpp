#include <ostream>

#include <nexusfix/explanation.hpp>

namespace nexusfix::dictionary {

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
  return out << explanation.text() << '\n';
}

}  // namespace nexusfix::dictionary
