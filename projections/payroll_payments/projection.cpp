// Folds events of payroll runs into read.payroll_payment.
#include <array>
#include <map>
#include <optional>

#include "events/fold.hpp"
#include "projections/engine/row_arrays.hpp"
#include "projections/payroll_payments/payroll_payments.hpp"
#include "projections/sql.hpp"

namespace workforce::projections {
namespace {

using namespace events;  // each type of an event is one of it

constexpr core::Statement kInsertPayments{"payroll_payment_insert", sql::payroll_payments_insert};
constexpr core::Statement kSettlePayments{"payroll_payment_settle", sql::payroll_payments_settle};
constexpr core::Statement kMovePayments{"payroll_payment_move", sql::payroll_payments_move};
constexpr core::Statement kForgetReasons{"payroll_payment_forget", sql::payroll_payments_forget};
constexpr core::Statement kDeletePayments{"payroll_payment_delete", sql::payroll_payments_delete};

/// What is written at once: what came of payments, until something happens to all of a run.
class PaymentProjection final : public Projection {
   public:
    void apply(core::Connection& connection, int /*partition*/, std::span<Event const> events) override {
        for (auto const& event : events) {
            auto const* group = get_if<PayrollRunEvent>(event.data);
            if (!group) continue;
            std::visit([&](auto const& data) { fold(connection, event.meta, data); }, *group);
        }
        flush(connection);
    }

    void forget() override { outcomes_.clear(); }

   private:
    struct Outcome {
        Envelope const* meta = nullptr;
        std::optional<PaymentSettled> settled{};
        std::string reason{};
    };

    template <class E>
    void fold(core::Connection& /*connection*/, Envelope const& /*meta*/, E const& /*event*/) {}

    void fold(core::Connection& connection, Envelope const& meta, PayrollRunPaymentsCreated const& created) {
        ArrayColumn id, staff;
        JsonColumn doc;
        for (auto const& made : created.payments) {
            PaymentFacts facts;
            facts.id = made.paymentId;
            facts.organizationId = meta.organization;
            static_cast<PaymentAmounts&>(facts) = made;
            facts.payrollRunId = meta.subject.id;
            if (meta.facility != 0) facts.facilityId = meta.facility;
            facts.currency = created.currency;
            facts.createdAt = meta.time;
            id.add(made.paymentId);
            staff.add(made.staffId);
            doc.add(core::to_json(facts));
        }
        auto const facility = meta.facility == 0 ? core::Parameter() : core::to_parameter(meta.facility);
        std::array<core::Parameter, 9> const parameters{core::to_parameter(meta.organization),
                                                        core::to_parameter(meta.sandbox),
                                                        core::to_parameter(meta.subject.id),
                                                        facility,
                                                        core::to_parameter(meta.time),
                                                        core::to_parameter(meta.seq),
                                                        id.take(),
                                                        staff.take(),
                                                        doc.take()};
        connection.execute_prepared(kInsertPayments, parameters);
    }
    void fold(core::Connection& connection, Envelope const& meta, PayrollRunApproved const& /*event*/) {
        move(connection, meta, PaymentStatus::processing);
    }
    void fold(core::Connection& connection, Envelope const& meta, PayrollRunFailed const& failed) {
        if (failed.refused) move(connection, meta, PaymentStatus::pending);
    }
    void fold(core::Connection& connection, Envelope const& meta, PayrollRunCancelled const& /*event*/) {
        move(connection, meta, PaymentStatus::cancelled);
    }
    void fold(core::Connection& /*connection*/, Envelope const& meta, PayrollRunPaymentsSettled const& settled) {
        for (auto const& payment : settled.payments) {
            auto& outcome = outcomes_[payment.paymentId];
            outcome.meta = &meta;
            outcome.settled = payment;
        }
    }
    /// The payment was settled before it, perhaps in another batch.
    void fold(core::Connection& /*connection*/, Envelope const& meta, PayrollRunPaymentExplained const& explained) {
        auto& outcome = outcomes_[explained.paymentId];
        outcome.meta = &meta;
        outcome.reason = explained.reason.value.value;
    }
    void fold(core::Connection& connection, Envelope const& meta, PayrollRunPersonErased const& erased) {
        flush(connection);
        connection.execute(kForgetReasons, meta.organization, meta.sandbox, meta.subject.id, meta.seq, erased.staffId,
                           meta.time);
    }
    void fold(core::Connection& connection, Envelope const& meta, PayrollRunDeleted const& /*event*/) {
        flush(connection);
        connection.execute(kDeletePayments, meta.organization, meta.sandbox, meta.subject.id);
    }

    /// All payments of the run are so, and nothing has come of them yet.
    void move(core::Connection& connection, Envelope const& meta, PaymentStatus status) {
        flush(connection);
        connection.execute(kMovePayments, meta.organization, meta.sandbox, meta.subject.id, meta.seq,
                           core::enum_name(status), meta.time);
    }

    void flush(core::Connection& connection) {
        if (outcomes_.empty()) return;
        ArrayColumn organization, sandbox, id, version, status, external, reason, time;
        for (auto const& [payment, outcome] : outcomes_) {
            auto const& meta = *outcome.meta;
            organization.add(meta.organization);
            sandbox.add(meta.sandbox);
            id.add(payment);
            version.add(meta.seq);
            reason.add(std::string_view(outcome.reason));
            time.add(meta.time);
            if (outcome.settled) {
                status.add(core::enum_name(outcome.settled->status));
                external.add(outcome.settled->externalPaymentId);
            } else {
                status.add_null();
                external.add_null();
            }
        }
        std::array<core::Parameter, 8> const rows{organization.take(), sandbox.take(),  id.take(),     version.take(),
                                                  status.take(),       external.take(), reason.take(), time.take()};
        connection.execute_prepared(kSettlePayments, rows);
        outcomes_.clear();
    }

    std::map<Id, Outcome> outcomes_;  // of the batch, since something last happened to all of a run
};

}  // namespace

std::unique_ptr<Projection> PaymentRows::make_projection(RowMemory& /*memory*/) const {
    return std::make_unique<PaymentProjection>();
}

}  // namespace workforce::projections
