// Each native reader gets 2,000,000 bytes, the same in each run: random ones, and valid inputs with
// bytes flipped, cut off, doubled or replaced. Nothing but an InputError may come of it.
#include <chrono>
#include <random>

#include "base/weights_file.h"
#include "forest/cdec_archive.h"
#include "model_text.h"
#include "scorers/language_model.h"
#include "toy.h"

static constexpr std::size_t kBytes = 2'000'000;

class Fuzz {
 public:
  Fuzz(std::uint32_t seed, std::vector<std::string> valid)
      : random_(seed), valid_(std::move(valid)) {}

  std::string next() {
    if (below(8) == 0) return noise(below(200));
    std::string text = valid_[below(valid_.size())];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return random_() % std::max<std::size_t>(end, 1); }

  std::string noise(std::size_t length) {
    static constexpr std::string_view kLikely = " \t\n\r|[],=-.#0123456789eaXS\\<>";
    const bool is_text = below(2) == 0;
    std::string text;
    while (text.size() < length) {
      text += is_text ? kLikely[below(kLikely.size())] : static_cast<char>(below(256));
    }
    return text;
  }

  void change(std::string& text) {
    const std::size_t at = below(text.size() + 1),
                      length = below(std::min<std::size_t>(text.size() - at, 30) + 1);
    switch (below(6)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      case 3:
        text.insert(at, noise(1 + below(8)));
        break;
      case 4:
        text.insert(at, valid_[below(valid_.size())].substr(0, below(60)));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }

  std::mt19937 random_;
  std::vector<std::string> valid_;
};

// Only InputError may come out, and no input may take long.
static void run(const char* name, std::uint32_t seed, std::vector<std::string> valid,
                const std::function<void(const std::string&)>& read) {
  Fuzz fuzz(seed, std::move(valid));
  const auto start = std::chrono::steady_clock::now();
  std::size_t bytes = 0, inputs = 0, refused = 0;
  for (; bytes < kBytes; ++inputs) {
    const std::string input = fuzz.next();
    bytes += input.size();
    try {
      read(input);
    } catch (const InputError& error) {
      ++refused;
      CHECK(!std::string(error.what()).empty());
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::cout << name << ": " << inputs << " inputs, " << refused << " refused, " << seconds.count()
            << " s\n";
  CHECK(refused > inputs / 10);
  CHECK(refused < inputs);
}

static void with_file(const std::string& content,
                      const std::function<void(const std::string&)>& read) {
  static const TemporaryFile file;
  file.write(content);
  read(file.path());
}

static const std::string kRules =
    std::string(kToyGrammar) +
    "[NP] ||| \xe6\xbe\xb3\xe6\xb4\xb2 [X,1] ||| [X,1] australia ||| 1 2e-3 name=-.5 ||| 0-1\n";

TEST(grammars) {
  run("grammar", 1, {kRules}, [](const std::string& input) {
    Weights weights;
    Grammar grammar(std::make_shared<Vocabulary>());
    parse_grammar(input, "text", weights, grammar);
    grammar.finish();
  });
}

TEST(grammar_files) {
  run("grammar file", 2, {kRules, gzip(kRules), gzip(kRules) + gzip(kRules)},
      [](const std::string& input) {
        Weights weights;
        Grammar grammar(std::make_shared<Vocabulary>());
        with_file(input, [&](const std::string& path) { read_grammar(path, weights, grammar); });
        grammar.finish();
      });
}

TEST(decoding_with_what_was_read) {
  run("sentence grammar", 3, {kRules}, [](const std::string& input) {
    static const Toy toy;
    Input sentence = Toy::sentence("a b c");
    sentence.grammar_text = input;
    try {
      const auto forest = toy.parse(sentence);
      if (!forest->empty()) text_of(*forest, viterbi(*forest));
    } catch (const std::invalid_argument&) {  // unary rules in a cycle
    }
  });
}

TEST(forests_of_cdec) {
  const Toy toy;
  run("forest of cdec", 7, {write_cdec_forest(*toy.parse("a b c"), *toy.weights)},
      [](const std::string& input) {
        Weights weights;
        try {
          const auto forest = read_cdec_forest(input, weights);
          text_of(*forest, viterbi(*forest));
        } catch (const ArchiveError& error) {
          throw InputError("archive", 0, error.what());
        }
      });
}

TEST(weights_files) {
  std::string text = "# tuned\nGlue 0.5\nPhraseModel_0=-1e-3\nR:X:a=b:c\t2\n";
  for (int i = 0; i < 20; ++i) text += "feature_" + std::to_string(i) + " 0.25\n";
  run("weights", 4, {text, gzip(text)}, [](const std::string& input) {
    Weights weights;
    with_file(input, [&](const std::string& path) { read_weights(path, 1, weights); });
  });
}

static void load(const Toy& toy, const std::string& path, const std::string& map = "") {
  load_language_model({path, map, false}, toy.weights->intern("LanguageModel"),
                      toy.engine.vocabulary(), toy.engine.base_rules());
}

TEST(arpa_files) {
  const Toy toy;
  run("arpa", 5, {kArpa, gzip(kArpa)}, [&](const std::string& input) {
    with_file(input, [&](const std::string& path) { load(toy, path); });
  });
}

TEST(class_maps) {
  const Toy toy;
  const TemporaryFile arpa(kArpa);
  std::string text = "u v -0.5\nw w -1.5\nw x -0.25\n\xe6\xbe\xb3 y -1e-3\n";
  for (int i = 0; i < 20; ++i) text += "w word_" + std::to_string(i) + " -1.25\n";
  run("class map", 6, {text}, [&](const std::string& input) {
    with_file(input, [&](const std::string& path) { load(toy, arpa.path(), path); });
  });
}

// Binaries begin with their parameters; model_tables_test.cc changes what is behind these.
TEST(binary_headers) {
  const Toy toy;
  std::vector<std::string> headers;
  for (std::uint32_t type = 0; type < 6; ++type) {
    std::string all = binary_header();
    const auto add = [&all](auto value) {
      all.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    add(std::uint32_t{3});
    add(1.5f);
    add(type);
    add(std::uint32_t{0});
    add(std::uint32_t{type < 2 ? 0u : 1u});
    for (const std::uint64_t count : {100u, 200u, 300u}) add(count);
    headers.push_back(all);
  }
  Fuzz fuzz(7, headers);
  std::size_t bytes = 0, inputs = 0;
  for (; bytes < kBytes; ++inputs) {
    const std::string input = fuzz.next();
    bytes += input.size();
    // Too short a body, so that all must be refused.
    CHECK_THROWS(with_file(input, [&](const std::string& path) { load(toy, path); }), InputError);
  }
  std::cout << "binary headers: " << inputs << " inputs\n";
}
