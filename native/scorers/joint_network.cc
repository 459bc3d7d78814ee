#include "scorers/joint_network.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/id_vector.h"
#include "base/input_error.h"

namespace hopefear {
namespace {

constexpr std::string_view kJointMagic = "HFJOINT1";

struct JointHeader {
  std::array<char, 8> magic;
  std::uint32_t checksum;
  std::uint32_t history, window, first, second, source_words, target_words, right_to_left;
  std::uint64_t source_bytes, target_bytes, nothing;
};
static_assert(sizeof(JointHeader) == 64 && std::endian::native == std::endian::little);

// In so many sums at once that a compiler can use its vectors.
constexpr std::size_t kJointLanes = 16;

void add_row(std::vector<float>& layer, const float* row) {
  float* const units = layer.data();
  for (std::size_t i = 0; i < layer.size(); ++i) units[i] += row[i];
}

void rectify(std::vector<float>& layer) {
  for (float& unit : layer) unit = std::max(unit, 0.0f);
}

}  // namespace

float joint_product(const float* a, const float* b, std::size_t size) {
  std::array<float, kJointLanes> sums{};
  float* const lanes = sums.data();
  for (std::size_t i = 0; i < size; i += kJointLanes) {
    for (std::size_t k = 0; k < kJointLanes; ++k) lanes[k] += a[i + k] * b[i + k];
  }
  float sum = 0;
  for (const float lane : sums) sum += lane;
  return sum;
}

JointNetwork::JointNetwork(const std::string& path) : file_(path) {
  reading(&file_, [this] { read(); });
}

void JointNetwork::read() {
  const std::span<const std::byte> bytes = file_.bytes();
  const auto refuse = [&](const char* what) { throw InputError(file_.path(), 0, what); };
  JointHeader header{};
  if (bytes.size() >= sizeof header) std::memcpy(&header, bytes.data(), sizeof header);
  if (std::string_view(header.magic.data(), header.magic.size()) != kJointMagic)
    refuse("expected a joint model, as hopefear train-joint writes it");
  const auto within = [](std::uint32_t value, std::uint32_t least, std::uint32_t most) {
    return least <= value && value <= most;
  };
  constexpr std::uint32_t kMostUnits = 1 << 14, kMostWords = 1 << 24;
  if (!within(header.history, 0, 16) || !within(header.window, 1, 63) || header.window % 2 == 0 ||
      !within(header.first, kJointLanes, kMostUnits) || header.first % kJointLanes != 0 ||
      !within(header.second, 0, kMostUnits) || header.second % kJointLanes != 0 ||
      !within(header.source_words, kEnd + 1, kMostWords) ||
      !within(header.target_words, kNone + 1, kMostWords) || !within(header.right_to_left, 0, 1))
    refuse("expected a joint model with sizes that it can have: the file is damaged");
  history_ = static_cast<std::int32_t>(header.history);
  window_ = static_cast<std::int32_t>(header.window);
  right_to_left_ = header.right_to_left != 0;
  first_ = header.first;
  second_ = header.second;
  const std::size_t last = second_ != 0 ? second_ : first_;
  const std::size_t source_rows = std::size_t{header.source_words} * header.window;
  const std::size_t target_rows = std::size_t{header.target_words} * header.history;
  const std::size_t floats = (source_rows + target_rows + 1) * first_ + second_ * first_ + second_ +
                             header.target_words * (last + 1);
  const std::size_t rest = bytes.size() - sizeof header;
  if (rest / sizeof(float) < floats || header.source_bytes > rest || header.target_bytes > rest ||
      floats * sizeof(float) + header.source_bytes + header.target_bytes != rest)
    refuse("expected a whole joint model, got one of another size: the file is damaged");
  constexpr std::size_t kSummed = offsetof(JointHeader, history);
  const auto* const begin = reinterpret_cast<const unsigned char*>(bytes.data());
  if (crc32_z(0, begin + kSummed, bytes.size() - kSummed) != header.checksum)
    refuse("expected a joint model with the checksum in it: the file is damaged");

  const float* next = reinterpret_cast<const float*>(begin + sizeof header);
  const auto take = [&](std::size_t count) { return std::exchange(next, next + count); };
  source_ = take(source_rows * first_);
  target_ = take(target_rows * first_);
  bias_ = take(first_);
  second_rows_ = take(second_ * first_);
  second_bias_ = take(second_);
  output_ = take(header.target_words * last);
  output_bias_ = take(header.target_words);
  const auto read_words = [&](Words& words, std::string_view text, std::uint32_t count) {
    words.reserve(count);
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      words.emplace(text.substr(at, end - at), count_of<Word>(words));
    }
    if (words.size() != count) refuse("expected other words in the joint model: it is damaged");
  };
  text_.assign(reinterpret_cast<const char*>(next), header.source_bytes + header.target_bytes);
  const std::string_view text = text_;
  read_words(source_words_, text.substr(0, header.source_bytes), header.source_words);
  read_words(target_words_, text.substr(header.source_bytes), header.target_words);
}

std::vector<std::vector<float>> JointNetwork::windows(std::span<const Word> source) const {
  std::vector<std::vector<float>> layers;
  const auto length = static_cast<std::int32_t>(source.size());
  const std::int32_t half = window_ / 2;
  for (const std::int32_t at : ids(kBeforeSource, length + 1)) {
    std::vector<float>& layer = layers.emplace_back(bias_, bias_ + first_);
    for (const std::int32_t place : ids(0, window_)) {
      const std::int32_t j = at - half + place;
      add_source(layer, place, j < 0 ? kBegin : j >= length ? kEnd : source[place_of(j)]);
    }
  }
  return layers;
}

void JointNetwork::add_source(std::vector<float>& layer, std::int32_t place, Word word) const {
  add_row(layer, source_ + (place_of(word) * place_of(window_) + place_of(place)) * first_);
}

void JointNetwork::add_history(std::vector<float>& layer, const Word* before) const {
  for (const std::int32_t place : ids(0, history_)) {
    const std::size_t word = place_of(before[place]);
    add_row(layer, target_ + (word * place_of(history_) + place_of(place)) * first_);
  }
}

void JointNetwork::finish(std::vector<float>& layer) const {
  rectify(layer);
  if (second_ == 0) return;
  std::vector<float> second(second_bias_, second_bias_ + second_);
  for (std::size_t i = 0; i < second_; ++i)
    second[i] += joint_product(layer.data(), second_rows_ + i * first_, first_);
  rectify(second);
  layer = std::move(second);
}

float JointNetwork::log_probability(const std::vector<float>& last, Word word) const {
  return joint_product(last.data(), output_ + place_of(word) * last.size(), last.size()) +
         output_bias_[place_of(word)];
}

}  // namespace hopefear
