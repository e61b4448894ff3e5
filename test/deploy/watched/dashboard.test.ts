import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { errorCodes } from '../../../src/wire/errors/codes.ts'
import { itParses } from '../../support/prometheus.ts'
import { textOf } from '../files.ts'
import { fullMetrics } from './full-metrics.ts'
import { labelsOf, type SeriesUse, usesIn } from './promql.ts'

interface Panel {
  readonly title: string
  readonly type: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] }
}

interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
}

const dashboard = JSON.parse(textOf('deploy/grafana/svc-gateway.json')) as Dashboard
const { groups } = parse(textOf('deploy/prometheus/rules.yaml')) as {
  groups: readonly { readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap(group => group.rules)

/** The query as Grafana sends it, with its variables filled in. */
const sent = (query: string): string => query.replaceAll('$__rate_interval', '5m').replaceAll('$model', '.*')

const shown = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(target => ({ title, ...target })))

/** The labels of each metric's series. */
let known: ReadonlyMap<string, ReadonlySet<string>>

/** Prometheus adds these labels to every series that it scrapes. */
const OF_SCRAPES = ['job', 'instance']

const unknownIn = (query: string): readonly string[] =>
  usesIn(query).flatMap(({ metric, labels }: SeriesUse) => {
    const has = known.get(metric)
    if (!has) return [metric]
    return labels.filter(label => !has.has(label)).map(label => `${metric}{${label}}`)
  })

describe('with the series of a gateway', () => {
  beforeAll(async () => {
    const samples = (await fullMetrics()).flatMap(family => family.samples)
    const all = new Map<string, Set<string>>([['up', new Set(OF_SCRAPES)]])
    for (const { name, labels } of samples) {
      const has = all.get(name) ?? new Set(OF_SCRAPES)
      for (const label of Object.keys(labels)) has.add(label)
      all.set(name, has)
    }
    for (const { record, expr } of rules) if (record !== undefined) all.set(record, new Set(labelsOf(expr)))
    known = all
  })

  itParses('a gateway exposes every series and label that the dashboard queries', () => {
    const queries = [...shown.map(({ expr }) => expr), ...dashboard.annotations.list.map(({ expr }) => expr)]
    expect(queries.length).toBeGreaterThan(40)
    expect(queries.map(sent).flatMap(unknownIn)).toEqual([])
  })

  itParses('a gateway exposes every series and label that a rule queries', () => {
    // Only a gateway that crashed has orphans, and this one did not.
    const asked = rules.map(({ expr }) => expr.replaceAll('{kind="orphan"}', '{kind="settle"}'))
    expect(asked.flatMap(unknownIn)).toEqual([])
  })

  itParses('the query of each panel keeps every label that its legend shows', () => {
    const lost = shown.flatMap(({ title, expr, legendFormat }) => {
      const grouped = labelsOf(sent(expr))
      const [{ metric = '' } = {}] = usesIn(sent(expr))
      const has = grouped.length > 0 ? new Set(grouped) : (known.get(metric) ?? new Set())
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
      return named.filter(label => !has.has(label)).map(label => `${title}: ${label}`)
    })
    expect(lost).toEqual([])
  })

  itParses('each variable of the dashboard lists the values of a label that its series have', () => {
    const asked = dashboard.templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]))
    const parts = asked.map(query => /^label_values\((\w+), (\w+)\)$/.exec(query)?.slice(1) ?? [query])
    expect(parts.filter(([metric = '', label = '']) => !known.get(metric)?.has(label))).toEqual([])
  })
})

it('every reason that the dashboard and the rules filter by is an error code', () => {
  const texts = [...shown, ...rules].map(({ expr }) => expr).join('\n')
  const reasons = [...texts.matchAll(/reason="(\w+)"/g)].map(([, reason = '']) => reason)
  expect(reasons.length).toBeGreaterThan(1)
  expect(reasons.filter(reason => !(reason in errorCodes))).toEqual([])
})

it('the panels of the dashboard do not overlap, and stay within 24 columns', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(dashboard.panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
})

it.each(['sum by (a (x)', 'rate(x[5m]', '{a="b"}', 'x{a=b}'])('a query with a syntax error is rejected: %s', query => {
  expect(() => usesIn(query)).toThrow()
})

it('usesIn finds the labels that a query matches, groups by and joins on', () => {
  expect(usesIn('sum by (a) (rate(x{b="1"}[5m])) / on (c) y')).toEqual([
    { metric: 'x', labels: ['b', 'a', 'c'] },
    { metric: 'y', labels: ['c'] },
  ])
})
