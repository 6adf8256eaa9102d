# Who may ask for what, and what everybody else is told: the table that test_access.py holds the service to. It is written from
# the rules of scopes, permissions, roles and data scope, by hand. Nothing of it comes from the service or its description.

import dataclasses

OPEN, ANYONE = "open", "anyone"  # in the place of a permission: no credential is needed; any will do

NO_ERROR = ""
UNAUTHENTICATED = (401, "UNAUTHENTICATED")
INVALID_API_KEY = (401, "INVALID_API_KEY")
INSUFFICIENT_SCOPE = (403, "INSUFFICIENT_SCOPE")
FORBIDDEN = (403, "FORBIDDEN")
OTHER_ORGANIZATION = (403, "ORG_SCOPE_VIOLATION")
OUT_OF_SCOPE = (403, "FACILITY_SCOPE_VIOLATION")
NOT_FOUND = (404, "NOT_FOUND")
SHOWN = (200, NO_ERROR)  # of a list or a figure: what the credential reaches, which may be nothing
MADE = (201, NO_ERROR)
DONE = (204, NO_ERROR)
QUEUED = (202, NO_ERROR)
NOT_PERMITTED = (409, "INVALID_STATE_TRANSITION")  # by the state of the row
NOT_CONNECTED = (409, "APP_NOT_CONNECTED")
INCOMPLETE = (400, "VALIDATION_ERROR")  # whoever may ask is told what the body lacks, and nothing happens


@dataclasses.dataclass(frozen=True)
class Operation:
    """An operation, the permission that it takes, and its answers to who may ask: where the row or place is the credential's,
    and where it is not, the credential being another organization's, another facility's, or the sandbox's."""

    method: str
    path: str
    needs: str
    own: tuple = SHOWN
    other_organization: tuple = NOT_FOUND
    other_facility: tuple = NOT_FOUND
    sandbox: tuple = NOT_FOUND
    in_sandbox: tuple | None = None  # to the sandbox's of what is in it; None: as `own`
    people: bool = False  # for those who signed in, whatever scopes a key has
    live_alone: bool = False  # a person who asks for the sandbox is refused, for there is none of it
    own_rows: bool = False  # who has the permission for rows of their own alone may ask as well
    other_person: tuple | None = None  # to them of a row that is another's; None: as `own`, for they see what is open to all
    of_others: str = ""  # the permission without which somebody else's row is not there (or in the list), as all shared rows are
    names_person: bool = False  # it is about whom its body names, as the shared rows' person
    answers_row: bool = True  # its success is the row
    also: str = ""  # a permission that it takes besides
    instead: str = ""  # a permission that will do instead
    users: bool = False  # of the user behind the credential alone: of others no row is shown
    takes_user: bool = False  # who stands for no user has to name one
    operators: bool = False  # for those who act on any organization
    super_admins: bool = False  # for super admins alone
    tells: str = ""  # the permission that whoever lacks it is told of, where any of several will do

    @property
    def by_id(self):
        return "{id}" in self.path

    @property
    def writes(self):
        return self.method != "GET"


def shown(path, needs, **more):
    """What answers everybody who may ask, with what they reach."""
    return Operation("GET", path, needs, SHOWN, SHOWN, SHOWN, SHOWN, **more)


def placed(path, needs):
    """What makes something in a facility that the body names; the sandbox has that facility too."""
    return Operation("POST", path, needs, MADE, OUT_OF_SCOPE, OUT_OF_SCOPE, MADE)


def of_no_file(path, needs):
    """An import of nothing, which lacks columns wherever it is."""
    return Operation("POST", path, needs, INCOMPLETE, INCOMPLETE, INCOMPLETE, INCOMPLETE)


def of_people(method, path, own=SHOWN):
    """Key management."""
    return Operation(method, path, "api_keys.manage", own, people=True, live_alone=True)


def unsigned(path):
    """What those ask who have not signed in, or can't."""
    return Operation("POST", path, OPEN, INCOMPLETE)


def of_oneself(method, path, own):
    """What people do about their own sign-ins, wherever they act."""
    return Operation(method, path, ANYONE, own, own, own, own, people=True)


def of_subscription(method, path="", own=SHOWN, answers_row=True):
    """What whoever made a subscription does with it, and who manages all of them."""
    return Operation(method, "/api/webhooks/{id}" + path, ANYONE, own, of_others="integrations.manage_webhooks",
                     answers_row=answers_row)


def of_their_time(method, path, own=SHOWN, planner="scheduling.edit", **more):
    """What who has the planner's permission does for anybody, and people for themselves: of the shared staff member."""
    return Operation(method, path, "scheduling.request", own, own_rows=True, other_person=NOT_FOUND, of_others=planner,
                     instead=planner, **more)


def of_usage(view):
    """What a facility's credentials did: the first one's, which the query names."""
    return Operation("GET", f"/api/api-usage/{view}", "analytics.view", SHOWN, OUT_OF_SCOPE, OUT_OF_SCOPE, SHOWN)


def of_a_user(method, path, needs, own=SHOWN):
    """What everybody is told for themselves, wherever they act."""
    return Operation(method, path, needs, own, own, own, own, users=True)


def of_no_trigger(method, path=""):
    """Of a trigger that is not there, whoever may ask."""
    return Operation(method, "/api/agent-builder/{id}/triggers/{triggerId}" + path, "agents.manage", NOT_FOUND)


def of_unnamed_trigger(method, path=""):
    """Where neither query nor body names the trigger."""
    return Operation(method, "/api/agent-builder/{id}/triggers" + path, "agents.manage", INCOMPLETE, INCOMPLETE, INCOMPLETE, INCOMPLETE)


OPERATIONS = {
    "health": shown("/healthz", OPEN),
    "openapi": shown("/openapi.json", OPEN),
    "openapi.api": shown("/api/openapi.json", OPEN),
    "versions": shown("/.well-known/api-versions", OPEN),
    "scopes": shown("/api/scopes", OPEN),
    "protected_resource": shown("/.well-known/oauth-protected-resource", OPEN),
    "protected_resource.mcp": shown("/.well-known/oauth-protected-resource/mcp", OPEN),
    "signing_keys.list": shown("/.well-known/jwks.json", OPEN),

    "authorization_server": shown("/.well-known/oauth-authorization-server", OPEN),
    "oauth.grants": of_oneself("GET", "/api/oauth/grants", SHOWN),
    # Of no grant: that one's own ends is in test_oauth.py.
    "oauth.revoke_grant": dataclasses.replace(of_oneself("DELETE", "/api/oauth/grants/{id}", NOT_FOUND), live_alone=True),

    "auth.me": shown("/api/auth/me", ANYONE),
    "auth.login": unsigned("/api/auth/login"),
    "auth.token": unsigned("/api/auth/token"),
    "auth.accept_invite": unsigned("/api/auth/accept-invite"),
    "auth.forgot": unsigned("/api/auth/forgot"),
    "auth.reset": unsigned("/api/auth/reset"),
    "auth.logout": of_oneself("POST", "/api/auth/logout", DONE),
    "auth.sessions": of_oneself("GET", "/api/auth/sessions", SHOWN),
    "auth.end_session": of_oneself("DELETE", "/api/auth/sessions/{id}", DONE),
    "auth.mfa_enrol": of_oneself("POST", "/api/auth/mfa/enrol", SHOWN),
    "auth.mfa_confirm": of_oneself("POST", "/api/auth/mfa/confirm", INCOMPLETE),
    "auth.mfa_disable": of_oneself("POST", "/api/auth/mfa/disable", INCOMPLETE),
    "auth.change_password": of_oneself("POST", "/api/auth/password", INCOMPLETE),

    "organizations.list": shown("/api/organizations", "organizations.view"),
    # Whoever is bound to a facility sees its organization.
    "organizations.get": Operation("GET", "/api/organizations/{id}", "organizations.view", other_facility=SHOWN,
                                   in_sandbox=NOT_FOUND),
    # Who makes one has to act on all of them.
    "organizations.create": Operation("POST", "/api/organizations", "organizations.manage", MADE, OTHER_ORGANIZATION,
                                      live_alone=True),
    "organizations.update": Operation("PATCH", "/api/organizations/{id}", "organizations.manage", live_alone=True),
    "organizations.put": Operation("PUT", "/api/organizations/{id}", "organizations.manage", live_alone=True),
    "organizations.deactivate": Operation("POST", "/api/organizations/{id}/deactivate", "organizations.manage", live_alone=True),
    "organizations.reactivate": Operation("POST", "/api/organizations/{id}/reactivate", "organizations.manage", live_alone=True),

    "users.list": shown("/api/users", "users.view"),
    "users.get": Operation("GET", "/api/users/{id}", "users.view", in_sandbox=NOT_FOUND),
    "users.create": Operation("POST", "/api/users", "users.create", MADE, OUT_OF_SCOPE, OUT_OF_SCOPE, FORBIDDEN, FORBIDDEN,
                              live_alone=True),
    "users.update": Operation("PATCH", "/api/users/{id}", "users.edit", in_sandbox=NOT_FOUND, live_alone=True),
    "users.put": Operation("PUT", "/api/users/{id}", "users.edit", in_sandbox=NOT_FOUND, live_alone=True),
    "users.deactivate": Operation("DELETE", "/api/users/{id}", "users.deactivate", in_sandbox=NOT_FOUND, live_alone=True),
    "users.reactivate": Operation("POST", "/api/users/{id}/reactivate", "users.deactivate", in_sandbox=NOT_FOUND, live_alone=True),
    "users.reset_invite": Operation("POST", "/api/users/{id}/reset-invite", "users.edit", in_sandbox=NOT_FOUND,
                                    live_alone=True),

    "users.reset_mfa": Operation("POST", "/api/users/{id}/reset-mfa", "organizations.manage", DONE, in_sandbox=NOT_FOUND, people=True,
                                 live_alone=True, super_admins=True),

    "facilities.list": shown("/api/facilities", "facilities.view"),
    # The sandbox shows its facility, as a row that nobody changes.
    "facilities.get": Operation("GET", "/api/facilities/{id}", "facilities.view", sandbox=SHOWN),
    # A new facility is in none that a key is bound to.
    "facilities.create": Operation("POST", "/api/facilities", "facilities.create", MADE, MADE, OUT_OF_SCOPE, OUT_OF_SCOPE,
                                   OUT_OF_SCOPE, live_alone=True),
    "facilities.update": Operation("PATCH", "/api/facilities/{id}", "facilities.edit", in_sandbox=NOT_FOUND, live_alone=True),
    "facilities.put": Operation("PUT", "/api/facilities/{id}", "facilities.edit", in_sandbox=NOT_FOUND, live_alone=True),
    "facilities.deactivate": Operation("DELETE", "/api/facilities/{id}", "facilities.deactivate", in_sandbox=NOT_FOUND,
                                       live_alone=True),

    "staff.list": shown("/api/staff", "staff.view", own_rows=True),
    "staff.get": Operation("GET", "/api/staff/{id}", "staff.view", own_rows=True, other_person=NOT_FOUND),
    "staff.available": Operation("GET", "/api/staff/available", "staff.view", SHOWN, OUT_OF_SCOPE, OUT_OF_SCOPE, SHOWN,
                                 also="shifts.view"),
    "staff.create": placed("/api/staff", "staff.create"),
    "staff.import_csv": of_no_file("/api/staff/import", "staff.create"),
    "staff.update": Operation("PATCH", "/api/staff/{id}", "staff.edit"),
    "staff.put": Operation("PUT", "/api/staff/{id}", "staff.edit"),
    "staff.deactivate": Operation("DELETE", "/api/staff/{id}", "staff.deactivate"),
    "staff.reactivate": Operation("POST", "/api/staff/{id}/reactivate", "staff.edit"),

    # They are of the shared staff member.
    "credentials.list": shown("/api/credentials", "credentials.view", own_rows=True),
    "credentials.get": Operation("GET", "/api/credentials/{id}", "credentials.view", own_rows=True, other_person=NOT_FOUND),
    "credentials.list_of_staff": Operation("GET", "/api/staff/{id}/credentials", "credentials.view", own_rows=True,
                                           other_person=NOT_FOUND),
    "credentials.add": Operation("POST", "/api/credentials", "credentials.edit", MADE),
    "credentials.add_to_staff": Operation("POST", "/api/staff/{id}/credentials", "credentials.edit", MADE, answers_row=False),
    "credentials.update": Operation("PATCH", "/api/credentials/{id}", "credentials.edit"),
    "credentials.put": Operation("PUT", "/api/credentials/{id}", "credentials.edit"),
    "credentials.delete": Operation("DELETE", "/api/credentials/{id}", "credentials.edit"),
    "credentials.verify": Operation("POST", "/api/credentials/{id}/verify", "credentials.verify"),
    "credentials.verify_external": Operation("POST", "/api/credentials/{id}/verify-external", "credentials.verify",
                                             answers_row=False),
    "credentials.reject": Operation("POST", "/api/credentials/{id}/reject", "credentials.verify"),
    "credentials.expire": Operation("POST", "/api/credentials/{id}/expire", "credentials.edit"),
    "credentials.revoke": Operation("POST", "/api/credentials/{id}/revoke", "credentials.edit"),

    "staff.availability": Operation("GET", "/api/staff/{id}/availability", "scheduling.view", own_rows=True, other_person=NOT_FOUND,
                                    answers_row=False),
    "staff.set_availability": of_their_time("PATCH", "/api/staff/{id}/availability", answers_row=False),
    "staff.put_availability": of_their_time("PUT", "/api/staff/{id}/availability", answers_row=False),

    # They are of the shared staff member.
    "time_off.list": shown("/api/time-off", "scheduling.view", own_rows=True),
    "time_off.get": Operation("GET", "/api/time-off/{id}", "scheduling.view", own_rows=True, other_person=NOT_FOUND),
    "time_off.create": of_their_time("POST", "/api/time-off", MADE, names_person=True),
    "time_off.approve": Operation("POST", "/api/time-off/{id}/approve", "scheduling.edit"),
    "time_off.decline": Operation("POST", "/api/time-off/{id}/decline", "scheduling.edit"),
    "time_off.cancel": of_their_time("POST", "/api/time-off/{id}/cancel"),

    # It is of the shared staff member, who makes it; nobody does in the sandbox, where no user is a staff member.
    "shift_claims.list": shown("/api/shift-claims", "scheduling.view", own_rows=True),
    "shift_claims.get": Operation("GET", "/api/shift-claims/{id}", "scheduling.view", in_sandbox=NOT_FOUND, own_rows=True,
                                  other_person=NOT_FOUND),
    # Of a shift or a claim that is not there: those that are, are somebody's own.
    "shift_claims.create": Operation("POST", "/api/shifts/{id}/claim", "scheduling.request", NOT_FOUND, own_rows=True),
    "shift_claims.approve": Operation("POST", "/api/shifts/{id}/claims/{claimId}/approve", "shifts.assign", NOT_FOUND),
    "shift_claims.decline": Operation("POST", "/api/shifts/{id}/claims/{claimId}/decline", "shifts.assign", NOT_FOUND),
    "shift_claims.withdraw": Operation("POST", "/api/shifts/{id}/claims/{claimId}/withdraw", "scheduling.request", NOT_FOUND,
                                       own_rows=True),
    # The shared staff member asks, and the peer is nobody who asks here.
    "shift_swaps.list": shown("/api/shift-swaps", "scheduling.view", own_rows=True),
    "shift_swaps.get": Operation("GET", "/api/shift-swaps/{id}", "scheduling.view", own_rows=True, other_person=NOT_FOUND),
    "shift_swaps.create": of_their_time("POST", "/api/shift-swaps", MADE, names_person=True),
    "shift_swaps.accept": of_their_time("POST", "/api/shift-swaps/{id}/accept", NOT_FOUND),
    "shift_swaps.decline": of_their_time("POST", "/api/shift-swaps/{id}/decline", NOT_FOUND),
    "shift_swaps.approve": Operation("POST", "/api/shift-swaps/{id}/approve", "scheduling.edit", NOT_PERMITTED),
    "shift_swaps.reject": Operation("POST", "/api/shift-swaps/{id}/reject", "scheduling.edit"),
    "shift_swaps.cancel": of_their_time("POST", "/api/shift-swaps/{id}/cancel"),
    "shift_templates.list": shown("/api/shift-templates", "scheduling.view"),
    "shift_templates.get": Operation("GET", "/api/shift-templates/{id}", "scheduling.view"),
    "shift_templates.create": placed("/api/shift-templates", "scheduling.edit"),
    "shift_templates.update": Operation("PATCH", "/api/shift-templates/{id}", "scheduling.edit"),
    "shift_templates.put": Operation("PUT", "/api/shift-templates/{id}", "scheduling.edit"),
    "shift_templates.delete": Operation("DELETE", "/api/shift-templates/{id}", "scheduling.edit", DONE),
    "shift_templates.generate": Operation("POST", "/api/shift-templates/{id}/generate", "scheduling.edit", answers_row=False),

    # It is to the shared staff member.
    "shift_offers.list": shown("/api/shift-offers", "scheduling.view", own_rows=True),
    "shift_offers.get": Operation("GET", "/api/shift-offers/{id}", "scheduling.view", own_rows=True, other_person=NOT_FOUND),
    # Of an offer that is not there: those that are, are somebody's own.
    "shift_offers.accept": Operation("POST", "/api/shift-offers/{id}/accept", "scheduling.request", NOT_FOUND, own_rows=True),
    "shift_offers.decline": Operation("POST", "/api/shift-offers/{id}/decline", "scheduling.request", NOT_FOUND, own_rows=True),
    "shift_offers.withdraw": Operation("POST", "/api/shift-offers/{id}/withdraw", "shifts.assign"),

    # They are of the shared staff member.
    "timesheets.list": shown("/api/timesheets", "timesheets.view", own_rows=True),
    "timesheets.get": Operation("GET", "/api/timesheets/{id}", "timesheets.view", own_rows=True, other_person=NOT_FOUND),
    "timesheets.list_of_staff": Operation("GET", "/api/staff/{id}/timesheets", "timesheets.view", own_rows=True,
                                          other_person=NOT_FOUND),
    "timesheets.create": Operation("POST", "/api/timesheets", "timesheets.create", MADE, own_rows=True, other_person=NOT_FOUND),
    "timesheets.clock_in": Operation("POST", "/api/timesheets/clock-in", "timesheets.create", INCOMPLETE, INCOMPLETE, INCOMPLETE,
                                     INCOMPLETE, own_rows=True),
    # It was submitted.
    "timesheets.clock_out": Operation("POST", "/api/timesheets/{id}/clock-out", "timesheets.edit", NOT_PERMITTED, own_rows=True,
                                      other_person=NOT_FOUND),
    "timesheets.update": Operation("PATCH", "/api/timesheets/{id}", "timesheets.edit", own_rows=True, other_person=NOT_FOUND),
    "timesheets.put": Operation("PUT", "/api/timesheets/{id}", "timesheets.edit", own_rows=True, other_person=NOT_FOUND),
    "timesheets.submit": Operation("POST", "/api/timesheets/{id}/submit", "timesheets.edit", own_rows=True,
                                   other_person=NOT_FOUND),
    "timesheets.approve": Operation("POST", "/api/timesheets/{id}/approve", "timesheets.approve"),
    "timesheets.approve_many": Operation("POST", "/api/timesheets/approve", "timesheets.approve", INCOMPLETE, INCOMPLETE,
                                         INCOMPLETE, INCOMPLETE),
    "timesheets.reject": Operation("POST", "/api/timesheets/{id}/reject", "timesheets.approve"),
    "timesheets.unapprove": Operation("POST", "/api/timesheets/{id}/unapprove", "timesheets.approve"),
    "timesheets.void": Operation("POST", "/api/timesheets/{id}/void", "timesheets.approve"),

    # The run is a draft, the payment of another run.
    "payroll_runs.list": shown("/api/payroll/runs", "payroll.view"),
    "payroll_runs.get": Operation("GET", "/api/payroll/runs/{id}", "payroll.view"),
    "payroll_runs.preview": Operation("GET", "/api/payroll/runs/{id}/preview", "payroll.view"),
    "payroll_runs.create": placed("/api/payroll/runs", "payroll.run"),
    "payroll_runs.update": Operation("PATCH", "/api/payroll/runs/{id}", "payroll.run"),
    "payroll_runs.put": Operation("PUT", "/api/payroll/runs/{id}", "payroll.run"),
    "payroll_runs.delete": Operation("DELETE", "/api/payroll/runs/{id}", "payroll.run", DONE),
    "payroll_runs.approve": Operation("POST", "/api/payroll/runs/{id}/approve", "payroll.run"),
    "payroll_runs.cancel": Operation("POST", "/api/payroll/runs/{id}/cancel", "payroll.run"),
    "payroll_payments.list": shown("/api/payroll/payments", "payroll.view", own_rows=True),
    "payroll_payments.get": Operation("GET", "/api/payroll/payments/{id}", "payroll.view", own_rows=True, other_person=NOT_FOUND),

    # The shift is open.
    "shifts.list": shown("/api/shifts", "shifts.view", own_rows=True),
    "shifts.get": Operation("GET", "/api/shifts/{id}", "shifts.view", own_rows=True),
    "shifts.assignments": Operation("GET", "/api/shifts/{id}/assignments", "shifts.view", own_rows=True),
    "shifts.list_of_staff": Operation("GET", "/api/staff/{id}/schedule", "shifts.view", own_rows=True, other_person=NOT_FOUND),
    "shifts.create": placed("/api/shifts", "shifts.create"),
    "shifts.import_csv": of_no_file("/api/shifts/import", "shifts.create"),
    "shifts.update": Operation("PATCH", "/api/shifts/{id}", "shifts.edit"),
    "shifts.put": Operation("PUT", "/api/shifts/{id}", "shifts.edit"),
    "shifts.delete": Operation("DELETE", "/api/shifts/{id}", "shifts.delete"),
    "shifts.assign": Operation("POST", "/api/shifts/{id}/assign", "shifts.assign"),
    "shifts.unassign": Operation("POST", "/api/shifts/{id}/unassign", "shifts.assign"),
    # Nobody is on the shift.
    "shifts.acknowledge": Operation("POST", "/api/shifts/{id}/acknowledge", "scheduling.request", NOT_FOUND, own_rows=True),
    "shifts.offer": Operation("POST", "/api/shifts/{id}/offers", "shifts.assign", MADE, answers_row=False),
    "shifts.swap": Operation("POST", "/api/shifts/swap", "shifts.assign", INCOMPLETE, INCOMPLETE, INCOMPLETE, INCOMPLETE),
    "shifts.start": Operation("POST", "/api/shifts/{id}/start", "shifts.edit"),
    "shifts.complete": Operation("POST", "/api/shifts/{id}/complete", "shifts.edit"),
    "shifts.cancel": Operation("POST", "/api/shifts/{id}/cancel", "shifts.edit"),
    "shifts.reopen": Operation("POST", "/api/shifts/{id}/reopen", "shifts.edit"),

    "leads.list": shown("/api/crm/leads", "crm.view"),
    "leads.get": Operation("GET", "/api/crm/leads/{id}", "crm.view"),
    "leads.create": placed("/api/crm/leads", "crm.create"),
    "leads.update": Operation("PATCH", "/api/crm/leads/{id}", "crm.edit"),
    "leads.put": Operation("PUT", "/api/crm/leads/{id}", "crm.edit"),
    "leads.delete": Operation("DELETE", "/api/crm/leads/{id}", "crm.delete", DONE),

    # Of no conversation: who takes part in which is in test_messaging.py. The body names a user who works in the first facility.
    "conversations.list": shown("/api/conversations", "communications.view", own_rows=True),
    "conversations.get": Operation("GET", "/api/conversations/{id}", "communications.view", NOT_FOUND, own_rows=True),
    "conversations.create": dataclasses.replace(placed("/api/conversations", "communications.create"), own_rows=True),
    "conversations.read": Operation("POST", "/api/conversations/{id}/read", "communications.view", NOT_FOUND, own_rows=True),
    "messages.list": Operation("GET", "/api/conversations/{id}/messages", "communications.view", NOT_FOUND, own_rows=True),
    "messages.get": Operation("GET", "/api/messages/{id}", "communications.view", NOT_FOUND, own_rows=True),
    "messages.send": Operation("POST", "/api/conversations/{id}/messages", "communications.create", NOT_FOUND, own_rows=True),
    "messages.create": Operation("POST", "/api/messages", "communications.create", MADE, INCOMPLETE, INCOMPLETE, MADE, own_rows=True),
    "messages.retract": Operation("DELETE", "/api/messages/{id}", "communications.create", NOT_FOUND, own_rows=True),

    # Who is bound to facilities sees those of these.
    "guardrails.list": shown("/api/guardrails", "guardrails.view"),
    "guardrails.get": Operation("GET", "/api/guardrails/{id}", "guardrails.view"),
    "guardrails.create": placed("/api/guardrails", "guardrails.edit"),
    "guardrails.update": Operation("PATCH", "/api/guardrails/{id}", "guardrails.edit"),
    "guardrails.put": Operation("PUT", "/api/guardrails/{id}", "guardrails.edit"),
    "guardrails.delete": Operation("DELETE", "/api/guardrails/{id}", "guardrails.edit", DONE),
    "guardrails.test": Operation("POST", "/api/guardrails/test", "guardrails.view", SHOWN, SHOWN, SHOWN, SHOWN),

    # What is of no facility is seen by who is bound to some, too.
    "agents.list": shown("/api/agents", "agents.view"),
    "agents.get": Operation("GET", "/api/agents/{id}", "agents.view"),
    "agents.model_tiers": shown("/api/agents/model-tiers", "agents.view"),
    "agent_builder.list": shown("/api/agent-builder", "agents.manage"),
    "agent_builder.get": Operation("GET", "/api/agent-builder/{id}", "agents.manage"),
    "agent_builder.create": placed("/api/agent-builder", "agents.manage"),
    "agent_builder.update": Operation("PATCH", "/api/agent-builder/{id}", "agents.manage"),
    "agent_builder.put": Operation("PUT", "/api/agent-builder/{id}", "agents.manage"),
    "agent_builder.deactivate": Operation("DELETE", "/api/agent-builder/{id}", "agents.manage"),
    "agent_builder.validate": Operation("POST", "/api/agent-builder/{id}/validate", "agents.manage", answers_row=False),
    "agent_runs.list": shown("/api/agent-runs", "agents.view", instead="agents.run"),
    "agent_runs.get": Operation("GET", "/api/agent-runs/{id}", "agents.view", in_sandbox=NOT_FOUND, instead="agents.run"),
    "agent_runs.list_of_agent": Operation("GET", "/api/agents/{id}/runs", "agents.view", answers_row=False, instead="agents.run"),
    # Of runs that are not there.
    "agent_runs.get_of_agent": Operation("GET", "/api/agents/{id}/runs/{runId}", "agents.view", NOT_FOUND, instead="agents.run"),
    "agent_runs.start": Operation("POST", "/api/agents/{id}/runs", "agents.run", INCOMPLETE, INCOMPLETE, INCOMPLETE, INCOMPLETE,
                                  answers_row=False),
    "agent_runs.cancel": Operation("POST", "/api/agents/{id}/runs/{runId}/cancel", "agents.run", NOT_FOUND),
    "agent_runs.cancel_all": Operation("DELETE", "/api/agents/{id}/runs", "agents.run", answers_row=False),
    # None is called so; and the connection was ended.
    "apps.list": shown("/api/apps", "apps.view"),
    "apps.connect": Operation("POST", "/api/apps/{app}/connect", "apps.edit", NOT_FOUND),
    "apps.get_connection": Operation("GET", "/api/apps/connections/{id}", "apps.view", in_sandbox=NOT_FOUND),
    "apps.disconnect": Operation("DELETE", "/api/apps/connections/{id}", "apps.edit", in_sandbox=NOT_FOUND),
    "apps.execute": Operation("POST", "/api/apps/connections/{id}/actions/{action}", "apps.edit", NOT_CONNECTED, in_sandbox=NOT_FOUND),
    "apps.executions": shown("/api/apps/executions", "apps.view"),

    "dashboard.stats": shown("/api/dashboard/stats", "analytics.view"),
    "dashboard.activity": shown("/api/dashboard/recent-activity", "analytics.view"),
    "calendars.share": of_their_time("POST", "/api/staff/{id}/calendar-token", planner="staff.edit", also="shifts.view", answers_row=False),
    "calendars.end": of_their_time("DELETE", "/api/staff/{id}/calendar-token", DONE, planner="staff.edit", also="shifts.view"),
    "calendars.get": Operation("GET", "/api/staff/{id}/calendar.ics", OPEN, INCOMPLETE),

    "search.all": shown("/api/search", ANYONE),
    "usage.summary": of_usage("summary"),
    "usage.timeseries": of_usage("timeseries"),
    "usage.by_agent": of_usage("by-agent"),
    "usage.by_tool": of_usage("by-tool"),
    "usage.by_key": of_usage("by-key"),
    "usage.outcomes": of_usage("outcomes"),
    "usage.export": of_usage("export"),
    "billing.outbox": shown("/api/billing/outbox", "analytics.view", operators=True, live_alone=True),
    "audit_log.list": shown("/api/audit-log", "audit.view"),
    "events.list": shown("/api/events", "events.view"),

    "api_keys.list": of_people("GET", "/api/api-keys"),
    "api_keys.get": of_people("GET", "/api/api-keys/{id}"),
    "api_keys.create": of_people("POST", "/api/api-keys", MADE),
    "api_keys.update": of_people("PATCH", "/api/api-keys/{id}"),
    "api_keys.put": of_people("PUT", "/api/api-keys/{id}"),
    "api_keys.delete": of_people("DELETE", "/api/api-keys/{id}"),
    "api_keys.revoke": of_people("POST", "/api/api-keys/{id}/revoke"),
    "api_keys.rotate": of_people("POST", "/api/api-keys/{id}/rotate"),

    # Of an agent: its triggers are in test_triggers.py, and here are none.
    "triggers.list": Operation("GET", "/api/agent-builder/{id}/triggers", "agents.manage"),
    "triggers.create": Operation("POST", "/api/agent-builder/{id}/triggers", "agents.manage", MADE, answers_row=False, takes_user=True),
    "triggers.get": of_no_trigger("GET"),
    "triggers.update": of_no_trigger("PATCH"),
    "triggers.put": of_no_trigger("PUT"),
    "triggers.delete": of_no_trigger("DELETE"),
    "triggers.toggle": of_no_trigger("POST", "/toggle"),
    "triggers.run_now": of_no_trigger("POST", "/run-now"),
    "triggers.update_named": of_unnamed_trigger("PATCH"),
    "triggers.put_named": of_unnamed_trigger("PUT"),
    "triggers.delete_named": of_unnamed_trigger("DELETE"),
    "triggers.toggle_named": of_unnamed_trigger("POST", "/toggle"),
    "triggers.run_now_named": of_unnamed_trigger("POST", "/run-now"),

    "webhooks.event_types": shown("/api/webhooks/event-types", OPEN),
    "webhooks.list": dataclasses.replace(shown("/api/webhooks", ANYONE), of_others="integrations.manage_webhooks"),
    "webhooks.get": of_subscription("GET"),
    "webhooks.create": placed("/api/webhooks", ANYONE),
    "webhooks.update": of_subscription("PATCH"),
    "webhooks.put": of_subscription("PUT"),
    "webhooks.delete": of_subscription("DELETE", own=DONE),
    "webhooks.rotate_secret": of_subscription("POST", "/rotate-secret", answers_row=False),
    "webhooks.test": of_subscription("POST", "/test", answers_row=False),
    "webhooks.deliveries": of_subscription("GET", "/deliveries"),
    "webhooks.redeliver": of_subscription("POST", "/deliveries/{deliveryId}/redeliver", NOT_FOUND),  # of one that is not there
    "webhooks.replay": of_subscription("POST", "/replay", QUEUED, answers_row=False),
    "notifications.list": of_a_user("GET", "/api/notifications", "notifications.view"),
    "notifications.unread_count": of_a_user("GET", "/api/notifications/unread-count", "notifications.view"),
    "notifications.read_all": of_a_user("POST", "/api/notifications/read-all", "notifications.edit"),
    # The shared row is somebody else's.
    "notifications.read": of_a_user("POST", "/api/notifications/{id}/read", "notifications.edit", NOT_FOUND),

    # Of no approval: who decides about which is in test_approvals.py.
    "approvals.list": shown("/api/approvals", "approvals.view", tells="agents.view"),
    "approvals.get": Operation("GET", "/api/approvals/{id}", "approvals.view", NOT_FOUND, tells="agents.view"),
    "approvals.approve": Operation("POST", "/api/approvals/{id}/approve", "agents.approve", NOT_FOUND),
    "approvals.reject": Operation("POST", "/api/approvals/{id}/reject", "agents.approve", NOT_FOUND),
    "ai_actions.approve": Operation("POST", "/api/ai/actions/{id}/approve", ANYONE, NOT_FOUND),
    "ai_actions.reject": Operation("POST", "/api/ai/actions/{id}/reject", ANYONE, NOT_FOUND),

    # The one names the first facility, the other the second.
    "sandbox.get": Operation("GET", "/api/sandbox", "sandbox.manage", other_facility=OUT_OF_SCOPE, people=True),
    "sandbox.reset": Operation("POST", "/api/sandbox/reset", "sandbox.manage", other_facility=SHOWN, people=True),
}

# The tools of MCP, the operation that each calls, and arguments with which it changes nothing: "row" stands for the id of the
# shared row, "none" for one that nothing has. Without what it requires a tool is refused for its arguments.
TOOLS = {
    "whoami": ("auth.me", {}),
    "facilities_list": ("facilities.list", {}),
    "facilities_get": ("facilities.get", {"facilityId": "row"}),
    "staff_list": ("staff.list", {}),
    "staff_get": ("staff.get", {"staffId": "row"}),
    "staff_find_available": ("staff.available", {"facilityId": "place", "date": "2031-01-01", "startTime": "08:00",
                                                 "endTime": "16:00"}),
    "staff_create": ("staff.create", {}),
    "staff_update": ("staff.update", {"staffId": "none"}),
    "credentials_list": ("credentials.list", {}),
    "credentials_add": ("credentials.add", {}),
    "credentials_verify_external": ("credentials.verify_external", {"credentialId": "none"}),
    "credentials_expire": ("credentials.expire", {"credentialId": "none"}),
    "timesheets_list": ("timesheets.list", {}),
    "payroll_runs_list": ("payroll_runs.list", {}),
    "payroll_runs_get": ("payroll_runs.get", {"runId": "row"}),
    "payroll_runs_create": ("payroll_runs.create", {}),
    "payroll_payments_list": ("payroll_payments.list", {}),
    "shifts_list": ("shifts.list", {}),
    "shifts_get": ("shifts.get", {"shiftId": "row"}),
    "shifts_create": ("shifts.create", {"facilityId": "place"}),
    "shifts_update": ("shifts.update", {"shiftId": "none"}),
    "shifts_assign": ("shifts.assign", {"shiftId": "none", "staffIds": [1]}),
    "shifts_unassign": ("shifts.unassign", {"shiftId": "none", "staffIds": [1]}),
    "shifts_swap": ("shifts.swap", {}),
    "shifts_offer": ("shifts.offer", {"shiftId": "none", "staffIds": [1]}),
    "shifts_cancel": ("shifts.cancel", {"shiftId": "none", "reason": "None"}),
    "leads_list": ("leads.list", {}),
    "leads_get": ("leads.get", {"leadId": "row"}),
    "leads_create": ("leads.create", {"score": 1000}),
    "leads_update": ("leads.update", {"leadId": "none"}),
    "conversations_list": ("conversations.list", {}),
    "messages_send": ("messages.create", {}),
    "apps_list": ("apps.list", {}),
    "app_execute": ("apps.execute", {"connectionId": "none", "action": "demo.echo"}),
    "dashboard_stats": ("dashboard.stats", {}),
    "activity_recent": ("dashboard.activity", {}),
    "usage_summary": ("usage.summary", {"facilityId": "place"}),
    "usage_outcomes": ("usage.outcomes", {"facilityId": "place"}),
    "notifications_list": ("notifications.list", {}),
    "staff_deactivate": ("staff.deactivate", {"staffId": "none"}),
    "timesheets_approve": ("timesheets.approve_many", {}),
    "payroll_runs_approve": ("payroll_runs.approve", {"runId": "none"}),
    "approvals_list": ("approvals.list", {}),
    "approvals_get": ("approvals.get", {"approvalId": "none"}),
    "agents_list": ("agents.list", {}),
    "agent_run_get": ("agent_runs.get", {"runId": "row"}),
    "agent_run_start": ("agent_runs.start", {"agentId": "none"}),
}
ALWAYS_LISTED = {"approvals_get"}  # for one's own requests
BAD_ARGUMENTS = "bad arguments"

# The scopes each of which is enough for a permission.
SCOPES = {
    "organizations.view": {"organizations:read", "organizations:*"},
    "organizations.manage": {"organizations:manage", "organizations:*"},
    "users.view": {"users:read", "users:*"},
    "users.create": {"users:write", "users:*"},
    "users.edit": {"users:write", "users:*"},
    "users.deactivate": {"users:write", "users:*"},
    "facilities.view": {"facilities:read", "facilities:*"},
    "facilities.create": {"facilities:write", "facilities:*"},
    "facilities.edit": {"facilities:write", "facilities:*"},
    "facilities.deactivate": {"facilities:write", "facilities:*"},
    "staff.view": {"staff:read", "staff:*", "hr:read", "hr:*"},
    "staff.create": {"staff:write", "staff:*", "hr:write", "hr:*"},
    "staff.edit": {"staff:write", "staff:*", "hr:write", "hr:*"},
    "staff.deactivate": {"staff:write", "staff:*", "hr:write", "hr:*"},
    "staff.view_credentials": {"staff:read", "staff:*", "hr:read", "hr:*"},
    "staff.manage_credentials": {"staff:write", "staff:*", "hr:write", "hr:*"},
    "credentials.view": {"credentials:read", "credentials:*", "hr:read", "hr:*"},
    "credentials.edit": {"credentials:write", "credentials:*", "hr:write", "hr:*"},
    "credentials.verify": {"credentials:verify", "credentials:*"},
    "timesheets.view": {"timesheets:read", "timesheets:*", "finance:read", "finance:*"},
    "timesheets.create": {"timesheets:write", "timesheets:*"},
    "timesheets.edit": {"timesheets:write", "timesheets:*"},
    "timesheets.approve": {"timesheets:approve", "timesheets:*"},
    "payroll.view": {"payroll:read", "payroll:*", "finance:read", "finance:*"},
    "payroll.run": {"payroll:run", "payroll:*"},
    "shifts.view": {"shifts:read", "shifts:*", "scheduling:read", "scheduling:*"},
    "shifts.create": {"shifts:write", "shifts:*", "scheduling:write", "scheduling:*"},
    "shifts.edit": {"shifts:write", "shifts:*", "scheduling:write", "scheduling:*"},
    "shifts.delete": {"shifts:write", "shifts:*", "scheduling:write", "scheduling:*"},
    "shifts.assign": {"shifts:assign", "shifts:*", "scheduling:write", "scheduling:*"},
    "scheduling.view": {"scheduling:read", "scheduling:*"},
    "scheduling.edit": {"scheduling:write", "scheduling:*"},
    "scheduling.request": {"scheduling:request", "scheduling:*"},
    "crm.view": {"crm:read", "crm:*"},
    "crm.create": {"crm:write", "crm:*"},
    "crm.edit": {"crm:write", "crm:*"},
    "crm.delete": {"crm:write", "crm:*"},
    "communications.view": {"communications:read", "communications:*"},
    "communications.create": {"communications:write", "communications:*"},
    "apps.view": {"apps:read", "apps:*"},
    "apps.edit": {"apps:write", "apps:*"},
    "notifications.view": {"notifications:read", "notifications:*"},
    "notifications.edit": {"notifications:write", "notifications:*"},
    "analytics.view": {"analytics:read", "analytics:*"},
    "audit.view": {"audit:read", "audit:*"},
    "events.view": {"events:read", "events:*"},
    "guardrails.view": {"guardrails:read", "guardrails:*"},
    "agents.view": {"agents:read", "agents:*"},
    "agents.run": {"agents:run", "agents:*"},
    "agents.manage": {"agents:manage", "agents:*"},
    "guardrails.edit": {"guardrails:write", "guardrails:*"},
    "integrations.manage_webhooks": {"integrations:write", "integrations:*"},
    "api_keys.manage": set(),
    "sandbox.manage": set(),
    # To read approvals any of three permissions is enough.
    "approvals.view": {"agents:read", "agents:approve", "agents:*", "ai:approve_actions", "ai:*"},
    "agents.approve": {"agents:approve", "agents:*"},
}

# The permission that will do instead, of those that have one.
INSTEAD = {"credentials.view": "staff.view_credentials", "credentials.edit": "staff.manage_credentials"}

_ACTIONS = {
    "organizations": "read", "users": "read write", "facilities": "read write", "staff": "read write",
    "credentials": "read write verify", "shifts": "read write assign override", "timesheets": "read write approve",
    "payroll": "read run", "crm": "read write", "communications": "read write", "notifications": "read write",
    "analytics": "read", "integrations": "read write", "guardrails": "read write", "events": "read", "audit": "read",
    "apps": "read write", "agents": "read run approve manage", "ai": "approve_actions", "scheduling": "read write request",
    "hr": "read write", "finance": "read",
}
# All that a customer's key can be given: the catalogue and its wildcards, without organizations:manage.
EVERY_SCOPE = {f"{resource}:{action}" for resource, actions in _ACTIONS.items() for action in (*actions.split(), "*")}

MANAGERS = {"super_admin", "admin", "manager", "facility_admin"}
SCHEDULERS = MANAGERS | {"scheduler"}
SELLERS = {"super_admin", "admin", "manager", "sales_rep"}
EVERYBODY = SCHEDULERS | {"payroll_manager", "sales_rep", "viewer", "staff"}
# The roles that have a permission in their organization; what is of a user alone everybody has.
ROLES = {
    "organizations.view": SCHEDULERS | {"payroll_manager", "sales_rep", "viewer"},
    "organizations.manage": {"super_admin"},
    "users.view": MANAGERS | {"viewer"},
    "users.create": {"super_admin", "admin", "facility_admin"},
    "users.edit": {"super_admin", "admin", "facility_admin"},
    "users.deactivate": {"super_admin", "admin", "facility_admin"},
    "facilities.view": EVERYBODY,
    "facilities.create": {"super_admin", "admin"},
    "facilities.edit": MANAGERS,
    "facilities.deactivate": MANAGERS,
    "staff.view": SCHEDULERS | {"payroll_manager", "viewer"},
    "staff.create": MANAGERS,
    "staff.edit": MANAGERS,
    "staff.deactivate": MANAGERS,
    "staff.view_credentials": SCHEDULERS | {"viewer"},
    "staff.manage_credentials": MANAGERS,
    "credentials.view": SCHEDULERS | {"viewer"},
    "credentials.edit": MANAGERS,
    "credentials.verify": MANAGERS,
    "timesheets.view": SCHEDULERS | {"payroll_manager", "viewer"},
    "timesheets.create": SCHEDULERS | {"payroll_manager"},
    "timesheets.edit": MANAGERS | {"payroll_manager"},
    "timesheets.approve": MANAGERS | {"payroll_manager"},
    "payroll.view": {"super_admin", "admin", "payroll_manager"},
    "payroll.run": {"super_admin", "admin", "payroll_manager"},
    "shifts.view": SCHEDULERS | {"payroll_manager", "viewer"},
    "shifts.create": SCHEDULERS,
    "shifts.edit": SCHEDULERS,
    "shifts.delete": SCHEDULERS,
    "shifts.assign": SCHEDULERS,
    "scheduling.view": SCHEDULERS | {"payroll_manager", "viewer"},
    "scheduling.edit": SCHEDULERS,
    "scheduling.request": {"super_admin"},
    "crm.view": SELLERS | {"viewer"},
    "crm.create": SELLERS,
    "crm.edit": SELLERS,
    "crm.delete": SELLERS,
    "communications.view": SCHEDULERS | {"payroll_manager", "sales_rep"},
    "communications.create": SCHEDULERS | {"payroll_manager", "sales_rep"},
    "apps.view": {"super_admin", "admin", "manager"},
    "apps.edit": {"super_admin", "admin", "manager"},
    "notifications.view": EVERYBODY,
    "notifications.edit": EVERYBODY,
    "analytics.view": MANAGERS | {"payroll_manager", "viewer"},
    "approvals.view": MANAGERS | {"viewer"},
    "agents.approve": MANAGERS,
    "audit.view": {"super_admin", "admin", "viewer"},
    "events.view": {"super_admin", "admin"},
    "guardrails.view": {"super_admin", "admin", "viewer"},
    "agents.view": MANAGERS | {"viewer"},
    "agents.run": MANAGERS,
    "agents.manage": {"super_admin", "admin"},
    "guardrails.edit": {"super_admin", "admin"},
    "integrations.manage_webhooks": {"super_admin", "admin", "facility_admin"},
    "api_keys.manage": {"super_admin"},
    "sandbox.manage": {"super_admin", "admin", "facility_admin"},
}
# The roles that have it for rows of their own alone.
OWN_ROLES = {"payroll.view": {"staff"}, "timesheets.view": {"staff"}, "timesheets.create": {"staff"}, "timesheets.edit": {"staff"}, "staff.view": {"staff"}, "shifts.view": {"staff"}, "credentials.view": {"staff"}, "staff.view_credentials": {"staff"},
             "scheduling.view": {"staff"}, "scheduling.request": {"staff"}, "communications.view": {"staff"}, "communications.create": {"staff"}}
# The roles that have it in the internal organization alone.
INTERNAL_ROLES = {"organizations.manage": {"admin"}, "api_keys.manage": {"admin", "manager"}}


@dataclasses.dataclass(frozen=True)
class Credential:
    """A kind of credential. `refused`: what it is told wherever one is needed. `role`: it is a person's, whose role decides;
    else its scopes do, of which `scopes` None means that it has one for what it asks. `reach`: which of an operation's
    answers are for it."""

    refused: tuple | None = None
    role: str | None = None
    internal: bool = False
    scopes: frozenset | None = None
    reach: str = "own"
    manages: bool = False  # it is a key of the internal organization: customers' keys never manage organizations
    asks_sandbox: bool = False  # by the header that people have for it
    user: bool = False  # it is a key behind which a user stands


def of_key(scopes=EVERY_SCOPE, **more):
    return Credential(scopes=frozenset(scopes), **more)


ENDED = Credential(UNAUTHENTICATED)
WITHOUT_THE_SCOPE = "a live key without the scope"  # one that has all but those that would do
IN_SANDBOX = "a sandbox key, rows of the sandbox"
PERSON_IN_SANDBOX = "super_admin in the sandbox"
BY_COOKIE = ", by cookie"  # behind the name of whose token has a row already
# Tokens of connectors get a row each once connectors sign in.
CREDENTIALS = {
    "none": ENDED,
    "a key that nobody made": Credential(INVALID_API_KEY),
    "a key that is none": Credential(INVALID_API_KEY),
    "a live key": of_key(),
    WITHOUT_THE_SCOPE: Credential(scopes=frozenset()),
    "a personal token": of_key(user=True),
    "an operator's personal token": of_key(manages=True, user=True),
    "the system's key": of_key({"*"}, manages=True),
    "a rotated key's new secret": of_key(),
    "a rotated key's old secret": of_key(),
    "a rotated key's old secret after a day": ENDED,
    "an expired key": ENDED,
    "a revoked key": ENDED,
    "a key of another organization": of_key(reach="other_organization", manages=True, user=True),
    "a key of another facility": of_key(reach="other_facility"),
    "a sandbox key, live rows": of_key(reach="sandbox"),
    IN_SANDBOX: of_key(reach="in_sandbox"),
    "super_admin": Credential(role="super_admin", internal=True),
    PERSON_IN_SANDBOX: Credential(role="super_admin", internal=True, reach="in_sandbox", asks_sandbox=True),
    "internal admin": Credential(role="admin", internal=True),
    "internal manager": Credential(role="manager", internal=True),
    "admin": Credential(role="admin"),
    "manager": Credential(role="manager"),
    "scheduler": Credential(role="scheduler"),
    "payroll_manager": Credential(role="payroll_manager"),
    "sales_rep": Credential(role="sales_rep"),
    "viewer": Credential(role="viewer"),
    "facility_admin": Credential(role="facility_admin"),
    "facility_admin of another facility": Credential(role="facility_admin", reach="other_facility"),
    "staff": Credential(role="staff"),
    "staff, another person": Credential(role="staff", reach="other_person"),
    "a key of a deactivated user": ENDED,
    "a deactivated user": ENDED,
    "a deactivated user" + BY_COOKIE: ENDED,
    "a key of a deactivated organization": ENDED,
    "a user of a deactivated organization": ENDED,
    "a user of a deactivated organization" + BY_COOKIE: ENDED,
}
# A session may what its person's token may.
CREDENTIALS |= {name + BY_COOKIE: credential for name, credential in CREDENTIALS.items() if credential.role}


def holds(credential, permission, own_rows=False):
    if permission in INSTEAD and holds(credential, INSTEAD[permission], own_rows):
        return True
    if credential.role:
        roles = ROLES[permission] | (INTERNAL_ROLES.get(permission, set()) if credential.internal else set())
        return credential.role in roles or (own_rows and credential.role in OWN_ROLES[permission])
    if permission == "organizations.manage" and not credential.manages:
        return False
    return "*" in credential.scopes or bool(SCOPES[permission] & credential.scopes)


def is_permitted(operation, credential):
    if operation.people and not credential.role or operation.super_admins and credential.role != "super_admin":
        return False
    return missing(operation, credential) is None


def missing(operation, credential):
    """The permission that the credential is told to lack, if any."""
    instead = operation.instead and holds(credential, operation.instead)
    if not instead and operation.needs != ANYONE and not holds(credential, operation.needs, operation.own_rows):
        return operation.tells or operation.needs
    return operation.also if operation.also and not holds(credential, operation.also, operation.own_rows) else None


# Tools of the tier advanced, which people have and no key here.
ADVANCED = {"payroll_runs_create", "staff_deactivate", "timesheets_approve", "payroll_runs_approve"}


def tool_expected(tool, credential):
    """What a call of the tool with its arguments is told: NO_ERROR, the code of a result that is an error, or BAD_ARGUMENTS; and
    whether the caller sees the tool. For a credential that is refused everywhere: its code, and None."""
    name, arguments = TOOLS[tool]
    operation = OPERATIONS[name]
    if credential.refused:
        return credential.refused[1], None
    if not is_permitted(operation, credential):
        return ("FORBIDDEN" if credential.role else "INSUFFICIENT_SCOPE"), tool in ALWAYS_LISTED
    if tool in ADVANCED and not credential.role:
        return "TIER_REQUIRED", True
    if operation.writes:
        # No argument of a lead is required, nor of shifts, so that the operation itself tells what is wrong.
        if operation.method == "POST" and not operation.by_id:
            return ("VALIDATION_ERROR" if tool in ("leads_create", "shifts_create") else BAD_ARGUMENTS), True
        return "NOT_FOUND", True
    return expected(operation, credential)[1], True


def expected(operation, credential):
    """Status and code of the answer; NO_ERROR in the place of the code where it is none."""
    if operation.needs == OPEN:
        return operation.own
    if credential.refused:
        return credential.refused
    if not is_permitted(operation, credential):
        return FORBIDDEN if credential.role or operation.people else INSUFFICIENT_SCOPE
    if credential.asks_sandbox and operation.live_alone:
        return FORBIDDEN
    of_anybody = not operation.of_others or holds(credential, operation.of_others)
    if (operation.by_id or operation.names_person) and not of_anybody and not (credential.role and operation.own_rows):
        return NOT_FOUND
    if operation.operators and not (credential.internal or (credential.manages and credential.reach == "own")):
        return FORBIDDEN
    if operation.users and not (credential.role or credential.user):
        return FORBIDDEN
    reached = getattr(operation, credential.reach) or operation.own
    if operation.takes_user and reached[1] == NO_ERROR and not (credential.role or credential.user):
        return INCOMPLETE
    return reached
