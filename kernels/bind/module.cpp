// The compiled module: one init function a binding file.
#include <nanobind/nanobind.h>

void init_annealed(nanobind::module_& m);
void init_apriori(nanobind::module_& m);
void init_buckets(nanobind::module_& m);
void init_bytes(nanobind::module_& m);
void init_cars(nanobind::module_& m);
void init_counts(nanobind::module_& m);
void init_covering(nanobind::module_& m);
void init_decimals(nanobind::module_& m);
void init_delimited(nanobind::module_& m);
void init_descend(nanobind::module_& m);
void init_interrupts(nanobind::module_& m);
void init_items(nanobind::module_& m);
void init_kd_tree(nanobind::module_& m);
void init_kernel_values(nanobind::module_& m);
void init_linear(nanobind::module_& m);
void init_linear_machines(nanobind::module_& m);
void init_linear_scores(nanobind::module_& m);
void init_mistakes(nanobind::module_& m);
void init_logistic(nanobind::module_& m);
void init_local_fit(nanobind::module_& m);
void init_neighbors(nanobind::module_& m);
void init_online(nanobind::module_& m);
void init_pairs(nanobind::module_& m);
void init_rule_hits(nanobind::module_& m);
void init_rules(nanobind::module_& m);
void init_scores(nanobind::module_& m);
void init_slot_reader(nanobind::module_& m);
void init_svm(nanobind::module_& m);
void init_term_scores(nanobind::module_& m);
void init_texts(nanobind::module_& m);
void init_tree_levels(nanobind::module_& m);
void init_tree_price(nanobind::module_& m);
void init_trees(nanobind::module_& m);
void init_vw(nanobind::module_& m);
void init_words(nanobind::module_& m);

NB_MODULE(_kernels, m) {
  nanobind::set_leak_warnings(false);  // a lexicon may live as long as the interpreter, with the model that holds it
  m.doc() = "Loops of hedgerow: functions on arrays, and what they keep of texts.";
  init_annealed(m);
  init_apriori(m);
  init_buckets(m);
  init_bytes(m);
  init_cars(m);
  init_counts(m);
  init_covering(m);
  init_decimals(m);
  init_delimited(m);
  init_descend(m);
  init_interrupts(m);
  init_items(m);
  init_kd_tree(m);
  init_kernel_values(m);
  init_linear(m);
  init_linear_machines(m);
  init_linear_scores(m);
  init_mistakes(m);
  init_logistic(m);
  init_local_fit(m);
  init_neighbors(m);
  init_online(m);
  init_pairs(m);
  init_rule_hits(m);
  init_rules(m);
  init_scores(m);
  init_slot_reader(m);
  init_svm(m);
  init_term_scores(m);
  init_texts(m);
  init_tree_levels(m);
  init_tree_price(m);
  init_trees(m);
  init_vw(m);
  init_words(m);
}
