// The parts of the extension module, a file each.
#pragma once

#include <nanobind/nanobind.h>

namespace hopefear::bindings {

using Bind = void(nanobind::module_& module);
Bind bind_weights, bind_extraction, bind_engine, bind_forest, bind_plugins, bind_edges, bind_tables,
    bind_scorers, bind_search, bind_moments, bind_oracles, bind_consensus, bind_line_search,
    bind_metrics;

}  // namespace hopefear::bindings
