#include "forest/prefix_search.h"

#include "forest/inside_outside.h"
#include "forest/prefix_narrowing.h"

namespace hopefear {
namespace {

std::vector<std::uint32_t> characters_of(std::string_view text) {
  std::vector<std::uint32_t> out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) {
      out.push_back(byte);
    } else if (!out.empty()) {
      out.back() = out.back() << 8 | byte;
    }
  }
  return out;
}

}  // namespace

Edits PrefixSearch::Typed::replacement_cost(const Characters& word) const {
  EditDistance::Row row = characters.first();
  std::size_t fewest = row.distance;  // of a beginning of the word
  for (const std::uint32_t character : word) {
    characters.extend(row, character);
    fewest = std::min(fewest, row.distance);
  }
  const std::size_t length = characters.length();
  const std::size_t longer = std::max(length, open ? std::min(word.size(), length) : word.size());
  const std::size_t distance = open ? fewest : row.distance;
  if (distance == 0) return 0;
  return 2 * distance < longer ? PrefixTables::kOtherForm : PrefixTables::kReplacement;
}

PrefixSearch::PrefixSearch(std::shared_ptr<const Forest> forest)
    : forest_(std::move(forest)),
      inside_(inside(*forest_, Semiring::kMax)),
      score_range_(find_score_range()),
      target_(*forest_, inside_),
      tables_(target_),
      scores_(*forest_, target_, tables_, inside_) {
  for (const std::string& word : target_.words) words_.push_back(characters_of(word));
}

// The difference between the best and the worst derivation.
double PrefixSearch::find_score_range() const {
  const Forest& f = *forest_;
  if (f.empty()) return 0;
  IdVector<NodeId, double> worst(f.nodes(), 0.0);
  for (const NodeId v : worst.ids()) {
    double least = std::numeric_limits<double>::infinity();
    for (const EdgeId e : f.edges_into(v))
      least = std::min(least, f.with_tails(e, f.score[e], worst));
    worst[v] = least;
  }
  return inside_.back() - worst.back();
}

void PrefixSearch::type(const std::vector<std::string>& words, bool open) {
  if (count_of<Place>(words) > PrefixTables::kMostTyped)
    throw std::length_error(
        concat("expected at most ", PrefixTables::kMostTyped, " typed words, got ", words.size()));
  met_ = false;
  const auto is_open = [&](Place k) { return open && k + 1 == count_of<Place>(words); };
  Place same = 0;
  const Place most = std::min(typed_.count(), count_of<Place>(words));
  while (same < most && typed_[same].text == words[place_of(same)] &&
         typed_[same].open == is_open(same))
    ++same;
  typed_.erase(typed_.begin() + same, typed_.end());
  tables_.keep(same);
  scores_.keep(tables_.columns());
  for (Place k = same; k < count_of<Place>(words); ++k) {
    const std::string& text = words[place_of(k)];
    typed_.push_back({text, EditDistance(characters_of(text)), is_open(k)});
    PrefixTables::Costs costs;
    for (const Characters& word : words_) costs.push_back(typed_[k].replacement_cost(word));
    tables_.append(std::move(costs));
  }
}

bool PrefixSearch::meet() {
  if (met_ || forest_->empty()) return false;
  met_ = !tables_.advance();
  if (met_) {
    scores_.begin();
  } else {
    scores_.keep(tables_.columns());
  }
  return !met_;
}

double PrefixSearch::edits() const { return 0.5 * tables_.fewest(); }

std::shared_ptr<Forest> PrefixSearch::within(double beam) {
  if (forest_->empty()) return Forest::made_from(forest_);
  return narrowed(forest_, target_, inside_, scores_, typed_.count(), beam);
}

std::int32_t PrefixSearch::boundary(const std::vector<std::string>& translation) const {
  std::vector<int> best(translation.size() + 1);
  for (std::size_t b = 1; b < best.size(); ++b) best[b] = best[b - 1] + PrefixTables::kOmission;
  constexpr WordId kUnknown = -1;  // a word that the forest does not have
  std::vector<WordId> words;
  for (const std::string& word : translation) {
    const auto known = target_.word_number.find(word);
    words.push_back(known == target_.word_number.end() ? kUnknown : known->second);
  }
  for (const Place k : typed_.ids()) {
    int diagonal = best[0];
    best[0] += PrefixTables::kInsertion;
    for (std::size_t b = 1; b < best.size(); ++b) {
      const int cost = words[b - 1] != kUnknown
                           ? tables_.cost(k, words[b - 1])
                           : typed_[k].replacement_cost(characters_of(translation[b - 1]));
      const int replaced = diagonal + cost;
      diagonal = best[b];
      best[b] = std::min(
          {replaced, best[b] + PrefixTables::kInsertion, best[b - 1] + PrefixTables::kOmission});
    }
  }
  // Of several places, the last: as many words as possible are what has been typed.
  const auto last = std::min_element(best.rbegin(), best.rend());
  return static_cast<std::int32_t>(best.rend() - last) - 1;
}

}  // namespace hopefear
