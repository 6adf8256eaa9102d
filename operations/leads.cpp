// The operations on leads.
#include "commands/lead.hpp"

#include "operations/declare.hpp"
#include "projections/leads/leads.hpp"

namespace workforce::operations {

template <>
struct RequestConstraints<commands::CreateLead> {
    static void write(core::JsonWriter& w) {
        w.key("anyOf");
        w.raw(R"([{"required":["name"]},{"required":["company"]}])");
    }
};

std::vector<Operation> lead_operations() {
    using enum net::Method;
    using events::Kind;
    using enum events::ModelTier;
    std::vector<RenamedField> const kLeadId{{"leadId", "id"}};
    return {
        list<projections::leads>("leads.list", "List leads")
            .needs("crm.view")
            .at(get, "/api/crm/leads")
            .as_tool({.name = "leads_list"}),
        one<projections::leads>("leads.get", "Read a lead")
            .needs("crm.view")
            .at(get, "/api/crm/leads/{id:int}")
            .as_tool({.name = "leads_get", .renamed = kLeadId}),
        command<commands::CreateLead>("leads.create", "Add a lead")
            .needs("crm.create")
            .creates(Kind::lead)
            .at(post, "/api/crm/leads")
            .as_tool({.name = "leads_create", .tier = standard, .description = "Give a name or a company, or both."}),
        command<commands::UpdateLead>("leads.update", "Change a lead")
            .needs("crm.edit")
            .on(Kind::lead)
            .at(patch, "/api/crm/leads/{id:int}")
            .also_put("leads.put")
            .as_tool({.name = "leads_update",
                      .tier = standard,
                      .description = "Fields that are not given stay as they are.",
                      .renamed = kLeadId}),
        command<commands::DeleteLead>("leads.delete", "Delete a lead")
            .needs("crm.delete")
            .on(Kind::lead)
            .destroys()
            .at(del, "/api/crm/leads/{id:int}"),
    };
}

}  // namespace workforce::operations
