// A word-aligned parallel text: words as numbers, and for each word the words it is linked to.
#pragma once

#include <limits>
#include <shared_mutex>

#include "base/id_vector.h"
#include "base/interner.h"
#include "base/links.h"
#include "base/message.h"

namespace hopefear {

using Word = std::int32_t;

struct Link {
  std::uint16_t source, target;  // positions in the sentences
  auto operator<=>(const Link&) const = default;
};

// Reads the links of a line of an alignment file, such as 0-0 1-2, separated by spaces and tabs.
// Throws std::invalid_argument for a word that is not a link, or for a position outside the
// sentences.
constexpr auto kAnyNumber = std::numeric_limits<std::size_t>::max();
std::vector<GivenLink> parse_links(std::string_view line, std::size_t first_words = kAnyNumber,
                                   std::size_t second_words = kAnyNumber);

// The first and the last word of the other side that a word is linked to.
struct LinkedSpan {
  static constexpr std::uint16_t kNone = 0xffff;
  std::uint16_t first = kNone, last = 0;
  bool linked() const { return first != kNone; }
};

// The sentences of one language, one after the other; kEnd ends each sentence.
struct BitextSide {
  static constexpr Word kEnd = 0;
  static constexpr std::int32_t kBlock = 16;
  Interner words{1};
  IdVector<std::int32_t, Word> text;
  IdVector<std::int32_t, LinkedSpan> linked;  // of each word of the text
  std::vector<std::int32_t> begin{0};  // of each sentence, and where the next one would begin
  IdVector<std::int32_t, std::uint32_t> sentence_of;  // of every kBlock-th word

  std::size_t sentences() const { return begin.size() - 1; }
  std::int32_t length(std::size_t sentence) const {
    return begin[sentence + 1] - begin[sentence] - 1;
  }
  // That of the first word of the block in which a place is.
  const std::uint32_t& block_sentence(std::int32_t position) const {
    return sentence_of[position / kBlock];
  }
  std::size_t sentence_at(std::int32_t position) const {
    std::size_t sentence = block_sentence(position);
    while (begin[sentence + 1] <= position) ++sentence;
    return sentence;
  }
};

// Files (plain or gz), one sentence pair a line: source words, target words, and the links between
// them. If `reversed`, the links have the target position first.
struct BitextFiles {
  std::string source, target;
  std::optional<std::string> alignment;  // if not given, no word is linked
  bool reversed = false;
};

struct Bitext {
  static constexpr std::size_t kLongest = 0xffff;  // words of a sentence
  static std::string too_long(std::size_t words) {
    return concat("expected at most 65535 words in a sentence, got ", words);
  }

  BitextSide source, target;
  std::vector<Link> links;                 // of all sentences, in order
  std::vector<std::size_t> link_begin{0};  // of each sentence, and where the next one would begin
  // Readers hold it as shared while another thread may add sentence pairs.
  mutable std::shared_mutex mutex;

  std::size_t size() const { return source.sentences(); }
  std::span<const Link> links_of(std::size_t sentence) const {
    return {links.data() + link_begin[sentence], link_begin[sentence + 1] - link_begin[sentence]};
  }

  // Adds a sentence pair with its links, which may be in any order. Throws std::invalid_argument if
  // a link is outside the sentences or a sentence is too long; then nothing is added.
  void add(std::span<const std::string_view> source_words,
           std::span<const std::string_view> target_words, std::span<const GivenLink> given);
  // Removes the sentence pairs from this number on; the words stay known.
  void cut(std::size_t sentences);
  // Adds the pairs of files, as check_bitext takes them.
  void read(const BitextFiles& files);
};

// Checks the files and returns the number of sentence pairs. Throws InputError with file and line.
std::size_t check_bitext(const BitextFiles& files);

}  // namespace hopefear
