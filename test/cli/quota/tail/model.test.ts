import { expect, it, vi } from 'vitest'
import { widthOf } from '../../../../src/cli/kit/table.ts'
import { TailModel } from '../../../../src/cli/quota/tail/model.ts'
import type { Press } from '../../../../src/cli/quota/tail/ui.ts'
import { nanoUsd } from '../../../../src/policy/nano-usd.ts'
import { NOON, request, standing } from './events.ts'

const SIZE = { columns: 120, rows: 30 }

function open(revoke: (account: string) => Promise<string> = async () => '') {
  let now = NOON
  const model = new TailModel({ gateway: 'http://localhost:9090', now: () => now, revoke })
  for (const label of ['ada', 'bob', 'eve']) model.apply(standing(label))
  const lines = (size = SIZE) => model.frame(size).map(({ text }) => text)
  return {
    model,
    lines,
    /** Labels of the rows, with `›` before the one that is selected. */
    rows: () => lines().flatMap(line => /^([› ]) (ada|bob|eve)\b/.exec(line)?.slice(1).join('').trim() ?? []),
    press: (...keys: readonly Press[]) => keys.map(key => model.press(key)).at(-1),
    type: (text: string) => [...text].map(typed => model.press({ typed })),
    wait: (ms: number) => {
      now += ms
    },
  }
}

it('shows a title, a row for each account and the keys', () => {
  const { model, lines } = open()
  model.apply(
    request(standing('ada', { used_usd: '17.42', requests: 42, tokens: 118_000, held_usd: '0.25', under_way: 1 })),
  )

  const right = 'http://localhost:9090 · live · 3 accounts · by recent · 1 rpm · $30.00/h'
  expect(lines()).toEqual([
    `svcctl quota tail${right.padStart(120 - 17)}`,
    '',
    '  ACCOUNT               PLAN  QUOTA (resets 1 Dec)             RPM     TPM        RESERVED  LAST',
    '› ada                   pro   ███████████████▋░░ $17.42/20.00  42/120  118k/400k  $0.25     200 212ms svc-core',
    '  bob                   pro   ░░░░░░░░░░░░░░░░░░ $0.00/20.00   0/120   0/400k     -',
    '  eve                   pro   ░░░░░░░░░░░░░░░░░░ $0.00/20.00   0/120   0/400k     -',
    '',
    'q quit  ↑↓ select  ⏎ requests  / filter  s sort  p pause  r revoke',
  ])
})

it.each([80, 120, 200])(
  'a gateway whose requests are missing is named in %s columns until they come again',
  columns => {
    const { model, lines } = open()
    const title = () => lines({ columns, rows: 30 })[0] ?? ''
    model.apply({ event: 'gateway', gateway: 'gw-2:7', followed: false, problem: 'it has ended' })
    expect(title()).toContain('without gw-2:7')
    expect(widthOf(title())).toBeLessThanOrEqual(columns)
    model.apply({ event: 'gateway', gateway: 'gw-2:7', followed: true })
    expect(title()).not.toContain('without')
  },
)

it.each([
  [120, 30],
  [80, 24],
  [40, 10],
  [20, 6],
])('never overruns %s columns and %s rows, with 10,000 accounts, wherever the selection is', (columns, rows) => {
  const { model, lines, press } = open()
  for (let each = 0; each < 10_000; each++)
    model.apply(standing(`${'x'.repeat(50)}-${each}`, { plan: 'a-plan-with-a-long-name', used_usd: '123456.789' }))
  for (let page = 0; page < 20; page++) {
    press('pageDown')
    const shown = lines({ columns, rows })
    expect(shown.length).toBeLessThan(Math.max(rows, 7))
    for (const line of shown) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    expect(shown.join('\n')).toContain('›')
  }
})

it.each([60, 80, 100, 120, 200])('in %s columns no number is cut, with 50 accounts of long labels', columns => {
  const { model, lines, press } = open()
  const usage = { used_usd: '123456.78', limit_usd: '200000', requests: 119, tokens: 399_000 }
  for (let each = 0; each < 50; each++) {
    const label = `${each % 2 ? '日本語のとても長い名前' : 'somebody.with.a.long.label'}-${each}@example.com`
    const of = standing(label, { ...usage, account: `acct_${each}`, plan: 'a-plan-with-a-long-name' })
    model.apply(request(of, { ms: 60_343, input_tokens: 123_456, output_tokens: 4096, cost_nano_usd: nanoUsd(26_400) }))
  }

  const rows = lines({ columns, rows: 30 }).filter(line => line.includes('$123456.78'))
  expect(rows).toHaveLength(24)
  for (const row of rows) expect(row).toMatch(/\$123456\.78\/200000\.00 +119\/120 .*200 60343ms/)
  press('enter')
  expect(lines({ columns, rows: 30 })[3]).toMatch(/ 60343 ms {2}123456\+4096 tok {2}\$0\.0000264 {2}\S/)
})

it('what was refused and what failed is marked, each in its own way, and nothing else is', () => {
  const { model } = open()
  model.apply(request(standing('ada')))
  model.apply(request(standing('bob'), { status: 429, code: 'rate_limit_exceeded', type: 'requests' }))
  model.apply(request(standing('eve'), { status: 502, code: 'UPSTREAMS_EXHAUSTED' }))

  const marks = model.frame(SIZE).flatMap(({ text, marked }) => {
    return marked ? [[marked.tone, text.slice(marked.from, marked.to)]] : []
  })
  expect(new Map(marks.map(([tone = '', text = '']) => [tone, text]))).toEqual(
    new Map([
      ['refused', '429 requests'],
      ['failed', '502 UPSTREAMS_EXHAUSTED'],
    ]),
  )
})

it('the selection stays with its account when rows move', () => {
  const { model, rows, press } = open()
  press('down')
  expect(rows()).toEqual(['ada', '›bob', 'eve'])
  model.apply(request(standing('eve')))
  expect(rows()).toEqual(['eve', 'ada', '›bob'])
})

it('/ filters while it is typed; escape shows all again', () => {
  const { rows, lines, press, type } = open()
  type('/bobq')
  expect(lines().join('\n')).toContain('No account matches `bobq`.')
  press('backspace')
  expect(rows()).toEqual(['›bob'])
  press('enter')
  expect(lines().at(-1)).toContain('/ filter `bob`')
  press('escape')
  expect(rows()).toHaveLength(3)
})

it('p holds the table still, but not the keys; then all that came is there', () => {
  const { model, rows, lines, type, press } = open()
  type('p')
  const version = model.version
  model.apply(request(standing('eve', { used_usd: '1' })))
  expect(model.version).toBe(version)
  expect(rows()).toEqual(['›ada', 'bob', 'eve'])
  press('down')
  expect(rows()).toEqual(['ada', '›bob', 'eve'])
  expect(lines()[0]).toContain('PAUSED')
  type('p')
  expect(rows()[0]).toBe('eve')
})

it('⏎ shows the requests of the account, newest first, as the log has them', () => {
  const { model, lines, press } = open()
  const ada = standing('ada')
  model.apply(request(ada))
  model.apply(request(standing('bob')))
  model.apply(request(ada, { status: 429, code: 'rate_limit_exceeded', type: 'requests' }))
  press('up', 'enter')

  expect(lines().slice(2, 5)).toEqual([
    '  Requests of ada (acct_ada), newest first',
    '  12:00:00  429    212 ms                          ada  rate_limit_exceeded requests  svc-core  onprem',
    '  12:00:00  200    212 ms                          ada  svc-core  onprem',
  ])
})

it('r asks first, and only a yes revokes; what came of it is said', async () => {
  const revoke = vi.fn(async (account: string) => `revoked svc_7Hq2… of ${account}`)
  const { model, lines, press, type } = open(revoke)
  for (const no of ['n', 'q', ' ']) {
    type('r')
    expect(lines().at(-1)).toBe('Revoke the key of ada (acct_ada)? The next request with it is refused. [y/N]')
    expect(type(no)).toEqual([false])
  }
  type('r')
  press('enter')
  expect(revoke).not.toHaveBeenCalled()

  type('ry')
  expect(revoke.mock.calls).toEqual([['acct_ada']])
  await expect.poll(() => lines().at(-1)).toContain('✓ revoked svc_7Hq2… of acct_ada')
  expect(model.frame(SIZE).at(-1)?.tone).not.toBe('dim')

  revoke.mockRejectedValueOnce(new Error('✗ no active key'))
  type('ry')
  await expect.poll(() => lines().at(-1)).toContain('✗ no active key')
})

it('q is enough from the table, and a letter of a filter', () => {
  const { type } = open()
  expect(type('q')).toEqual([true])
  expect(type('/q')).toEqual([false, false])
})

it('a label can write no line of its own, and move no cursor', () => {
  const { model, lines } = open()
  model.apply(standing('ada', { label: 'a\u001B[2Jb\nc', at: new Date(NOON + 1).toISOString() }))
  expect(lines().join('|')).not.toMatch(/\p{Cc}/u)
})

it('a frame is due when something came, or a second passed', () => {
  const { model, wait } = open()
  const before = model.version
  expect(model.version).toBe(before)
  wait(1000)
  expect(model.version).not.toBe(before)
  const later = model.version
  model.apply(request(standing('ada')))
  expect(model.version).not.toBe(later)
})

it('asks whose key is revoked and how to answer in the narrowest window too', () => {
  const { lines, press, type } = open()
  type('r')
  for (const columns of [120, 80, 60, 40, 30]) {
    const last = lines({ columns, rows: 24 }).at(-1) ?? ''
    expect(last).toMatch(/^Revoke the key of ada.*\? ?.*\[y\/N\]$/)
    expect(widthOf(last)).toBeLessThanOrEqual(columns)
  }
  press('escape')
  expect(lines({ columns: 40, rows: 24 }).at(-1)).toMatch(/^q quit /)
})
