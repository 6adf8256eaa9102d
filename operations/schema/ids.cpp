// Ids that none can be.
#include "operations/schema/ids.hpp"

#include <algorithm>

namespace workforce::operations {

void check_id(core::Id id, core::JsonReader& reader) {
    if (id >= 1 && id <= core::kMaxId) return;
    auto const& errors = reader.errors();
    bool const known = std::any_of(errors.begin(), errors.end(),
                                   [&](core::FieldError const& error) { return error.field == reader.path(); });
    if (!known) reader.fail("range", "must be a positive integer");
}

void check_fields(void const* object, core::JsonReader& reader, std::span<IdField const> fields) {
    for (auto const& field : fields) {
        if (field.check == nullptr) continue;
        core::PathGuard const at(reader.path(), field.name);
        field.check(field.at(object), reader, names_ids(field.name));
    }
}

}  // namespace workforce::operations
