#include "scorers/joint_model.h"

#include "trigram_network.h"

TEST(every_derivation_has_the_probability_of_its_text_by_a_joint_model) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    Toy toy;
    const FeatureId feature = toy.weights->intern("JointModel");
    toy.weights->data()[feature] = 0.8;
    const TrigramNetwork network(seed, seed % 2 == 1);
    const TemporaryFile file(network.file());
    const auto model = load_joint_model(file.path(), feature, toy.engine.vocabulary());
    for_each_rescored(toy, *model, {"a", "a b c", "c b a b", "a b c b a c"},
                      [&](const Forest& forest, const Derivation& d) {
                        CHECK_NEAR(value_of(forest, d, feature),
                                   network.log_probability(text_of(forest, d)), 1e-4);
                      });
  }
}

TEST(a_damaged_joint_model_is_refused) {
  const std::string whole = TrigramNetwork(1).file();
  const Toy toy;
  for (const std::string& damaged :
       {std::string(), whole.substr(0, 63), whole.substr(0, whole.size() - 1), whole + "x"}) {
    const TemporaryFile file(damaged);
    CHECK_INPUT_ERROR(load_joint_model(file.path(), 0, toy.engine.vocabulary()), 0, "expected a ");
  }
  for (std::size_t place = 0; place < whole.size(); place += 7) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    const TemporaryFile file(damaged);
    CHECK_INPUT_ERROR(load_joint_model(file.path(), 0, toy.engine.vocabulary()), 0, "expected a ");
  }
}
