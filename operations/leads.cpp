// Who may become a customer.
#include "commands/lead.hpp"

#include "operations/declare.hpp"
#include "projections/leads/leads.hpp"

namespace workforce::operations {

template <>
struct Besides<commands::CreateLead> {
    static void write(core::JsonWriter& w) {
        w.key("anyOf");
        w.raw(R"([{"required":["name"]},{"required":["company"]}])");
    }
};

std::vector<Operation> lead_operations() {
    using enum net::Method;
    using events::Kind;
    return {
        list<projections::leads>("leads.list", "List leads").needs("crm.view").at(get, "/api/crm/leads"),
        one<projections::leads>("leads.get", "Read a lead").needs("crm.view").at(get, "/api/crm/leads/{id:int}"),
        command<commands::CreateLead>("leads.create", "Add a lead")
            .needs("crm.create")
            .creates(Kind::lead)
            .at(post, "/api/crm/leads"),
        command<commands::UpdateLead>("leads.update", "Change a lead")
            .needs("crm.edit")
            .on(Kind::lead)
            .at(patch, "/api/crm/leads/{id:int}")
            .also_put("leads.put"),
        command<commands::DeleteLead>("leads.delete", "Delete a lead")
            .needs("crm.delete")
            .on(Kind::lead)
            .destroys()
            .at(del, "/api/crm/leads/{id:int}"),
    };
}

}  // namespace workforce::operations
