import { expect, it } from 'vitest'
import { widthOf } from '../../../../src/cli/kit/table.ts'
import { TailModel } from '../../../../src/cli/quota/tail/model.ts'
import type { Press } from '../../../../src/cli/quota/tail/ui.ts'
import type { ShownEvent } from '../../../../src/wire/admin/event.ts'
import { LONG as HOSTILE, UNPRINTABLE } from '../../hostile-text.ts'
import { NOON, request, standing } from './events.ts'

const typed = (text: string): readonly Press[] => Array.from(text, each => ({ typed: each }))

/** Each mode of the view, and the keys that lead there. */
const MODES: Readonly<Record<string, readonly Press[]>> = {
  table: [],
  'a filter that is written': [...typed('/'), ...typed(HOSTILE)],
  'a filter that is kept': [...typed('/'), ...typed(HOSTILE), 'enter'],
  'the question of a revocation': typed('r'),
  'the answer to a revocation': typed('ry'),
  requests: ['enter'],
  paused: typed('p'),
}

/** Texts of a form of their own, which their reader checks. */
const FORMS = new Set(['event', 'at', 'reset', 'used_usd', 'held_usd', 'limit_usd', 'usd'])

/** Events with a text of somebody else in every member that has a text. */
const EVENTS: readonly ShownEvent[] = [standing('ada'), request(standing('ada'), FULL())].flatMap(event => [
  event,
  hostile(event),
])

function FULL() {
  return {
    ...{
      gateway: 'b',
      plan: 'pro',
      route: 'rule',
      code: 'plan_limit',
      type: 'requests',
      limit: 'tokens per day of key',
    },
    ...{ status: 429, tools: { search: 2 }, failures: [{ pool: 'cloud', cause: 'timeout' }], interrupted: 'gone' },
  }
}

function hostile<T>(value: T, name = ''): T {
  if (typeof value === 'string') return (FORMS.has(name) ? value : `${value}${HOSTILE}`) as T
  if (Array.isArray(value)) return value.map(each => hostile(each)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, of]) => [key === 'search' ? `search${HOSTILE}` : key, hostile(of, key)]),
  ) as T
}

it.each(Object.entries(MODES))('the live view of accounts shows nothing that moves the cursor: %s', async (_, keys) => {
  for (const columns of [20, 80, 300]) {
    const revoke = () => Promise.reject(new Error(`no ${HOSTILE}`))
    const model = new TailModel({ gateway: `http://${HOSTILE}`, now: () => NOON, revoke })
    for (const event of EVENTS) model.apply(event)
    model.apply({ event: 'gateway', gateway: `b${HOSTILE}`, followed: false, problem: HOSTILE })
    for (const key of keys) model.press(key)
    await Promise.resolve()

    const lines = model.frame({ columns, rows: 30 })

    expect(lines.length).toBeLessThanOrEqual(30)
    for (const { text } of lines) {
      expect(JSON.stringify(text.match(UNPRINTABLE)?.index ?? -1), JSON.stringify(text)).toBe('-1')
      expect(text).not.toMatch(/[\r\n\t]/)
      expect(widthOf(text)).toBeLessThanOrEqual(columns)
    }
  }
})

it('what is marked in a line stays where it is, whatever the texts before it', () => {
  const model = new TailModel({ gateway: 'gateway', now: () => NOON, revoke: async () => '' })
  model.apply(hostile(request(standing('ada'), { ...FULL(), failures: [], interrupted: undefined as never })))
  model.press('enter')

  const marked = model.frame({ columns: 120, rows: 30 }).filter(line => line.marked)

  expect(marked.map(({ text, marked: at }) => text.slice(at?.from, at?.to))).toEqual(['429'])
})
