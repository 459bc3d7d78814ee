// The neural joint model (Devlin et al. 2014) in the search: the log probability of each target
// word, given the words before it and the source words around the one it is affiliated with.
//
// A scorer sees no sentence, but it sees where things are: the source positions of a rule's words
// follow from the spans of the edge's head and tails, and the words of the sentence from the source
// sides of all rules in use. A target word is affiliated with the source word that it is linked to;
// with the middle one of several; without a link, by its place in the rule: see Affiliation.
#pragma once

#include "scorers/joint_cache.h"
#include "search/scorer.h"

namespace hopefear {

// `vocabulary` is the decoder's, complete. Throws InputError unless the file is a joint model.
std::shared_ptr<StatefulScorer> load_joint_model(const std::string& path, FeatureId feature,
                                                 const Vocabulary& vocabulary);

// The network of a joint model; nullptr for other scorers.
std::shared_ptr<const JointNetwork> network_of(const StatefulScorer& scorer);

// A joint model with a second feature, what the cache adds. The cache must not change while a
// sentence is under way. Throws std::invalid_argument unless the scorer is a joint model.
std::shared_ptr<StatefulScorer> cached_joint_model(
    const std::shared_ptr<const StatefulScorer>& model, std::shared_ptr<const JointCache> cache,
    FeatureId feature);

}  // namespace hopefear
