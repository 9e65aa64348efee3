#include "logs/grep/matcher.hpp"

#include <algorithm>

#include <nexusfix/wire/field.hpp>

#include "logs/messages/find_bytes.hpp"

namespace nexusfix::logs {
namespace {

using Kind = Expression::Kind;
using printing::find_bytes;

using wire::kSoh;

bool is_msg_type(const Comparison& comparison) {
  return comparison.tag == tag::MsgType && comparison.comparator == Comparator::Equal;
}

}  // namespace

Matcher::Matcher(const Expression& expression) : Matcher{compile(expression)} {}

Matcher::Step Matcher::compile(const Expression& expression) {
  Step step{.kind = expression.kind, .comparison = expression.comparison};
  step.count = expression.count;
  step.members = expression.members;
  for (const Expression& part : expression.parts) step.parts.push_back(compile(part));
  const bool is_group = step.kind == Kind::Group;
  step.begin = kSoh + std::to_string(is_group ? step.count : step.comparison.tag) + '=';
  const Comparison& comparison = step.comparison;
  step.is_data = wire::DataFieldTable::standard().length_tag_for(comparison.tag).has_value();
  if (!is_group && !step.is_data && !comparison.is_numeric &&
      comparison.comparator == Comparator::Equal) {
    step.whole = step.begin + comparison.value + kSoh;
  }
  step.is_exact = is_exact(step);
  step.is_of_msg_type = step.kind == Kind::Comparison
                            ? comparison.tag == tag::MsgType
                            : !is_group && std::ranges::all_of(step.parts, &Step::is_of_msg_type);
  return step;
}

bool Matcher::is_exact(const Step& step) {
  if (step.kind == Kind::Group || step.kind == Kind::Not) return false;
  if (step.kind == Kind::Comparison) {
    return step.comparison.tag != tag::BeginString && !step.is_data &&
           !step.comparison.is_negative();
  }
  return std::ranges::all_of(step.parts, &Step::is_exact);
}

std::string Matcher::wanted_by(const Step& step) {
  switch (step.kind) {
    case Kind::Comparison: {
      const wire::Tag tag = step.comparison.tag;
      return tag == tag::BeginString || tag == tag::MsgType ? std::string{} : step.whole;
    }
    case Kind::Group:
      return step.parts.front().is_exact ? wanted_by(step.parts.front()) : std::string{};
    case Kind::And:
      return wanted_by(step.parts.front());
    case Kind::Or:
    case Kind::Not:
      return {};
  }
  return {};
}

// A search over all bytes that were read takes less time than one in each message. Messages of
// several files may take turns: each file has its own search.
bool Matcher::has_wanted(const printing::ScannedMessage& message) {
  const std::string_view ahead = message.ahead;
  if (ahead.empty()) return find_bytes(message.bytes, wanted_) != message.bytes.npos;
  if (message.file >= searches_.size()) [[unlikely]]
    searches_.resize(message.file + 1);
  Search& last = searches_[message.file];
  const char* const begin = ahead.data();
  const char* const end = begin + message.bytes.size();
  const std::size_t rest = wanted_.size() - 1;
  const bool is_known = last.text_id == message.text_id && begin >= last.from && begin <= last.to;
  if (!is_known || (!last.is_found && end > last.to + rest)) {
    const std::size_t at = find_bytes(ahead, wanted_);
    const bool is_found = at != ahead.npos;
    last = {.text_id = message.text_id,
            .from = begin,
            .to = begin + (is_found ? at : ahead.size() - std::min(ahead.size(), rest)),
            .is_found = is_found};
  }
  return last.is_found && last.to + wanted_.size() <= end;
}

bool Matcher::may_match(const Step& step, std::string_view bytes) {
  const auto may = [&](const Step& part) { return may_match(part, bytes); };
  switch (step.kind) {
    case Kind::And:
      return std::ranges::all_of(step.parts, may);
    case Kind::Or:
      return std::ranges::any_of(step.parts, may);
    case Kind::Group:
      return find_bytes(bytes, step.begin) != bytes.npos &&
             (!step.parts.front().is_exact || may(step.parts.front()));
    case Kind::Comparison:
      return may_compare(step, bytes);
    case Kind::Not: {
      // Only a value of MsgType is certain: any other may be a part of a data field.
      const Step& part = step.parts.front();
      if (part.kind != Kind::Comparison || !is_msg_type(part.comparison)) return true;
      return msg_type_of(bytes) != part.comparison.value;
    }
  }
  return true;
}

bool Matcher::may_compare(const Step& step, std::string_view bytes) {
  const Comparison& comparison = step.comparison;
  if (comparison.tag == tag::BeginString) return true;
  if (comparison.tag == tag::MsgType) {
    const std::string_view msg_type = msg_type_of(bytes);
    if (!msg_type.empty()) return comparison.holds_for(msg_type) != comparison.is_negative();
  }
  if (!step.whole.empty()) return find_bytes(bytes, step.whole) != bytes.npos;
  const bool needs_field_only =
      comparison.comparator == Comparator::Has || comparison.is_negative() || step.is_data;
  for (std::size_t at = 0; (at = find_bytes(bytes, step.begin, at)) != bytes.npos;) {
    if (needs_field_only) return true;
    at += step.begin.size();
    const std::size_t end = std::min(bytes.find(kSoh, at), bytes.size());
    if (comparison.holds_for(bytes.substr(at, end - at))) return true;
    at = end;
  }
  return false;
}

bool Matcher::compares(const Comparison& comparison, std::string_view bytes, Fields fields) {
  if (comparison.tag == tag::MsgType) {
    const std::string_view msg_type = msg_type_of(bytes);
    if (!msg_type.empty()) return comparison.holds_for(msg_type) != comparison.is_negative();
  }
  bool has = false;
  for (const MessageField& field : fields) {
    if (field.tag != comparison.tag) continue;
    has = true;
    if (comparison.holds_for(field.value)) return !comparison.is_negative();
  }
  return has && comparison.is_negative();
}

// Each entry begins with the first field of the first entry. The group ends with the first field
// that is not a member of it.
bool Matcher::matches_group(const Step& step, Fields fields) {
  const auto is_member = [&](wire::Tag tag) {
    return std::ranges::binary_search(step.members, tag);
  };
  for (std::size_t at = 0; at < fields.size(); ++at) {
    if (fields[at].tag != step.count) continue;
    std::size_t begin = at + 1;
    if (begin == fields.size() || !is_member(fields[begin].tag)) continue;
    const wire::Tag first = fields[begin].tag;
    while (begin < fields.size() && fields[begin].tag == first) {
      std::size_t end = begin + 1;
      while (end < fields.size() && fields[end].tag != first && is_member(fields[end].tag)) ++end;
      if (matches(step.parts.front(), {}, fields.subspan(begin, end - begin))) return true;
      begin = end;
    }
    at = begin - 1;
  }
  return false;
}

bool Matcher::matches(const Step& step, std::string_view bytes, Fields fields) {
  const auto matches_part = [&](const Step& part) { return matches(part, bytes, fields); };
  switch (step.kind) {
    case Kind::And:
      return std::ranges::all_of(step.parts, matches_part);
    case Kind::Or:
      return std::ranges::any_of(step.parts, matches_part);
    case Kind::Not:
      return !matches_part(step.parts.front());
    case Kind::Group:
      return matches_group(step, fields);
    case Kind::Comparison:
      return compares(step.comparison, bytes, fields);
  }
  return false;
}

bool Matcher::matches_fields(std::string_view bytes) {
  fields_.read(bytes);
  return matches(plan_, bytes, fields_.all());
}

bool Matcher::matches(std::string_view bytes) {
  if (!may_match(plan_, bytes)) return false;
  if (plan_.is_of_msg_type && plan_.is_exact && !msg_type_of(bytes).empty()) return true;
  if (plan_.is_exact && !rare_fields(bytes).has_length) return true;
  return matches_fields(bytes);
}

std::expected<std::optional<Matcher>, std::string> make_matcher(std::string_view expression,
                                                                const command::FieldNames& names) {
  if (expression.empty()) return std::nullopt;
  const auto parsed = parse_expression(expression, names);
  if (!parsed) return std::unexpected{underlined(expression, parsed.error())};
  return Matcher{*parsed};
}

}  // namespace nexusfix::logs
