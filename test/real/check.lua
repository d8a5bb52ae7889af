-- Coroutines, closures, strings, tables, errors and the garbage collector, with what each should give.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
assert(fib(18) == 2584)
local co = coroutine.wrap(function() for i = 1, 200 do coroutine.yield(i * i) end end)
local sum = 0
for i = 1, 200 do sum = sum + co() end
assert(sum == 2686700)
for depth = 1, 50 do
  local ok, message = pcall(function() error({ depth = depth }) end)
  assert(not ok and message.depth == depth)
end
local t = {}
for i = 1, 500 do t[i] = (i * 7919) % 1009 end
table.sort(t, function(a, b) return a > b end)
for i = 2, #t do assert(t[i - 1] >= t[i]) end
local words = {}
for w in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do words[#words + 1] = w:upper() end
assert(table.concat(words, "-") == "THE-QUICK-BROWN-FOX-JUMPS-OVER-THE-LAZY-DOG")
assert(("x = 10, y = 20"):gsub("(%w+) = (%w+)", "%2 = %1") == "10 = x, 20 = y")
local meta = setmetatable({}, { __index = function(_, k) return k .. "!" end, __call = function(_, a, b) return a * b end })
assert(meta.hey == "hey!" and meta(6, 7) == 42)
for i = 1, 20 do local garbage = {} for j = 1, 100 do garbage[j] = { j, tostring(j) } end collectgarbage("step") end
collectgarbage()
assert(load("return 1 + ...")(41) == 42)
assert(string.format("%5.2f|%q|%d", math.pi, "a\nb", 7) == " 3.14|\"a\\\nb\"|7")
print("right")
