// JSON that somebody outside answers with, read as bodies of requests are.
#pragma once

#include <string_view>

#include "core/json.hpp"
#include "core/json_duplicates.hpp"
#include "core/result.hpp"

namespace workforce::workers {

/// Reads an answer; members that it knows no meaning of are passed over. Errors: VALIDATION_ERROR. Pure.
template <class T>
core::Result<T> read_from_outside(std::string_view json) {
    auto const document = core::parse_json(json);
    if (!document) return tl::unexpected(document.error());
    if (auto const repeated = core::duplicate_members(*document); !repeated.empty()) {
        return tl::unexpected(core::validation_problem(repeated));
    }
    T value;
    core::JsonReader reader;
    core::JsonType<T>::read(*document, value, reader);
    if (!reader.errors().empty()) return tl::unexpected(core::validation_problem(reader.errors()));
    return value;
}

}  // namespace workforce::workers
