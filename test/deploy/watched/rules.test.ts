import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { PAGES } from '../../docs/page.ts'
import { subjectOf, tablesIn } from '../../docs/tables.ts'
import { childEnv } from '../../support/child-env.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { itWatches } from '../../watched/prometheus-server.ts'
import { ROOT, textOf } from '../files.ts'

interface Rule {
  readonly alert?: string
  readonly labels?: { readonly severity: string }
}

interface RuleTest {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly object[] }[]
}

const folder = join(ROOT, 'deploy/prometheus')
const { groups } = parse(textOf('deploy/prometheus/rules.yaml')) as {
  groups: readonly { readonly rules: readonly Rule[] }[]
}
const alerts = groups.flatMap(({ rules }) =>
  rules.flatMap(({ alert, labels }) => (alert === undefined ? [] : [{ alert, severity: labels?.severity }])),
)
// It lives for seconds: collecting garbage less often takes a fifth less CPU.
const promtool = (...args: readonly string[]) =>
  spawnSync('promtool', args, { cwd: folder, encoding: 'utf8', env: childEnv({ GOGC: '400' }) })

itWatches('promtool sees each alert fire in the cases that call for it, and in no other', () => {
  const { status, stdout, stderr } = promtool('test', 'rules', 'rules.test.yaml')
  expect(stdout + stderr).toContain('SUCCESS')
  expect(status).toBe(0)
})

itWatches('Prometheus accepts deploy/prometheus/prometheus.yaml', () => {
  const copy = join(temporaryFolder('prometheus'), 'prometheus.yaml')
  const text = textOf('deploy/prometheus/prometheus.yaml').replace('[rules.yaml]', `["${folder}/rules.yaml"]`)
  writeFileSync(copy, text)
  writeFileSync(join(copy, '../metrics.token'), 'a-token-of-24-characters')

  const { status, stdout, stderr } = promtool('check', 'config', copy)

  expect(stdout + stderr).toContain('SUCCESS')
  expect(status).toBe(0)
})

it('rules.test.yaml has a case in which each alert fires, and one in which it does not', () => {
  const { tests } = parse(textOf('deploy/prometheus/rules.test.yaml')) as { tests: readonly RuleTest[] }
  const cases = tests.flatMap(each => each.alert_rule_test)
  const names = (fires: boolean) =>
    cases.filter(({ exp_alerts = [] }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname)
  const all = alerts.map(({ alert }) => alert)
  expect(new Set(names(true))).toEqual(new Set(all))
  expect(new Set(names(false))).toEqual(new Set(all))
})

it('test/watched/faults.test.ts makes each alert fire by a fault of a real gateway', () => {
  const fired = [...textOf('test/watched/faults.test.ts').matchAll(/\.fires\(([^)]*)\)/g)]
  const named = fired.flatMap(([, names = '']) => [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name))
  expect(new Set(named)).toEqual(new Set(alerts.map(({ alert }) => alert)))
})

it('the docs have one row for each alert: its severity as in the rules, what clients notice, where to look, what to do', () => {
  const rows = PAGES.flatMap(page => tablesIn(textOf(page)).flat()).filter(row =>
    /^Svc[A-Z]/.test(subjectOf(row) ?? ''),
  )
  const documented = rows.map(row => `${subjectOf(row)} ${row[1]}`)
  expect(documented.sort()).toEqual(alerts.map(({ alert, severity }) => `${alert} ${severity}`).sort())
  expect(rows.filter(row => row.length < 5 || !row.every(Boolean))).toEqual([])
})
