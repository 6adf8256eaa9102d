// Webhook subscriptions: who is told of what, and where.
#include "operations/webhooks.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/scopes.hpp"
#include "events/webhook_types.hpp"
#include "operations/declare.hpp"
#include "operations/webhook_payloads.hpp"
#include "workers/webhooks/readers.hpp"
#include "workers/webhooks/signature.hpp"

namespace workforce::operations {

template <>
struct FurtherFaults<commands::CreateWebhook> {
    static std::vector<core::FieldError> of(commands::CreateWebhook const& webhook) {
        return commands::faults_of_types(webhook.events);
    }
};

template <>
struct FurtherFaults<commands::UpdateWebhook> {
    static std::vector<core::FieldError> of(commands::UpdateWebhook const& changes) {
        return changes.events ? commands::faults_of_types(*changes.events) : std::vector<core::FieldError>();
    }
};

/// A type of webhook, as the catalogue has it.
struct WebhookEventType {
    std::string type;
    std::string trigger;
    core::Nullable<std::string> permission;  ///< that the creator needs for it to be delivered; null: none of its own
};
BOOST_DESCRIBE_STRUCT(WebhookEventType, (), (type, trigger, permission))

struct WebhookEventTypes {
    std::vector<WebhookEventType> data;
};
BOOST_DESCRIBE_STRUCT(WebhookEventTypes, (), (data))

/// A subscription with its newest attempts that were made.
struct WebhookDetail : events::WebhookView {
    std::vector<projections::WebhookDelivery> deliveries;
};
BOOST_DESCRIBE_STRUCT(WebhookDetail, (events::WebhookView), (deliveries))

namespace {

using boost::asio::awaitable;
using commands::ShownWebhook;
using core::Code;
using events::Kind;

constexpr int kShownAttempts = 25;  // spec 4.1

WebhookServices& services_of(Call const& call) { return *call.services.webhooks; }

/// What is wrong with the subscriber's address, added to what else is.
awaitable<std::vector<core::FieldError>> with_url_faults(Call const& call, std::vector<core::FieldError> faults,
                                                         std::string url) {
    auto const checked = co_await services_of(call).sender.check_url(std::move(url));
    if (!checked) faults.push_back({"url", "url_rejected", checked.error()});
    co_return faults;
}

/// Puts the secret where the answer names it: the new one, or for a retry the one that the first answer showed. A
/// secret that came to nothing is forgotten.
template <class Answer>
awaitable<Outcome> show_secret(Call& call, Outcome outcome, std::string secret, std::string id) {
    auto& secrets = services_of(call).secrets;
    bool const used = !outcome.refused && !outcome.replayed;
    // Where the outcome is unknown the secret may be the subscription's by now; settling tells.
    if (!id.empty() && !used && outcome.refused != Code::log_unavailable) co_await secrets.forget(id);
    if (outcome.status >= 300) co_return outcome;
    auto shown = core::from_stored_json<Answer>(outcome.body);
    if (used && !id.empty()) {
        shown.signingSecret = std::move(secret);
    } else {
        auto first = co_await secrets.shown(shown.signingSecret.value.value_or(""));
        shown.signingSecret = core::Nullable<std::string>();
        if (first) shown.signingSecret = *std::move(first);
    }
    outcome.body = core::to_json(shown);
    co_return outcome;
}

/// Names the metadata that only the system sets, and that is ignored.
void warn_reserved(Call& call, events::WebhookMetadata const& metadata) {
    std::vector<std::string> names;
    for (auto const name : events::kReservedMetadata) {
        if (metadata.value.contains(std::string(name))) names.push_back("metadata." + std::string(name));
    }
    warn_ignored(call, "fields", names);
}

awaitable<Outcome> create_webhook(Call& call) {
    auto command = read_command<commands::CreateWebhook>(call);
    if (command) {
        warn_reserved(call, command->metadata);
        auto faults = co_await with_url_faults(call, commands::faults_of_types(command->events), command->url.value);
        if (!faults.empty()) command = tl::unexpected(core::validation_problem(faults));
    }
    std::string secret, id;
    Id webhook = 0;
    if (command) {
        webhook = (co_await call.services.processor.ids().take(Kind::webhook, 1)).front();
        secret = workers::make_signing_secret();
        id = co_await services_of(call).secrets.put(secret, call.meta.organization, webhook);
        command->secret_id = id;
        command->rights = webhook_rights(*call.caller);
        command->limits = services_of(call).limits;
    }
    auto submission = submission_of(call, std::move(command));
    if (webhook != 0) submission.context.new_ids = {webhook};
    auto outcome = co_await submit(call, std::move(submission), 0);
    co_return co_await show_secret<ShownWebhook>(call, std::move(outcome), std::move(secret), std::move(id));
}

/// What of a subscription that changed since the fan-out saw it counts.
enum class Newer : std::uint8_t { as_said, narrowed };

using NarrowedWebhooks = std::map<Id, workers::NarrowedWebhook>;

/// What the fan-out goes by now, of these subscriptions.
awaitable<NarrowedWebhooks> narrowing_of(Call& call, std::vector<Id> ids) {
    if (ids.empty()) co_return NarrowedWebhooks();
    co_return co_await services_of(call).writes.run([ids = std::move(ids)](core::Connection& connection) {
        return workers::narrowed_webhooks(connection, ids, core::now());
    });
}

/// Narrows what is shown of a subscription to what its creator may read now.
void narrow(events::WebhookView& view, NarrowedWebhooks const& now, Newer newer = Newer::as_said) {
    auto const found = now.find(view.id);
    if (found == now.end()) return;
    if (newer == Newer::as_said && found->second.updated_at < view.updatedAt) return;
    view.effectiveEvents = events::effective_types(view.events, found->second.readable.types);
}

awaitable<Outcome> update_webhook(Call& call) {
    // Looked up before anything is done: of the answer what no event tells, and where deliveries went.
    auto const found = co_await find_webhook(call);
    auto const before = found ? found->view : events::WebhookView();
    auto command = read_command<commands::UpdateWebhook>(call);
    if (command) {
        if (command->metadata) warn_reserved(call, *command->metadata);
        std::vector<core::FieldError> faults;
        if (command->events) faults = commands::faults_of_types(*command->events);
        if (command->url) faults = co_await with_url_faults(call, std::move(faults), command->url->value);
        if (!faults.empty()) command = tl::unexpected(core::validation_problem(faults));
    }
    bool const enables = command && command->isActive == true;
    auto const url = command ? command->url : std::nullopt;
    bool const moves = enables || (command && command->events);
    auto const rights = webhook_rights(*call.caller);
    if (command) command->rights = rights;
    auto outcome = co_await submit(call, submission_of(call, std::move(command)), 0);
    if (outcome.status >= 300) co_return outcome;
    auto view = core::from_stored_json<events::WebhookView>(outcome.body);
    static_cast<events::WebhookState&>(view) = before;
    if (enables) view.consecutiveFailures = 0;
    // A retry finds the address that it named itself.
    bool const redirects = url && (outcome.replayed || *url != before.url);
    // Whose permissions count is the caller, or as it was.
    bool const callers = (moves || redirects) && events::owner_of(view.createdBy) == rights.owner;
    if (!callers) narrow(view, co_await narrowing_of(call, {view.id}), Newer::narrowed);
    outcome.body = core::to_json(view);
    co_return outcome;
}

awaitable<Outcome> delete_webhook(Call& call) {
    auto command = read_command<commands::DeleteWebhook>(call);
    if (command) command->rights = webhook_rights(*call.caller);
    co_return co_await submit(call, submission_of(call, std::move(command)), 0);
}

awaitable<Outcome> rotate_secret(Call& call) {
    auto command = read_command<commands::RotateWebhookSecret>(call);
    std::string secret, id;
    if (command) {
        secret = workers::make_signing_secret();
        id = co_await services_of(call).secrets.put(secret, call.meta.organization, command->id);
        command->secret_id = id;
        command->rights = webhook_rights(*call.caller);
    }
    auto outcome = co_await submit(call, submission_of(call, std::move(command)), 0);
    co_return co_await show_secret<commands::RotatedSecret>(call, std::move(outcome), std::move(secret), std::move(id));
}

/// A page with what is delivered narrowed.
awaitable<core::Result<projections::Page>> narrowed_page(Call& call,
                                                         awaitable<core::Result<projections::Page>> listing) {
    auto page = co_await std::move(listing);
    if (!page) co_return page;
    auto views = core::from_stored_json<std::vector<events::WebhookView>>(page->rows);
    std::vector<Id> ids;
    for (auto const& view : views) ids.push_back(view.id);
    auto const now = co_await narrowing_of(call, std::move(ids));
    for (auto& view : views) narrow(view, now);
    page->rows = core::to_json(views);
    co_return page;
}

using WebhookQuery = ListQuery<projections::WebhookFilter>;

awaitable<Outcome> list_webhooks(Call& call) {
    auto const& model = projections::webhooks();
    auto input = read_query<WebhookQuery>(call.input.parameters).map([&](WebhookQuery const& query) {
        projections::OwnedWebhookFilter filter;
        static_cast<projections::WebhookFilter&>(filter) = query;
        auto rights = webhook_rights(*call.caller);
        if (!rights.manages_all) filter.owner = std::move(rights.owner);
        return ListInput{query, model.filters(filter)};
    });
    auto source = [&call, &model](core::Database& database, projections::Scope scope, projections::PageRequest request,
                                  std::vector<core::Parameter> filters) {
        return narrowed_page(call,
                             model.lists().run(database, std::move(scope), std::move(request), std::move(filters)));
    };
    co_return co_await get_list(call, PageSource(source), std::move(input));
}

awaitable<Outcome> get_webhook(Call& call) {
    auto found = co_await find_webhook(call);
    if (!found) co_return refuse(call, found.error());
    auto const scope = read_scope(call);
    WebhookDetail detail;
    static_cast<events::WebhookView&>(detail) = std::move(found->view);
    detail.deliveries =
        co_await projections::newest_attempts(call.services.database_of(*scope), *scope, detail.id, kShownAttempts);
    co_return Outcome{.body = core::to_json(detail), .version = found->version};
}

awaitable<Outcome> list_event_types(Call& /*call*/) {
    WebhookEventTypes types;
    for (auto const& type : events::webhook_types()) {
        types.data.push_back({std::string(type.name), std::string(type.trigger), std::string(type.permission.name())});
    }
    for (auto const& type : {events::kEveryType, events::kTestType}) {
        types.data.push_back({std::string(type), std::string(trigger_of(type)), {}});
    }
    co_return Outcome{.body = core::to_json(types)};
}

template <class Command>
Operation webhook_command(std::string_view name, std::string_view summary, Handler handler) {
    auto row = command<Command>(name, summary);
    row.handler = handler;
    return std::move(row).for_any_organization().on(Kind::webhook).audit();
}

}  // namespace

commands::WebhookRights webhook_rights(Caller const& caller) {
    events::WebhookCreator const creator{caller.credential_type, caller.credential_id, caller.user.id};
    commands::WebhookRights rights{events::owner_of(creator), caller.permits("integrations.manage_webhooks"),
                                   events::readable_types(caller.permissions)};
    if (caller.is_client()) rights.grant = events::WebhookGrant{caller.grant, caller.client, caller.scopes};
    return rights;
}

awaitable<core::Result<FoundWebhook>> find_webhook(Call& call) {
    auto const id = call.input.path.id();
    auto const scope = read_scope(call);
    if (!scope) co_return tl::unexpected(scope.error());
    co_await await_own_writes(call);
    auto const document = co_await projections::webhooks().find(call.services.database_of(*scope), *scope, id);
    auto const rights = webhook_rights(*call.caller);
    if (document) {
        FoundWebhook found{core::from_stored_json<events::WebhookView>(document->doc), document->version};
        if (rights.manages_all || events::owner_of(found.view.createdBy) == rights.owner) {
            auto now = co_await narrowing_of(call, {id});
            narrow(found.view, now);
            auto const known = now.find(id);  // the reactor may not have come to it yet
            found.facilities = call.caller->facilities;
            if (known != now.end()) found.facilities = std::move(known->second.readable.facilities);
            co_return found;
        }
    }
    co_return commands::not_found("webhook subscription", id);
}

std::vector<Operation> webhook_operations() {
    using enum net::Method;
    using projections::webhooks;
    auto listed = list<webhooks>("webhooks.list", "List your webhook subscriptions, or all that you manage");
    listed.description = "Returns a page of your own subscriptions, or of all that you manage.";
    listed.parameters = parameters_of<WebhookQuery>();
    for (auto& parameter : listed.parameters) {
        if (parameter.name == "sort") parameter.values = webhooks().sort_names();
    }
    listed.handler = list_webhooks;
    auto shown = one<webhooks>("webhooks.get", "Read a webhook subscription with its 25 newest attempts");
    shown.description = "Returns one subscription with its 25 newest attempts: status codes, bodies and errors.";
    shown.answer = &answer_of<WebhookDetail>;
    shown.answer_example = &example<WebhookDetail, Side::answer>;
    shown.handler = get_webhook;
    auto created = command<commands::CreateWebhook>("webhooks.create", "Subscribe to events");
    created.description =
        "Subscribes an address to events and returns the signing secret, shown this once. Events that you may not read "
        "are left out. What an OAuth client makes ends with the consent that it acts by. Refused past 20 subscriptions "
        "of "
        "a creator, or 100 of an organization.";
    created.refusals = {core::Code::limit_reached};
    created.handler = create_webhook;
    auto removed = webhook_command<commands::DeleteWebhook>("webhooks.delete", "End a subscription", delete_webhook);
    removed.description = "Ends a subscription for good; what still waits is not sent.";
    std::vector<Operation> all{
        query<WebhookEventTypes>("webhooks.event_types", "List what can be subscribed to", list_event_types)
            .says("Returns each type with when it is sent and what its subscriber has to be allowed.")
            .by_anyone()
            .at(get, "/api/webhooks/event-types"),
        std::move(listed).for_any_organization().at(get, "/api/webhooks"),
        std::move(shown)
            .for_any_organization()
            .shows_all_by("integrations.manage_webhooks")
            .at(get, "/api/webhooks/{id:int}"),
        std::move(created)
            .for_any_organization()
            .creates(Kind::webhook)
            .else_at_home()
            .audit()
            .at(post, "/api/webhooks"),
        webhook_command<commands::UpdateWebhook>("webhooks.update", "Change a subscription", update_webhook)
            .says(
                "Changes the fields that are given; others stay, and metadata is replaced as a whole. isActive: true "
                "takes up deliveries again, from then on. Whoever names types or an address, or takes them up, is the "
                "one whose rights to read count from then on.")
            .at(patch, "/api/webhooks/{id:int}")
            .also_put("webhooks.put"),
        std::move(removed).destroys().at(del, "/api/webhooks/{id:int}"),
        webhook_command<commands::RotateWebhookSecret>("webhooks.rotate_secret", "Give a subscription a new secret",
                                                       rotate_secret)
            .says("Gives the subscription a new signing secret, shown this once. Until it takes over, deliveries carry "
                  "both signatures.")
            .at(post, "/api/webhooks/{id:int}/rotate-secret"),
        command<commands::DisableWebhook>("webhooks.disable", "A subscription is given up")
            .by_installation()
            .on(Kind::webhook),
    };
    std::ranges::move(webhook_delivery_operations(), std::back_inserter(all));
    return all;
}

}  // namespace workforce::operations
