#include "parsed_ahead.h"

#include <cstring>

namespace hopefear {
namespace {

Object Item(const Object& sequence, Py_ssize_t i) {
  return Object(PySequence_GetItem(sequence.get(), i));
}

// A copy of the numbers in a bytes object.
template <class T>
std::vector<T> Numbers(const Object& bytes) {
  char* data;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(bytes.get(), &data, &size) != 0) Object failed(nullptr);
  std::vector<T> out(static_cast<std::size_t>(size) / sizeof(T));
  if (size > 0) std::memcpy(out.data(), data, out.size() * sizeof(T));
  return out;
}

void BeginKey(int rule, NodeSpan span, std::string& key) {
  key.clear();
  Append(rule, key);
  Append(span, key);
}

NodeSpan ToSpan(const int* ends) {
  return {static_cast<short>(ends[0]), static_cast<short>(ends[1])};
}

}  // namespace

void ParsedAhead::Take(const Object& parsed) {
  words_.clear();
  rules_.clear();
  number_of_.clear();
  edges_.clear();
  edge_of_.clear();
  fired_.clear();
  if (parsed.get() == Py_None) return;
  const std::vector<int> symbols = Numbers<int>(Item(parsed, 0));
  const Object texts = Item(parsed, 1);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    words_[symbols[i]] = TD::Convert(ToString(Item(texts, static_cast<Py_ssize_t>(i))));
  }
  TakeRules(Item(parsed, 2));
  TakeFeatures(Item(parsed, 4), Item(parsed, 5));
  TakeEdges(Item(parsed, 3), Item(parsed, 6));
}

// A rule's key has cdec's numbers: the left-hand side, the source side, 0, the target side.
void ParsedAhead::TakeRules(const Object& rules) {
  const std::vector<int> lhs = Numbers<int>(Item(rules, 0));
  const std::vector<int> source_begin = Numbers<int>(Item(rules, 1));
  const std::vector<int> source = Numbers<int>(Item(rules, 2));
  const std::vector<int> target_begin = Numbers<int>(Item(rules, 3));
  const std::vector<int> target = Numbers<int>(Item(rules, 4));
  const auto number = [this](int symbol) {
    const WordID word = words_.at(symbol);
    return symbol < 0 ? -word : word;
  };
  std::string key;
  for (std::size_t r = 0; r < lhs.size(); ++r) {
    key.clear();
    Append(number(lhs[r]), key);
    for (int i = source_begin[r]; i < source_begin[r + 1]; ++i) {
      Append(number(source[static_cast<std::size_t>(i)]), key);
    }
    Append(WordID{0}, key);
    for (int i = target_begin[r]; i < target_begin[r + 1]; ++i) {
      const int symbol = target[static_cast<std::size_t>(i)];
      Append(symbol > 0 ? number(symbol) : WordID{symbol}, key);
    }
    const auto [place, is_new] = rules_.try_emplace(key, static_cast<int>(r));
    if (!is_new) place->second = kNone;
  }
  edge_of_.resize(lhs.size());
}

void ParsedAhead::TakeFeatures(const Object& numbers, const Object& names) {
  const std::vector<int> known = Numbers<int>(numbers);
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto place = static_cast<std::size_t>(known[i]);
    if (place >= features_.size()) features_.resize(2 * place + 1);
    features_[place] = FD::Convert(ToString(Item(names, static_cast<Py_ssize_t>(i))));
  }
}

void ParsedAhead::TakeEdges(const Object& edges, const Object& fired) {
  const std::vector<int> rule = Numbers<int>(Item(edges, 0)), span = Numbers<int>(Item(edges, 1));
  const std::vector<int> tail_begin = Numbers<int>(Item(edges, 2));
  const std::vector<int> tails = Numbers<int>(Item(edges, 3));
  const std::vector<int> begin = Numbers<int>(Item(fired, 0));
  const std::vector<int> feature = Numbers<int>(Item(fired, 1));
  const std::vector<double> value = Numbers<double>(Item(fired, 2));
  fired_.reserve(feature.size());  // its places are in edges_
  edges_.reserve(rule.size());
  for (std::size_t e = 0; e < rule.size(); ++e) {
    const std::pair<int, double>* const first = fired_.data() + fired_.size();
    for (int i = begin[e]; i < begin[e + 1]; ++i) {
      const auto place = static_cast<std::size_t>(i);
      // A feature set that is frozen has no number for new names.
      const int number = features_[static_cast<std::size_t>(feature[place])];
      if (number > 0) fired_.emplace_back(number, value[place]);
    }
    BeginKey(rule[e], ToSpan(&span[2 * e]), key_);
    for (int t = tail_begin[e]; t < tail_begin[e + 1]; ++t) {
      Append(ToSpan(&tails[2 * static_cast<std::size_t>(t)]), key_);
    }
    const Fired own{first, fired_.data() + fired_.size()};
    edge_of_[static_cast<std::size_t>(rule[e])] = &edges_.emplace(key_, own).first->second;
  }
}

int ParsedAhead::NumberOf(const TRule& rule) const {
  const auto [place, is_new] = number_of_.try_emplace(&rule, kNone);
  if (is_new) {
    std::string key;
    Append(rule.lhs_, key);
    for (const WordID symbol : rule.f_) Append(symbol, key);
    Append(WordID{0}, key);
    for (const WordID symbol : rule.e_) Append(symbol, key);
    if (const auto found = rules_.find(key); found != rules_.end()) place->second = found->second;
  }
  return place->second;
}

const ParsedAhead::Fired* ParsedAhead::Find(const TRule& rule) const {
  if (edges_.empty()) return nullptr;
  const int number = NumberOf(rule);
  return number == kNone ? nullptr : edge_of_[static_cast<std::size_t>(number)];
}

const ParsedAhead::Fired* ParsedAhead::Find(const TRule& rule, NodeSpan span,
                                            const std::vector<NodeState>& tails) const {
  if (edges_.empty()) return nullptr;
  const int number = NumberOf(rule);
  if (number == kNone) return nullptr;
  BeginKey(number, span, key_);
  for (const NodeState& tail : tails) Append(tail.span, key_);
  const auto found = edges_.find(key_);
  return found == edges_.end() ? nullptr : &found->second;
}

}  // namespace hopefear
