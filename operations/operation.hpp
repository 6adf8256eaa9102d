// What an operation is: a verb with its input, answer and access, and how protocols reach it. The table of all of them
// (table.cpp) is the single source of routing, authentication, validation and OpenAPI.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/scopes.hpp"
#include "events/envelope.hpp"
#include "operations/http_binding.hpp"
#include "operations/outcome.hpp"
#include "operations/schema/components.hpp"
#include "operations/tool_binding.hpp"

namespace workforce::operations {

struct Call;
struct RawInput;
struct StructWords;

/// Who may ask.
enum class Access : std::uint8_t {
    installation,   ///< the installation itself: no protocol reaches it
    within,         ///< whoever asks for another operation that leads to it: no protocol reaches it either
    open,           ///< anyone, without a credential
    authenticated,  ///< any credential
    permission,     ///< a credential that `permission` is granted to
};

/// What asking does.
enum class Effect : std::uint8_t { read, write, destructive };

/// Whose rows those are that reach who has a permission for rows of their own alone (domain 4.3).
enum class OwnBy : std::uint8_t {
    nobody,        ///< there are none: such a person may not ask
    staff_member,  ///< of the staff member whom the person is; read_scope() narrows to them
    user,          ///< of the user, whom the handler narrows everybody to
};

/// Does what is asked. The call lives until the outcome is there.
using Handler = boost::asio::awaitable<Outcome> (*)(Call&);
/// Says what is wrong with a call's input by itself, whatever there is.
using InputCheck = core::Result<void> (*)(Call&);
/// Writes the members of an open JSON Schema object.
using SchemaWriter = Components::Definition;
/// Writes an example.
using ExampleWriter = void (*)(core::JsonWriter&);

/// One parameter beside the body.
struct Parameter {
    std::string_view name;
    bool required = false;
    bool is_list = false;  ///< of values between commas
    SchemaWriter schema = nullptr;
    std::vector<std::string> values{};  ///< all that it may be, where that is more than the schema says
    std::string description{};          ///< what it means, as operations/words says it
};

/// A member of the body, or a parameter, that names a resource.
struct NamedResource {
    events::Kind kind = events::Kind::organization;
    std::string_view member;
};

/// One operation. The members below `handler` say what a declaration adds; each returns the operation, to be chained.
struct Operation {
    std::string_view name;  ///< the verb, "shifts.assign": also the operationId of OpenAPI
    std::string_view summary{};
    std::string_view description{};  ///< what it does and answers, when it is refused, and what else it changes
    std::uint16_t row = 0;           ///< its place in operations(), which sets it
    Access access = Access::authenticated;
    std::optional<core::Permission> permission{};          ///< exactly where access is permission
    std::optional<core::Permission> other_permission{};    ///< one that will do instead
    std::optional<core::Permission> further_permission{};  ///< another one that will
    std::optional<core::Permission> also_permission{};     ///< one that has to be granted as well
    std::optional<core::Permission> own_permission{};      ///< one that will do for rows of one's own alone
    bool in_sandbox = false;                               ///< it is about the sandbox, whoever asks
    bool live_only = false;                                ///< there is none of it in the sandbox
    bool people_only = false;      ///< no key or token of a machine may ask, whatever its scopes
    bool clients_never = false;    ///< no OAuth client may ask, whatever its user let it do
    OwnBy own_by = OwnBy::nobody;  ///< other than nobody: who has the permission for these rows alone may ask
    Effect effect = Effect::read;
    bool appends = true;          ///< a write leads to events: it is done by its partition's owner, once under its key
    bool signs_in = false;        ///< a password is tried, so that attempts of an address are counted
    bool counts_clients = false;  ///< its handler counts who asks, by client, and strangers by address
    bool knows_session = false;   ///< of what anybody may ask: who has a session in a cookie is known as its person
    bool asks_provider = false;   ///< somebody outside is asked: UPSTREAM_ERROR, UPSTREAM_TIMEOUT
    std::string_view since = "2026-05-10";
    std::uint16_t success = 200;
    std::uint16_t other_success = 0;  ///< of what was begun and has not ended when its time is up; 0: there is none
    std::chrono::seconds waits{0};    ///< so long its handler may wait for that, once its events stand in the log
    std::vector<Parameter> parameters{};
    std::vector<std::string_view> reads{};  ///< the read models that its answer is made of; empty: any of them
    SchemaWriter body = nullptr;            ///< the JSON object that it takes, if any
    bool body_required = false;             ///< a body of no members is refused, and so is none
    ExampleWriter body_example = nullptr;
    SchemaWriter answer = nullptr;  ///< JSON of a success
    ExampleWriter answer_example = nullptr;
    std::vector<core::Code> refusals{};     ///< codes that it refuses with besides those that follow from this row
    bool versioned = false;                 ///< answers with one resource, and so with its version
    std::optional<events::Kind> makes{};    ///< the kind of what it creates; ids of it are taken beforehand
    std::string_view located_at{};          ///< the path below which that is found; empty: the operation's own
    std::optional<events::Kind> acts_on{};  ///< the kind of what `id` names: what it changes, or adds to
    std::optional<NamedResource> about{};   ///< what it is about where no `id` names it
    std::optional<events::Kind> shown{};    ///< the kind of the resources that it reads
    /// What lets one read all of these, where the operation itself shows everybody their own.
    std::optional<core::Permission> shown_all_by{};
    bool names_own_organization = false;  ///< `orgUnitId` of its body is a field of what `id` names
    bool audited = false;  ///< where a request came from is kept for the entries that it leaves in the audit log
    bool (*leaves_entry)(RawInput const& input) = nullptr;  ///< whether an audited one may leave any; null: always
    /// Answers show what requests leave in tables beside the log (when a key was used), some seconds late.
    bool shows_uses = false;
    bool any_organization = false;  ///< any credential may ask; who may act on any organization may name one
    bool at_home = false;           ///< it is about the caller's own organization where the request names none
    HttpBinding http{};
    ToolBinding tool{};
    Handler handler = nullptr;
    InputCheck check_input = nullptr;  ///< asked before a call waits for a person; null: there is none

    /// What it means, for those who ask and for models: may name operations as operations/words does.
    Operation says(std::string_view words) && {
        description = words;
        return std::move(*this);
    }
    /// It refuses with these codes, besides those that any row like it has (api/rest/openapi_errors.cpp).
    Operation refuses(std::vector<core::Code> codes) && {
        refusals = std::move(codes);
        return std::move(*this);
    }
    /// Only for those who have the permission.
    Operation needs(core::Permission needed) && {
        permission = needed;
        access = Access::permission;
        return std::move(*this);
    }
    /// Or for those who have this one.
    Operation or_needs(core::Permission enough) && {
        (other_permission ? further_permission : other_permission) = enough;
        return std::move(*this);
    }
    /// Only for those who have this one, too.
    Operation also_needs(core::Permission needed) && {
        also_permission = needed;
        return std::move(*this);
    }
    /// Who has the permission for rows of their own alone may ask as well.
    Operation reaches_own_rows(OwnBy by = OwnBy::staff_member) && {
        own_by = by;
        return std::move(*this);
    }
    /// Or for those who have this one, who reach rows of their own alone by it: keys too, of the user behind them.
    Operation or_own(core::Permission enough) && {
        own_permission = enough;
        own_by = OwnBy::staff_member;
        return std::move(*this);
    }
    /// It is about the sandbox, also where a caller of live data asks.
    Operation about_sandbox() && {
        in_sandbox = true;
        return std::move(*this);
    }
    /// It is of live data alone: a person who acts on the sandbox is refused.
    Operation of_live_data() && {
        live_only = true;
        return std::move(*this);
    }
    /// Only for people who signed in.
    Operation by_people() && {
        people_only = true;
        return std::move(*this);
    }
    /// Not for OAuth clients: what it begins would outlive the consent, and reach further.
    Operation not_by_clients() && {
        clients_never = true;
        return std::move(*this);
    }
    /// Only for the installation itself, whose jobs ask for it.
    Operation by_installation() && {
        access = Access::installation;
        http.method = net::Method::post;
        return std::move(*this);
    }
    /// Only as a part of another operation, for whoever asked for that.
    Operation within() && {
        access = Access::within;
        http.method = net::Method::post;
        return std::move(*this);
    }
    /// For anyone, without a credential.
    Operation by_anyone() && {
        access = Access::open;
        return std::move(*this);
    }
    /// It changes what is beside the log alone: any process does it, and a repeat does it again.
    Operation appends_nothing() && {
        effect = Effect::write;
        appends = false;
        versioned = false;
        return std::move(*this);
    }
    /// It asks a provider outside, who may fail.
    Operation with_provider() && {
        asks_provider = true;
        return std::move(*this);
    }
    /// Its handler waits so long for what it began; past that it answers with `status`.
    Operation waits_for_end(std::uint16_t status, std::chrono::seconds most) && {
        other_success = status;
        waits = most;
        return std::move(*this);
    }
    /// It tries a password.
    Operation tries_password() && {
        signs_in = true;
        return std::move(*this);
    }
    /// What it creates is found below its own path, or the one that is named.
    Operation creates(events::Kind kind, std::string_view at = {}) && {
        makes = kind;
        located_at = at;
        success = 201;
        return std::move(*this);
    }
    /// Who may act on any organization acts on their own unless they name one.
    Operation else_at_home() && {
        at_home = true;
        return std::move(*this);
    }
    /// Any credential may ask, and whoever may act on any organization may name it as where a permission is needed.
    Operation for_any_organization() && {
        any_organization = true;
        return std::move(*this);
    }
    /// Its successes may leave entries in the audit log, which tell where the request came from.
    Operation audit() && {
        audited = true;
        return std::move(*this);
    }
    /// Its answers show when credentials were used.
    Operation with_uses() && {
        shows_uses = true;
        return std::move(*this);
    }
    /// As audit(), for those requests alone of which `leaves` says so.
    Operation audit_where(bool (*leaves)(RawInput const& input)) && {
        leaves_entry = leaves;
        return std::move(*this).audit();
    }
    Operation on(events::Kind kind) && {
        acts_on = kind;
        return std::move(*this);
    }
    /// It reads resources of that kind.
    Operation shows(events::Kind kind) && {
        shown = kind;
        return std::move(*this);
    }
    /// It shows everybody their own resources; all of them to those who have the permission.
    Operation shows_all_by(core::Permission needed) && {
        shown_all_by = needed;
        return std::move(*this);
    }
    /// What the member names, or `id` in the path, tells whose organization it is about, as far as nothing else does.
    Operation about_named(events::Kind kind, std::string_view member) && {
        about = NamedResource{kind, member};
        return std::move(*this);
    }
    /// As on(), where the body may say `orgUnitId` of the resource, which is elsewhere than it says for nobody.
    Operation on_with_organization(events::Kind kind) && {
        names_own_organization = true;
        return std::move(*this).on(kind);
    }
    /// It takes something away.
    Operation destroys() && {
        effect = Effect::destructive;
        return std::move(*this);
    }
    /// Reached by this method and path (HttpBinding::path).
    Operation at(net::Method method, std::string_view path) && {
        http.method = method;
        http.path = path;
        return std::move(*this);
    }
    /// PUT does the same as PATCH (domain 0); that route is called `name`.
    Operation also_put(std::string_view put) && {
        http.put_name = put;
        return std::move(*this);
    }
    /// Its body is of that type, and of at most so many bytes.
    Operation takes(MediaType type, std::uint32_t max_body = kMaxBody) && {
        http.takes = type;
        http.max_body = max_body;
        return std::move(*this);
    }
    /// It answers with one of these, the first where the client has no wish.
    Operation gives(std::vector<MediaType> types) && {
        http.gives = std::move(types);
        return std::move(*this);
    }
    /// It refuses in that form.
    Operation refuses_as(ErrorForm form) && {
        http.errors = form;
        return std::move(*this);
    }
    /// For people in a browser, or by an RFC whose metadata tells of it: OpenAPI does not.
    Operation undescribed() && {
        http.described = false;
        return std::move(*this);
    }
    /// Its handler counts who asks.
    Operation counts_clients_itself() && {
        counts_clients = true;
        return std::move(*this);
    }
    /// For anyone, but whoever has a session is known.
    Operation by_anyone_known() && {
        knows_session = true;
        return std::move(*this).by_anyone();
    }
    /// Scripts of every origin may ask and read.
    Operation for_any_origin() && {
        http.cors = true;
        return std::move(*this);
    }
    /// Models call it as a tool.
    Operation as_tool(ToolBinding binding) && {
        tool = std::move(binding);
        return std::move(*this);
    }
    /// A malformed id is refused with that.
    Operation refuses_malformed_ids_with(core::Problem (*problem)()) && {
        http.malformed_id = problem;
        return std::move(*this);
    }
};

/// All operations. Built at the first call; references to its rows stay.
std::vector<Operation> const& operations();

/// The scopes that a client needs to ask for the operation, with spaces between them.
std::string needed_scopes(Operation const& operation);

/// What operations are about: the part of their names before the dot.
struct Resource {
    std::string_view name;
    std::string_view description;
    std::vector<Operation> (*operations)() = nullptr;
    /// What members of their input and answers mean, as far as no other resource has them (operations/words/words.hpp).
    std::array<std::vector<StructWords> (*)(), 3> words{};
};
/// All of them, in the table's order.
std::span<Resource const> resources();

}  // namespace workforce::operations
