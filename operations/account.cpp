// Who the caller is.
#include <algorithm>
#include <iterator>

#include "operations/accounts.hpp"
#include "operations/declare.hpp"

namespace workforce::operations {

/// Names as one JSON array of texts. A credential may have two hundred scopes and permissions, and clients ask often:
/// as texts of their own they took most of the answer's time.
class NameList {
   public:
    NameList() { json_.reserve(kUsualLength); }

    /// A name of letters, digits and punctuation, as scopes and permissions are.
    void add(std::string_view name) { json_.append(json_.size() > 1 ? ",\"" : "\"").append(name).append("\""); }
    [[nodiscard]] std::string json() const { return json_ + ']'; }

   private:
    static constexpr std::size_t kUsualLength = 4096;
    std::string json_ = "[";
};

}  // namespace workforce::operations

namespace workforce::core {

template <>
struct JsonType<operations::NameList> {
    static void write(JsonWriter& w, operations::NameList const& names) { w.raw(names.json()); }
    static void schema(JsonWriter& w) { JsonType<std::vector<std::string>>::schema(w); }
};

}  // namespace workforce::core

namespace workforce::operations {

template <>
struct ApiSchema<NameList> : ApiSchema<std::vector<std::string>> {};

/// What a user is, or `service` of a key that no user stands behind.
enum class MeRole : std::uint8_t {
    super_admin,
    admin,
    manager,
    facility_admin,
    scheduler,
    payroll_manager,
    sales_rep,
    viewer,
    staff,
    service
};
BOOST_DESCRIBE_ENUM(MeRole, super_admin, admin, manager, facility_admin, scheduler, payroll_manager, sales_rep, viewer,
                    staff, service)

/// The answer of GET /api/auth/me.
struct MeUser {
    Id id = 0;
    std::string email;
    std::string username;
    std::string firstName;
    std::string lastName;
    MeRole role = MeRole::viewer;
};
BOOST_DESCRIBE_STRUCT(MeUser, (), (id, email, username, firstName, lastName, role))

struct MeOrganization {
    Id id = 0;
    std::string name;
    events::OrganizationType type = events::OrganizationType::customer;
};
BOOST_DESCRIBE_STRUCT(MeOrganization, (), (id, name, type))

enum class CredentialType : std::uint8_t { live, test, pat, jwt, session, oauth, agent };
BOOST_DESCRIBE_ENUM(CredentialType, live, test, pat, jwt, session, oauth, agent)

struct MeCredential {
    CredentialType type = CredentialType::live;
    Id id = 0;
};
BOOST_DESCRIBE_STRUCT(MeCredential, (), (type, id))

struct Me {
    MeUser user;
    MeOrganization organization;
    bool isInternal = false;
    std::vector<Id> facilityIds;
    NameList permissions;
    NameList scopes;
    MeCredential credential;
};
BOOST_DESCRIBE_STRUCT(Me, (), (user, organization, isInternal, facilityIds, permissions, scopes, credential))

template <>
inline constexpr core::Id kLeastId<MeUser> = 0;  // of a credential with no user behind it

namespace {

MeCredential credential_of(Caller const& caller) {
    if (caller.is_client()) return {CredentialType::oauth, caller.credential_id};
    if (caller.credential_type == events::ActorType::agent) return {CredentialType::agent, caller.credential_id};
    if (!caller.is_person()) {
        return {core::parse_enum<CredentialType>(core::enum_name(caller.key_type)).value(), caller.credential_id};
    }
    bool const by_cookie = caller.session_kind == events::SessionKind::cookie;
    return {by_cookie ? CredentialType::session : CredentialType::jwt, caller.session};
}

/// The user, or the key itself where it is nobody's.
MeUser user_of(Caller const& caller) {
    auto const& user = caller.user;
    if (user.id == 0) {
        MeUser key;
        key.username = caller.name;
        key.role = MeRole::service;
        return key;
    }
    return {user.id,
            user.email.value.value,
            user.username.value.value,
            user.firstName.value.value,
            user.lastName.value.value,
            core::parse_enum<MeRole>(core::enum_name(user.role)).value()};
}

boost::asio::awaitable<Outcome> get_me(Call& call) {
    auto const& caller = *call.caller;
    Me me;
    me.user = user_of(caller);
    me.organization = {caller.organization, caller.organization_record.name.value, caller.organization_record.type};
    me.isInternal = caller.is_internal();
    me.facilityIds = caller.facilities;
    for (auto const& scope : caller.scopes) me.scopes.add(scope);
    for (std::size_t i = 0; i < core::kPermissions.size(); ++i) {
        if (caller.own_permissions[i]) me.permissions.add(core::kPermissions[i]);
    }
    me.credential = credential_of(caller);
    co_return Outcome{.body = core::to_json(me)};
}

}  // namespace

std::vector<Operation> account_operations() {
    std::vector<Operation> all{
        query<Me>("auth.me", "Whom the credential stands for, and what it may do", get_me)
            .says("Returns the user, the organization, and all that the credential may do. Call it first to know your "
                  "ids and rights.")
            .says("Returns the user, the organization, and all that the credential may do. Call it first to know your "
                  "ids and rights.")
            .at(net::Method::get, "/api/auth/me")
            .as_tool({.name = "whoami"})};
    std::ranges::move(sign_in_operations(), std::back_inserter(all));
    std::ranges::move(session_operations(), std::back_inserter(all));
    std::ranges::move(mfa_operations(), std::back_inserter(all));
    return all;
}

}  // namespace workforce::operations
