#include "weights_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "input_error.h"
#include "line_reader.h"

namespace hopefear {
namespace {

constexpr std::string_view kBlank = " \t";

std::string_view strip(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace

void read_weights(const std::string& path, double scaling, Weights& weights) {
  LineReader reader(path);
  std::string_view line;
  std::vector<bool> seen;
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
      throw InputError(path, reader.line_number(),
                       "expected 'Name value', got '" + std::string(line.substr(0, 80)) + "'");
    }
    if (name.find_first_of(kBlank) != std::string_view::npos) {
      throw InputError(
          path, reader.line_number(),
          "expected one name and one value, got '" + std::string(line.substr(0, 80)) + "'");
    }
    const auto id = static_cast<std::size_t>(weights.intern(name));
    if (seen.size() <= id) seen.resize(std::max(id + 1, 2 * seen.size()), false);
    if (seen[id])
      throw InputError(path, reader.line_number(),
                       "weight '" + std::string(name) + "' stands there twice");
    seen[id] = true;
    weights.data()[id] = value * scaling;
  }
}

void write_weights(const std::string& path, const Weights& weights) {
  std::vector<FeatureId> ids;
  const FeatureId size = weights.size();
  for (FeatureId id = 0; id < size; ++id) {
    if (weights.data()[id] != 0) ids.push_back(id);
  }
  std::ranges::sort(ids,
                    [&](FeatureId a, FeatureId b) { return weights.view(a) < weights.view(b); });
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  const auto check = [&](bool good) {
    if (!good) throw InputError(path, 0, std::string("cannot be written: ") + std::strerror(errno));
  };
  check(file != nullptr);
  for (const FeatureId id : ids) {
    const std::string_view name = weights.view(id);
    check(std::fprintf(file.get(), "%.*s %.17g\n", static_cast<int>(name.size()), name.data(),
                       weights.data()[id]) > 0);
  }
  check(std::fflush(file.get()) == 0);
}

}  // namespace hopefear
