#include "parse/engine.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "base/feature_name.h"
#include "bindings.h"
#include "forest/cdec_archive.h"
#include "plugins/rule_functions.h"
#include "scorers/growing_model.h"
#include "scorers/joint_model.h"

namespace hopefear::bindings {
namespace {

Input sentence_input(std::vector<std::string> tokens) {
  Input input;
  input.arcs.reserve(tokens.size());
  for (std::string& token : tokens) {
    const std::int32_t i = input.length++;
    if (const std::string_view fault = name_part_fault(token); !fault.empty())
      throw NameError(token, fault, "a word");
    input.arcs.push_back({i, i + 1, std::move(token), {}, {}});
  }
  return input;
}

std::shared_ptr<LanguageModel> as_language_model(const std::shared_ptr<StatefulScorer>& scorer) {
  auto model = std::dynamic_pointer_cast<LanguageModel>(scorer);
  if (scorer && !model) throw nb::type_error("expected a language model");
  return model;
}

std::vector<double> unigrams(const std::shared_ptr<StatefulScorer>& scorer,
                             const std::vector<std::string>& words) {
  const auto model = as_language_model(scorer);
  std::vector<double> out;
  for (const std::string& word : words) out.push_back(double{model->unigram(word)});
  return out;
}

std::vector<double> sentence_scores(const std::shared_ptr<StatefulScorer>& scorer,
                                    const std::vector<std::vector<std::string>>& sentences) {
  const auto model = std::dynamic_pointer_cast<SentenceModel>(scorer);
  if (!model) throw nb::type_error("expected a model of sentences");
  const nb::gil_scoped_release release;
  std::vector<double> out;
  for (const auto& words : sentences) out.push_back(model->sentence(words));
  return out;
}

}  // namespace

void bind_engine(nb::module_& module) {
  nb::class_<Input>(module, "Input", "A sentence or lattice, and the grammars that only it has.")
      .def_static("from_tokens", &sentence_input, nb::arg("tokens"))
      .def(
          "__init__",
          [](Input* self, std::int32_t length) { new (self) Input{length, {}, {}, {}, {}, {}}; },
          nb::arg("length"))
      .def(
          "add_arc",
          [](Input& self, std::int32_t from, std::int32_t to, std::string word,
             std::vector<std::string> names, std::vector<double> values, bool passes) {
            self.arcs.push_back(
                {from, to, std::move(word), std::move(names), std::move(values), passes});
          },
          nb::arg("start"), nb::arg("end"), nb::arg("word"), nb::arg("names"), nb::arg("values"),
          nb::kw_only(), nb::arg("passes") = true)
      .def(
          "add_zone",
          [](Input& self, std::int32_t from, std::int32_t to) {
            self.borders.zones.push_back({from, to});
          },
          nb::arg("start"), nb::arg("end"), "Words that stay together in the translation.")
      .def(
          "add_wall",
          [](Input& self, std::int32_t position) { self.borders.walls.push_back(position); },
          nb::arg("position"), "A position that nothing is moved across.")
      .def_rw("grammar_paths", &Input::grammar_paths)
      .def_rw("grammar_text", &Input::grammar_text)
      .def(
          "add_grammar",
          [](Input& self, std::shared_ptr<const SentenceGrammar> grammar) {
            self.grammars.push_back(std::move(grammar));
          },
          nb::arg("grammar"));

  nb::class_<RuleFunction>(module, "RuleFunction", "A stateless feature function of cdec's.");
  module.def("rule_function", &make_rule_function, nb::arg("name"), nb::arg("weights"),
             "WordPenalty or SourceWordPenalty; None for any other name.");
  module.def(
      "unknown_words",
      [](const std::shared_ptr<StatefulScorer>& scorer, FeatureId feature) {
        return make_unknown_words(as_language_model(scorer), feature);
      },
      nb::arg("model"), nb::arg("feature"),
      "Counts the target words that a language model does not know.");

  module.attr("COMPILED_GRAMMAR") = kCompiledGrammarVersion;
  module.def(
      "check_compiled_grammar",
      [](const std::filesystem::path& path) { check_compiled_grammar(path); }, nb::arg("path"),
      Release(), "Checks the whole file of a compiled grammar.");

  module.def("unigrams", &unigrams, nb::arg("model"), nb::arg("words"),
             "log10 of the probabilities that a language model gives to words without context.");
  module.def(
      "reads_sentences",
      [](const std::shared_ptr<StatefulScorer>& scorer) {
        return std::dynamic_pointer_cast<SentenceModel>(scorer) != nullptr;
      },
      nb::arg("scorer"), "Tells whether `sentence_scores` takes a scorer.");
  module.def("sentence_scores", &sentence_scores, nb::arg("model"), nb::arg("sentences"),
             "The values that the feature of an n-gram model has for sentences, which are words.");

  nb::class_<GrowingModel>(module, "GrowingModel", "An n-gram model of a growing text.")
      .def(
          "__init__",
          [](GrowingModel* self, int order, double discount, bool continuation, double share,
             std::shared_ptr<StatefulScorer> background) {
            new (self)
                GrowingModel({order, discount, continuation, share}, as_language_model(background));
          },
          nb::kw_only(), nb::arg("order"), nb::arg("discount"), nb::arg("continuation"),
          nb::arg("share") = 1.0, nb::arg("background").none() = nb::none())
      .def_prop_ro("order", &GrowingModel::order)
      .def(
          "add",
          [](GrowingModel& self, std::span<const std::string> words,
             const std::vector<double>& background) { self.add(words, background); },
          nb::arg("words"), nb::arg("background"),
          "Adds a sentence, with log10 of the background probability of each word and of the end.")
      .def("remove", &GrowingModel::remove, nb::arg("words"), "Removes a sentence that was added.")
      .def("scores", &GrowingModel::scores, nb::arg("words"),
           "log10 of the probability over that of the background, of each word of a sentence and "
           "of its end.");
  module.def(
      "growing_model_scorer",
      [](std::shared_ptr<GrowingModel> model, FeatureId feature) {
        return std::shared_ptr<StatefulScorer>(
            std::make_shared<GrowingModelScorer>(std::move(model), feature));
      },
      nb::arg("model"), nb::arg("feature"), "The feature of a growing model.");

  nb::class_<JointCache>(module, "JointCache", "What corrections tell a joint model.")
      .def(
          "__init__",
          [](JointCache* self, const std::shared_ptr<StatefulScorer>& model, float prior,
             float sharpness, std::size_t most) {
            auto network = network_of(*model);
            if (!network) throw nb::type_error("expected a joint model");
            new (self) JointCache(std::move(network), {prior, sharpness, most});
          },
          nb::kw_only(), nb::arg("model"), nb::arg("prior"), nb::arg("sharpness"), nb::arg("most"))
      .def(
          "add",
          [](JointCache& self, std::int32_t correction, std::span<const std::string> source,
             std::span<const std::string> target, const std::vector<std::int32_t>& affiliations) {
            self.add(correction, source, target, affiliations);
          },
          nb::arg("correction"), nb::arg("source"), nb::arg("target"), nb::arg("affiliations"),
          "Adds a correction, with the source position of each target word.")
      .def("remove", &JointCache::remove, nb::arg("correction"))
      .def(
          "gains",
          [](const JointCache& self, std::span<const std::string> source,
             std::span<const std::string> target, const std::vector<std::int32_t>& affiliations) {
            return self.gains(source, target, affiliations);
          },
          nb::arg("source"), nb::arg("target"), nb::arg("affiliations"),
          "What the cache adds to the log probability of each word and of the end, in the order "
          "in which the model reads.");
  module.def("cached_joint_model", &cached_joint_model, nb::arg("model"), nb::arg("cache"),
             nb::arg("feature"), "A joint model with a second feature, what the cache adds.");

  nb::class_<Engine>(module, "Engine",
                     "Vocabulary, weights and grammars, which all sentences share.")
      .def(
          "__init__",
          [](Engine* self, std::shared_ptr<Weights> weights, std::string goal,
             std::string default_nonterminal, std::int32_t max_span, bool glue, bool pass_through,
             std::int32_t extra_pass_through_features,
             const std::filesystem::path& compiled_grammar) {
            new (self) Engine(std::move(weights),
                              {std::move(goal), std::move(default_nonterminal), max_span, glue,
                               pass_through, extra_pass_through_features},
                              compiled_grammar);
          },
          nb::arg("weights"), nb::kw_only(), nb::arg("goal"), nb::arg("default_nonterminal"),
          nb::arg("max_span"), nb::arg("glue"), nb::arg("pass_through"),
          nb::arg("extra_pass_through_features"), nb::arg("compiled_grammar") = "",
          "`compiled_grammar` is the path of the main grammar; empty for a text grammar.")
      .def("add_compiled_grammar", &Engine::add_compiled_grammar, nb::arg("path"), Release(),
           "Reads the rules of a compiled grammar, beside the main grammar.")
      .def("write_compiled_grammar", &Engine::write_compiled_grammar, nb::arg("path"), Release(),
           "Writes the main grammar, which is finished, and returns its number of rules.")
      .def("read_grammar", &Engine::read_grammar, nb::arg("path"), Release())
      .def("read_sentence_grammar", &Engine::read_sentence_grammar, nb::arg("path"), Release(),
           "Reads a grammar that the input names, for its features.")
      .def("read_glue", &Engine::read_glue, nb::arg("path"), Release())
      .def("finish", &Engine::finish, Release(),
           "Fixes the vocabulary and the numbers of the rules.")
      .def("parse", &Engine::parse, nb::arg("input"), Release(),
           "The translation forest, empty if there is no derivation.")
      .def(
          "read_cdec_forest",
          [](const Engine& self, const nb::bytes& archive) {
            const std::string_view content(archive.c_str(), archive.size());
            const nb::gil_scoped_release release;
            return read_cdec_forest(content, *self.weights(), {}, self.ground());
          },
          nb::arg("archive"),
          "A forest as cdec writes it, for rescoring. ValueError names the byte that is wrong.")
      .def_prop_ro(
          "lasting_rules", [](const Engine& self) { return self.base().lasting_size(); },
          "The largest number of rules that are the same in every forest, for caches of rules.")
      .def(
          "language_model",
          [](const Engine& self, const std::filesystem::path& path,
             const std::filesystem::path& class_map, bool explicit_markers, FeatureId feature) {
            auto model = load_language_model({path, class_map, explicit_markers}, feature,
                                             self.vocabulary(), self.base_rules());
            if (model->rounded() > 0) {
              const Acquire acquire;
              if (PyErr_WarnFormat(
                      PyExc_UserWarning, 1,
                      "%s: %zu log probabilities are above 0 by rounding, and count as 0",
                      path.c_str(), model->rounded()) < 0)
                throw nb::python_error();
            }
            return std::shared_ptr<StatefulScorer>(model);
          },
          nb::arg("path"), nb::kw_only(), nb::arg("class_map"), nb::arg("explicit_markers"),
          nb::arg("feature"), Release(), "Loads an n-gram model.")
      .def(
          "joint_model",
          [](const Engine& self, const std::filesystem::path& path, FeatureId feature) {
            return load_joint_model(path, feature, self.vocabulary());
          },
          nb::arg("path"), nb::kw_only(), nb::arg("feature"), Release(), "Loads a joint model.");
}

}  // namespace hopefear::bindings
