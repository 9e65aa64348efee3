// Counts the messages with one field value in a log, with QuickFIX's parser:
// quickfix_count FILE TAG VALUE
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <quickfix/Message.h>
#include <string>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream log{argv[1]};
  const int tag = std::atoi(argv[2]);
  const std::string value = argv[3];
  FIX::Message message;
  std::string line;
  unsigned long count = 0;
  while (std::getline(log, line)) {
    const std::string::size_type begin = line.find("8=FIX");
    if (begin == std::string::npos) continue;
    message.setString(line.substr(begin), true);
    const FIX::FieldMap& fields = tag == 35 || tag == 49 || tag == 56
                                      ? static_cast<const FIX::FieldMap&>(message.getHeader())
                                      : message;
    if (fields.isSetField(tag) && fields.getField(tag) == value) ++count;
  }
  std::cout << count << '\n';
}
