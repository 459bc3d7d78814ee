#include "grammar/compiled_grammar.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/feature_name.h"
#include "base/input_error.h"

namespace hopefear {
namespace {

constexpr std::array<char, 16> kGrammarMagic{'h', 'o', 'p', 'e', 'f', 'e', 'a', 'r',
                                             ' ', 'g', 'r', 'a', 'm', 'm', 'a', 'r'};
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint32_t kSections = 19;
constexpr std::uint64_t kSectionAlignment = 64;  // of a section's first byte
constexpr std::uint8_t kDeepest = 255;           // symbols of a source side

struct FileSection {
  std::uint64_t offset, size;  // bytes
  std::uint64_t checksum;      // CRC-32; 0 for sections that RuleChecks checks
};

struct FileHeader {
  std::array<char, 16> magic;
  std::uint32_t version, byte_order;
  std::uint64_t file_size;
  std::uint32_t sections, rules_of_a_block;
  std::array<FileSection, kSections> table;
  std::uint64_t checksum;  // of what is before
};

std::uint32_t checksum_of(const void* data, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(0, static_cast<const unsigned char*>(data), size));
}

std::string names_text(const Interner& names) {
  std::string text;
  for (std::int32_t id = names.first(); id < names.end(); ++id) {
    text += names.text(id);
    text += '\n';
  }
  return text;
}

// Calls `use` with each name; false if a name is not one, or if `use` says so.
template <class Use>
bool for_each_name(std::span<const char> names, Use use) {
  std::string_view text(names.data(), names.size());
  if (text.find('\0') != std::string_view::npos) return false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || end == 0 || !use(text.substr(0, end))) return false;
    text.remove_prefix(end + 1);
  }
  return true;
}

std::int32_t count_names(std::span<const char> names) {
  return static_cast<std::int32_t>(std::ranges::count(names, '\n'));
}

}  // namespace

// The sections in the order of the file: those that are checked when it is opened come first.
template <class Tables, class Visit>
void CompiledGrammar::visit_sections(Tables& c, Visit visit) {
  constexpr bool kNow = true, kLater = false;
  visit(c.words, kNow);
  visit(c.categories, kNow);
  visit(c.features, kNow);
  visit(c.checksums, kNow);
  visit(c.tables.layout_begin, kNow);
  visit(c.tables.layout_features, kNow);
  visit(c.tables.trie, kNow);
  visit(c.tables.symbols, kNow);
  visit(c.tables.parents, kNow);
  visit(c.tables.root_by_word, kNow);
  visit(c.tables.lhs, kLater);
  visit(c.tables.node, kLater);
  visit(c.tables.layout, kLater);
  visit(c.tables.target_begin, kLater);
  visit(c.tables.value_begin, kLater);
  visit(c.tables.alignment_begin, kLater);
  visit(c.tables.targets, kLater);
  visit(c.tables.values, kLater);
  visit(c.tables.alignments, kLater);
}

void write_compiled_grammar(const std::string& path, const Grammar& grammar,
                            const Weights& weights) {
  CompiledGrammar::Contents c{grammar.tables(), {}, {}, {}, {}};

  // The features get the numbers of the file's own list, in the order of their numbers here.
  std::vector<FeatureId> used(c.tables.layout_features.begin(), c.tables.layout_features.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::string features;
  for (const FeatureId id : used) (features += weights.view(id)) += '\n';
  std::vector<FeatureId> layout_features;
  for (const FeatureId id : c.tables.layout_features) {
    layout_features.push_back(id_at<FeatureId>(used, std::ranges::lower_bound(used, id)));
  }
  const Vocabulary& vocabulary = grammar.vocabulary();
  const std::string words = names_text(*vocabulary.words),
                    categories = names_text(*vocabulary.categories);
  std::vector<std::uint32_t> checksums(RuleChecks::blocks(grammar.size()));
  for (std::uint32_t block = 0; block < checksums.size(); ++block)
    checksums[block] = RuleChecks::checksum(c.tables, block);
  c.tables.layout_features = layout_features;
  c.words = words;
  c.categories = categories;
  c.features = features;
  c.checksums = checksums;

  FileHeader header{kGrammarMagic, kCompiledGrammarVersion, kByteOrder, sizeof header,
                    kSections,     RuleChecks::kRules,      {},         0};
  std::size_t number = 0;
  CompiledGrammar::visit_sections(c, [&](const auto& items, bool now) {
    const std::uint64_t offset =
        (header.file_size + kSectionAlignment - 1) / kSectionAlignment * kSectionAlignment;
    header.table[number++] = {offset, items.size_bytes(),
                              now ? checksum_of(items.data(), items.size_bytes()) : 0};
    header.file_size = offset + items.size_bytes();
  });
  header.checksum = checksum_of(&header, offsetof(FileHeader, checksum));

  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  std::uint64_t written = 0;
  const auto check = [&](bool good) {
    if (!good) throw InputError(path, 0, std::string("cannot be written: ") + std::strerror(errno));
  };
  const auto write = [&](const void* data, std::size_t size) {
    check(std::fwrite(data, 1, size, file.get()) == size);
    written += size;
  };
  check(file != nullptr);
  write(&header, sizeof header);
  number = 0;
  CompiledGrammar::visit_sections(c, [&](const auto& items, bool) {
    constexpr std::array<char, kSectionAlignment> kPadding{};
    write(kPadding.data(), header.table[number++].offset - written);
    if (!items.empty()) write(items.data(), items.size_bytes());
  });
  check(std::fflush(file.get()) == 0);
}

CompiledGrammar::CompiledGrammar(const std::string& path)
    : file_(std::make_shared<MappedFile>(path)) {
  reading(file_.get(), [this] {
    read_sections();
    check_sizes();
    check_layouts();
    check_trie();
  });
  file_->release_pages();  // they count as this process's memory until another one reads them
}

void CompiledGrammar::expect(bool good, std::string_view expected) const {
  if (!good)
    throw InputError(file_->path(), 0,
                     "expected a compiled grammar with " + std::string(expected) +
                         ", got a damaged file: compile the grammar again");
}

void CompiledGrammar::read_sections() {
  const auto refuse = [&](const auto&... message) {
    throw InputError(file_->path(), 0, message...);
  };
  const std::span<const std::byte> bytes = file_->bytes();
  FileHeader header{};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  if (header.magic != kGrammarMagic)
    refuse("expected a compiled grammar, got another file: make one with hopefear compile-grammar");
  if (header.byte_order != kByteOrder || header.version != kCompiledGrammarVersion) {
    refuse(
        "expected a compiled grammar of version ", kCompiledGrammarVersion, ", got ",
        header.byte_order == kByteOrder ? concat("version ", header.version) : "another byte order",
        ": compile the grammar again");
  }
  if (bytes.size() < sizeof header || bytes.size() < header.file_size) {
    refuse("expected a compiled grammar of ",
           std::max<std::uint64_t>(header.file_size, sizeof header), " bytes, got ", bytes.size(),
           ": the file is cut short");
  }
  expect(header.checksum == checksum_of(&header, offsetof(FileHeader, checksum)) &&
             header.file_size == bytes.size() && header.sections == kSections &&
             header.rules_of_a_block == RuleChecks::kRules,
         "the checksum of its header");
  std::size_t number = 0;
  visit_sections(contents_, [&]<class T>(std::span<const T>& items, bool now) {
    const FileSection& section = header.table[number++];
    expect(section.offset % kSectionAlignment == 0 && section.size % sizeof(T) == 0 &&
               section.offset <= bytes.size() && section.size <= bytes.size() - section.offset,
           "sections inside the file");
    const std::byte* const data = bytes.data() + section.offset;
    items = {reinterpret_cast<const T*>(data), section.size / sizeof(T)};
    if (now)
      expect(section.checksum == checksum_of(data, section.size),
             concat("the checksum of section ", number));
  });
}

void CompiledGrammar::check_sizes() const {
  const GrammarTables& t = contents_.tables;
  const std::size_t rules = t.lhs.size(), nodes = t.symbols.size();
  expect(rules < kNoNode && t.node.size() == rules && t.layout.size() == rules &&
             t.target_begin.size() == rules + 1 && t.value_begin.size() == rules + 1 &&
             t.alignment_begin.size() == rules + 1 &&
             contents_.checksums.size() == RuleChecks::blocks(rules) && nodes > 0 &&
             nodes < kNoNode && t.trie.size() == nodes + 1 && t.parents.size() == nodes,
         "sections of the same number of rules");
}

void CompiledGrammar::check_layouts() const {
  const GrammarTables& t = contents_.tables;
  const std::int32_t features = count_names(contents_.features);
  expect(!t.layout_begin.empty() && t.layout_begin.front() == 0 &&
             std::ranges::is_sorted(t.layout_begin) &&
             t.layout_begin.back() == t.layout_features.size() &&
             std::ranges::all_of(t.layout_features,
                                 [&](FeatureId id) { return id >= 0 && id < features; }),
         "features that it names");
}

// That each node has a place in the order, and one parent, so that all ways from a node end at the
// root.
void CompiledGrammar::check_trie() const {
  const GrammarTables& t = contents_.tables;
  const std::size_t nodes = t.symbols.size();
  const std::int32_t words = count_names(contents_.words),
                     categories = count_names(contents_.categories);
  std::vector<std::uint8_t> depth(nodes, 0);
  bool good = t.parents[0] == kNoNode && t.trie[0].first_child == 1 && t.trie[0].first_rule == 0 &&
              t.trie[1].first_rule == 0 && t.trie[nodes].first_child == nodes &&
              t.trie[nodes].first_rule == t.lhs.size();
  for (std::size_t k = 0; good && k < nodes; ++k) {
    const TrieNode &node = t.trie[k], &next = t.trie[k + 1];
    good = node.first_child > k && node.first_child <= next.first_child &&
           next.first_child <= nodes && node.first_rule <= next.first_rule;
    for (std::size_t c = node.first_child; good && c < next.first_child; ++c) {
      const Symbol symbol = t.symbols[c];
      good = t.parents[c] == k && symbol != 0 && symbol <= words && symbol >= -categories &&
             depth[k] < kDeepest;
      depth[c] = static_cast<std::uint8_t>(depth[k] + 1);
    }
  }
  expect(good, "a trie of its source sides");
  for (Symbol word = 0; good && word < t.root_by_word.count(); ++word) {
    const TrieNumber node = t.root_by_word[word];
    good =
        node == kNoNode || (node >= 1 && node < t.trie[1].first_child && t.symbols[node] == word);
  }
  expect(good, "a list of the words that begin source sides");
}

void CompiledGrammar::intern(Interner& names, std::span<const char> text) const {
  std::int32_t next = names.first();
  expect(
      names.end() == next &&
          for_each_name(text, [&](std::string_view name) { return names.intern(name) == next++; }),
      "different names");
}

void CompiledGrammar::begin(Vocabulary& vocabulary) const {
  reading(file_.get(), [&] {
    intern(*vocabulary.words, contents_.words);
    intern(*vocabulary.categories, contents_.categories);
  });
}

std::shared_ptr<Grammar> CompiledGrammar::grammar(std::shared_ptr<Vocabulary> vocabulary,
                                                  Weights& weights) const {
  struct Memory {
    std::shared_ptr<const MappedFile> file;
    std::vector<std::uint32_t> layout_begin;
    std::vector<FeatureId> layout_features;
  };
  const auto memory = std::make_shared<Memory>();
  memory->file = file_;
  const auto read_layouts = [&] {
    IdVector<FeatureId, FeatureId> numbers;
    try {
      expect(for_each_name(contents_.features,
                           [&](std::string_view name) {
                             numbers.push_back(weights.intern(name));
                             return true;
                           }),
             "names of features");
    } catch (const NameError& error) {
      throw InputError(file_->path(), 0, error.what());
    }
    const GrammarTables& t = contents_.tables;
    memory->layout_begin.assign(t.layout_begin.begin(), t.layout_begin.end());
    for (const FeatureId id : t.layout_features) memory->layout_features.push_back(numbers[id]);
  };
  return reading(file_.get(), [&] {
    read_layouts();
    GrammarTables tables = contents_.tables;
    tables.layout_begin = memory->layout_begin;
    tables.layout_features = memory->layout_features;
    return std::make_shared<Grammar>(
        std::move(vocabulary), tables, memory,
        std::make_unique<RuleChecks>(file_, tables, contents_.checksums,
                                     count_names(contents_.words),
                                     count_names(contents_.categories)));
  });
}

namespace {

// Opened for itself, with all rules checked.
std::shared_ptr<Grammar> open_alone(const std::string& path, Weights& weights) {
  const CompiledGrammar compiled(path);
  auto vocabulary = std::make_shared<Vocabulary>();
  compiled.begin(*vocabulary);
  auto grammar = compiled.grammar(vocabulary, weights);
  reading(grammar->file(), [&] { grammar->check_rules(); });
  return grammar;
}

}  // namespace

void check_compiled_grammar(const std::string& path) {
  Weights weights;
  open_alone(path, weights);
}

void add_compiled_grammar(const std::string& path, Weights& weights, Grammar& grammar) {
  const auto from = open_alone(path, weights);
  const auto numbers = [](const Interner& names, Interner& ours) {
    IdVector<std::int32_t, std::int32_t> numbers(names.first(), 0);
    for (std::int32_t id = names.first(); id < names.end(); ++id)
      numbers.push_back(ours.intern(names.text(id)));
    return numbers;
  };
  const Vocabulary &theirs = from->vocabulary(), &ours = grammar.vocabulary();
  const IdVector<Symbol, Symbol> word = numbers(*theirs.words, *ours.words),
                                 category = numbers(*theirs.categories, *ours.categories);
  reading(from->file(), [&] {
    RuleText text;
    for (std::uint32_t id = 0; id < from->size(); ++id) {
      const Rule rule = from->rule(id);
      text.lhs = category[rule.lhs];
      from->source(id, text.source);
      for (Symbol& symbol : text.source) {
        symbol = symbol > 0 ? word[symbol] : -category[-symbol];
      }
      text.target.assign(rule.target.begin(), rule.target.end());
      for (Symbol& symbol : text.target) {
        if (symbol > 0) symbol = word[symbol];
      }
      text.features.assign(rule.features.begin(), rule.features.end());
      text.values.assign(rule.values.begin(), rule.values.end());
      text.alignment.assign(rule.alignment.begin(), rule.alignment.end());
      grammar.add(text);
    }
  });
}

}  // namespace hopefear
