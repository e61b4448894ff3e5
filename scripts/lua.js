// Writes the Lua by which Redis scripts read and write records, from the places that adapters give their fields.

/** The text of each generated file of redis/, by its path. `banner` names the source in a comment of JavaScript. */
export async function redisCode(banner) {
  const of = name => import(new URL(`../dist/${name}.js`, import.meta.url))
  const [row, hold, counters, policy, totals, head, audit] = await Promise.all([
    of('adapters/redis/row-text'),
    of('adapters/redis/hold-text'),
    of('adapters/redis/counter-texts'),
    of('policy/counters/account-counters'),
    of('adapters/redis/total-texts'),
    of('adapters/redis/response-head'),
    of('records/audit'),
  ])
  const from = source => banner(`src/${source}.ts`).replace('//', '--')
  const holdText = from('adapters/redis/hold-text')
  const counterTexts = from('adapters/redis/counter-texts')
  return {
    'redis/ledger/places.lua': placesCode(from('adapters/redis/row-text'), row.REST_PLACES),
    'redis/ledger/sums.lua': sumsCode(from('adapters/redis/total-texts'), totals, row.REST_PLACES),
    'redis/holds/hold.lua': textCode(holdText, 'hold', hold.HOLD_TEXT),
    'redis/holds/weight.lua': textCode(holdText, 'weight', hold.WEIGHT_TEXT),
    'redis/holds/counts.lua': textCode(counterTexts, 'counts', counters.COUNTS_TEXT),
    'redis/holds/share.lua': textCode(counterTexts, 'share', counters.SHARE_TEXT),
    'redis/holds/bucket.lua': bucketCode(counterTexts, counters.BUCKET_DIGITS, policy.MINUTE_BUCKETS),
    'redis/responses/head.lua': headCode(from('adapters/redis/response-head'), head),
    'redis/accounts/audit.lua': auditCode(from('records/audit'), Object.keys(audit.AUDIT)),
  }
}

/** Where Redis scripts find the fields of a row. Lua counts from 1. */
function placesCode(head, places) {
  const nameOf = member => member.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase()
  const lines = Object.entries(places).map(([member, place]) => `local ${nameOf(member)} = ${place + 1}`)
  return `${head}
-- The place of each field in the rest of a ledger row, which is a JSON array.
${lines.join('\n')}
`
}

/** How Redis scripts read, write and add the sums of a day. Later sums are fields in the rest of a row. */
function sumsCode(head, { SUM_PLACES, SUM_ENDS }, restPlaces) {
  const names = namesIn(SUM_PLACES)
  const [first, ...ends] = SUM_ENDS
  const longer = ends.map((end, index) => {
    const since = names.slice(SUM_ENDS[index], end).map(name => `sums.${name} ~= 0`)
    return `  if ${since.join(' or ')} then last = ${end} end\n`
  })
  const ofRow = { requests: '1', inputTokens: 'input', outputTokens: 'output', cost: 'cost' }
  const inRow = name => ofRow[name] ?? `number(rest[${restPlaces[name] + 1}])`
  return `${head}
-- The sums of a day are \`${names.join(' ')}\`. A text ends where all sums behind are 0.
local function readSums(text)
  local numbers = {}
  for part in string.gmatch(text, '%S+') do numbers[#numbers + 1] = tonumber(part) end
  return { ${names.map((name, place) => `${name} = numbers[${place + 1}] or 0`).join(', ')} }
end

local function sumsText(sums)
  local last = ${first}
${longer.join('')}  return table.concat({ ${names.map(name => `digits(sums.${name})`).join(', ')} }, ' ', 1, last)
end

-- The sums of \`a\`, and \`times\` those of \`b\`.
local function addSums(a, b, times)
  return { ${names.map(name => `${name} = a.${name} + times * b.${name}`).join(', ')} }
end

-- The amounts that a ledger row with this rest adds to the sums of its day.
local function sumsOfRow(input, output, cost, rest)
  return { ${names.map(name => `${name} = ${inRow(name)}`).join(', ')} }
end
`
}

/** How Redis scripts read and write a bucket of the minute. */
function bucketCode(head, digits, seconds) {
  const names = Object.keys(digits)
  let from = 1
  const readers = names.map(name => {
    const [begin, end] = [from, from + digits[name] - 1]
    from = end + 1
    return `local function ${name}At(text, at) return tonumber(string.sub(text, at + ${begin}, at + ${end})) end`
  })
  return `${head}
-- A bucket of the minute is \`${names.join(' ')}\` without blanks, in ${listed(Object.values(digits))} digits.
local SECONDS = ${seconds}
local WIDTH = ${from - 1}
local TOKENS_MAX = ${10 ** digits.tokens - 1}

local function bucketText(${names.join(', ')})
  return string.format('${names.map(name => `%0${digits[name]}d`).join('')}', ${names.join(', ')})
end

-- Numbers of the bucket that begins behind \`at\`.
${readers.join('\n')}
`
}

/** How Redis scripts read and write the head of a kept response. */
function headCode(head, { HEAD_PLACES, PLACE_DIGITS }) {
  const names = namesIn(HEAD_PLACES)
  const texts = names.map(name => (name === 'place' ? 'head.place' : `digits(head.${name})`))
  return `${head}
-- The head of a kept response is \`${names.join(' ')} item…\`, its place in ${PLACE_DIGITS} digits.
local function placeText(number) return string.format('%0${PLACE_DIGITS}d', number) end

local function readHead(text)
  local ${names.join(', ')}, items = string.match(text, '^${names.map(() => '(%d+)').join(' ')}(.*)$')
  return { ${names.map(name => `${name} = ${name === 'place' ? name : `tonumber(${name})`}`).join(', ')}, items = items }
end

-- \`items\` are texts with a blank before each.
local function headText(head)
  return ${texts.join(" .. ' ' .. ")} .. head.items
end
`
}

/** How Redis scripts add a row to an audit. */
function auditCode(head, names) {
  const added = names.map(name => `'${name}', ${name}`).join(', ')
  return `${head}
-- Scripts that change keys and accounts begin with this.
local function audit(key, ${names.join(', ')})
  if by ~= '' then
    redis.call('XADD', key, '*', ${added})
  end
end
`
}

/** How Redis scripts read and write a record whose numbers stand between blanks. */
function textCode(head, record, { places, optional }) {
  const names = namesIn(places)
  const always = names.filter(name => !optional.has(name))
  const later = names.slice(always.length)
  if (always.some((name, place) => names[place] !== name))
    throw new Error(`${record}: a number that may be absent has a place before others`)
  const nameOf = verb => `${verb}${record[0].toUpperCase()}${record.slice(1)}`
  const pattern = `^${always.map(() => '(%S+)').join(' ')}${later.map(() => ' ?(%S*)').join('')}$`
  const texts = [
    `string.format('${always.map(() => '%d').join(' ')}', ${always.map(name => `${record}.${name}`).join(', ')})`,
    ...later.map(name => `(${record}.${name} and string.format(' %d', ${record}.${name}) or ' -')`),
  ].join(' .. ')
  return `${head}
-- The ${record} text is \`${names.join(' ')}\`.
local function ${nameOf('read')}(text)
  local ${names.join(', ')} =
    string.match(text, '${pattern}')
  return { ${names.map(name => `${name} = tonumber(${name})`).join(', ')} }
end

local function ${record}Text(${record})
  return ${later.length === 0 ? texts : `(string.gsub(${texts}, '[ -]+$', ''))`}
end
`
}

function namesIn(places) {
  return Object.keys(places).sort((a, b) => places[a] - places[b])
}

function listed(numbers) {
  return `${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`
}
