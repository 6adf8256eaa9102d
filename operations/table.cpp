// THE table: everything that can be asked.
#include <iterator>

#include "operations/operation.hpp"

namespace workforce::operations {

std::vector<Operation> const& operations() {
    static auto const table = [] {
        std::vector<Operation> all;
        for (auto* part :
             {facility_operations, staff_operations, shift_operations, account_operations, dashboard_operations}) {
            auto rows = part();
            std::move(rows.begin(), rows.end(), std::back_inserter(all));
        }
        return all;
    }();
    return table;
}

}  // namespace workforce::operations
