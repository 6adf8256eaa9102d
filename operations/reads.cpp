// One resource, and pages of lists.
#include "operations/reads.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>

#include "commands/command.hpp"
#include "operations/cursor.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::operations {
namespace {

/// What a cursor is bound to: the route with its ids, and every parameter but where and how much.
std::string cursor_binding(Call const& call) {
    std::string binding(call.operation.http.path);
    for (auto const& parameter : call.input.path) binding += '/' + std::to_string(parameter.id);
    binding += '\n' + call.caller->lineage();
    for (auto const& [name, value] : call.input.parameters) {
        if (name == "cursor" || name == "limit") continue;
        binding.append("\n").append(name).append("=").append(value);
    }
    return binding;
}

std::string scope_json(projections::Scope const& scope) {
    core::JsonWriter w;
    w.begin_object();
    if (scope.facilities.size() == 1) {
        w.member("facilityId", scope.facilities.front());
    } else if (scope.organization == 0) {
        w.member("global", true);
    } else {
        w.member("orgUnitId", scope.organization);
    }
    w.end_object();
    return w.take();
}

/// Where the page begins and how long it is. Errors: INVALID_CURSOR, also for a cursor of another list.
core::Result<projections::PageRequest> page_request(Call const& call, PageQuery const& query) {
    projections::PageRequest page;
    page.limit = static_cast<int>(std::min<std::int64_t>(query.limit ? query.limit->value : 50, 200));
    if (query.sort) page.sort = query.sort->value;
    if (!query.cursor) return page;
    auto keys = decode_cursor(*query.cursor, cursor_binding(call), call.services.cursor_secret);
    if (!keys) return tl::unexpected(keys.error());
    page.after = std::move(*keys);
    return page;
}

Outcome list_outcome(Call const& call, PageQuery const& query, projections::Scope const& scope,
                     projections::PageRequest const& request, projections::Page page) {
    core::JsonWriter w;
    w.begin_object();
    w.key("pagination");
    w.begin_object();
    w.member("limit", request.limit);
    w.member("hasMore", page.has_more);
    w.key("nextCursor");
    if (page.has_more) {
        w.string(encode_cursor(page.next, cursor_binding(call), call.services.cursor_secret));
    } else {
        w.null();
    }
    w.end_object();
    w.key("scope");
    w.raw(scope_json(scope));
    w.end_object();
    // Around the rows, which are text of some size: they have room for it.
    auto const rest = w.text().substr(1);
    Outcome outcome;
    outcome.facility = query.facilityId.value_or(0);
    outcome.body = std::move(page.rows);
    outcome.body.insert(0, R"({"data":)").append(",").append(rest);
    outcome.held = std::move(page.held);
    return outcome;
}

/// By kind, the first operation of the table that reads it; null where none does.
std::array<Operation const*, events::kKinds> const& readers() {
    static auto const all = [] {
        std::array<Operation const*, events::kKinds> found{};
        for (auto const& row : operations()) {
            if (!row.shown) continue;
            auto& first = found.at(static_cast<std::size_t>(*row.shown));
            if (first == nullptr) first = &row;
        }
        return found;
    }();
    return all;
}

/// Reads a resource as far as to where it is, which as a rule comes early.
class FacilityFinder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, FacilityFinder> {
   public:
    [[nodiscard]] Id found() const { return found_; }

    // How RapidJSON calls them; false ends the reading.
    bool Key(char const* text, rapidjson::SizeType size, bool /*copy*/) {
        std::string_view const key(text, size);
        is_one_ = depth_ == 1 && key == "facilityId";
        is_several_ = depth_ == 1 && key == "facilityIds";
        return true;
    }
    bool Int64(std::int64_t value) {
        if (is_one_ || is_several_) found_ = value;
        return !is_one_;
    }
    bool Int(int value) { return Int64(value); }
    bool Uint(unsigned value) { return Int64(value); }
    bool Uint64(std::uint64_t value) { return Int64(static_cast<std::int64_t>(value)); }
    bool Null() { return !is_one_; }
    bool StartObject() { return ++depth_ > 0; }
    bool EndObject(rapidjson::SizeType /*members*/) { return --depth_ >= 0; }
    bool StartArray() { return ++depth_ > 0; }
    bool EndArray(rapidjson::SizeType items) {
        --depth_;
        if (!is_several_) return true;
        if (items != 1) found_ = 0;
        return false;
    }

   private:
    int depth_ = 0;
    bool is_one_ = false;
    bool is_several_ = false;
    Id found_ = 0;
};

}  // namespace

Id facility_in(std::string_view resource) {
    FacilityFinder finder;
    rapidjson::MemoryStream stream(resource.data(), resource.size());
    rapidjson::Reader().Parse(stream, finder);
    return finder.found();
}

bool may_read(Caller const& caller, events::Kind kind) {
    auto const* reader = readers().at(static_cast<std::size_t>(kind));
    if (reader == nullptr) return false;
    if (reader->shown_all_by) return caller.permits(*reader->shown_all_by);
    return reader->permission && is_granted_to(caller, *reader);
}

Operation const* reader_of(Caller const& caller, events::Kind kind) {
    auto const* reader = readers().at(static_cast<std::size_t>(kind));
    return reader == nullptr || lacking(caller, *reader) ? nullptr : reader;
}

boost::asio::awaitable<Outcome> get_one(Call& call, std::string_view noun,
                                        projections::ScopedStatement const& statement) {
    auto scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto const id = call.input.path.id();
    auto document = co_await projections::find_document(call.services.database_of(*scope), statement, *scope, id);
    if (!document) {
        co_return refuse(call, {core::Code::not_found,
                                "There is no " + std::string(noun) + " " + std::to_string(id) + " in your scope."});
    }
    note_late_uses(call);
    Outcome outcome;
    outcome.facility = document->facility;
    if (outcome.facility == 0) {
        outcome.facility = call.operation.shown == events::Kind::facility ? id : facility_in(document->doc);
    }
    outcome.body = std::move(document->doc);
    outcome.version = document->version;
    co_return outcome;
}

boost::asio::awaitable<core::Result<void>> require_seen(Call& call, projections::AnyReadModel const& model, Id id) {
    auto const scope = read_scope(call);
    if (!scope) co_return tl::unexpected(scope.error());
    co_await await_own_writes(call);
    auto const found = co_await model.find(call.services.database_of(*scope), *scope, id);
    if (!found) co_return commands::not_found(model.spec().noun, id);
    co_return core::Result<void>{};
}

boost::asio::awaitable<Outcome> get_list(Call& call, projections::ListStatements const& lists,
                                         core::Result<ListInput> input) {
    auto source = [&lists](core::Database& database, projections::Scope scope, projections::PageRequest request,
                           std::vector<core::Parameter> filters) {
        return lists.run(database, std::move(scope), std::move(request), std::move(filters));
    };
    return get_list(call, PageSource(source), std::move(input));
}

boost::asio::awaitable<Outcome> get_list(Call& call, PageSource source, core::Result<ListInput> input) {
    if (!input) co_return refuse(call, input.error());
    auto const& query = input->page;
    auto scope = read_scope(call, query.facilityId);
    if (!scope) co_return refuse(call, scope.error());
    auto request = page_request(call, query);
    if (!request) co_return refuse(call, request.error());
    auto const& services = call.services;
    request->room = {services.page_bytes, &services.replies, call.caller->byte_holder()};
    co_await await_own_writes(call);
    if (auto known = co_await check_facility(call, query.facilityId); !known) co_return refuse(call, known.error());
    auto page = co_await source(call.services.database_of(*scope), *scope, *request, std::move(input->filters));
    if (!page) co_return refuse(call, page.error());
    note_late_uses(call);
    co_return list_outcome(call, query, *scope, *request, *std::move(page));
}

}  // namespace workforce::operations
