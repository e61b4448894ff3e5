import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lineOf } from '../../../src/adapters/decisions/line.ts'
import { findLine, partsOf } from '../../../src/cli/explain/decision-lines.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { DecisionRecord } from '../../../src/policy/record.ts'
import { RecordReader, readRecord } from '../../../src/simulate/records.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { AT, exampleConfig, NOTHING_USED, recordOf } from './made.ts'

const config = exampleConfig()
const textOf = (record: DecisionRecord) => lineOf(record).trimEnd()

/** Texts that separate the parts of a line, wherever clients and operators may write them. */
const MARKERS = [
  '},"revision":"',
  '],"claims":{',
  '"}}}',
  '\\"},\\"revision\\":\\"x',
  '{"v":2,"id":"req_1",',
  '\u2028',
  '今日',
]
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...MARKERS, 'a', '"', '\\')).map(all => all.join('')),
)
const count = fc.nat(1_000_000)
const minute = fc.array(fc.tuple(count, count, count), { minLength: 1, maxLength: 61 })
const readings = fc.record({
  requests: count,
  tokens: count,
  day: count,
  concurrent: count,
  used: count.map(nanoUsd),
  held: count.map(nanoUsd),
})
const seen = fc.oneof(
  fc.record({ at: fc.constant(AT), readings }),
  fc.record({ at: fc.constant(AT), readings, minute }),
  fc.record({
    at: fc.constant(AT),
    readings,
    shared: fc.record({ limit: count.map(nanoUsd), taken: count.map(nanoUsd) }),
  }),
  fc.constantFrom({ gone: 'key' as const }, { unavailable: true as const }),
  text.map(tool => ({ tool })),
)
const records = fc
  .record({
    ask: fc.record({ plan: fc.oneof(text, fc.constantFrom('free', 'pro')), seen }),
    model: fc.option(fc.oneof(text, fc.constantFrom('svc-core', 'svc-pro')), { nil: undefined }),
    signals: fc.dictionary(text, fc.boolean()),
    ids: fc.tuple(text, text),
    orgTerms: fc.constantFrom(undefined, {}, { frozen: true as const }),
  })
  .map(({ ask, model, signals, ids: [id, account], orgTerms }): DecisionRecord => {
    const request = model === undefined ? {} : { model }
    const record = recordOf(config, id, { ...ask, request, signals })
    const { facts } = record
    return { ...record, facts: { ...facts, caller: { ...facts.caller, account, ...(orgTerms && { orgTerms }) } } }
  })

/** The parts of a line that the reader extracts. */
function withoutLast({ outcome: { claims: _, ...outcome }, seen, ...record }: DecisionRecord) {
  const { minute: __, ...judged } = seen && 'readings' in seen ? seen : { minute: undefined }
  const { id, revision, facts } = record
  return { id, revision, facts, ...(seen && { seen: 'readings' in seen ? judged : seen }), outcome }
}

it('whatever clients and operators wrote, a line is read to the record it was made of, whole or by its parts', () => {
  const reader = new RecordReader()
  fc.assert(
    fc.property(records, record => {
      const line = textOf(record)
      expect(line).toMatch(/^[ -~]+$/)
      expect(JSON.stringify(readRecord(line))).toBe(JSON.stringify(record))
      expect(JSON.stringify(reader.read(line))).toBe(JSON.stringify(withoutLast(record)))
      // As jq writes it.
      const unescaped = JSON.stringify(JSON.parse(line))
      expect(JSON.stringify(reader.read(unescaped))).toBe(JSON.stringify(withoutLast(record)))
    }),
    { numRuns: 300 },
  )
})

it('a line that lost its end, at whichever byte, is no decision', () => {
  const reader = new RecordReader()
  for (const plan of ['pro', 'free']) {
    const line = textOf(recordOf(config, 'req_1', { plan, request: { model: 'svc-pro' } }))
    expect(reader.read(line)).toBeDefined()
    for (let end = 0; end < line.length; end++) expect(reader.read(line.slice(0, end))).toBeUndefined()
  }
})

it('running requests are `open` in a line, as ever', () => {
  const readings = { ...NOTHING_USED, concurrent: 3 }
  const line = textOf(recordOf(config, 'req_1', { plan: 'pro', seen: { at: AT, readings } }))

  expect(JSON.parse(line).seen.readings).toEqual({ requests: 0, tokens: 0, day: 0, open: 3, used: 0, held: 0 })
  for (const read of [readRecord(line), new RecordReader().read(line)])
    expect(read?.seen).toMatchObject({ readings: { concurrent: 3 } })
})

it('lines of other versions are no decisions', () => {
  const line = textOf(recordOf(config, 'req_1', { plan: 'pro' }))
  for (const v of ['1', '3', '"2"']) expect(new RecordReader().read(line.replace('"v":2', `"v":${v}`))).toBeUndefined()
})

it('a line whose members are in another order is the same decision', () => {
  const line = textOf(recordOf(config, 'req_1', { plan: 'pro' }))
  const turned = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()))

  expect(new RecordReader().read(turned)).toEqual(readRecord(line))
})

it('what lines have in common may be of any number of kinds', () => {
  const reader = new RecordReader()
  const record = recordOf(config, 'req_1', { plan: 'pro', seen: { at: AT, readings: NOTHING_USED } })
  const revisions = Array.from({ length: 20_500 }, (_, n) => `r${n % 10_200}`)
  const read = revisions.map(revision => reader.read(textOf({ ...record, revision }))?.revision)

  expect(read.findIndex((revision, n) => revision !== revisions[n])).toBe(-1)
})

it('lines are found whole wherever chunks of a file end, and whatever their length', async () => {
  const directory = temporaryFolder('svc-lines')
  const file = join(directory, 'log')
  const lengths = [0, 1, 65_534, 1, 65_535, 65_536, 65_537, 0, 0, 300_000, 5]
  const lines = lengths.map((length, at) => `${at}${'é'.repeat(length % 7)}${'x'.repeat(length)}`)
  for (const end of ['', '\n']) {
    writeFileSync(file, lines.join('\n') + end)
    const found: string[] = []
    let bytes = 0
    for await (const part of partsOf([file])) {
      found.push(...part.lines)
      bytes += part.bytes
    }
    expect(found).toEqual(end ? [...lines, ''] : lines)
    expect(bytes).toBe(Buffer.byteLength(lines.join('\n') + end))
  }
})

it('a request is found by its id, not by what its client wrote', async () => {
  const directory = temporaryFolder('svc-lines')
  const file = join(directory, 'log')
  const forged = textOf(recordOf(config, 'req_other', { plan: 'free', request: { model: '{"v":2,"id":"req_1",' } }))
  const own = textOf(recordOf(config, 'req_1', { plan: 'free' }))
  writeFileSync(file, `${forged}\n${own}\n`)
  expect(await findLine([file], 'req_1')).toBe(own)
})
