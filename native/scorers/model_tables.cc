#include "scorers/model_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "base/input_error.h"
#include "base/mapped_file.h"
#include "lm/bhiksha.hh"
#include "lm/config.hh"
#include "lm/quantize.hh"
#include "lm/search_hashed.hh"
#include "lm/trie.hh"
#include "lm/value.hh"
#include "lm/vocab.hh"
#include "lm/weights.hh"
#include "util/bit_packing.hh"

namespace hopefear {
namespace {

using lm::ngram::ModelType;
using lm::ngram::trie::ArrayBhiksha;
using lm::ngram::trie::DontBhiksha;

constexpr float kMostLog = 1e30f;  // sums over sentences are far from infinity

template <class T>
T value_at(const std::uint8_t* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

// Bits of a bit-packed table, at most 57.
std::uint64_t bits_at(const std::uint8_t* table, std::uint64_t bit, unsigned length) {
  static_assert(std::endian::native == std::endian::little);
  return value_at<std::uint64_t>(table + bit / 8) >> bit % 8 & ((std::uint64_t{1} << length) - 1);
}

float float_of(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

bool is_log(float value) { return std::fabs(value) <= kMostLog; }  // false for NaN

class ModelTables {
 public:
  ModelTables(const std::string& path, const ModelHeader& header,
              std::span<const std::uint8_t> file)
      : path_(path), header_(header), counts_(header.counts), file_(file), at_(header.bytes) {
    config_.probing_multiplier = header.probing_multiplier;
    take(0);
  }

  void check() {
    const std::uint64_t words = check_tables();
    if (header_.has_words) check_words(words);
  }

 private:
  [[noreturn]] void fail(const auto&... message) const {
    throw InputError(path_, 0, "expected a KenLM binary ", message...);
  }

  // The next table, of that many bytes.
  const std::uint8_t* take(std::uint64_t bytes) {
    if (at_ > file_.size() || bytes > file_.size() - at_)
      fail("with complete tables, got a truncated file");
    const std::uint8_t* const table = file_.data() + at_;
    at_ += bytes;
    return table;
  }

  void check_logs(const std::uint8_t* place, std::size_t number, bool& good) const {
    for (std::size_t i = 0; i < number; ++i) good &= is_log(value_at<float>(place + 4 * i));
  }

  void expect_logs(bool good, std::size_t order) const {
    if (!good) {
      fail("with finite probabilities and back-off weights, got others in its ", order, "-grams");
    }
  }

  void expect_free_place(bool found, const std::string& table) const {
    if (!found) fail("with a free place in each hash table, got none in that of " + table);
  }

  // Gives the number of words.
  std::uint64_t check_tables() {
    using namespace lm::ngram;
    switch (static_cast<ModelType>(header_.model_type)) {
      case PROBING:
        return check_probing<BackoffValue>();
      case REST_PROBING:
        return check_probing<RestValue>();
      case TRIE:
        return check_trie<DontQuantize, DontBhiksha>();
      case QUANT_TRIE:
        return check_trie<SeparatelyQuantize, DontBhiksha>();
      case ARRAY_TRIE:
        return check_trie<DontQuantize, ArrayBhiksha>();
      case QUANT_ARRAY_TRIE:
        return check_trie<SeparatelyQuantize, ArrayBhiksha>();
    }
    return 0;  // all are named above
  }

  // The hash tables of words and of n-grams. Gives the number of words.
  template <class Value>
  std::uint64_t check_probing() {
    using lm::ngram::ProbingVocabularyEntry;
    constexpr std::uint64_t kHeader = 8;
    using Weights = typename Value::Weights;
    const std::uint64_t bytes = lm::ngram::ProbingVocabulary::Size(counts_[0], config_);
    const std::uint8_t* const vocabulary = take(bytes);
    const auto bound = value_at<lm::WordIndex>(vocabulary + sizeof(unsigned));
    if (bound < 1 || bound > counts_[0] + 1) {
      fail("of at most ", counts_[0] + 1, " words, got ", bound);
    }
    lm::WordIndex most = 0;
    bool has_free = false;
    for (std::uint64_t at = kHeader; at < bytes; at += sizeof(ProbingVocabularyEntry)) {
      most = std::max(most, value_at<lm::WordIndex>(vocabulary + at + sizeof(std::uint64_t)));
      has_free |= value_at<std::uint64_t>(vocabulary + at) == 0;
    }
    if (most >= bound) {
      fail("with words of numbers below ", bound, ", got ", most);
    }
    expect_free_place(has_free, "words");

    bool good = true;
    check_logs(take((counts_[0] + 1) * sizeof(Weights)),
               (counts_[0] + 1) * sizeof(Weights) / sizeof(float), good);
    expect_logs(good, 1);
    for (std::size_t order = 2; order < counts_.size(); ++order) {
      check_hashed<typename Value::ProbingEntry>(order);
    }
    check_hashed<lm::ngram::detail::ProbEntry>(counts_.size());
    return bound;
  }

  template <class Entry>
  void check_hashed(std::size_t order) {
    using Table = util::ProbingHashTable<Entry, util::IdentityHash>;
    const std::uint64_t bytes = Table::Size(counts_[order - 1], header_.probing_multiplier);
    const std::uint8_t* const table = take(bytes);
    bool has_free = false, good = true;
    for (std::uint64_t at = 0; at < bytes; at += sizeof(Entry)) {
      has_free |= value_at<std::uint64_t>(table + at) == 0;
      check_logs(table + at + sizeof(std::uint64_t),
                 (sizeof(Entry) - sizeof(std::uint64_t)) / sizeof(float), good);
    }
    expect_free_place(has_free, concat(order, "-grams"));
    expect_logs(good, order);
  }

  // Sorted words, tables of quantized values, unigrams, and the bit-packed n-grams of each order.
  // Gives the number of words.
  template <class Quant, class Bhiksha>
  std::uint64_t check_trie() {
    const std::uint8_t* const vocabulary =
        take(lm::ngram::SortedVocabulary::Size(counts_[0], config_));
    const auto hashes = value_at<std::uint64_t>(vocabulary);
    if (hashes >= counts_[0]) {
      fail("with fewer than ", counts_[0], " hashes of words, got ", hashes);
    }
    bool ascends = true;
    for (std::uint64_t i = 1; i < hashes; ++i) {
      ascends &= value_at<std::uint64_t>(vocabulary + 8 * i) <=
                 value_at<std::uint64_t>(vocabulary + 8 * (i + 1));
    }
    if (!ascends) fail("with hashes of words in ascending order, got others");

    if constexpr (std::is_same_v<Quant, lm::ngram::SeparatelyQuantize>) read_bins();
    check_unigrams();
    for (std::size_t order = 2; order < counts_.size(); ++order)
      check_middle<Quant, Bhiksha>(order);
    check_longest<Quant>();
    return hashes + 1;
  }

  void check_unigrams() {
    constexpr std::uint64_t kEntry = sizeof(lm::ngram::trie::UnigramValue);
    const std::uint8_t* const unigrams = take(lm::ngram::trie::Unigram::Size(counts_[0]));
    bool good = true;
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i <= counts_[0]; ++i) {
      if (i < counts_[0]) check_logs(unigrams + kEntry * i, 2, good);
      advance(value_at<std::uint64_t>(unigrams + kEntry * i + sizeof(lm::ProbBackoff)), last, 1);
    }
    expect_logs(good, 1);
  }

  // A pointer to the n-grams that are longer by a word.
  void advance(std::uint64_t next, std::uint64_t& last, std::size_t order) const {
    if (next < last || next > counts_[order]) {
      fail("with pointers to ", order + 1, "-grams in ascending order, up to ", counts_[order],
           ", got ", next, " behind ", last);
    }
    last = next;
  }

  template <class Quant, class Bhiksha>
  void check_middle(std::size_t order) {
    constexpr bool kArray = std::is_same_v<Bhiksha, ArrayBhiksha>;
    const std::uint64_t entries = counts_[order - 1], most = counts_[order];
    if (kArray && order == 2) {
      if (file_.size() - at_ < 2) fail("with complete tables, got a truncated file");
      if (file_[at_] != 0) fail("of version 0 of compressed pointers, got another");
      config_.pointer_bhiksha_bits = file_[at_ + 1];
    }
    const std::uint8_t quantized = Quant::MiddleBits(config_);
    const std::uint64_t bytes = lm::ngram::trie::BitPackedMiddle<Bhiksha>::Size(
        quantized, entries, counts_[0], most, config_);
    const std::uint64_t offsets = Bhiksha::Size(entries + 1, most, config_);
    const std::uint8_t inlined = Bhiksha::InlineBits(entries + 1, most, config_);
    const std::uint8_t* const table = take(bytes);
    const std::uint8_t* const packed = table + offsets;
    const std::uint8_t word = util::RequiredBits(counts_[0]);
    const std::uint64_t total = word + quantized + inlined;

    // Where the upper bits of compressed pointers change: place p is the first n-gram with bits p.
    const std::uint8_t* changes = nullptr;
    std::uint64_t upper = 0, uppers = 1;
    if constexpr (kArray) {
      const auto misplaced = reinterpret_cast<std::uintptr_t>(table) & 7;
      changes = table + (misplaced ? 8 - misplaced : 0) + 8;
      uppers = (most >> inlined) + 1;
      if (value_at<std::uint64_t>(changes) != 0)
        fail("with compressed pointers from the first n-gram on, got others");
      for (std::uint64_t i = 1; i < uppers; ++i) {
        if (value_at<std::uint64_t>(changes + 8 * (i - 1)) >
            value_at<std::uint64_t>(changes + 8 * i)) {
          fail("with compressed pointers in ascending order, got others");
        }
      }
    }
    bool good = true;
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i <= entries; ++i) {
      const std::uint64_t bit = i * total + word;
      if (i < entries) good &= has_good_values<Quant>(packed, bit, order);
      if constexpr (kArray) {
        while (upper + 1 < uppers && value_at<std::uint64_t>(changes + 8 * (upper + 1)) <= i)
          ++upper;
      }
      advance(upper << inlined | bits_at(packed, bit + quantized, inlined), last, order);
    }
    expect_logs(good, order);
  }

  template <class Quant>
  void check_longest() {
    const std::uint64_t entries = counts_.back();
    const std::uint8_t quantized = Quant::LongestBits(config_);
    const std::uint8_t* const packed =
        take(lm::ngram::trie::BitPackedLongest::Size(quantized, entries, counts_[0]));
    const std::uint8_t word = util::RequiredBits(counts_[0]);
    const std::uint64_t total = word + quantized;
    bool good = true;
    for (std::uint64_t i = 0; i < entries; ++i) {
      good &= has_good_values<Quant>(packed, i * total + word, counts_.size());
    }
    expect_logs(good, counts_.size());
  }

  // Whether the values of an n-gram, at that bit, are finite.
  template <class Quant>
  bool has_good_values(const std::uint8_t* packed, std::uint64_t bit, std::size_t order) const {
    const bool longest = order == counts_.size();
    if constexpr (std::is_same_v<Quant, lm::ngram::SeparatelyQuantize>) {
      const Bins& bins = bins_[order - 2];
      const std::uint8_t skipped = longest ? 0 : config_.backoff_bits;
      const std::uint64_t probability = bits_at(packed, bit + skipped, config_.prob_bits);
      if (!bins.good_probability[probability]) return false;
      if (longest) return true;
      return bins.good_backoff[bits_at(packed, bit, config_.backoff_bits)];
    } else {
      return is_log(float_of(bits_at(packed, bit, 31))) &&
             (longest || is_log(float_of(bits_at(packed, bit + 31, 32))));
    }
  }

  // The tables of quantized values; some that no n-gram has may be infinite.
  struct Bins {
    std::vector<std::uint8_t> good_probability, good_backoff;
  };

  void read_bins() {
    constexpr unsigned kVersion = 2, kMostBits = 25;
    constexpr std::uint64_t kHeader = 8;
    if (file_.size() - at_ < kHeader) fail("with complete tables, got a truncated file");
    const std::uint8_t version = file_[at_];
    config_.prob_bits = file_[at_ + 1];
    config_.backoff_bits = file_[at_ + 2];
    if (version != kVersion) fail("of version 2 of quantization, got version ", version);
    for (const std::uint8_t bits : {config_.prob_bits, config_.backoff_bits}) {
      if (bits < 1 || bits > kMostBits) fail("with quantization to 1 to 25 bits, got ", bits);
    }
    const auto order = static_cast<std::uint8_t>(counts_.size());
    const std::uint8_t* place = take(lm::ngram::SeparatelyQuantize::Size(order, config_)) + kHeader;
    const auto marked = [&place](std::uint8_t bits) {
      std::vector<std::uint8_t> good(std::size_t{1} << bits);
      for (std::uint8_t& each : good) {
        each = is_log(value_at<float>(place));
        place += sizeof(float);
      }
      return good;
    };
    for (std::size_t n = 2; n <= counts_.size(); ++n) {
      Bins& bins = bins_.emplace_back();
      bins.good_probability = marked(config_.prob_bits);
      if (n < counts_.size()) bins.good_backoff = marked(config_.backoff_bits);
    }
  }

  void check_words(std::uint64_t expected) {
    const std::span<const std::uint8_t> words = file_.subspan(at_);
    const auto got = static_cast<std::uint64_t>(std::count(words.begin(), words.end(), 0));
    if (got != expected || words.back() != 0) {
      fail("with ", expected, " words at its end, got ", got);
    }
  }

  const std::string& path_;
  const ModelHeader& header_;
  const std::vector<std::uint64_t>& counts_;
  std::span<const std::uint8_t> file_;
  lm::ngram::Config config_;
  std::size_t at_;  // where the next table begins
  std::vector<Bins> bins_;
};

}  // namespace

void check_model_tables(const std::string& path, const ModelHeader& header) {
  const MappedFile file(path);
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(file.bytes().data());
  reading(&file, [&] { ModelTables(path, header, {begin, file.size()}).check(); });
}

}  // namespace hopefear
