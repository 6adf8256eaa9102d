// The routes: one for each operation's binding and for its PUT twin, and the documents.
#include "api/rest/route.hpp"

namespace workforce::api {

std::vector<Route> routes_of(std::span<operations::Operation const> operations) {
    std::vector<Route> all;
    for (auto const& operation : operations) {
        using enum operations::Access;
        if (operation.access == installation || operation.access == within) continue;
        auto const& http = operation.http;
        all.push_back({http.method, http.path, operation.name, &operation});
        if (!http.put_name.empty()) all.push_back({net::Method::put, http.path, http.put_name, &operation});
    }
    return all;
}

Router const& rest_router() {
    static Router const router = [] {
        auto all = routes_of(operations::operations());
        for (auto const& document : document_routes()) all.push_back(document);
        return Router(std::move(all));
    }();
    return router;
}

}  // namespace workforce::api
