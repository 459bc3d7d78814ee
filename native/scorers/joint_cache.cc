#include "scorers/joint_cache.h"

#include <cmath>
#include <unordered_set>

#include "base/id_vector.h"
#include "base/message.h"

namespace hopefear {
namespace {

constexpr std::string_view kEnd = "</s>";  // of both sides

// What a position of the source has; its ends have the marks of sentences.
std::string_view source_at(std::span<const std::string_view> source, std::int32_t position) {
  if (position < 0) return "<s>";
  return place_of(position) < source.size() ? source[place_of(position)] : kEnd;
}

// 0 for a layer of zeros.
float inverse_length(const std::vector<float>& layer) {
  const float square = joint_product(layer.data(), layer.data(), layer.size());
  return square > 0 ? 1 / std::sqrt(square) : 0;
}

}  // namespace

JointCache::JointCache(std::shared_ptr<const JointNetwork> network, JointCacheOptions options)
    : network_(std::move(network)), options_(options) {
  expect(options.prior > 0 && options.sharpness >= 0 && options.most > 0,
         "expected a prior above 0, a sharpness of at least 0, and 1 entry or more");
}

// Calls visit(position, last layer, text) for each word and the end.
template <class Visit>
void JointCache::for_each_word(std::span<const std::string> source,
                               std::span<const std::string> target,
                               std::span<const std::int32_t> affiliations, Visit&& visit) const {
  if (affiliations.size() != target.size() ||
      !std::ranges::all_of(
          affiliations, [&](std::int32_t at) { return 0 <= at && place_of(at) < source.size(); })) {
    throw std::invalid_argument("expected a source position for each target word");
  }
  std::vector<Word> words;
  for (const std::string& word : source) words.push_back(network_->source_word(word));
  const std::vector<std::vector<float>> windows = network_->windows(words);
  std::vector<Word> before(place_of(network_->history()), JointNetwork::kBegin);
  const auto read = [&](std::string_view text, std::int32_t position) {
    std::vector<float> layer = windows[place_of(position - JointNetwork::kBeforeSource)];
    network_->add_history(layer, before.data());
    network_->finish(layer);
    visit(position, layer, text);
    before.push_back(network_->target_word(text));
    before.erase(before.begin());
  };
  reading(&network_->file(), [&] {
    for (std::size_t i = 0; i < target.size(); ++i) {
      const std::size_t at = network_->right_to_left() ? target.size() - 1 - i : i;
      read(target[at], affiliations[at]);
    }
    read(kEnd, network_->end_position(static_cast<std::int32_t>(source.size())));
  });
}

void JointCache::add(std::int32_t correction, std::span<const std::string> source,
                     std::span<const std::string> target,
                     std::span<const std::int32_t> affiliations) {
  const std::vector<std::string_view> words(source.begin(), source.end());
  for_each_word(source, target, affiliations,
                [&](std::int32_t position, std::vector<float>& layer, std::string_view text) {
                  const float scale = inverse_length(layer);
                  for (float& unit : layer) unit *= scale;
                  entries_[std::string(source_at(words, position))].push_back(
                      {correction, number(text), std::move(layer)});
                });
}

void JointCache::remove(std::int32_t correction) {
  std::unordered_set<Word> used;
  for (auto& [source, entries] : entries_) {
    std::erase_if(entries, [&](const Entry& entry) { return entry.correction == correction; });
    for (const Entry& entry : entries) used.insert(entry.word);
  }
  std::erase_if(entries_, [](const auto& each) { return each.second.empty(); });
  std::erase_if(lacking_, [&](const auto& each) { return !used.contains(each.second); });
}

std::vector<float> JointCache::gains(std::span<const std::string> source,
                                     std::span<const std::string> target,
                                     std::span<const std::int32_t> affiliations) const {
  const std::vector<std::string_view> words(source.begin(), source.end());
  std::vector<float> found;
  for_each_word(source, target, affiliations,
                [&](std::int32_t position, const std::vector<float>& layer, std::string_view text) {
                  const Entries* const known = entries(words, position);
                  const Word one = word(text);
                  const float log = network_->log_probability(layer, network_word(one));
                  found.push_back(known == nullptr ? 0 : gain(*known, layer, one, log));
                });
  return found;
}

JointCache::Word JointCache::word(std::string_view text) const {
  const Word known = network_->target_word(text);
  if (known != JointNetwork::kUnknown) return known;
  const auto found = lacking_.find(std::string(text));
  return found == lacking_.end() ? JointNetwork::kUnknown : found->second;
}

JointCache::Word JointCache::number(std::string_view text) {
  const Word known = word(text);
  if (known != JointNetwork::kUnknown) return known;
  return lacking_.emplace(text, --lowest_).first->second;
}

const JointCache::Entries* JointCache::entries(std::span<const std::string_view> source,
                                               std::int32_t position) const {
  const auto found = entries_.find(std::string(source_at(source, position)));
  return found == entries_.end() ? nullptr : &found->second;
}

float JointCache::gain(const Entries& entries, const std::vector<float>& layer, Word word,
                       float log) const {
  const float scale = inverse_length(layer);
  float all = 0, own = 0;
  for (const Entry& entry : std::span(entries).last(std::min(entries.size(), options_.most))) {
    const float cosine = scale * joint_product(layer.data(), entry.layer.data(), layer.size());
    const float count = std::exp(options_.sharpness * (cosine - 1));
    all += count;
    if (entry.word == word) own += count;
  }
  const float prior = options_.prior;
  // The network's probability may be so small that it is 0 as a float.
  const float ratio = prior + (own > 0 ? own * std::exp(std::min(-log, 60.0f)) : 0);
  return std::log(ratio / (prior + all));
}

}  // namespace hopefear
