-- For the scripts beside it: what was measured as one line of JSON, and requests of which only a number changes.

local bench = {}

function bench.done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'BENCH {"requests":%d,"seconds":%.6f,"p50_ms":%.3f,"p99_ms":%.3f,"bad_status":%d,"socket_errors":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.status, e.connect + e.read + e.write + e.timeout))
end

-- Fields of an authorised JSON request; `key` is the idempotency key, nil for none.
function bench.fields(token, key)
  return { Authorization = "Bearer " .. token, ["Content-Type"] = "application/json", ["Idempotency-Key"] = key }
end

return bench
