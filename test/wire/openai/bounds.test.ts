import { describe, expect, it } from 'vitest'
import { isCostlyBody, outlineBody, parseBody } from '../../../src/wire/openai/body.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'
import { readEmbeddings } from '../../../src/wire/openai/embeddings.ts'

const MESSAGES = '"messages":[{"role":"user","content":"Hi"}]'
const listed = (count: number, each: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => each(n)).join(',')
const refusal = (json: string): string => {
  const read = readChat(Buffer.from(json))
  if (!('denial' in read)) return 'accepted'
  const { denial } = read
  return denial.code === 'VALIDATION_ERROR' ? `${denial.field} ${denial.problem}` : 'accepted'
}

describe('a body that would hold up everybody is refused before anything of it is parsed', () => {
  const members = 'body has more than 256 fields'
  const names = 'body has more than 10000 names of fields that are new, or new in their order'
  const texts = 'body has more than 32000 different texts of at most 10 characters'
  const values = 'body has more than 105000 values'
  it.each([
    ['fields of its own', `{${listed(300, n => `"k${n}":1`)},${MESSAGES}}`, members],
    ['fields of its own that are numbers', `{${listed(240_000, n => `"${n * 7919}":1`)},${MESSAGES}}`, members],
    ['names in one object', `{"a":{${listed(10_001, n => `"k${n}":1`)}},${MESSAGES}}`, names],
    ['objects of one name each', `{"a":[${listed(10_001, n => `{"k${n}":1}`)}],${MESSAGES}}`, names],
    ['names that are numbers, though always the same', `{"a":[${listed(10_001, () => '{"7":1}')}],${MESSAGES}}`, names],
    [
      'names in ever another order',
      `{"a":[${listed(16_000, n => `{"a${n % 120}":1,"b${Math.floor(n / 120)}":1}`)}],${MESSAGES}}`,
      names,
    ],
    ['short texts', `{"a":[${listed(32_001, n => `"s${n}"`)}],${MESSAGES}}`, texts],
    ['short texts with escapes', `{"a":[${listed(32_001, n => `"\\u00e9${n}"`)}],${MESSAGES}}`, texts],
    ['short texts of long characters', `{"a":[${listed(32_001, n => `"日本語語${n}"`)}],${MESSAGES}}`, texts],
    ['short texts as fields', `{"a":[${listed(32_001, n => `{"a":"s${n}"}`)}],${MESSAGES}}`, texts],
    ['values', `{"a":[${listed(105_000, () => '1')}],${MESSAGES}}`, values],
  ])('for its %s', (_, json, problem) => {
    expect(refusal(json)).toBe(problem)
    expect(refusal(`${json.slice(0, -1)}, and no JSON`)).toBe(problem)
  })

  it.each([
    ['10,000 messages that call tools', chatOf(10_000)],
    ['1000 tools of 8 parameters', `{"tools":[${listed(1000, toolOf)}],${MESSAGES}}`],
    ['10,000 calls, each with an identifier, arguments and a content that are short', ownCalls(10_000)],
    ['60,000 texts of 11 characters', toolWithEnum(listed(60_000, n => `"${String(n).padStart(11, 'x')}"`))],
    ['60,000 short texts that are not new', toolWithEnum(listed(60_000, n => `"s${n % 15_000}"`))],
  ])('and %s are not', (_, json) => {
    expect(refusal(json)).toBe('accepted')
  })
})

describe('a request for embeddings', () => {
  const ids = (count: number) =>
    readEmbeddings(Buffer.from(`{"model":"m","input":[${listed(3, () => `[${listed(count / 3, String)}]`)}]}`), 2048)

  it('of 300,000 token ids is taken', () => {
    expect(ids(300_000)).toMatchObject({ request: { inputs: 3, textBytes: 300_000, tokenIds: true } })
  })

  it('of more than 310,000 is refused before anything of it is parsed', () => {
    expect(ids(312_000)).toMatchObject({ denial: { field: 'body', problem: 'has more than 310000 values' } })
  })
})

function chatOf(messages: number): string {
  const call = '{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}'
  return `{"messages":[${listed(messages, () => `{"role":"assistant","content":"x","tool_calls":[${call}]}`)}]}`
}

function ownCalls(calls: number): string {
  const call = (n: number) =>
    `{"id":"${String(n).padStart(9, 'c')}","type":"function","function":{"name":"f","arguments":"{\\"a\\":${n}}"}}`
  return `{"messages":[${listed(calls, n => `{"role":"assistant","content":"x${n}","tool_calls":[${call(n)}]}`)}]}`
}

const toolWithEnum = (values: string): string =>
  `{"tools":[{"type":"function","function":{"name":"f","parameters":{"enum":[${values}]}}}],${MESSAGES}}`

function toolOf(tool: number): string {
  const properties = listed(8, n => `"p${tool}_${n}":{"type":"string","description":"x"}`)
  return `{"type":"function","function":{"name":"f${tool}","parameters":{"type":"object","properties":{${properties}}}}}`
}

it('what is over the text while names are counted is the text again when it is parsed', () => {
  const long = 'x'.repeat(400)
  const json = `{"messages":[${listed(11_000, n => `{"role":"user","content":"${n === 3 ? long : 'y'}"}`)}]}`
  const read = outlineBody(Buffer.from(json))
  if ('denial' in read) throw new Error('it is refused')

  expect(read.texts.whole()).toEqual(JSON.parse(json))
  expect(JSON.stringify(read.outline)).toContain('\\u00000')
})

it.each([
  ['a long prompt', `{"messages":[{"role":"user","content":"${'x'.repeat(1_000_000)}"}]}`, false],
  ['a conversation', chatOf(300), false],
  ['the longest conversation', chatOf(10_000), true],
  ['many names', `{"a":{${listed(8_000, n => `"k${n}":1`)}},${MESSAGES}}`, true],
  ['a long text of another field', `{"a":"${'x'.repeat(1_000_000)}",${MESSAGES}}`, true],
  ['what is refused at once', `{${listed(300, n => `"k${n}":1`)}}`, false],
])('whether a body is costly is known before it is parsed: %s', (_, json, isCostly) => {
  const bytes = Buffer.from(json)

  expect(isCostlyBody(bytes, 'chat')).toBe(isCostly)
  // And it is read as if nobody had asked.
  const [asked, unasked] = [outlineBody(bytes), outlineBody(Buffer.from(bytes))]
  expect('denial' in asked ? asked : asked.outline).toEqual('denial' in unasked ? unasked : unasked.outline)
})

it('what was found of one body is not taken for another, or for the same read otherwise', () => {
  const json = `{"messages":[{"role":"user","content":"${'x'.repeat(1000)}"}]}`
  const [one, other] = [Buffer.from(json), Buffer.from('{"messages":[]}')]

  isCostlyBody(one, 'chat')
  expect(parseBody(other)).toEqual({ body: { messages: [] } })
  isCostlyBody(one, 'chat')
  expect(parseBody(one)).toEqual({ body: JSON.parse(json) })
})
