// Loads a library as cdec's `External` does, and shows it what standard input says, fields
// separated by tabs:
//   S id words parse          a sentence; of parse nothing if it is empty
//   R lhs source target links name=value
//                             a rule; a nonterminal is [CATEGORY] in the source and [0], [1] in the
//                             target
//   D rule                    the rule's grammar is gone
//   E rule i j edges          an edge, with the edges that are its tails; its features are written,
//                             and the first edge of the sentence with an equal state
//   G edge                    the edge into the goal over an edge; its features are written
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "fdict.h"
#include "ff.h"
#include "hg.h"
#include "sentence_metadata.h"

Dict FD::dict_, TD::dict_;

FeatureFunction::~FeatureFunction() = default;
void FeatureFunction::PrepareForInput(const SentenceMetadata&) {}
void FeatureFunction::FinalTraversalFeatures(const void*, SparseVector<double>*) const {}
void FeatureFunction::TraversalFeaturesImpl(const SentenceMetadata&, const HG::Edge&,
                                            const std::vector<const void*>&, SparseVector<double>*,
                                            SparseVector<double>*, void*) const {
  std::abort();
}

class ExternalFeature {
 public:
  ExternalFeature(const std::string& library, const std::string& arguments)
      : handle_(dlopen(library.c_str(), RTLD_LAZY | RTLD_GLOBAL)) {
    if (handle_ == nullptr) {
      std::cerr << dlerror() << std::endl;
      std::abort();
    }
    function_ = reinterpret_cast<FeatureFunction* (*)(const std::string&)>(
        dlsym(handle_, "create_ff"))(arguments);
  }
  ~ExternalFeature() {
    delete function_;
    dlclose(handle_);
  }

  void Prepare(const SentenceMetadata& sentence) { function_->PrepareForInput(sentence); }
  std::string Fire(const SentenceMetadata& sentence, const HG::Edge& edge,
                   const std::vector<std::string>& tails, SparseVector<double>* features) const {
    std::vector<const void*> states;
    for (const std::string& tail : tails)
      states.push_back(function_->StateSize() ? tail.data() : nullptr);
    std::string state(function_->StateSize(), '\0');
    SparseVector<double> estimated;
    function_->TraversalFeaturesImpl(sentence, edge, states, features, &estimated,
                                     state.empty() ? nullptr : state.data());
    return state;
  }
  void Finish(const std::string& tail, SparseVector<double>* features) const {
    function_->FinalTraversalFeatures(function_->StateSize() ? tail.data() : nullptr, features);
  }

 private:
  void* handle_;
  FeatureFunction* function_;
};

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool IsNonterminal(const std::string& symbol) { return symbol.size() > 2 && symbol[0] == '['; }
std::string Inside(const std::string& symbol) { return symbol.substr(1, symbol.size() - 2); }

TRulePtr ReadRule(std::vector<std::string> fields) {
  fields.resize(6);
  auto rule = std::make_shared<TRule>();
  rule->lhs_ = -TD::Convert(fields[1]);
  for (const auto& symbol : Split(fields[2], ' '))
    rule->f_.push_back(IsNonterminal(symbol) ? -TD::Convert(Inside(symbol)) : TD::Convert(symbol));
  for (const auto& symbol : Split(fields[3], ' '))
    rule->e_.push_back(IsNonterminal(symbol) ? -std::stoi(Inside(symbol)) : TD::Convert(symbol));
  for (const auto& link : Split(fields[4], ' ')) {
    const auto ends = Split(link, '-');
    rule->a_.push_back(
        {static_cast<short>(std::stoi(ends[0])), static_cast<short>(std::stoi(ends[1]))});
  }
  for (const auto& feature : Split(fields[5], ' ')) {
    const auto equals = feature.rfind('=');
    rule->scores_.add_value(FD::Convert(feature.substr(0, equals)),
                            std::stod(feature.substr(equals + 1)));
  }
  return rule;
}

SentenceMetadata ReadSentence(std::vector<std::string> fields) {
  fields.resize(4);
  SentenceMetadata sentence;
  sentence.id = std::stoi(fields[1]);
  for (const auto& word : Split(fields[2], ' '))
    sentence.lattice.push_back({{TD::Convert(word), 1}});
  if (!fields[3].empty()) sentence.attributes["parse"] = fields[3];
  return sentence;
}

void Write(const SparseVector<double>& features) {
  for (const auto& [number, value] : features)
    std::cout << FD::Convert(static_cast<int>(number)) << '\t' << value << '\t';
}

int main(int, char** arguments) {
  ExternalFeature feature(arguments[1], arguments[2]);
  SentenceMetadata sentence;
  std::vector<TRulePtr> rules;
  std::vector<std::string> states;
  for (std::string line; std::getline(std::cin, line);) {
    const auto fields = Split(line, '\t');
    if (fields[0] == "R") rules.push_back(ReadRule(fields));
    if (fields[0] == "D") rules[std::stoi(fields[1])].reset();
    if (fields[0] == "S") {
      states.clear();
      sentence = ReadSentence(fields);
      feature.Prepare(sentence);
    }
    SparseVector<double> features;
    if (fields[0] == "G") {
      feature.Finish(states[std::stoi(fields[1])], &features);
      Write(features);
      std::cout << std::endl;
    }
    if (fields[0] != "E") continue;
    HG::Edge edge;
    edge.rule_ = rules[std::stoi(fields[1])];
    edge.i_ = static_cast<short>(std::stoi(fields[2]));
    edge.j_ = static_cast<short>(std::stoi(fields[3]));
    std::vector<std::string> tails;
    if (fields.size() > 4)
      for (const auto& tail : Split(fields[4], ' ')) tails.push_back(states[std::stoi(tail)]);
    states.push_back(feature.Fire(sentence, edge, tails, &features));
    Write(features);
    const auto same = std::find(states.begin(), states.end(), states.back());
    std::cout << "same\t" << same - states.begin() << std::endl;
  }
}
