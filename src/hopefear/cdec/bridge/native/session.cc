#include "session.h"

#include <cstdlib>

namespace hopefear {
namespace {

Object Attribute(const Object& object, const char* name) {
  return Object(PyObject_GetAttrString(object.get(), name));
}

// A dict of names and numbers in cdec's terms. A feature set that is frozen has no number for new
// names.
Features ToFeatures(const Object& dict) {
  Features features;
  PyObject *name, *value;
  for (Py_ssize_t place = 0; PyDict_Next(dict.get(), &place, &name, &value);) {
    Py_INCREF(name);
    const int feature = FD::Convert(ToString(Object(name)));
    if (feature > 0) features.emplace_back(feature, PyFloat_AsDouble(value));
  }
  return features;
}

void Append(PyObject* list, const Object& item) {
  if (PyList_Append(list, item.get()) != 0) Object failed(nullptr);
}

// A column for each position: a list of (word, distance).
Object ToLists(const Lattice& lattice) {
  Object columns(PyList_New(0));
  for (const auto& arcs : lattice) {
    const Object column(PyList_New(0));
    for (const LatticeArc& arc : arcs) {
      const Object word = Text(TD::Convert(arc.label));
      Append(column.get(), Object(Py_BuildValue("(Oi)", word.get(), arc.dist2next)));
    }
    Append(columns.get(), column);
  }
  return columns;
}

template <class T>
Object Bytes(const std::vector<T>& items) {
  return Object(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(items.data()),
                                          static_cast<Py_ssize_t>(items.size() * sizeof(T))));
}

Object Spans(const std::vector<NodeState>& nodes) {
  std::vector<NodeSpan> spans;
  for (const NodeState& node : nodes) spans.push_back(node.span);
  return Bytes(spans);
}

}  // namespace

Session::Session(const std::string& arguments) {
  StartPython();
  const PythonLock lock;
  const Object module(PyImport_ImportModule("hopefear.cdec.bridge.session"));
  const Object text = Text(arguments);
  session_ = Object(PyObject_CallMethod(module.get(), "Session", "O", text.get()));
  has_edge_features_ = PyObject_IsTrue(Attribute(session_, "has_edge_features").get()) == 1;
  has_states_ = PyObject_IsTrue(Attribute(session_, "has_states").get()) == 1;
  is_live_ = PyObject_IsTrue(Attribute(session_, "is_live").get()) == 1;
  const Object attributes = Attribute(session_, "attributes");
  for (Py_ssize_t i = 0; i < PySequence_Size(attributes.get()); ++i)
    attributes_.push_back(ToString(Object(PySequence_GetItem(attributes.get(), i))));
}

Session::~Session() {
  const PythonLock lock;
  session_ = Object();
}

Features Session::Begin(const SentenceMetadata& sentence, ParsedAhead& ahead) {
  const PythonLock lock;
  const Object attributes(PyDict_New());
  for (const std::string& name : attributes_) {
    const std::string value = sentence.GetSGMLValue(name);
    if (!value.empty()) PyDict_SetItemString(attributes.get(), name.c_str(), Text(value).get());
  }
  const Object source = ToLists(sentence.GetSourceLattice());
  const Object changed(PyObject_CallMethod(session_.get(), "begin", "iOO", sentence.GetSentenceId(),
                                           source.get(), attributes.get()));
  ahead.Take(Object(PyObject_CallMethod(session_.get(), "parse", nullptr)));
  return ToFeatures(changed);
}

Session::Rule Session::AddRule(const TRulePtr& rule) {
  const PythonLock lock;
  const Object texts(PyDict_New());
  Tell(-rule->lhs_, texts.get());
  for (const WordID symbol : rule->f_) Tell(std::abs(symbol), texts.get());
  for (const WordID symbol : rule->e_)
    if (symbol > 0) Tell(symbol, texts.get());
  std::vector<int> links;
  for (const AlignmentPoint& link : rule->a_) links.insert(links.end(), {link.s_, link.t_});
  const Object values(PyDict_New());
  for (const auto& [feature, value] : rule->scores_) {
    const Object number(PyFloat_FromDouble(value));
    PyDict_SetItem(values.get(), Text(FD::Convert(static_cast<int>(feature))).get(), number.get());
  }
  const Object source = Bytes(rule->f_), target = Bytes(rule->e_), alignment = Bytes(links);
  Object known(PyObject_CallMethod(session_.get(), "rule", "iiOOOOO", rules_, -rule->lhs_,
                                   source.get(), target.get(), alignment.get(), values.get(),
                                   texts.get()));
  Features features = ToFeatures(Attribute(known, "features"));
  return {rule, rules_++, std::move(known), std::move(features)};
}

// Adds the text of a word or category that Python does not know yet.
void Session::Tell(WordID word, PyObject* texts) {
  const auto place = static_cast<std::size_t>(word);
  if (place >= told_.size()) told_.resize(2 * place + 1);
  if (told_[place]) return;
  told_[place] = true;
  const Object number(PyLong_FromSize_t(place));
  PyDict_SetItem(texts, number.get(), Text(TD::Convert(word)).get());
}

Features Session::OnSpan(const Rule& rule, NodeSpan span, const std::vector<NodeState>& tails) {
  const PythonLock lock;
  const Object spans = Spans(tails);
  return ToFeatures(Object(PyObject_CallMethod(session_.get(), "on_span", "OiiO", rule.known.get(),
                                               span.begin, span.end, spans.get())));
}

Session::Joined Session::Join(const Rule& rule, NodeSpan span,
                              const std::vector<NodeState>& tails) {
  const PythonLock lock;
  std::vector<int> numbers;
  for (const NodeState& tail : tails) numbers.push_back(tail.number);
  const Object spans = Spans(tails), states = Bytes(numbers);
  const Object found(PyObject_CallMethod(session_.get(), "join", "OiiOO", rule.known.get(),
                                         span.begin, span.end, spans.get(), states.get()));
  const Object features(PySequence_GetItem(found.get(), 0));
  const Object state(PySequence_GetItem(found.get(), 1));
  return {ToFeatures(features), static_cast<int>(PyLong_AsLong(state.get()))};
}

Features Session::Finish(NodeState tail) {
  const PythonLock lock;
  return ToFeatures(Object(PyObject_CallMethod(session_.get(), "finish", "iii", tail.span.begin,
                                               tail.span.end, tail.number)));
}

}  // namespace hopefear
