import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { itWatches, temporaryFolder } from '../../watched/prometheus-server.ts'
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
const promtool = (...args: readonly string[]) => spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })

itWatches('each alert fires where it must and is silent beside it, by promtool', () => {
  const { status, stdout, stderr } = promtool('test', 'rules', 'rules.test.yaml')
  expect(stdout + stderr).toContain('SUCCESS')
  expect(status).toBe(0)
})

itWatches('the configuration of Prometheus is one', () => {
  const copy = join(temporaryFolder(), 'prometheus.yaml')
  const text = textOf('deploy/prometheus/prometheus.yaml').replace('[rules.yaml]', `["${folder}/rules.yaml"]`)
  writeFileSync(copy, text)
  writeFileSync(join(copy, '../metrics.token'), 'a-token-of-24-characters')

  const { status, stdout, stderr } = promtool('check', 'config', copy)

  expect(stdout + stderr).toContain('SUCCESS')
  expect(status).toBe(0)
})

it('promtool is given a case in which each alert fires, and one in which it does not', () => {
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

it('docs/operations.md says of each alert how urgent it is, and what to do', () => {
  const rows = [...textOf('docs/operations.md').matchAll(/^\| `(Svc\w+)` \| (\w+) \| .+ \| .+ \|$/gm)]
  const documented = rows.map(([, alert, severity]) => `${alert} ${severity}`)
  expect(documented.sort()).toEqual(alerts.map(({ alert, severity }) => `${alert} ${severity}`).sort())
})
