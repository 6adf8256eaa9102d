// The parameters of an operation's path, by name.
#pragma once

#include <boost/container/static_vector.hpp>
#include <string>
#include <string_view>

#include "core/text.hpp"

namespace workforce::operations {

/// One of them. `name` is a view of the row's template.
struct PathParameter {
    std::string_view name;
    core::Id id = 0;     ///< of an `int`, positive
    std::string text{};  ///< of a `text`, decoded and not empty
};

/// Those of one call, in the path's order. Holds no memory of its own for ids.
class PathParameters {
   public:
    static constexpr std::size_t kMost = 4;

    void add(PathParameter parameter) { all_.push_back(std::move(parameter)); }
    void clear() { all_.clear(); }
    /// The id of that name. Throws std::logic_error when the template has none: the row is wrong.
    [[nodiscard]] core::Id id(std::string_view name = "id") const { return find(name).id; }
    /// The text of that name. Throws as id().
    [[nodiscard]] std::string const& text(std::string_view name) const { return find(name).text; }
    [[nodiscard]] auto begin() const { return all_.begin(); }
    [[nodiscard]] auto end() const { return all_.end(); }
    [[nodiscard]] std::size_t size() const { return all_.size(); }

   private:
    [[nodiscard]] PathParameter const& find(std::string_view name) const;

    boost::container::static_vector<PathParameter, kMost> all_;
};

}  // namespace workforce::operations
