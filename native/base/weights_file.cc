#include "base/weights_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/feature_name.h"
#include "base/id_vector.h"
#include "base/input_error.h"
#include "base/line_reader.h"

namespace hopefear {
namespace {

constexpr std::size_t kBuffer = 1 << 16;

std::string_view strip(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Names and values on their way into the weights, several at a time.
class Batch {
 public:
  Batch(const std::string& path, double scaling, Weights& weights)
      : path_(path), scaling_(scaling), weights_(weights) {}

  void add(std::string_view name, double value, std::size_t line) {
    names_ += name;
    entries_.push_back({names_.size(), line, value * scaling_});
    if (entries_.size() == kBatch) flush();
  }

  void flush() {
    std::vector<std::string_view> names;
    names.reserve(entries_.size());
    std::size_t begin = 0;
    for (const Entry& entry : entries_) {
      names.push_back(std::string_view(names_).substr(begin, entry.end - begin));
      begin = entry.end;
    }
    const std::vector<FeatureId> ids = numbers(names);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const FeatureId id = ids[i];
      if (!seen_.has(id)) seen_.resize(std::max(id + 1, 2 * seen_.count()), false);
      if (seen_[id]) {
        throw InputError(path_, entries_[i].line,
                         "expected one weight for each feature, got a second one for '" +
                             std::string(names[i]) + "'");
      }
      seen_[id] = true;
      weights_.data()[id] = entries_[i].value;
    }
    names_.clear();
    entries_.clear();
  }

 private:
  std::vector<FeatureId> numbers(const std::vector<std::string_view>& names) {
    try {
      return weights_.intern_all(names);
    } catch (const NameError& error) {
      const auto wrong = std::ranges::find_if(
          names, [](std::string_view name) { return !name_fault(name).empty(); });
      throw InputError(path_, entries_[id_at(names, wrong)].line, error.what());
    }
  }

  static constexpr std::size_t kBatch = 512;
  struct Entry {
    std::size_t end, line;  // of the name in names_; in the file
    double value;
  };

  const std::string& path_;
  double scaling_;
  Weights& weights_;
  std::string names_;
  std::vector<Entry> entries_;
  IdVector<FeatureId, bool> seen_;
};

// Names are dealt out to so many parts at most, each sorted by itself: memory is wanted for a byte
// a feature and for the keys of one part.
constexpr FeatureId kParts = 256;
constexpr FeatureId kSampled = 32;  // names a part, to find where to cut

// Names that are known to agree in their first bytes are mostly told apart by the next eight.
struct Key {
  std::uint64_t bytes;
  FeatureId id;
};

Key key_of(const Weights& weights, FeatureId id, std::size_t skip) {
  const std::string_view name = weights.view(id);
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const bool there = skip + i < name.size();
    bytes = bytes << 8 | (there ? static_cast<unsigned char>(name[skip + i]) : 0U);
  }
  return {bytes, id};
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  return id_at(a, std::ranges::mismatch(a, b).in1);
}

// Sorts the keys of names that agree in their first `skip` bytes.
void sort_by_name(const Weights& weights, std::span<Key> keys, std::size_t skip) {
  constexpr std::ptrdiff_t kFew = 16;
  std::ranges::sort(keys, {}, &Key::bytes);
  for (auto begin = keys.begin(); begin != keys.end();) {
    const auto end =
        std::find_if(begin, keys.end(), [&](const Key& key) { return key.bytes != begin->bytes; });
    const auto goes_on = [&](const Key& key) { return weights.view(key.id).size() > skip + 8; };
    if (end - begin > kFew && std::any_of(begin, end, goes_on)) {
      for (auto key = begin; key != end; ++key) *key = key_of(weights, key->id, skip + 8);
      sort_by_name(weights, {begin, end}, skip + 8);
    } else if (end - begin > 1) {
      std::sort(begin, end, [&](const Key& a, const Key& b) {
        return weights.view(a.id) < weights.view(b.id);
      });
    }
    begin = end;
  }
}

// The first names of all parts but the first.
std::vector<std::string_view> choose_cuts(const Weights& weights, FeatureId size) {
  const FeatureId step = size / (kParts * kSampled);
  if (step == 0) return {};
  IdVector<std::int64_t, std::string_view> sample;
  for (FeatureId id = 0; id < size; id += step) sample.push_back(weights.view(id));
  std::ranges::sort(sample);
  std::vector<std::string_view> cuts;
  for (std::int64_t i = 1; i < kParts; ++i) cuts.push_back(sample[i * sample.count() / kParts]);
  return cuts;
}

// Visits the features whose weights are not 0 by name, with little memory in addition to the names.
template <class Visit>
void for_each_by_name(const Weights& weights, Visit&& visit) {
  const FeatureId size = weights.size();
  const std::vector<std::string_view> cuts = choose_cuts(weights, size);
  IdVector<FeatureId, std::uint8_t> part(size);
  for (FeatureId id = 0; id < size; ++id) {
    if (weights.data()[id] == 0) continue;
    part[id] = id_at<std::uint8_t>(cuts, std::ranges::upper_bound(cuts, weights.view(id)));
  }
  std::vector<Key> keys;
  for (std::size_t p = 0; p <= cuts.size(); ++p) {
    const bool is_inner = p > 0 && p < cuts.size();
    const std::size_t skip = is_inner ? common_prefix(cuts[p - 1], cuts[p]) : 0;
    keys.clear();
    for (auto i = part.begin();; ++i) {
      i = std::find(i, part.end(), static_cast<std::uint8_t>(p));
      if (i == part.end()) break;
      const auto id = id_at<FeatureId>(part, i);
      if (weights.data()[id] != 0) keys.push_back(key_of(weights, id, skip));
    }
    sort_by_name(weights, keys, skip);
    for (const Key& key : keys) visit(key.id);
  }
}

}  // namespace

void read_weights(const std::string& path, double scaling, Weights& weights) {
  LineReader reader(path);
  Batch batch(path, scaling, weights);
  const auto refuse = [&](const char* expected, std::string_view line) {
    batch.flush();  // an error in an earlier line is reported first
    throw InputError(path, reader.line_number(),
                     expected + (", got '" + std::string(line.substr(0, 80)) + "'"));
  };
  std::string_view line;
  while (reader.next(line)) {
    line = strip(line);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t separator = line.find_last_of("= \t");
    const std::string_view name =
        separator == std::string_view::npos ? "" : strip(line.substr(0, separator));
    const std::string_view number =
        separator == std::string_view::npos ? "" : line.substr(separator + 1);
    const char* first = number.data();
    const char* const last = first + number.size();
    if (!number.empty() && *first == '+') ++first;
    double value = 0;
    const auto [stop, error] = std::from_chars(first, last, value);
    if (name.empty() || number.empty() || error != std::errc() || stop != last ||
        !std::isfinite(value)) {
      refuse("expected 'Name value'", line);
    }
    if (name.find_first_of(kBlank) != std::string_view::npos) {
      refuse("expected one name and one value", line);
    }
    batch.add(name, value, reader.line_number());
  }
  batch.flush();
}

void write_weights(const std::string& path, const std::string& comment, const Weights& weights) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  const auto check = [&](bool good) {
    if (!good) throw InputError(path, 0, std::string("cannot be written: ") + std::strerror(errno));
  };
  check(file != nullptr);
  std::string text = comment.empty() ? "" : comment + '\n';
  const auto write = [&] {
    check(std::fwrite(text.data(), 1, text.size(), file.get()) == text.size());
    text.clear();
  };
  for_each_by_name(weights, [&](FeatureId id) {
    char number[32];  // the shortest that reads as the same value
    text += weights.view(id);
    text += ' ';
    text.append(number, std::to_chars(number, number + sizeof number, weights.data()[id]).ptr);
    text += '\n';
    if (text.size() >= kBuffer) write();
  });
  write();
  check(std::fflush(file.get()) == 0);
}

}  // namespace hopefear
