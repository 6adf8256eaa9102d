// Apps outside: what can be connected, and what is done there. Whatever asks a provider looks first whether that is
// done already, and whether it may be; then asks, under a key that is the same for each repeat; then records.
#include "operations/apps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "commands/app.hpp"
#include "core/logging.hpp"
#include "core/text.hpp"
#include "operations/declare.hpp"
#include "projections/apps/apps.hpp"

namespace workforce::operations {

/// What GET /api/apps is narrowed to.
struct AppsQuery : TargetQuery {
    std::optional<core::ShortText> app{};
};
BOOST_DESCRIBE_STRUCT(AppsQuery, (TargetQuery), (app))

/// An app that can be connected, with the connections that stand.
struct AppListing {
    std::string app;
    std::string displayName;
    std::string provider;
    std::vector<events::AppConnection> connections;
    std::optional<std::vector<workers::AppAction>> actions;  ///< where one app was asked for
};
BOOST_DESCRIBE_STRUCT(AppListing, (), (app, displayName, provider, connections, actions))

struct AppListings {
    std::vector<AppListing> data;
};
BOOST_DESCRIBE_STRUCT(AppListings, (), (data))

namespace {

using boost::asio::awaitable;
using events::Kind;
using Clock = std::chrono::steady_clock;

/// Keys under which a provider is asked begin so.
constexpr std::string_view kKeyPrefix = "app_";
/// An action has so long.
constexpr std::chrono::milliseconds kActionTime{20'000};
/// The characters of an action's name, as core::Name has them.
constexpr std::size_t kLongestAction = 200;

/// The refusal where nobody knows whether anything was done outside; the request may come again under its key.
core::Problem provider_away(Call const& call, std::string_view app, workers::Unanswered const& why) {
    core::log(core::Level::warn, "a provider of apps did not do what it was asked for",
              {{"app", app}, {"request_id", call.meta.request_id}, {"error", why.reason}});
    return unanswered_problem(fmt::format("The provider of the app {}", app), why);
}

awaitable<std::vector<events::AppConnection>> standing_connections(Call& call, projections::Scope scope) {
    using events::AppStatus;
    projections::AppFilter filter;
    filter.status = {AppStatus::connected, AppStatus::error};
    auto const& model = projections::app_connections();
    projections::PageRequest request;
    request.limit = projections::kMaxLimit;
    auto page =
        co_await model.lists().run(call.services.database_of(scope), scope, std::move(request), model.filters(filter));
    if (!page) co_return std::vector<events::AppConnection>();
    co_return core::from_stored_json<std::vector<events::AppConnection>>(page->rows);
}

awaitable<Outcome> list_apps(Call& call) {
    auto const query = read_query<AppsQuery>(call.input.parameters);
    if (!query) co_return refuse(call, query.error());
    auto const scope = read_scope(call);
    if (!scope) co_return refuse(call, scope.error());
    co_await await_own_writes(call);
    auto const connections = co_await standing_connections(call, *scope);
    AppListings listings;
    for (auto* provider : call.services.apps->providers.all(scope->sandbox)) {
        for (auto const& known : provider->apps()) {
            if (query->app && query->app->value != known.app) continue;
            AppListing listing{known.app, known.display_name, std::string(provider->name()), {}, {}};
            std::ranges::copy_if(connections, std::back_inserter(listing.connections),
                                 [&](auto const& each) { return each.app.value == known.app; });
            if (query->app) {
                auto actions = co_await provider->list(known.app);
                if (!actions) co_return refuse(call, provider_away(call, known.app, actions.error()));
                listing.actions = *std::move(actions);
            }
            listings.data.push_back(std::move(listing));
        }
    }
    Outcome outcome;
    outcome.body = core::to_json(listings);
    co_return outcome;
}

std::string display_name_of(workers::ConnectedAppProvider const& provider, std::string_view app) {
    auto const found = std::ranges::find(provider.apps(), app, &workers::KnownApp::app);
    return found->display_name;
}

awaitable<Outcome> connect_app(Call& call) {
    auto command = read_command<commands::ConnectApp>(call);
    auto const app = call.input.path.text("app");
    auto* const provider = call.services.apps->providers.of(app, call.meta.sandbox);
    if (!command) co_return co_await refuse_asked(call, command.error());
    if (!provider) {
        co_return co_await refuse_asked(call, {core::Code::not_found, "There is no such app that can be connected."});
    }
    command->app = app;
    auto const key = provider_key(call, kKeyPrefix);
    KeyHold const hold(call.services.apps->under_way, key);
    if (!hold.held()) co_return refuse(call, provider_in_progress());
    auto sound = std::make_shared<bool>(false);
    auto answered = co_await look_ahead(
        call, [sound, asked = *command](commands::View const& view, commands::Context const& context) {
            return *sound = check(view, asked, context).has_value();
        });
    if (answered) co_return *std::move(answered);
    if (*sound) {
        auto account =
            co_await provider->connect(app, call.services.apps->providers.owner_of(call.meta.organization), key);
        if (!account) co_return co_await refuse_asked(call, provider_away(call, app, account.error()));
        command->account = {display_name_of(*provider, app), std::move(account->id), std::move(account->scopes),
                            std::move(account->redirect_url)};
    }
    co_return co_await submit(call, submission_of(call, std::move(command)), 1);
}

/// What a look ahead finds of a connection.
struct FoundConnection {
    bool found = false;
    std::string app;
    std::string account;

    /// Gives whether there is one.
    bool take(core::Result<events::AppRecord const*> const& record) {
        found = record.has_value() && *record != nullptr;
        if (!found) return false;
        app = (*record)->app.value;
        account = (*record)->internals.accountId;
        return true;
    }
};

awaitable<Outcome> disconnect_app(Call& call) {
    auto const command = commands::DisconnectApp{call.input.path.id()};
    auto connection = std::make_shared<FoundConnection>();
    auto answered =
        co_await look_ahead(call, [connection, command](commands::View const& view, commands::Context const& context) {
            return connection->take(find_ending(view, command, context));
        });
    if (answered) co_return *std::move(answered);
    // An app that is not configured any more is somebody's who can't be asked.
    auto* const provider =
        connection->found ? call.services.apps->providers.of(connection->app, call.meta.sandbox) : nullptr;
    if (provider) {
        auto const ended = co_await provider->disconnect(connection->account);
        if (!ended) co_return co_await refuse_asked(call, provider_away(call, connection->app, ended.error()));
    }
    co_return co_await submit(call, submission_of(call, core::Result<commands::DisconnectApp>(command)), 0);
}

core::Result<commands::AppOutcome> outcome_of_action(Call const& call, std::string_view app, std::string_view action,
                                                     workers::AppAnswer answer) {
    using Kind = workers::AppAnswer::Kind;
    if (answer.kind == Kind::no_such_action) {
        return core::refuse(core::Code::not_found, fmt::format("The app {} has no action {}.", app, action));
    }
    if (answer.kind == Kind::unavailable) {
        return tl::unexpected(provider_away(call, app, {std::move(answer.error), answer.timed_out}));
    }
    commands::AppOutcome outcome;
    outcome.successful = answer.kind == Kind::succeeded;
    outcome.data.text = std::move(answer.data);
    outcome.error = std::move(answer.error);
    outcome.unauthorized = answer.kind == Kind::unauthorized;
    return outcome;
}

/// The action of the path, or of a tool's arguments, as events keep it. Errors: VALIDATION_ERROR.
core::Result<core::Name> action_of(Call const& call) {
    core::Name action = call.input.path.text("action");
    if (auto fault = core::clean_text(action.value, false)) {
        return commands::invalid_field("action", "characters", *std::move(fault));
    }
    if (action.value.empty() || core::count_code_points(action.value) > kLongestAction) {
        return commands::invalid_field("action", "length", fmt::format("must have 1 to {} characters", kLongestAction));
    }
    return action;
}

/// Asks the app. Errors: as outcome_of_action(); APP_NOT_CONNECTED for one that is not configured any more.
awaitable<core::Result<commands::AppOutcome>> ask_app(Call& call, FoundConnection const& connection,
                                                      commands::ExecuteApp const& command, std::string const& key) {
    auto const& providers = call.services.apps->providers;
    auto* const provider = providers.of(connection.app, call.meta.sandbox);
    if (!provider) {
        co_return core::refuse(core::Code::app_not_connected,
                               fmt::format("The app {} can't be asked any more.", connection.app));
    }
    auto const began = Clock::now();
    auto answer = co_await provider->execute({.app = connection.app,
                                              .action = command.action,
                                              .account = connection.account,
                                              .owner = providers.owner_of(call.meta.organization),
                                              .arguments = command.arguments.text,
                                              .key = key,
                                              .patience = provider_patience(call, kActionTime)});
    auto outcome = outcome_of_action(call, connection.app, command.action, std::move(answer));
    if (outcome) {
        outcome->duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began).count();
    }
    co_return outcome;
}

awaitable<Outcome> execute_action(Call& call) {
    auto command = read_command<commands::ExecuteApp>(call);
    if (!command) co_return co_await refuse_asked(call, command.error());
    auto const action = action_of(call);
    if (!action) co_return co_await refuse_asked(call, action.error());
    command->action = action->value;
    if (call.meta.approval != 0) command->approval = call.meta.approval;
    auto const key = provider_key(call, kKeyPrefix);
    KeyHold const hold(call.services.apps->under_way, key);
    if (!hold.held()) co_return refuse(call, provider_in_progress());
    auto connection = std::make_shared<FoundConnection>();
    auto answered = co_await look_ahead(
        call, [connection, id = command->id](commands::View const& view, commands::Context const& context) {
            return connection->take(find_connected(view, id, context));
        });
    if (answered) co_return *std::move(answered);
    if (connection->found) {
        auto outcome = co_await ask_app(call, *connection, *command, key);
        if (!outcome) co_return co_await refuse_asked(call, outcome.error());
        command->outcome = *std::move(outcome);
    }
    co_return co_await submit(call, submission_of(call, std::move(command)), 0);
}

Operation apps_row() {
    auto row = query_with<AppListings, AppsQuery>("apps.list", "List apps and their connections", list_apps);
    row.description =
        "Returns the apps outside that can be connected, each with the connections that you may use. With app one of "
        "them alone, with the actions that {apps.execute} can ask it for and the arguments that these take.";
    row.reads = {projections::app_connections().spec().name};
    return row;
}

template <class Command>
Operation app_command(std::string_view name, std::string_view summary, Handler handler) {
    auto row = command<Command>(name, summary).with_provider();
    row.handler = handler;
    return row;
}

}  // namespace

std::vector<Operation> app_operations() {
    using enum net::Method;
    using enum core::Code;
    auto execution =
        app_command<commands::ExecuteApp>("apps.execute", "Have an app do something", execute_action)
            .says(
                "Has a connected app do one of its actions: {apps.list} with app has connection, action "
                "and arguments. Returns data, or error where the app refused. UPSTREAM_ERROR, UPSTREAM_TIMEOUT: "
                "the app did not answer, and may be asked again; the action may then be done twice, unless the app "
                "knows the request's idempotency key. Values of arguments that are named as secrets are "
                "not kept.");
    execution.versioned = false;
    return {
        apps_row().needs("apps.view").with_provider().at(get, "/api/apps").as_tool({.name = "apps_list"}),
        app_command<commands::ConnectApp>("apps.connect", "Connect an app", connect_app)
            .says("Connects an app for the organization, or for one facility, and returns the connection. Where it has "
                  "a redirectUrl, somebody has to open that and let us into the account before actions succeed. There "
                  "is one connection to an app for each facility, and one for the organization as a whole.")
            .refuses({duplicate_resource})
            .needs("apps.edit")
            .audit()
            .creates(Kind::app, "/api/apps/connections")
            .at(post, "/api/apps/{app:text}/connect"),
        one<projections::app_connections>("apps.get_connection", "Read a connection to an app")
            .says("Returns one connection: whose account it is, and whether it lets us in.")
            .needs("apps.view")
            .at(get, "/api/apps/connections/{id:int}"),
        app_command<commands::DisconnectApp>("apps.disconnect", "End a connection to an app", disconnect_app)
            .says("Ends a connection for good and has the provider forget the account. What was done through it stays "
                  "readable.")
            .needs("apps.edit")
            .audit()
            .destroys()
            .on(Kind::app)
            .at(del, "/api/apps/connections/{id:int}"),
        std::move(execution)
            .refuses({app_not_connected, limit_reached})
            .needs("apps.edit")
            .audit()
            .on(Kind::app)
            .at(post, "/api/apps/connections/{id:int}/actions/{action:text}")
            .as_tool({.name = "app_execute",
                      .tier = events::ModelTier::standard,
                      .approval = Approval::headless,
                      .renamed = {{"connectionId", "id"}}}),
        list<projections::app_executions>("apps.executions", "List what apps were asked for")
            .says("Returns a page of actions that apps were asked for, with arguments and results; values of members "
                  "that are named as secrets are left out. Narrow it by connection, app and status.")
            .needs("apps.view")
            .at(get, "/api/apps/executions"),
    };
}

}  // namespace workforce::operations
