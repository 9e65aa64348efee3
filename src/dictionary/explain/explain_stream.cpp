#include <ostream>

#include <nexusfix/dictionary/validator.hpp>

namespace nexusfix::dictionary {

std::ostream& operator<<(std::ostream& out, const Explanation& explanation) {
  return out << explanation.text() << '\n';
}

}  // namespace nexusfix::dictionary
