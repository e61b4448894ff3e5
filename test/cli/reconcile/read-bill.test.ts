import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { kindOf } from '../../../src/cli/reconcile/bill-formats.ts'
import { modelFinder } from '../../../src/cli/reconcile/billed-pools.ts'
import { readBill } from '../../../src/cli/reconcile/read-bill.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'

const dir = mkdtempSync(join(tmpdir(), 'svc-bill-'))
afterAll(() => removeFolder(dir))

const read = (content: string | Uint8Array, projects: readonly string[] = []) => {
  const file = join(dir, 'bill')
  writeFileSync(file, content)
  return readBill(file, { modelOf: billed => billed, projects })
}
const problem = (content: string | Uint8Array) =>
  read(content).then(
    () => 'no problem',
    (error: Error) => error.message.replace(`✗ ${join(dir, 'bill')}`, ''),
  )

const OPENAI =
  'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,quantity,quantity_unit,line_item,user_id,api_key_id,project_id'
const openAi = (line: string) => `${OPENAI}\n${line}\n`
const GOOD =
  '1790553600,1790640000,,,0.5000000000000000000000000000,usd,1000,tokens,"gpt-5-nano, input_tokens",,key_1,proj_a'
const NANO = { day: '2026-09-28', model: 'gpt-5-nano', kind: 'input', isElsewhere: false, lines: 1 }

const CUR =
  'lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/UsageType,lineItem/LineItemType,lineItem/ProductCode,lineItem/UsageAmount,lineItem/UnblendedCost,lineItem/CurrencyCode,pricing/unit,lineItem/UsageAccountId'
const FOCUS =
  'BilledCost,BillingCurrency,ChargeCategory,ChargeDescription,ChargePeriodStart,ChargePeriodEnd,ConsumedQuantity,ConsumedUnit,ServiceCategory,SkuMeter,ResourceName,SubAccountId'

const NOVA = { day: '2026-10-01', model: 'NovaPro', isElsewhere: false, lines: 1 }
const OPUS = { day: '2026-10-01', model: 'claude-opus-4-5', isElsewhere: false, lines: 1 }

describe('an export is read into days, models and kinds of tokens', () => {
  it.each([
    ['OpenAI costs', openAi(GOOD), [{ ...NANO, tokens: 1000, amount: 500_000_000n }]],
    [
      'OpenAI costs',
      openAi(`1790467200,1790553600,,,,,,,,,,\n${GOOD}`),
      [{ ...NANO, tokens: 1000, amount: 500_000_000n }],
    ],
    [
      'OpenAI costs',
      JSON.stringify({
        data: [
          {
            ...{ start_time: 1_790_553_600, end_time: 1_790_640_000 },
            results: [{ amount: { value: 0.06, currency: 'usd' }, line_item: 'gpt-5-nano, input', project_id: null }],
          },
        ],
        has_more: false,
      }),
      [{ ...NANO, amount: 60_000_000n }],
    ],
    [
      'Anthropic costs',
      'usage_date_utc,model,workspace,token_type,cost_usd,cost_type\n2026-10-01,claude-opus-4-5,Default,input_cache_write_1h,0.3,token\n2026-10-01,claude-opus-4-5,Default,,0.02,web_search\n',
      [
        { ...OPUS, kind: 'cache_write_1h', amount: 300_000_000n },
        { ...OPUS, model: '', amount: 20_000_000n },
      ],
    ],
    [
      'Anthropic costs',
      JSON.stringify({
        data: [
          {
            ...{ starting_at: '2026-10-01T00:00:00Z', ending_at: '2026-10-02T00:00:00Z' },
            results: [
              {
                ...{ currency: 'USD', amount: '123.45', cost_type: 'tokens', token_type: 'cache_read_input_tokens' },
                ...{ model: 'claude-opus-4-5', description: 'x' },
              },
            ],
          },
        ],
        has_more: false,
      }),
      [{ ...OPUS, kind: 'cached', amount: 1_234_500_000n }],
    ],
    [
      'AWS cost and usage report',
      `${CUR}\n2026-10-01T03:00:00Z,2026-10-01T04:00:00Z,USE1-NovaPro-input-tokens,Usage,AmazonBedrock,12.5,0.01,USD,1K tokens,1\n2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,,Credit,AmazonBedrock,,-5,USD,,1\n2026-10-01T03:00:00Z,2026-10-01T04:00:00Z,BoxUsage:t3.large,Usage,AmazonEC2,1,9,USD,Hrs,1\n`,
      [
        { ...NOVA, kind: 'input', tokens: 12_500, amount: 10_000_000n },
        { ...NOVA, model: '', amount: -5_000_000_000n },
      ],
    ],
    [
      'FOCUS',
      `${FOCUS}\n0.25,USD,Usage,Output tokens,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,50,1M tokens,AI and Machine Learning,output,NovaPro,1\n9,USD,Usage,Disk,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,1,GB,Storage,,,1\n`,
      [{ ...NOVA, kind: 'output', tokens: 50_000_000, amount: 250_000_000n }],
    ],
  ])('%s', async (format, text, lines) => {
    const bill = await read(text)
    expect(bill.format).toBe(format)
    expect(bill.lines).toEqual(lines)
  })

  it('a byte order mark, CRLF, semicolons and gzip change nothing', async () => {
    const plain = await read(openAi(GOOD))
    const semicolons = `${OPENAI.replaceAll(',', ';')}\r\n${GOOD.replaceAll(/,(?! input)/g, ';')}\r\n`
    for (const text of [`\uFEFF${openAi(GOOD)}`, openAi(GOOD).replaceAll('\n', '\r\n'), semicolons])
      expect(await read(text)).toEqual(plain)
    expect(await read(gzipSync(openAi(GOOD)))).toEqual(plain)
  })

  it('equal lines add up, and those of other projects stand apart', async () => {
    const { lines } = await read(openAi(`${GOOD}\n${GOOD}\n${GOOD.replace('proj_a', 'proj_b')}`), ['proj_a'])
    expect(lines.map(({ isElsewhere, tokens, lines: count }) => [isElsewhere, tokens, count])).toEqual([
      [false, 2000, 2],
      [true, 1000, 1],
    ])
  })

  it('a day that another zone begins is named by its noon', async () => {
    const { lines } = await read(openAi(GOOD.replace('1790553600,1790640000', '1790578800,1790665200')))
    expect(lines[0]?.day).toBe('2026-09-28')
  })

  it('a negative amount is a credit', async () => {
    const { lines } = await read(openAi(GOOD.replace('0.5000', '-0.5000')))
    expect(lines).toEqual([{ day: '2026-09-28', model: '', amount: -500_000_000n, lines: 1, isElsewhere: false }])
  })
})

describe('a file that cannot be read has a clear error with its line', () => {
  it.each([
    ['', ': the file is empty'],
    ['PAR1....', ': this is Parquet; export the report as CSV (text, gzip or plain)'],
    ['PK\u0003\u0004', ': this is a ZIP archive or a workbook; unpack it, or save it as CSV'],
    [new Uint8Array([0xff, 0xfe, 0x61, 0]), ': this is UTF-16; save it as UTF-8'],
    [new Uint8Array([0x61, 0xc3, 0x28]), ': the file is not UTF-8'],
    ['a,b\n1,2\n', ':1: the columns match no known export'],
    [OPENAI.replace('line_item', 'item'), ':1: the export looks like OpenAI costs, but lacks the columns line_item'],
    [openAi(GOOD.replace('usd', 'eur')), ':2: the bill is in `eur`; prices of the configuration are US dollars'],
    [openAi(GOOD.replace('0.5000', '1,5')), ':2: the record has 13 cells, and the header has 12'],
    [openAi(GOOD.replace('0.5000', 'free')), ':2: `free'],
    [openAi(GOOD.replace('1790553600', 'soon')), ':2: `soon` is not a date'],
    [openAi(GOOD.replace('1790640000', '1790900000')), ':2: the line covers several days; export the bill by day'],
    [openAi(GOOD.replace('"gpt-5-nano, input_tokens"', '')), ':2: the export is not split by line item'],
    [openAi(GOOD.replace('tokens"', 'tokens')), ':2: a quote does not close before the end of the file'],
    [openAi(GOOD.replace('tokens"', 'tokens"x')), ':2: text follows a closing quote'],
    [OPENAI, ': the export has no usage of models'],
    ['{"data": [', ': the file begins like JSON but is not valid JSON'],
    ['{"data": [], "has_more": true}', ': the last page has `has_more: true`'],
    ['[1]', ': the JSON is not a page of costs'],
  ])('%j', async (content, says) => {
    expect(await problem(content)).toContain(says)
  })

  it('a record without an end is refused after a million characters', async () => {
    expect(await problem(openAi(`"${'x'.repeat(1_000_001)}`))).toContain(':2: the record is longer than a million')
  })
})

it.each([
  ['gpt-4o-2024-08-06', 'gpt-4o'],
  ['Claude Sonnet 4.5', 'claude-sonnet-4-5'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
  ['mine', 'gpt-4o'],
  ['gpt-4o-mini', 'gpt-4o-mini'],
  ['unheard-of', 'unheard-of'],
])('the name %s of a bill means the model %s', (billed, model) => {
  const find = modelFinder(['gpt-4o', 'claude-sonnet-4-5'], new Map([['mine', 'gpt-4o']]))
  expect(find(billed)).toBe(model)
})

it.each([
  ['input_no_cache', 'input'],
  ['uncached_input_tokens', 'input'],
  ['cache_read_input_tokens', 'cached'],
  ['cached input', 'cached'],
  ['cache_creation.ephemeral_1h_input_tokens', 'cache_write_1h'],
  ['cache_creation.ephemeral_5m_input_tokens', 'cache_write'],
  ['cache-write-input-token-count', 'cache_write'],
  ['output-tokens-flex', 'output'],
  ['web search calls', undefined],
])('the meter %s counts %s', (meter, kind) => {
  expect(kindOf(meter)).toBe(kind)
})
