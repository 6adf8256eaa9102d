// What is wrong with input, as far as a refusal names it: the answer must not grow with what was sent.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/json_io.hpp"
#include "core/result.hpp"

namespace workforce::core {

/// Collects faults: names the first ones, counts all.
class Faults {
   public:
    static constexpr std::size_t kMostNamed = 100;
    static constexpr std::size_t kMostFieldBytes = 200;    ///< of a field's path; more of it is cut
    static constexpr std::size_t kMostMessageBytes = 500;  ///< likewise

    void add(std::string_view field, std::string_view rule, std::string_view message);
    [[nodiscard]] bool empty() const { return total_ == 0; }
    [[nodiscard]] std::vector<FieldError> const& named() const { return named_; }
    /// How many there are, named or not.
    [[nodiscard]] std::size_t total() const { return total_; }

   private:
    std::vector<FieldError> named_;
    std::size_t total_ = 0;
};

/// VALIDATION_ERROR naming the fields in `details.fields`; where there are more, `details.total` says how many in all.
Problem validation_problem(Faults const& faults);

/// The fields that a VALIDATION_ERROR names; none of other problems.
std::vector<FieldError> fields_of(Problem const& problem);

}  // namespace workforce::core
