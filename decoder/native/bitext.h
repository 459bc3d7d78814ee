// A word-aligned parallel text: words as numbers, and for each word the words it is linked to.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interner.h"

namespace hopefear {

using Word = std::int32_t;

struct Link {
  std::uint16_t source, target;  // positions in the sentences
  auto operator<=>(const Link&) const = default;
};

// A link as it is given: it may point anywhere.
struct GivenLink {
  std::int64_t first, second;
};

// Reads links such as 0-0 1-2 with spaces and tabs between them, all there is to a line of an
// alignment file. Throws std::invalid_argument at what is none, or points beyond so many words.
constexpr auto kAnyNumber = std::numeric_limits<std::size_t>::max();
std::vector<GivenLink> parse_links(std::string_view line, std::size_t first_words = kAnyNumber,
                                   std::size_t second_words = kAnyNumber);

// The first and the last word of the other side that a word is linked to.
struct LinkedSpan {
  static constexpr std::uint16_t kNone = 0xffff;
  std::uint16_t first = kNone, last = 0;
  bool linked() const { return first != kNone; }
};

// The sentences of one language, one after the other; kEnd closes each.
struct BitextSide {
  static constexpr Word kEnd = 0;
  Interner words{1};
  std::vector<Word> text;
  std::vector<LinkedSpan> linked;      // of each word of the text
  std::vector<std::int32_t> begin{0};  // of each sentence, and where the next one would begin

  std::size_t sentences() const { return begin.size() - 1; }
  std::int32_t length(std::size_t sentence) const {
    return begin[sentence + 1] - begin[sentence] - 1;
  }
  std::size_t sentence_at(std::int32_t position) const;
};

// Files (plain or gz) with a sentence a line: words, words, and links between them, which are from
// target to source where they are `reversed`.
struct BitextFiles {
  std::string source, target;
  std::optional<std::string> alignment;  // without, no word is linked
  bool reversed = false;
};

struct Bitext {
  static constexpr std::size_t kLongest = 0xffff;  // words of a sentence
  static constexpr const char* kTooLong = "expected at most 65535 words in a sentence";

  BitextSide source, target;
  std::vector<Link> links;                 // of all sentences, in order
  std::vector<std::size_t> link_begin{0};  // of each sentence, and where the next one would begin
  // Held by whoever reads while another may add.
  mutable std::shared_mutex mutex;

  std::size_t size() const { return source.sentences(); }
  std::span<const Link> links_of(std::size_t sentence) const {
    return {links.data() + link_begin[sentence], link_begin[sentence + 1] - link_begin[sentence]};
  }

  // Adds a sentence pair with its links, in any order. Throws std::invalid_argument where a link
  // points outside of it or it is too long, and then adds nothing.
  void add(std::span<const std::string_view> source_words,
           std::span<const std::string_view> target_words, std::span<const GivenLink> given);
  // Adds the pairs of files, as check_bitext takes them.
  void read(const BitextFiles& files);
};

// Goes through the files, and tells how many sentence pairs there are. Throws InputError with file
// and line.
std::size_t check_bitext(const BitextFiles& files);

}  // namespace hopefear
