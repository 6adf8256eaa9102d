// Assignments and offers to mails, and the end of all mails of an organization that is deactivated.
#include "workers/reactors/reactors.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "events/event.hpp"
#include "events/shift.hpp"
#include "events/shift_offer.hpp"
#include "events/staff.hpp"
#include "workers/engine/folded_rows.hpp"
#include "workers/engine/inactive_organizations.hpp"
#include "workers/mail/mailer.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

constexpr std::string_view kName = "shift_mail";
constexpr std::string_view kWorkPlace = "reactor.shift_mail_work";

constexpr core::Statement kAddWork{"shift_mail_add_work", sql::reactors_shift_mail_add_work};
constexpr core::Statement kDropWork{"shift_mail_drop_work", "DELETE FROM shift_mail_work WHERE organization_id = $1"};
// Links among them: nobody of an organization that is not active can open one.
constexpr core::Statement kDropMails{"shift_mail_drop_mails", R"(
UPDATE ops.outbox SET state = 'dropped', last_error = $2 WHERE organization_id = $1 AND state = 'waiting')"};

/// How a person is written to.
struct Contact {
    static constexpr std::string_view kTable = "shift_mail_staff";
    static constexpr std::string_view kId = "staff_id";
    static constexpr auto kPerson = events::Kind::staff;
    std::string firstName;
    std::string email;
};
BOOST_DESCRIBE_STRUCT(Contact, (), (firstName, email))

/// What a mail says of a shift.
struct ShiftBrief {
    static constexpr std::string_view kTable = "shift_mail_shift";
    static constexpr std::string_view kId = "shift_id";
    std::string title;
    core::Date date;
    core::TimeOfDay startTime;
    core::TimeOfDay endTime;
};
BOOST_DESCRIBE_STRUCT(ShiftBrief, (), (title, date, startTime, endTime))

bool tells(events::StaffUpdated const& changes) { return changes.firstName || changes.email; }
bool tells(events::ShiftUpdated const& changes) {
    return changes.title || changes.date || changes.startTime || changes.endTime;
}

MailText write_mail(Contact const& to, ShiftBrief const& shift) {
    auto const date = core::to_string(shift.date);
    return {to.email, fmt::format("You are assigned to {} on {}", shift.title, date),
            fmt::format("Hello {},\n\nyou are assigned to the shift {} on {}, from {} to {}.\n", to.firstName,
                        shift.title, date, core::to_string(shift.startTime), core::to_string(shift.endTime))};
}

MailText write_offer(Contact const& to, ShiftBrief const& shift) {
    auto const date = core::to_string(shift.date);
    return {
        to.email, fmt::format("You are offered {} on {}", shift.title, date),
        fmt::format("Hello {},\n\nyou are offered the shift {} on {}, from {} to {}.\n"
                    "Please accept or decline: whoever accepts first comes.\n",
                    to.firstName, shift.title, date, core::to_string(shift.startTime), core::to_string(shift.endTime))};
}

/// One batch of a partition's events, folded within a transaction.
class MailBatch {
   public:
    MailBatch(core::Connection& connection, events::Keyring& keyring, int partition)
        : connection_(connection), keyring_(keyring), partition_(partition) {}

    void fold(std::span<events::Event const> events) {
        load(events);
        for (auto const& event : events) {
            if (event.meta.sandbox) continue;
            fold_organization(event);
            if (auto const* staff = events::get_if<events::StaffEvent>(event.data)) fold(event.meta, *staff);
            if (auto const* shift = events::get_if<events::ShiftEvent>(event.data)) fold(event.meta, *shift);
            auto const* offer = events::get_if<events::ShiftOfferMade>(event.data);
            if (offer && acts_on(event)) add_mail(event.meta, offer->staffId, offer->shiftId, write_offer);
        }
        staff_.keep(connection_, keyring_);
        shifts_.keep(connection_);
        add_work();
    }

   private:
    struct Work {
        std::string id;
        std::int64_t position;
        core::Id organization;
        core::Id staff;
        std::string sealed;
    };

    /// Whether somebody is to hear of the assignment or the offer.
    [[nodiscard]] bool acts_on(events::Event const& event) const {
        return !event.meta.sandbox && event.meta.position > acts_after_ &&
               (events::is<events::ShiftStaffAssigned>(event.data) || events::is<events::ShiftOfferMade>(event.data));
    }

    /// Reads the rows that the events look at.
    void load(std::span<events::Event const> events) {
        bool any = false;
        for (auto const& event : events) any = any || acts_on(event);
        acts_after_ = any ? acts_after(connection_, kName, partition_) : std::numeric_limits<std::int64_t>::max();
        std::set<core::Id> staff;
        std::set<core::Id> shifts;
        for (auto const& event : events) {
            auto const id = event.meta.subject.id;
            auto const* person = events::get_if<events::StaffUpdated>(event.data);
            auto const* shift = events::get_if<events::ShiftUpdated>(event.data);
            if (person && tells(*person)) staff.insert(id);
            if (shift && tells(*shift)) shifts.insert(id);
            if (!acts_on(event)) continue;
            auto const* assigned = events::get_if<events::ShiftStaffAssigned>(event.data);
            auto const* offer = events::get_if<events::ShiftOfferMade>(event.data);
            staff.insert(assigned ? assigned->staffId : offer->staffId);
            shifts.insert(assigned ? id : offer->shiftId);
        }
        staff_.load(connection_, keyring_, staff);
        shifts_.load(connection_, shifts);
    }

    /// Whatever mail of an organization waits when it is deactivated is dropped, whoever wrote it.
    void fold_organization(events::Event const& event) {
        keep_organization(connection_, kName, event);
        if (change_of(event) != OrganizationChange::deactivated) return;
        if (event.meta.position <= acts_after(connection_, kName, partition_)) return;
        add_work();
        connection_.execute(kDropWork, event.meta.subject.id);
        connection_.execute(kDropMails, event.meta.subject.id, kInactiveOrganization);
    }

    void fold(events::Envelope const& meta, events::StaffEvent const& event) {
        auto const id = meta.subject.id;
        if (auto const* onboarded = std::get_if<events::StaffOnboarded>(&event)) {
            // Who was erased since has no address any more.
            if (onboarded->email.erased) return;
            staff_.put(id, meta.organization, Contact{onboarded->firstName.value, onboarded->email.value});
        } else if (auto const* updated = std::get_if<events::StaffUpdated>(&event)) {
            auto contact = tells(*updated) ? staff_.rows[id] : std::nullopt;
            if (!contact) return;
            if (updated->firstName) contact->firstName = updated->firstName->value;
            if (updated->email) contact->email = updated->email->value;
            staff_.put(id, meta.organization, std::move(contact));
        } else if (std::holds_alternative<events::StaffErased>(event)) {
            staff_.put(id, meta.organization, std::nullopt);
        }
    }

    void fold(events::Envelope const& meta, events::ShiftEvent const& event) {
        auto const id = meta.subject.id;
        if (auto const* posted = std::get_if<events::ShiftPosted>(&event)) {
            shifts_.put(id, meta.organization,
                        ShiftBrief{posted->title, posted->date, posted->startTime, posted->endTime});
        } else if (auto const* updated = std::get_if<events::ShiftUpdated>(&event)) {
            if (!tells(*updated)) return;
            shifts_.change(id, meta.organization, [&](ShiftBrief& brief) {
                events::merge(brief, static_cast<events::ShiftChanges const&>(*updated));
            });
        } else if (auto const* assigned = std::get_if<events::ShiftStaffAssigned>(&event)) {
            if (meta.position > acts_after_) add_mail(meta, assigned->staffId, id, write_mail);
        } else if (std::holds_alternative<events::ShiftCompleted>(event) ||
                   std::holds_alternative<events::ShiftDeleted>(event)) {
            shifts_.put(id, meta.organization, std::nullopt);  // nobody is assigned any more
        }
    }

    void add_mail(events::Envelope const& meta, core::Id staff, core::Id shift_id,
                  MailText (*write)(Contact const&, ShiftBrief const&)) {
        auto const& to = staff_.rows[staff];
        auto const& shift = shifts_.rows[shift_id];
        if (!to || to->email.empty()) return;  // they were erased since
        if (!shift) throw std::runtime_error(fmt::format("a mail of an unknown shift, {}", shift_id));
        auto sealed = seal_for(keyring_, person_of<Contact>(staff), kWorkPlace, core::to_json(write(*to, *shift)));
        if (sealed) work_.push_back({meta.id, meta.position, meta.organization, staff, *std::move(sealed)});
    }

    void add_work() {
        auto const values_of = [](Work const& work) {
            return std::tuple(std::string_view(work.id), work.position, work.organization, work.staff,
                              core::Bytes{work.sealed});
        };
        core::execute_rows(connection_, kAddWork, work_, values_of, partition_);
        work_.clear();
    }

    core::Connection& connection_;
    events::Keyring& keyring_;
    int const partition_;
    std::int64_t acts_after_ = -1;
    FoldedRows<Contact> staff_;
    FoldedRows<ShiftBrief> shifts_;
    std::vector<Work> work_;
};

void send(std::span<pqxx::row const> rows, Effects const& effects) {
    std::vector<std::string> persons;
    for (auto const& row : rows) persons.push_back(person_of<Contact>(core::read<core::Id>(row["staff_id"])));
    effects.keyring.prefetch(persons);
    std::vector<Mail> mails;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        auto const& row = rows[i];
        auto const json = open_for(effects.keyring, persons[i], kWorkPlace, core::read_bytes(row["sealed"]));
        if (!json) continue;  // they were erased
        mails.push_back({.id = core::read<std::string>(row["id"]),
                         .organization = core::read<core::Id>(row["organization_id"]),
                         .person = persons[i],
                         .text = core::from_stored_json<MailText>(*json)});
    }
    if (!mails.empty()) effects.mailer.send(mails);
}

}  // namespace

ReactorType shift_mail() {
    static WorkTable const work(kName, "shift_mail_work");
    return {.name = kName,
            .revision = 1,
            .kinds = {events::Kind::staff, events::Kind::shift, events::Kind::organization, events::Kind::shift_offer},
            .make = fold_by<MailBatch>,
            .work = &work,
            .perform = send,
            .together = 100};
}

}  // namespace workforce::workers
