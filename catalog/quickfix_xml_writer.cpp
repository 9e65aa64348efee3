#include <nexusfix/catalog.hpp>

namespace nexusfix::dictionary {
namespace {

class Writer {
 public:
  explicit Writer(const Dictionary& dictionary) : dictionary_{dictionary} {}

  std::string write() {
    out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fix";
    write_version();
    out_ += ">\n";
    section("header", [&] { write_members(dictionary_.header, 2); });
    section("trailer", [&] { write_members(dictionary_.trailer, 2); });
    section("messages", [&] {
      for (const MessageDefinition& message : dictionary_.messages) write_message(message);
    });
    section("components", [&] {
      for (const ComponentDefinition& component : dictionary_.components) {
        open("component", 2);
        attribute("name", component.name);
        write_children(component.members, "component", 2);
      }
    });
    section("fields", [&] {
      for (const FieldDefinition& field : dictionary_.fields) write_field(field);
    });
    out_ += "</fix>\n";
    return std::move(out_);
  }

 private:
  template <class Content>
  void section(const char* name, Content content) {
    open(name, 1);
    out_ += ">\n";
    content();
    close(name, 1);
  }

  // "FIX.4.4" is type FIX, major 4, minor 4.
  void write_version() {
    const std::string_view version = dictionary_.begin_string;
    const std::size_t first = version.find('.');
    const std::size_t second = version.find('.', first + 1);
    attribute("type", version.substr(0, first));
    attribute("major", version.substr(first + 1, second - first - 1));
    attribute("minor", version.substr(second + 1));
    attribute("servicepack", std::to_string(dictionary_.service_pack));
  }

  void write_message(const MessageDefinition& message) {
    open("message", 2);
    attribute("name", message.name);
    attribute("msgtype", message.msg_type);
    attribute("msgcat", message.admin ? "admin" : "app");
    write_children(message.members, "message", 2);
  }

  void write_members(const std::vector<Member>& members, std::size_t depth) {
    for (const Member& member : members) write_member(member, depth);
  }

  void write_member(const Member& member, std::size_t depth) {
    const bool is_group = member.kind == Member::Kind::Group;
    const bool is_component = member.kind == Member::Kind::Component;
    const Index field = is_group ? dictionary_.groups[member.index].count_field : member.index;
    const char* const name = is_group ? "group" : is_component ? "component" : "field";
    open(name, depth);
    attribute("name", is_component ? dictionary_.components[member.index].name
                                   : dictionary_.fields[field].name);
    attribute("required", member.required ? "Y" : "N");
    if (is_group) {
      if (dictionary_.groups[member.index].any_field_begins) attribute("anyFieldBegins", "Y");
      write_children(dictionary_.groups[member.index].members, name, depth);
    } else {
      out_ += "/>\n";
    }
  }

  void write_children(const std::vector<Member>& members, const char* name, std::size_t depth) {
    if (members.empty()) {
      out_ += "/>\n";
      return;
    }
    out_ += ">\n";
    write_members(members, depth + 1);
    close(name, depth);
  }

  void write_field(const FieldDefinition& field) {
    open("field", 2);
    attribute("number", std::to_string(field.tag));
    attribute("name", field.name);
    attribute("type", to_string(field.type == FieldType::Unknown ? FieldType::String : field.type));
    if (field.other_values != FieldDefinition::OtherValues::None)
      attribute("allowOtherValues", "true");
    const bool has_type = field.other_values > FieldDefinition::OtherValues::Any;
    if (has_type) attribute("unionDataType", to_string(field.other_values));
    if (field.values.empty()) {
      out_ += "/>\n";
      return;
    }
    out_ += ">\n";
    for (const FieldDefinition::EnumValue& value : field.values) {
      open("value", 3);
      attribute("enum", value.value);
      attribute("description", value.name);
      out_ += "/>\n";
    }
    close("field", 2);
  }

  void open(const char* name, std::size_t depth) {
    out_.append(2 * depth, ' ');
    out_ += '<';
    out_ += name;
  }
  void close(const char* name, std::size_t depth) {
    out_.append(2 * depth, ' ');
    out_ += "</";
    out_ += name;
    out_ += ">\n";
  }

  void attribute(const char* name, std::string_view value) {
    out_ += ' ';
    out_ += name;
    out_ += "=\"";
    for (const char c : value) append_escaped(c);
    out_ += '"';
  }

  // XML 1.0, 2.3: the characters that a value must not contain, and the blanks that a reader would
  // change.
  void append_escaped(char c) {
    switch (c) {
      case '&':
        out_ += "&amp;";
        break;
      case '<':
        out_ += "&lt;";
        break;
      case '"':
        out_ += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':
        out_ += "&#" + std::to_string(c) + ';';
        break;
      default:
        out_ += c;
    }
  }

  const Dictionary& dictionary_;
  std::string out_;
};

}  // namespace

std::string to_quickfix_xml(const Dictionary& dictionary) { return Writer{dictionary}.write(); }

}  // namespace nexusfix::dictionary
