// The parts of the extension module, a file each.
#pragma once

#include <nanobind/nanobind.h>

namespace hopefear::bindings {

void bind_weights(nanobind::module_& module);
void bind_engine(nanobind::module_& module);
void bind_forest(nanobind::module_& module);
void bind_plugins(nanobind::module_& module);
void bind_edges(nanobind::module_& module);
void bind_tables(nanobind::module_& module);
void bind_scorers(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_oracles(nanobind::module_& module);
void bind_consensus(nanobind::module_& module);
void bind_readers(nanobind::module_& module);
void bind_line_search(nanobind::module_& module);
void bind_metrics(nanobind::module_& module);
void bind_extraction(nanobind::module_& module);

}  // namespace hopefear::bindings
