-- Assigns each staff member to each shift once. Arguments: token, file with a line of shift ids and a line of staff ids,
-- number of the first pair, prefix of the idempotency keys ("-": send none).
local here = debug.getinfo(1, "S").source:match("@(.*/)")
local bench = dofile(here .. "common.lua")
done = bench.done

local function words(line)
  local list = {}
  for word in line:gmatch("%S+") do list[#list + 1] = word end
  return list
end

function init(args)
  local lines = io.lines(args[2])
  local shifts, staff = words(lines()), words(lines())
  local n = tonumber(args[3])
  local keyed = args[4] ~= "-"
  function request()
    -- Neighbours in the walk differ in shift and in staff member, as requests of unrelated clients do.
    local shift = shifts[n % #shifts + 1]
    local member = staff[(math.floor(n / #shifts) + n % #shifts) % #staff + 1]
    local fields = bench.fields(args[1], keyed and args[4] .. n or nil)
    n = n + 1
    if n >= #shifts * #staff then wrk.thread:stop() end -- every further pair would be refused
    return wrk.format("POST", "/api/shifts/" .. shift .. "/assign", fields, '{"staffId":' .. member .. "}")
  end
end
