// Words and categories. A symbol on a rule's right-hand side is a word (> 0) or a nonterminal:
// minus its category on the source side, minus its index in source order (0, -1, ...) on the target
// side.
#pragma once

#include <atomic>

#include "base/interner.h"

namespace hopefear {

using Symbol = std::int32_t;

struct Vocabulary {
  Vocabulary()
      : words(std::make_shared<Interner>(1)),
        categories(std::make_shared<Interner>(1)),
        number(next()) {}
  // A child for one sentence.
  explicit Vocabulary(const Vocabulary& parent)
      : words(std::make_shared<Interner>(parent.words)),
        categories(std::make_shared<Interner>(parent.categories)),
        number(parent.number) {}
  Vocabulary& operator=(const Vocabulary&) = delete;
  // One of the same words and categories, which may grow.
  std::shared_ptr<Vocabulary> copy() const {
    auto made = std::make_shared<Vocabulary>(*this);
    made->words = words->copy();
    made->categories = categories->copy();
    return made;
  }

  std::shared_ptr<Interner> words;
  std::shared_ptr<Interner> categories;
  // Tells vocabularies apart; a child has its parent's, since they agree on the parent's words.
  std::int64_t number;

 private:
  static std::int64_t next() {
    static std::atomic<std::int64_t> last{0};
    return ++last;
  }
};

}  // namespace hopefear
