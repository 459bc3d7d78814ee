

#include "model_text.h"
#include "plugins/rule_functions.h"
#include "toy.h"

static std::shared_ptr<const LanguageModel> load(const std::string& path, const Toy& toy,
                                                 const std::string& class_map = "") {
  return load_language_model({path, class_map, false}, toy.weights->intern("LanguageModel"),
                             toy.engine.vocabulary(), toy.engine.base_rules());
}

static double model_value(const Toy& toy, const LanguageModel& model, const std::string& sentence,
                          const std::string& text) {
  const FeatureId feature = toy.weights->intern("LanguageModel");
  toy.weights->data()[feature] = 1;
  const auto forest = toy.rescored(toy.parse(sentence), model);
  for (const Derivation& d : all_derivations(*forest))
    if (text_of(*forest, d) == text) return value_of(*forest, d, feature);
  return std::nan("");
}

TEST(scores_are_those_of_the_back_off_model) {
  const TemporaryFile plain(kArpa), compressed(gzip(kArpa));
  const Toy toy;
  for (const std::string& path : {plain.path(), compressed.path()}) {
    const auto model = load(path, toy);
    CHECK_EQUAL(model->order(), 3u);
    // <s> u w </s>: p(u|<s>) p(w|<s> u) p(</s>|w), the last with the back-off of u w
    CHECK_NEAR(model_value(toy, *model, "a b", "u w"), -0.3 - 0.1 - 0.2 - 0.6, 1e-5);
    // p(w) backs off from <s>; p(u|w); p(</s>) backs off from u
    CHECK_NEAR(model_value(toy, *model, "a b", "w u"), -0.5 - 0.9 - 0.8 - 0.25 - 1, 1e-5);
    const Symbol v = toy.engine.vocabulary().words->find("v");
    CHECK(model->is_unknown(v, toy.engine.vocabulary()));
  }
}

TEST(a_class_map_stands_between_words_and_model) {
  const TemporaryFile arpa(kArpa), map("u v -0.5\nw w -1.5\n");
  const Toy toy;
  const auto model = load(arpa.path(), toy, map.path());
  // v is a u: as "u w w" in the model, with p(v|u) and p(w|w)
  CHECK_NEAR(model_value(toy, *model, "a", "v w"), -0.3 - 0.1 - 0.2 - 0.6 - 0.5 - 1.5, 1e-5);
}

TEST(bad_class_maps_are_refused) {
  const TemporaryFile arpa(kArpa);
  const Toy toy;
  for (const auto& [text, line, expected] : {std::tuple{"u v\n", 1u, "CLASS WORD logp"},
                                             {"u v -1\nu w one\n", 2u, "CLASS WORD logp"},
                                             {"u v nan\n", 1u, "CLASS WORD logp"},
                                             {"u v -1\nw v -1\n", 2u, "one class for each word"}}) {
    const TemporaryFile map(text);
    CHECK_INPUT_ERROR(load(arpa.path(), toy, map.path()), line, expected);
  }
}

TEST(bad_arpa_files_are_refused) {
  const Toy toy;
  const auto refuse = [&](std::string from, const std::string& to, std::size_t line,
                          const char* expected) {
    std::string text = kArpa;
    text.replace(text.find(from), from.size(), to);
    for (const std::string& content : {text, gzip(text)}) {
      const TemporaryFile file(content);
      CHECK_INPUT_ERROR(load(file.path(), toy), line, expected);
    }
  };
  refuse("\\data\\", "data", 1, "\\data\\");
  refuse("ngram 1=5", "ngram 1=five", 2, "'ngram 1='");
  refuse("ngram 2=4", "ngram 3=4", 3, "'ngram 2='");
  refuse("ngram 1=5", "ngram 1=99999999999", 2, "fits the size of the file");
  refuse("ngram 1=5", "ngram 1=18446744073709551615", 2, "fits the size of the file");
  refuse("ngram 2=4\nngram 3=1\n", "", 3, "order 2 at least");
  refuse("\\2-grams:", "\\4-grams:", 13, "2-grams");
  refuse("ngram 1=5", "ngram 1=6", 2, "1-grams that follow, 5, got 6");
  refuse("ngram 1=5", "ngram 1=4", 2, "1-grams that follow, 5, got 4");
  refuse("-0.7\tu", "zero\tu", 10, "zero");
  refuse("-0.7\tu", "-0.7 u", 10, "tab");
  refuse("u w\t-0.2", "u q\t-0.2", 15, "q");
  refuse("-0.25", "-0.25x", 10, "");
  refuse("</s>\n-0.7", "</t>\n-0.7", 11, "</s>");
  refuse("\\end\\\n", "", 21, "");
}

TEST(truncated_models_are_refused) {
  const Toy toy;
  const std::string arpa = kArpa, packed = gzip(kArpa);
  for (std::size_t n = 0; n + 6 < arpa.size(); n += 7) {
    const TemporaryFile file(std::string_view(arpa).substr(0, n));
    CHECK_THROWS(load(file.path(), toy), InputError);
  }
  for (std::size_t n = 0; n < packed.size(); n += 7) {
    const TemporaryFile file(std::string_view(packed).substr(0, n));
    CHECK_THROWS(load(file.path(), toy), InputError);
  }
  CHECK_INPUT_ERROR(load("/nowhere/model", toy), 0u, "cannot be opened");
  CHECK_INPUT_ERROR(load(std::filesystem::temp_directory_path().string(), toy), 0u, "directory");
}

TEST(bad_binary_headers_are_refused) {
  const Toy toy;
  std::string magic = "mmap lm http://kheafield.com/code format version 5\n";
  const auto refuse = [&](const std::string& content, const char* expected) {
    const TemporaryFile file(content);
    CHECK_INPUT_ERROR(load(file.path(), toy), 0u, expected);
  };
  refuse(magic, "got a truncated file");
  refuse(magic + std::string(500, '\xff'), "got order 255");
  refuse("mmap lm http://kheafield.com/code format version 4\n" + std::string(500, '\0'),
         "version 4");
  refuse("mmap lm http://kheafield.com/code incomplete\n" + std::string(500, '\0'),
         "did not finish");
  const std::string header = binary_header();
  const auto with = [&](std::uint32_t order, float multiplier, std::uint32_t type,
                        std::uint64_t count) {
    std::string all = header;
    for (const std::uint32_t field : {order, std::uint32_t{0}, type, 0u, 0u}) {
      all.append(reinterpret_cast<const char*>(&field), sizeof field);
    }
    std::memcpy(all.data() + header.size() + 4, &multiplier, sizeof multiplier);
    for (int i = 0; i < 2; ++i) all.append(reinterpret_cast<const char*>(&count), sizeof count);
    return all + std::string(200, '\0');
  };
  refuse(with(7, 1.5f, 0, 3), "got order 7");
  refuse(with(2, 1.5f, 77, 3), "got type 77");
  refuse(with(2, std::nanf(""), 0, 3), "multiplier");
  refuse(with(2, 1e30f, 0, 3), "multiplier");
  refuse(with(2, 1.5f, 0, std::uint64_t{1} << 62), "got a shorter file");
  refuse(with(2, 1.5f, 2, 100), "");
}
