// BLEU as a feature with state, for oracle translations (Chiang, Marton & Resnik 2008,
// section 2.4).
//
// An edge's counts c are the target words it brings, the n-grams that it forms and those of them
// that match a reference, without clipping. B = (O_f + |f|) BLEU(O + c) with the pseudo-document O
// (eq. 8) and the reference length scaled by the share of the source that is covered. The score of
// an edge is what it adds to B, given the best derivations of its tails; B counts from that of no
// translation.
#pragma once

#include <array>

#include "scorers/reference_ngrams.h"
#include "search/scorer.h"

namespace hopefear {

struct BleuOptions {
  // O: hypothesis length, reference length, n-grams and matches of each order.
  std::array<double, 2 + 2 * ReferenceNgrams::kOrder> document{};
  double document_source_length = 0;  // O_f
  double reference_length = 0;        // of this sentence
  double weight = 1;                  // of B
};

class BleuScorer final : public StatefulScorer {
 public:
  BleuScorer(std::shared_ptr<const ReferenceNgrams> references, const BleuOptions& options)
      : references_(std::move(references)), options_(options) {}

  std::size_t state_size() const override;
  std::unique_ptr<SentenceScorer> begin(const Forest& forest, const double* weights) const override;

 private:
  std::shared_ptr<const ReferenceNgrams> references_;
  BleuOptions options_;
};

}  // namespace hopefear
