// Asks a read model for a page as lists do.
#pragma once

#include "projections/engine/read_model.hpp"

namespace workforce::tests {

template <class Model>
boost::asio::awaitable<core::Result<projections::Page>> list_rows(core::Database& database, Model const& model,
                                                                  projections::Scope const& scope,
                                                                  typename Model::Filter const& filter = {},
                                                                  projections::PageRequest const& page = {}) {
    return model.lists().run(database, scope, page, model.filters(filter));
}

}  // namespace workforce::tests
