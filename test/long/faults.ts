/** One seeded fault: a line of the product changed so that a promise breaks. */
export interface Fault {
  readonly what: string
  readonly file: string
  readonly from: string
  readonly to: string
}

const lua = (name: string, what: string, from: string, to: string): Fault => ({
  what: `redis/${name}.lua: ${what}`,
  file: `redis/${name}.lua`,
  from,
  to,
})

const source = (file: string, what: string, from: string, to: string): Fault => ({
  what: `${file}: ${what}`,
  file: `src/${file}.ts`,
  from,
  to,
})

/** Faults of the kinds that other gateways shipped: lost updates, double charges, leaked holds, limits off by one. */
export const faults: readonly Fault[] = [
  lua('holds/counters', 'a minute of 60 buckets', 'second - 61 do', 'second - 60 do'),
  lua('holds/counters', 'the newest second is lost to the next', 'if s.newest > 0 then', 'if false then'),
  lua(
    'holds/counters',
    'a second is taken for the one a minute before',
    'secondAt(found, 0) == second and found',
    'found',
  ),
  lua(
    'holds/counters',
    'what a clock that stepped back left is found again',
    'if s.isAnew then redis',
    'if false then redis',
  ),
  lua('holds/judge', 'one request too many a minute', 'and r.requests + 1 > c.requests', 'and r.requests > c.requests'),
  lua(
    'holds/judge',
    'tokens are judged without the least output',
    'r.tokens + c.input + leastOutput',
    'r.tokens + c.input',
  ),
  lua(
    'holds/counters',
    'a clock that steps back opens a new bucket',
    'local second = math.max(clock, s.newest)',
    'local second = clock',
  ),
  lua('holds/judge', 'holds are forgotten when spend is judged', 'r.used + r.held + worst', 'r.used + worst'),
  lua('holds/judge', 'the grant ignores what is held', 'c.limit - r.used - r.held)', 'c.limit - r.used)'),
  lua('holds/judge', 'one more in a day than allowed', 'r.calendar[i] + 1 > claim.most', 'r.calendar[i] > claim.most'),
  lua('holds/admit', 'a request does not count in its day', '1 + readings.calendar[i]', 'readings.calendar[i]'),
  lua(
    'holds/judge',
    'one more under way than allowed',
    'r.concurrent + 1 > c.concurrent',
    'r.concurrent > c.concurrent',
  ),
  lua(
    'holds/judge',
    'the wait is a second short',
    '(secondAt(minute, at) + 61) * 1000',
    '(secondAt(minute, at) + 60) * 1000',
  ),
  lua('holds/counters', 'a rest of tokens goes to the current bucket', 'if recordOf(s, counted) then', 'if false then'),
  lua('holds/counters', 'a release keeps the hold', 's.held = s.held - hold.spentCost - hold.cost', ''),
  lua('holds/admit', 'a repeated admission takes twice', 'if kept[1] then', 'if false then'),
  lua('holds/admit', 'a revoked key is admitted', "key[1] ~= 'active' or ", ''),
  lua('holds/admit', 'claims in a window that is over are judged', ' or now >= tonumber(ARGV[8])', ''),
  lua('holds/extend', 'a repeated round takes twice', 'if hold.round >= tonumber(ARGV[5])', 'if false'),
  lua(
    'holds/extend',
    'a round counts as a request under way',
    'counters.concurrent = concurrent',
    'counters.concurrent = concurrent + 1',
  ),
  lua('holds/extend', 'spent rounds are charged before the end', 'counters.used = counters.used - spentCost', ''),
  lua('holds/settle', 'a repeated settlement charges twice', "if state == 'ended' then return repeated() end", ''),
  lua('holds/settle', 'a row does not stop a second one', "if kind ~= 'orphan' then return repeated() end", ''),
  lua('holds/settle', 'a renewed lease is swept all the same', 'tonumber(lease) > now', 'false'),
  lua('holds/settle', 'a late settlement charges in full', 'charge.cost - was.cost\nend', 'charge.cost\nend'),
  lua('holds/settle', 'totals miss late rows', 'input, output, cost)\n', 'input, output, late and 0 or cost)\n'),
  lua('holds/settle', 'waste is taken for a settlement', "'(' .. request .. ' 3')) do", "'(' .. request .. '!')) do"),
  lua(
    'holds/settle',
    'waste is counted for what was told again',
    "'(' .. request .. ' 3')\n",
    "'(' .. request .. '!')\n",
  ),
  lua('ledger/waste', 'a repeated attempt is wasted twice', "if found[1] then return { 'repeated' } end", ''),
  lua(
    'ledger/waste',
    'a tenth attempt is taken for the first',
    "string.format('%s 3%04d '",
    "string.format('%s 3%.1s '",
  ),
  lua('ledger/waste', 'totals count requests, and not attempts', 'ARGV[10], 1, input', 'ARGV[10], 0, input'),
  lua('ledger/allowance', 'an hour of 60 buckets', 'MINUTES_BEFORE = 60', 'MINUTES_BEFORE = 59'),
  lua('ledger/allowance', 'one more than the limit', 'used + amount > tonumber(ARGV[5])', 'used > tonumber(ARGV[5])'),
  lua(
    'ledger/allowance',
    'a minute weighs less than nothing',
    'math.max(0, bucket.cost + amount)',
    'bucket.cost + amount',
  ),
  lua('ledger/allowance', 'a clock that steps back opens a new bucket', 'minute = math.max(minute, newest)', ''),
  lua(
    'ledger/allowance',
    'a clock that steps back far forgets the hour',
    'math.min(bucket.minute, minute)',
    'bucket.minute',
  ),
  source('policy/pool-budget', 'an hour of 60 buckets', 'MINUTES_BEFORE = 60', 'MINUTES_BEFORE = 59'),
  source(
    'policy/pool-budget',
    'a clock that steps back opens a second hour',
    'minute = newest - clock > MINUTES_BEFORE ? clock : Math.max(clock, newest)',
    'minute = clock',
  ),
  source(
    'policy/pool-budget',
    'what was taken is put right in another minute',
    'bucket.minute === minuteOf(counted)',
    'bucket.minute === buckets.at(-1)?.minute',
  ),
  source(
    'adapters/embedded/ledger',
    'a repeated attempt is wasted twice',
    'if (writer.rowOf(key) || records.ledger.doesExist(key)) continue',
    '',
  ),
  source(
    'adapters/embedded/writer',
    'waste counts as used',
    "if (row.kind === 'waste') wasted.add(wasteTotalKey(row), row, requests)\n      else tally",
    'tally',
  ),
  source('adapters/embedded/shared-budgets', 'the hour of a pool is not written', '    this.#dirty.add(pool)\n', ''),
  lua('holds/settle', 'the lease outlives its hold', "redis.call('ZREM', KEYS[5], request)", ''),
  lua('holds/heartbeat', 'a heartbeat does not renew', 'clock() + tonumber(ARGV[3])', 'clock()'),
  lua('accounts/mint', 'a second mint makes a second key', "if active[1] and active[1] ~= '' then", 'if false then'),
  source(
    'policy/account-counters',
    'release keeps a place under way',
    'concurrent: Math.max(0, counters.concurrent - 1)',
    'concurrent: counters.concurrent',
  ),
  source(
    'policy/account-counters',
    'an extension counts its tokens twice',
    'spend: addToSpend(over.spend, hold.window, nanoUsd(-spent.cost), addNanoUsd(spent.cost, granted.cost))',
    'spend: addToSpend(over.spend, hold.window, ZERO_USD, addNanoUsd(spent.cost, granted.cost))',
  ),
  source('policy/judge', 'holds are forgotten', 'used + held + worst <= limit', 'used + worst <= limit'),
  source(
    'adapters/embedded/settlement',
    'an orphan is charged at its hold',
    'const charge = soFar ? chargeOf(soFar) : NOTHING',
    'const charge = hold',
  ),
  source(
    'adapters/embedded/settlement',
    'a second settlement charges again',
    'if (first || late) return writer.settled(hold.requestId)',
    '',
  ),
  source(
    'adapters/embedded/holds',
    'a request that was forgotten is taken for new',
    'for (const requestId of oldest.ids()) this.pass(requestId)',
    '',
  ),
  source(
    'adapters/embedded/settlement',
    'a request that was settled without a hold is taken for new',
    '  holds.pass(hold.requestId)\n',
    '',
  ),
  source(
    'adapters/embedded/store-state',
    'a request of the process before is taken for new',
    'new Holds(lastKeyOf(records))',
    'new Holds()',
  ),
  source('adapters/embedded/holds', 'a request is taken for new whatever its letters', ' && PLAIN.test(requestId)', ''),
  source('adapters/embedded/writer', 'totals are not written', '...tally.writes(totals, key => totals.get(key)),', ''),
  source(
    'adapters/embedded/writer',
    'a settlement resolves before its row is on disk',
    '    return this.commit()\n  }\n\n  /** Resolves when no row',
    '    this.commit().catch(() => {})\n    return Promise.resolve()\n  }\n\n  /** Resolves when no row',
  ),
  source(
    'adapters/embedded/settlement',
    'holds of a dead process are dropped',
    '      orphan(state, hold)\n',
    '      state.holds.end(hold.requestId, true)\n      state.writer.changed(hold)\n',
  ),
]
