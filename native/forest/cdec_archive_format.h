// The binary archives of Boost.Serialization in which cdec keeps a forest (--forest_output): what
// their reader and their writer share.
//
// An archive is a header, then the numbers of nodes and edges, then nodes, edges and two flags. All
// numbers are little-endian and not aligned. Before the first object of a class stand a byte and a
// number of 32 bits, whether such objects are tracked and the version of their layout. A rule
// stands in the first edge that uses it; later edges refer to it by number.
#pragma once

#include <array>
#include <bit>

#include "base/weights.h"

namespace hopefear::cdec_archive {

static_assert(std::endian::native == std::endian::little, "archives are little-endian");

inline constexpr std::string_view kSignature = "serialization::archive";
// Versions of Boost.Serialization, not of Boost. Before 8, sizes and versions of classes have fewer
// bytes. cdec's newest forests have 18.
inline constexpr std::uint16_t kOldestVersion = 8, kWrittenVersion = 18;
// The types whose sizes the header has.
inline constexpr std::array<const char*, 4> kTypes{"int", "long", "float", "double"};
inline constexpr std::array<std::uint8_t, 4> kSizes{4, 8, 4, 8};

// What stands before the first object of a class.
struct Class {
  const char* name;
  bool tracked;
  std::uint32_t version;
};
inline constexpr Class kHypergraph{"hypergraph", false, 0}, kNode{"node", false, 0},
    kEdge{"edge", false, 0}, kTails{"tails", false, 0}, kPointer{"pointer to a rule", false, 1},
    kRule{"rule", true, 0}, kVector{"feature vector", false, 0}, kPair{"feature", false, 0};

// Which of the classes a file has had objects of.
struct SeenClasses {
  bool hypergraph = false, node = false, edge = false, tails = false, pointer = false, rule = false,
       vector = false, pair = false;
};

inline constexpr std::int16_t kRuleClass = 6;  // cdec numbers its classes in the order of first use
// On one side of a rule: a mask marks the nonterminals.
inline constexpr std::int32_t kMostSymbols = 64;

using Entries = std::vector<std::pair<FeatureId, double>>;

inline bool by_feature(const Entries::value_type& a, const Entries::value_type& b) {
  return a.first < b.first;
}

}  // namespace hopefear::cdec_archive
