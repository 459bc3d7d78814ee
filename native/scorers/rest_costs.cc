#include "scorers/rest_costs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/input_error.h"
#include "base/key_index.h"
#include "base/line_reader.h"
#include "lm/search_hashed.hh"
#include "scorers/model_file.h"

namespace hopefear {
namespace {

using NgramId = std::int32_t;  // among those of its order
constexpr NgramId kNone = KeyIndex::kUnknown;

// Each round starts from the means that the last one found, and comes nearer to those in the long
// run; more of them change little in the search.
constexpr int kRounds = 7;

// The n-grams of one order. Of the longest, nothing but the first three is needed.
struct Ngrams {
  IdVector<NgramId, NgramId> prefix, suffix;  // without the last word, without the first
  IdVector<NgramId, float> mean;              // of the probabilities in all contexts
  KeyIndex index;                             // by KenLM's pointers
  IdVector<NgramId, bool> at_begin, at_end;   // of a sentence: nothing is before or behind it
  IdVector<NgramId, float> probability, back_off;
  IdVector<NgramId, float> frequency;  // as a context

  Ngrams(std::size_t count, bool is_longest) : index(is_longest ? 1 : 2 * count) {
    for (auto* const numbers : {&prefix, &suffix}) numbers->reserve(count);
    mean.reserve(count);
    if (is_longest) return;
    for (auto* const values : {&probability, &back_off}) values->reserve(count);
  }
  bool is_unknown(NgramId n) const { return index.key(n) == 0; }  // whether it is <unk>
};

constexpr float kNoise = 1e-6F;

struct PositiveLog : InputError {
  using InputError::InputError;
};

// Sums over what may stand before an n-gram.
struct Contexts {
  double frequency = 0, back_off = 0, met = 0;
};

// KenLM's pointer to an n-gram.
std::uint64_t pointer_of(std::span<const lm::WordIndex> words) {
  std::uint64_t pointer = words.back();
  for (std::size_t i = words.size() - 1; i-- > 0;)
    pointer = lm::ngram::detail::CombineWordHash(pointer, words[i]);
  return pointer;
}

class ModelText {
 public:
  ModelText(const std::string& path, std::size_t order, const RestCosts::NumberOf& number_of)
      : number_of_(number_of), begin_(number_of("<s>")), end_(number_of("</s>")), order_(order) {
    LineReader reader(path);
    std::string_view line;
    std::vector<std::size_t> counts;
    while (reader.next(line)) {
      if (line.starts_with('\\') && line.find("-grams:") != line.npos) {
        words_.emplace_back();
        orders_.emplace_back(counts.at(orders_.size()), words_.size() == order_);
      } else if (!orders_.empty()) {
        check(path, reader.line_number(), line);
        read(line);
      } else if (const auto count = ngram_count(line, counts.size() + 1)) {
        counts.push_back(*count);
      }
    }
    for (int round = 0; round < kRounds; ++round) {
      find_frequencies();
      for (std::size_t order = orders_.size() - 1; order-- > 0;) average(order);
    }
  }

  std::size_t rounded() const { return rounded_; }

  // Calls visit(pointer, gain) for what may stand at a left border and gains something.
  template <class Visit>
  void for_each_gain(Visit&& visit) const {
    for (std::size_t order = 0; order + 1 < orders_.size(); ++order) {
      const Ngrams& ngrams = orders_[order];
      for (const NgramId n : ngrams.prefix.ids()) {
        const float gain = std::log10(ngrams.mean[n] / ngrams.probability[n]);
        if (gain != 0 && std::isfinite(gain))
          visit(static_cast<std::uint64_t>(ngrams.index.key(n)), gain);
      }
    }
  }

 private:
  // The next part of a line that is no blank.
  static std::string_view next_part(std::string_view& line) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    const auto begin = std::ranges::find_if_not(line, is_blank);
    const auto end = std::find_if(begin, line.end(), is_blank);
    const std::string_view part(begin, end);
    line = {end, line.end()};
    return part;
  }

  // KenLM takes a log probability above 0 as 0, which only rounding excuses.
  void check(const std::string& path, std::size_t number, std::string_view line) {
    float value = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || !(value > 0)) return;
    if (value > kNoise) {
      throw PositiveLog(
          path, number,
          "expected a log probability of at most 0, got " + std::string(line.data(), stop));
    }
    ++rounded_;
  }

  static std::optional<float> power(std::string_view log) {
    float value = 0;
    const auto [stop, error] = std::from_chars(log.data(), log.data() + log.size(), value);
    if (error != std::errc()) return std::nullopt;
    return std::pow(10.0F, value);
  }

  // An n-gram of the last order so far. KenLM has refused what makes no model; an n-gram whose
  // beginning or end the model does not have is left out.
  void read(std::string_view line) {
    const std::optional<float> probability = power(next_part(line));
    if (!probability) return;
    for (lm::WordIndex& word : words_) word = number_of_(next_part(line));
    Ngrams& ngrams = orders_.back();
    const std::span<const lm::WordIndex> words = words_;
    if (words.size() > 1) {
      find(words.first(words.size() - 1), prefix_);
      find(words.subspan(1), suffix_);
      if (prefix_.number == kNone || suffix_.number == kNone) return;
    }
    if (words.size() < order_) {
      const auto pointer = static_cast<std::int64_t>(pointer_of(words));
      if (ngrams.index.insert(pointer) < ngrams.prefix.count()) return;  // it has stood before
      ngrams.at_begin.push_back(words.front() == begin_);
      ngrams.at_end.push_back(words.back() == end_);
      ngrams.probability.push_back(std::min(*probability, 1.0F));
      ngrams.back_off.push_back(power(next_part(line)).value_or(1.0F));
    }
    ngrams.prefix.push_back(prefix_.number);
    ngrams.suffix.push_back(suffix_.number);
    ngrams.mean.push_back(std::min(*probability, 1.0F));
  }

  // Part of an n-gram, and the number of that n-gram.
  struct Part {
    std::vector<lm::WordIndex> words;
    NgramId number = 0;
  };

  // Makes `part` that of `words`. Mostly it is that already, since files are sorted.
  void find(std::span<const lm::WordIndex> words, Part& part) const {
    if (std::ranges::equal(words, part.words)) return;
    part.words.assign(words.begin(), words.end());
    part.number =
        orders_[words.size() - 1].index.find(static_cast<std::int64_t>(pointer_of(words)));
  }

  // How often each n-gram is a context; those that end the sentence are none.
  void find_frequencies() {
    Ngrams& words = orders_[0];
    double sum = 0, sentences = 0;
    for (const NgramId n : words.prefix.ids()) {
      if (!words.at_begin[n]) sum += double{words.mean[n]};
      if (words.at_end[n]) sentences = double{words.mean[n]};
    }
    words.frequency = words.mean;
    for (const NgramId n : words.prefix.ids()) {
      if (words.at_begin[n]) words.frequency[n] = static_cast<float>(sentences);
      if (words.at_end[n]) words.frequency[n] = 0;
      words.frequency[n] /= static_cast<float>(sum);
    }
    for (std::size_t order = 1; order + 1 < orders_.size(); ++order) {
      Ngrams& ngrams = orders_[order];
      ngrams.frequency.resize(ngrams.prefix.count());
      for (const NgramId n : ngrams.prefix.ids()) {
        ngrams.frequency[n] =
            ngrams.at_end[n] ? 0 : orders_[order - 1].frequency[ngrams.prefix[n]] * ngrams.mean[n];
      }
    }
  }

  // Finds the means of an order, given those of the next one.
  void average(std::size_t order) {
    Ngrams& ngrams = orders_[order];
    const Ngrams& longer = orders_[order + 1];
    // u h by h, and u h w by h w.
    const NgramId shorter = order == 0 ? 1 : orders_[order - 1].prefix.count();
    IdVector<NgramId, Contexts> all(shorter), known(ngrams.prefix.count());
    for (const NgramId n : ngrams.prefix.ids()) {
      Contexts& contexts = all[ngrams.suffix[n]];
      contexts.frequency += double{ngrams.frequency[n]};
      contexts.back_off += double{ngrams.frequency[n]} * double{ngrams.back_off[n]};
    }
    for (const NgramId n : longer.prefix.ids()) {
      const double frequency{ngrams.frequency[longer.prefix[n]]};
      Contexts& contexts = known[longer.suffix[n]];
      contexts.back_off += frequency * double{ngrams.back_off[longer.prefix[n]]};
      contexts.met += frequency * double{longer.mean[n]};
    }
    for (const NgramId n : ngrams.prefix.ids()) {
      if (ngrams.at_begin[n] || ngrams.is_unknown(n)) continue;
      const Contexts& of_prefix = all[ngrams.prefix[n]];
      const double total = order == 0 ? 1 : double{orders_[order - 1].frequency[ngrams.prefix[n]]};
      const double sum = std::max(total, of_prefix.frequency);
      if (!(sum > 0)) continue;
      // Contexts that the model does not know have no back-off weight.
      const double backed_off = std::max(of_prefix.back_off - known[n].back_off, 0.0) +
                                std::max(total - of_prefix.frequency, 0.0);
      ngrams.mean[n] =
          static_cast<float>((known[n].met + double{ngrams.probability[n]} * backed_off) / sum);
    }
  }

  std::size_t rounded_ = 0;
  const RestCosts::NumberOf& number_of_;
  lm::WordIndex begin_, end_;
  std::size_t order_;
  std::vector<Ngrams> orders_;
  // Of the line at work.
  std::vector<lm::WordIndex> words_;
  Part prefix_, suffix_;
};

}  // namespace

RestCosts::RestCosts(const std::string& path, std::size_t order, const NumberOf& number_of) {
  try {
    const ModelText text(path, order, number_of);
    rounded_ = text.rounded();
    std::size_t count = 0;
    text.for_each_gain([&](std::uint64_t, float) { ++count; });
    gains_.clear(count + count / 2 + 1);
    text.for_each_gain([&](std::uint64_t pointer, float gain) {
      gains_.place(probing_hash(pointer), {mark_of(pointer), gain});
    });
  } catch (const PositiveLog&) {
    throw;
  } catch (const InputError&) {
    return;  // KenLM takes words that are not UTF-8
  }
}

std::uint32_t RestCosts::mark_of(std::uint64_t pointer) {
  return static_cast<std::uint32_t>(pointer) | 1;
}

float RestCosts::of(const lm::ngram::Left& left) const {
  float sum = 0;
  for (const std::uint64_t pointer : std::span(left.pointers, left.length)) {
    const std::uint32_t mark = mark_of(pointer);
    sum +=
        gains_.find(probing_hash(pointer), [mark](const Gain& gain) { return gain.mark == mark; })
            .gain;
  }
  return sum;
}

}  // namespace hopefear
