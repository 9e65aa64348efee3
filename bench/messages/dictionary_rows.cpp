// Loads a data dictionary from its text.
#include <memory>

#include <nexusfix/catalog.hpp>
#include <nexusfix/dictionary.hpp>

#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

// FIX 5.0 SP2, the largest. QuickFIX reads the same text.
DictionaryJob fix50sp2() {
  const dictionary::Dictionary& builtin =
      dictionary::builtin_dictionary(dictionary::Version::Fix50Sp2);
  DictionaryJob job;
  job.xml = dictionary::to_quickfix_xml(builtin);
  for (const dictionary::MessageDefinition& message : builtin.messages) {
    job.msg_types.push_back(message.msg_type);
  }
  const std::size_t step = builtin.fields.size() / builtin.messages.size();
  for (std::size_t i = 0; i < builtin.messages.size(); ++i) {
    job.tags.push_back(static_cast<int>(builtin.fields[i * step].tag));
  }
  job.answers = {job.tags.size() + job.msg_types.size()};
  return job;
}

struct Load {
  const DictionaryJob* job;

  std::uint64_t operator()(std::size_t) const {
    const auto loaded = dictionary::load_dictionary(job->xml, "FIX50SP2.xml");
    if (!loaded) return 0;
    std::uint64_t known = 0;
    for (const int tag : job->tags) {
      known += loaded->field(static_cast<wire::Tag>(tag)) != nullptr ? 1 : 0;
    }
    for (const std::string& type : job->msg_types) {
      known += loaded->message(type) != nullptr ? 1 : 0;
    }
    return known;
  }
};

}  // namespace

void add_dictionary_rows(std::vector<Row>& rows) {
  rows.push_back(
      {{.name = "dictionary/load",
        .purpose = "the data dictionary of FIX 5.0 SP2 from its XML",
        .unit = Unit::Milliseconds,
        .published = {},
        .budget = 60},
       [](Subjects subjects) {
         const auto job = std::make_shared<DictionaryJob>(fix50sp2());
         Plan plan{.owner = job, .bytes = static_cast<double>(job->xml.size()), .contestants = {}};
         plan.contestants.emplace_back(subjects.front()->name(),
                                       make_contestant(Load{job.get()}, job->answers));
         add_contestants(plan, subjects,
                         [&](Subject& subject) { return subject.load_dictionary(*job); });
         return plan;
       }});
}

}  // namespace nexusfix::bench
