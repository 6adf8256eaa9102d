// The routes: one for each operation's binding and for its PUT twin, and the documents.
#include "api/rest/route.hpp"

namespace workforce::api {

std::vector<Route> const& routes() {
    static auto const table = [] {
        std::vector<Route> all;
        for (auto const& operation : operations::operations()) {
            auto const& http = operation.http;
            all.push_back({http.method, http.path, operation.name, &operation});
            if (!http.put_name.empty()) all.push_back({net::Method::put, http.path, http.put_name, &operation});
        }
        for (auto const& document : document_routes()) all.push_back(document);
        return all;
    }();
    return table;
}

}  // namespace workforce::api
