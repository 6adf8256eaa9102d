// A table of methods by era.
#include "api/mcp/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/mcp/diagnostics.hpp"
#include "api/versions.hpp"
#include "core/crypto.hpp"
#include "core/excerpt.hpp"

namespace workforce::api::mcp {
namespace {

using operations::Tool;

constexpr std::string_view kCapabilities = R"("capabilities":{"tools":{},"resources":{},"prompts":{}})";
constexpr std::string_view kInstructions =
    "Workforce scheduling, staff and customers of one organization. Begin with whoami, which tells what the credential "
    "may do. Lists page by cursor. Dates and times of a shift are wall clock at its facility. Repeat a call that "
    "changes something with the same svc/idempotencyKey in _meta where its outcome is not known.";
constexpr std::size_t kPage = 100;           // tools
constexpr std::size_t kMostUriBytes = 2000;  // of one that an error repeats

std::string server_info() {
    return fmt::format(R"({{"name":"workforce","title":"Workforce platform","version":"{}"}})", kLatestVersion);
}

std::string quoted(std::string_view text) {
    core::JsonWriter w;
    w.string(text);
    return w.take();
}

/// A result of members, with what the stateless era adds to what may be kept for a while.
Answer kept_result(Exchange const& exchange, std::string_view members, std::string_view scope) {
    if (exchange.protocol.era == Era::handshake) return {fmt::format("{{{}}}", members)};
    return {fmt::format(R"({{"resultType":"complete","ttlMs":60000,"cacheScope":"{}",{}}})", scope, members)};
}

Answer refuse(Exchange const& exchange, RpcCode code, std::string message) {
    return {tl::unexpected(RpcError{code, std::move(message), {}, 200, exchange.message.id})};
}

boost::asio::awaitable<Answer> initialize(Exchange& exchange, ToolCaller&, bool) {
    auto const wanted = as_text(exchange.message.param("protocolVersion"));
    if (!wanted) {
        co_return refuse(exchange, RpcCode::invalid_params, "params.protocolVersion must be a text.");
    }
    co_return Answer{fmt::format(R"({{"protocolVersion":"{}",{},"serverInfo":{},"instructions":{}}})",
                                 negotiate(*wanted), kCapabilities, server_info(), quoted(kInstructions))};
}

boost::asio::awaitable<Answer> ping(Exchange&, ToolCaller&, bool) { co_return Answer{"{}"}; }

boost::asio::awaitable<Answer> discover(Exchange& exchange, ToolCaller&, bool) {
    auto const members = fmt::format(
        R"("supportedVersions":["{}","{}","{}"],{},"instructions":{},"_meta":{{"io.modelcontextprotocol/serverInfo":{}}})",
        kStateless, kHandshake, kOldest, kCapabilities, quoted(kInstructions), server_info());
    co_return kept_result(exchange, members, "public");
}

/// The name of the last tool of the page before; nothing for a cursor that is none.
std::optional<std::string> tool_before(Exchange const& exchange) {
    auto const* const cursor = exchange.message.param("cursor");
    if (cursor == nullptr) return "";
    auto const text = as_text(cursor);
    return text ? core::base64url_decode(*text) : std::nullopt;
}

boost::asio::awaitable<Answer> list_tools(Exchange& exchange, ToolCaller&, bool diagnostics) {
    auto const before = tool_before(exchange);
    std::vector<std::pair<std::string_view, std::string_view>> seen;  // names and definitions
    for (auto const& tool : operations::tools()) {
        if (ToolCaller::may_call(exchange, tool)) seen.emplace_back(tool.name, tool.definition);
    }
    if (diagnostics) {
        for (auto const& tool : diagnostic_tools()) seen.emplace_back(tool.name, tool.definition);
    }
    auto from = seen.begin();
    if (before && !before->empty()) {
        from = std::ranges::find(seen, *before, &std::pair<std::string_view, std::string_view>::first);
    }
    if (!before || from == seen.end()) {
        co_return refuse(exchange, RpcCode::invalid_params, "params.cursor is none that tools/list gave.");
    }
    if (!before->empty()) ++from;
    auto const to = from + std::min<std::ptrdiff_t>(kPage, seen.end() - from);
    std::string members = R"("tools":[)";
    for (auto each = from; each != to; ++each) members.append(each == from ? "" : ",").append(each->second);
    members += ']';
    if (to != seen.end()) members += R"(,"nextCursor":")" + core::base64url_encode(std::prev(to)->first) + '"';
    co_return kept_result(exchange, members, "private");
}

boost::asio::awaitable<Answer> call_tool(Exchange& exchange, ToolCaller& tools, bool diagnostics) {
    auto const name = as_text(exchange.message.param("name"));
    auto const* const diagnostic = diagnostics && name ? find_diagnostic(*name) : nullptr;
    if (diagnostic == nullptr) co_return co_await tools.call(exchange);
    co_return Answer{co_await diagnostic->call(exchange)};
}

/// An empty list under that name.
template <char const* Name>
boost::asio::awaitable<Answer> list_nothing(Exchange& exchange, ToolCaller&, bool) {
    co_return kept_result(exchange, fmt::format(R"("{}":[])", Name), "public");
}

/// There is nothing to read or to get, whatever it is called.
boost::asio::awaitable<Answer> find_nothing(Exchange& exchange, ToolCaller&, bool) {
    auto const uri = as_text(exchange.message.param("uri"));
    auto answer = refuse(exchange, RpcCode::invalid_params, "There is no such resource or prompt.");
    if (uri)
        answer.result.error().data = R"({"uri":)" + quoted(std::string_view(core::excerpt(*uri, kMostUriBytes))) + "}";
    co_return answer;
}

constexpr char kResources[] = "resources";
constexpr char kTemplates[] = "resourceTemplates";
constexpr char kPrompts[] = "prompts";

struct Method {
    std::string_view name;
    bool handshake;
    bool stateless;
    boost::asio::awaitable<Answer> (*answer)(Exchange&, ToolCaller&, bool);
};

constexpr std::array kMethods{
    Method{"tools/call", true, true, call_tool},
    Method{"tools/list", true, true, list_tools},
    Method{"initialize", true, false, initialize},
    Method{"ping", true, false, ping},
    Method{"server/discover", true, true, discover},
    Method{"resources/list", true, true, list_nothing<kResources>},
    Method{"resources/templates/list", true, true, list_nothing<kTemplates>},
    Method{"prompts/list", true, true, list_nothing<kPrompts>},
    Method{"resources/read", true, true, find_nothing},
    Method{"prompts/get", true, true, find_nothing},
};

Method const* find_method(Exchange const& exchange) {
    auto const found = std::ranges::find(kMethods, exchange.message.method, &Method::name);
    if (found == kMethods.end()) return nullptr;
    bool const known = exchange.protocol.era == Era::stateless ? found->stateless : found->handshake;
    return known ? &*found : nullptr;
}

}  // namespace

bool has_method(Exchange const& exchange) { return find_method(exchange) != nullptr; }

boost::asio::awaitable<Answer> answer_method(Exchange& exchange, ToolCaller& tools, bool diagnostics) {
    auto const* const method = find_method(exchange);
    if (method == nullptr) {
        auto answer =
            refuse(exchange, RpcCode::method_not_found, fmt::format("There is no method {}.", exchange.message.method));
        if (exchange.protocol.era == Era::stateless) answer.result.error().status = 404;
        co_return answer;
    }
    co_return co_await method->answer(exchange, tools, diagnostics);
}

std::string health_document() {
    static auto const document = [] {
        auto const& tools = operations::tools();
        auto const headless = std::ranges::count_if(tools, [](Tool const& tool) { return tool.binding().headless; });
        // Pages for people and endpoints of OAuth are no verbs, nor is what the installation asks of itself.
        auto const verbs = std::ranges::count_if(operations::operations(), [](operations::Operation const& each) {
            return each.http.described && each.http.path.starts_with("/api/");
        });
        return fmt::format(R"({{"ok":true,"verbCount":{},"toolCount":{},"headlessToolCount":{}}})", verbs, tools.size(),
                           headless);
    }();
    return document;
}

}  // namespace workforce::api::mcp
