#include "base/probing.h"

#include <algorithm>
#include <functional>
#include <random>
#include <unordered_map>

#include "check.h"

using namespace hopefear;

namespace {

struct Entry {
  std::uint64_t key = 0;
  int value = 0;
  bool is_free() const { return key == 0; }
};

// A map of keys above 0, with all entries in the slots.
class Map {
 public:
  Map(std::size_t slots, std::uint32_t (*hash)(std::uint64_t)) : hash_(hash), slots_(slots) {}

  int& operator[](std::uint64_t key) {
    if (is_free(find(key))) {
      find(key) = {key, 0};
      slots_.added([this](const Entry& entry) { return hash_(entry.key); });
    }
    return find(key).value;
  }
  bool has(std::uint64_t key) { return !is_free(find(key)); }
  void clear(std::size_t slots) { slots_.clear(slots); }

 private:
  Entry& find(std::uint64_t key) {
    return slots_.find(hash_(key), [key](const Entry& entry) { return entry.key == key; });
  }

  std::uint32_t (*hash_)(std::uint64_t);
  ProbingSlots<Entry> slots_;
};

std::uint32_t all_in_the_last_slot(std::uint64_t) { return 0xffffffff; }
std::uint32_t few(std::uint64_t key) { return static_cast<std::uint32_t>(key % 7) << 29; }

// Random changes and look-ups in both maps; now and then everything is forgotten.
void compare(std::uint32_t (*hash)(std::uint64_t), std::uint64_t keys, int steps) {
  std::mt19937_64 random(keys);
  for (const std::size_t slots : {2, 3, 64, 1000}) {
    Map map(slots, hash);
    std::unordered_map<std::uint64_t, int> expected;
    for (int step = 0; step < steps; ++step) {
      const std::uint64_t key = 1 + random() % keys;
      CHECK_EQUAL(map.has(key), expected.contains(key));
      if (random() % 2 == 0) {
        map[key] += step;
        expected[key] += step;
      }
      if (random() % static_cast<unsigned>(steps) == 0) {
        map.clear(slots);
        expected.clear();
      }
    }
    for (std::uint64_t key = 1; key <= keys; ++key) {
      CHECK_EQUAL(map.has(key), expected.contains(key));
      if (map.has(key)) CHECK_EQUAL(map[key], expected[key]);
    }
  }
}

}  // namespace

TEST(a_probing_table_is_a_map) {
  compare(&probing_hash, 30, 1000);
  compare(&probing_hash, 5000, 20000);
}

TEST(a_probing_table_is_a_map_when_hashes_collide) {
  compare(&all_in_the_last_slot, 60, 1000);
  compare(&few, 200, 2000);
}

TEST(probing_slots_may_hold_numbers) {
  std::vector<std::string> texts;
  const auto hash = [](const std::string& text) {
    return probing_hash(std::hash<std::string>{}(text));
  };
  ProbingSlots<std::int32_t> slots(3);
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = std::to_string(random() % 1000);
    const auto at = [&](std::int32_t slot) { return texts[slot - 1]; };
    std::int32_t& slot =
        slots.find(hash(text), [&](std::int32_t slot) { return at(slot) == text; });
    const bool known = std::ranges::find(texts, text) != texts.end();
    CHECK_EQUAL(!is_free(slot), known);
    if (known) {
      CHECK_EQUAL(at(slot), text);
      continue;
    }
    texts.push_back(text);
    slot = static_cast<std::int32_t>(texts.size());
    slots.added([&](std::int32_t slot) { return hash(at(slot)); });
  }
  CHECK(slots.size() >= 2 * texts.size());
}
