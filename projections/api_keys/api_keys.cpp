// The declaration of read.api_key.
#include "projections/api_keys/api_keys.hpp"

namespace workforce::projections {

ApiKeyRows const& api_keys() {
    static ApiKeyRows const model =
        ApiKeyRows::declare("api_key").column("facility_id", [](auto const& key) { return key.facilityId; });
    return model;
}

}  // namespace workforce::projections
