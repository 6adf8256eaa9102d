// What the demo does.
#include "workers/apps/demo.hpp"

#include <fmt/format.h>

#include <array>

#include "core/crypto.hpp"

namespace workforce::workers {

using boost::asio::awaitable;

namespace {

constexpr std::string_view kEcho = "demo.echo";
constexpr std::string_view kCreateTicket = "demo.create_ticket";
constexpr std::size_t kTicketDigits = 10;

struct TicketArguments {
    core::Name title;
    core::LongText description;
    static constexpr std::array<std::string_view, 1> kRequired{"title"};
};
BOOST_DESCRIBE_STRUCT(TicketArguments, (), (title, description))

struct Ticket {
    std::string ticketId;
    core::Name title;
    core::LongText description;
    std::string status = "open";
};
BOOST_DESCRIBE_STRUCT(Ticket, (), (ticketId, title, description, status))

std::string schema_of_ticket() {
    core::JsonWriter w;
    w.begin_object();
    core::JsonType<TicketArguments>::schema(w);
    w.end_object();
    return w.take();
}

AppAnswer create_ticket(AppCall const& call) {
    TicketArguments arguments;
    core::JsonReader reader;
    core::JsonType<TicketArguments>::read(core::parse_json(call.arguments).value(), arguments, reader);
    if (!reader.errors().empty()) {
        auto const& fault = reader.errors().front();
        return {AppAnswer::Kind::failed, "null", fmt::format("{} {}.", fault.field, fault.message)};
    }
    auto const digest = core::hex_encode(core::bytes(core::sha256(call.account + '/' + call.key)));
    Ticket const ticket{"DEMO-" + digest.substr(0, kTicketDigits), arguments.title, arguments.description};
    return {AppAnswer::Kind::succeeded, core::to_json(ticket), ""};
}

}  // namespace

std::span<KnownApp const> DemoApp::apps() const {
    static std::array<KnownApp, 1> const known{KnownApp{"demo", "Demo"}};
    return known;
}

awaitable<tl::expected<std::vector<AppAction>, Unanswered>> DemoApp::list(std::string /*app*/) {
    std::vector<AppAction> actions;
    actions.push_back({std::string(kEcho), "Gives the arguments back", {R"({"type":"object"})"}});
    actions.push_back({std::string(kCreateTicket), "Makes a ticket", {schema_of_ticket()}});
    co_return actions;
}

awaitable<tl::expected<ConnectedAccount, Unanswered>> DemoApp::connect(std::string /*app*/, std::string owner,
                                                                       std::string /*key*/) {
    co_return ConnectedAccount{.id = std::move(owner)};
}

awaitable<tl::expected<void, Unanswered>> DemoApp::disconnect(std::string /*account*/) {
    co_return tl::expected<void, Unanswered>();
}

awaitable<AppAnswer> DemoApp::execute(AppCall call) {
    if (call.action == kEcho) co_return AppAnswer{AppAnswer::Kind::succeeded, call.arguments, ""};
    if (call.action == kCreateTicket) co_return create_ticket(call);
    co_return AppAnswer{AppAnswer::Kind::no_such_action, "null", ""};
}

}  // namespace workforce::workers
