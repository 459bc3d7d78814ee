// Compiled grammars: the tables of a finished grammar in a file, which is mapped into memory. All
// processes of a machine that map a file share its memory, and opening it reads no rule.
//
// A file has a header, a table of its sections, and the sections, which are the arrays of
// GrammarTables and the names of words, categories and features. When the file is opened, the
// checksums of the header, the table and all sections but the rules' are checked, and that the trie
// leads nowhere else; RuleChecks checks the rules.
#pragma once

#include "base/mapped_file.h"
#include "grammar/grammar.h"

namespace hopefear {

inline constexpr std::uint32_t kCompiledGrammarVersion = 1;

// Writes a finished grammar. Throws InputError if the file cannot be written.
void write_compiled_grammar(const std::string& path, const Grammar& grammar,
                            const Weights& weights);

class CompiledGrammar {
 public:
  // Maps the file and checks it. Throws InputError.
  explicit CompiledGrammar(const std::string& path);

  // 1. The file's words and categories become the first ones of an empty vocabulary.
  void begin(Vocabulary& vocabulary) const;
  // 2. The grammar, which keeps the file mapped.
  std::shared_ptr<Grammar> grammar(std::shared_ptr<Vocabulary> vocabulary, Weights& weights) const;

 private:
  struct Contents {
    GrammarTables tables;
    std::span<const char> words, categories, features;  // names, each with a line break behind it
    std::span<const std::uint32_t> checksums;           // of the blocks of rules
  };
  template <class Tables, class Visit>
  static void visit_sections(Tables& contents, Visit visit);
  friend void write_compiled_grammar(const std::string&, const Grammar&, const Weights&);

  void intern(Interner& names, std::span<const char> text) const;
  void read_sections();
  void check_sizes() const;
  void check_trie() const;
  void check_layouts() const;
  void expect(bool good, std::string_view expected) const;

  std::shared_ptr<const MappedFile> file_;
  Contents contents_;
};

// Adds the rules of a compiled grammar to another grammar, which owns its memory.
void add_compiled_grammar(const std::string& path, Weights& weights, Grammar& grammar);

// Checks the whole file.
void check_compiled_grammar(const std::string& path);

}  // namespace hopefear
