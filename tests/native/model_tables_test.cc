// KenLM binaries of each type, whole and damaged.
#include <random>

#include "lm/model.hh"
#include "model_text.h"
#include "scorers/language_model.h"
#include "toy.h"

namespace {

enum Kind { kProbing, kRest, kTrie, kQuantized, kArray, kQuantizedArray };
constexpr Kind kKinds[] = {kProbing, kRest, kTrie, kQuantized, kArray, kQuantizedArray};

constexpr std::size_t kCounts = 108;  // where the header has the number of unigrams
constexpr std::size_t kBegin = 136;   // where the tables of a model of order 3 begin

// Many n-grams of few words: each word follows some of the others.
std::string larger_arpa() {
  constexpr int kWords = 60;
  const auto name = [](int i) {
    return i < 3 ? std::string(1, "uvw"[i]) : "x" + std::to_string(i);
  };
  std::string unigrams = "-2\t<unk>\n-9\t<s>\t-0.5\n-1\t</s>\n", bigrams, trigrams;
  int bigram_count = 0, trigram_count = 0;
  for (int i = 0; i < kWords; ++i) {
    unigrams += "-1." + std::to_string(i) + "\t" + name(i) + "\t-0.25\n";
    for (int j = i % 4; j < kWords; j += 4, ++bigram_count) {
      bigrams += "-0." + std::to_string(i + j + 1) + "\t" + name(i) + " " + name(j) + "\t-0.125\n";
      for (int k = j % 4; k < kWords; k += 20, ++trigram_count) {
        trigrams += "-0.3\t" + name(i) + " " + name(j) + " " + name(k) + "\n";
      }
    }
  }
  return "\\data\\\nngram 1=" + std::to_string(kWords + 3) +
         "\nngram 2=" + std::to_string(bigram_count) +
         "\nngram 3=" + std::to_string(trigram_count) + "\n\n\\1-grams:\n" + unigrams +
         "\n\\2-grams:\n" + bigrams + "\n\\3-grams:\n" + trigrams + "\n\\end\\\n";
}

std::string binary(Kind kind, const std::string& text) {
  const TemporaryFile arpa(text), out;
  lm::ngram::Config config;
  config.write_mmap = out.path().c_str();
  config.messages = nullptr;
  config.show_progress = false;
  config.rest_function = lm::ngram::Config::REST_MAX;
  config.prob_bits = 8;
  config.backoff_bits = 3;
  const auto build = [&]<class Model>() { const Model model(arpa.path().c_str(), config); };
  using namespace lm::ngram;
  if (kind == kProbing) build.operator()<ProbingModel>();
  if (kind == kRest) build.operator()<RestProbingModel>();
  if (kind == kTrie) build.operator()<TrieModel>();
  if (kind == kQuantized) build.operator()<QuantTrieModel>();
  if (kind == kArray) build.operator()<ArrayTrieModel>();
  if (kind == kQuantizedArray) build.operator()<QuantArrayTrieModel>();
  return read_file(out.path());
}

// The best score of a translation, by a model in memory.
double score(const Toy& toy, const std::string& content) {
  const TemporaryFile file(content);
  const auto model =
      load_language_model({file.path(), "", false}, toy.weights->intern("LanguageModel"),
                          toy.engine.vocabulary(), toy.engine.base_rules());
  toy.weights->data()[toy.weights->intern("LanguageModel")] = 1;
  const auto forest = toy.rescored(toy.parse("a b c a b c"), *model, 30);
  return hopefear::score(*forest, viterbi(*forest));
}

template <class T>
std::string changed(std::string content, std::size_t at, T value) {
  std::memcpy(content.data() + at, &value, sizeof value);
  return content;
}

}  // namespace

TEST(whole_binaries_score_as_their_arpa_file) {
  const Toy toy;
  std::string no_unknown = kArpa;
  no_unknown.replace(no_unknown.find("ngram 1=5"), 9, "ngram 1=4");
  no_unknown.erase(no_unknown.find("-2\t<unk>\n"), 9);
  for (const std::string& arpa : {std::string(kArpa), larger_arpa(), no_unknown}) {
    const double expected = score(toy, arpa);
    for (const Kind kind : kKinds) CHECK_NEAR(score(toy, binary(kind, arpa)), expected, 5e-3);
  }
}

TEST(damaged_tables_are_refused) {
  const Toy toy;
  const std::string arpa = larger_arpa();
  for (const Kind kind : kKinds) {
    const std::string whole = binary(kind, arpa);
    const auto refuse = [&](const std::string& content, const char* expected) {
      CHECK_INPUT_ERROR(score(toy, content), 0u, expected);
    };
    refuse(whole.substr(0, whole.size() - 1), "words at its end");
    refuse(whole.substr(0, whole.size() / 2), "truncated file");
    refuse(whole + "more", "words at its end");
    if (kind == kProbing || kind == kRest) {
      refuse(changed(whole, kBegin + 4, 65u), "at most 64 words, got 65");
      std::string numbers = whole, full = whole;
      for (std::size_t i = 0; i < 94; ++i) {  // 63 words, multiplied by 1.5, each of 12 bytes
        const std::size_t at = kBegin + 8 + 12 * i;
        const auto number = static_cast<unsigned char>(whole[at + 8]);
        if (number == 62) numbers[at + 8] = 63;
        if (number == 0) full[at] = 1;
      }
      refuse(numbers, "numbers below 63, got 63");
      refuse(full, "a free place in each hash table, got none in that of words");
      refuse(changed(whole, kBegin + 8 + 94 * 12, std::nanf("")), "in its 1-grams");
    } else {
      refuse(changed(whole, kBegin, std::uint64_t{63}), "fewer than 63 hashes of words, got 63");
      refuse(changed(whole, kBegin + 16, ~std::uint64_t{0}), "ascending order");
      const bool quantized = kind == kQuantized || kind == kQuantizedArray;
      std::size_t at = kBegin + 8 + 8 * 63;
      if (quantized) {
        refuse(changed(whole, at, char{1}), "version 2 of quantization");
        refuse(changed(whole, at + 1, char{26}), "1 to 25 bits, got 26");
        const std::string bins = changed(whole, at + 8 + 4 * 255, HUGE_VALF);
        refuse(bins, "in its 2-grams");
        at += 8 + 4 * (256 + 8 + 256);
      }
      refuse(changed(whole, at + 16 * 10 + 8, std::uint64_t{1} << 40), "pointers to 2-grams");
      refuse(changed(whole, at + 16 * 10 + 8, std::uint64_t{0}), "pointers to 2-grams");
      refuse(changed(whole, at, -HUGE_VALF), "in its 1-grams");
      at += 16 * (63 + 2);
      if (kind == kArray || kind == kQuantizedArray) {
        refuse(changed(whole, at, char{1}), "version 0 of compressed pointers");
      }
      std::string pointers = whole;
      for (std::size_t i = at + 2000; i < at + 2100; ++i) pointers[i] = static_cast<char>(i * 77);
      refuse(pointers, "-grams");
    }
    for (int order = 0; order < 3; ++order) {
      const std::size_t place = kCounts + 8 * static_cast<std::size_t>(order);
      refuse(changed(whole, place, std::uint64_t{1} << 62), "room for");
    }
  }
}

TEST(log_probabilities_that_are_not_finite) {
  const Toy toy;
  std::string arpa = kArpa;
  arpa.replace(arpa.find("-0.7\tu"), 6, "-inf\tu");
  CHECK_INPUT_ERROR(score(toy, arpa), 0u, "finite log probabilities");
}

TEST(changed_binaries) {
  const Toy toy;
  std::mt19937 random(8);
  const std::string arpa = larger_arpa();
  for (const Kind kind : kKinds) {
    const std::string whole = binary(kind, arpa);
    std::size_t refused = 0;
    constexpr std::size_t kInputs = 250;
    for (std::size_t input = 0; input < kInputs; ++input) {
      std::string content = whole;
      for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
        const std::size_t at = random() % content.size();
        const std::size_t end = at + random() % std::min<std::size_t>(content.size() - at, 300);
        switch (random() % 5) {
          case 0:
            std::fill(content.begin() + at, content.begin() + end, random() % 2 ? '\xff' : '\0');
            break;
          case 1:
            for (std::size_t i = at; i < end; ++i) content[i] = static_cast<char>(random());
            break;
          case 2:
            content.erase(at, random() % 4 == 0 ? std::string::npos : end - at);
            break;
          default:
            content[at] = static_cast<char>(content[at] ^ (1 << random() % 8));
        }
        if (content.size() < kBegin) content = whole;
      }
      try {
        CHECK(std::isfinite(score(toy, content)));
      } catch (const InputError&) {
        ++refused;
      }
    }
    CHECK(refused > kInputs / 4);
    CHECK(refused < kInputs);
  }
}
