// Finding a parameter.
#include "operations/path_parameters.hpp"

#include <algorithm>
#include <stdexcept>

namespace workforce::operations {

PathParameter const& PathParameters::find(std::string_view name) const {
    auto const found = std::ranges::find(all_, name, &PathParameter::name);
    if (found == all_.end()) throw std::logic_error("the path has no parameter " + std::string(name));
    return *found;
}

}  // namespace workforce::operations
