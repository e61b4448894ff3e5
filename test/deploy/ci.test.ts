import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT, textOf } from './files.ts'

const { scripts, engines } = JSON.parse(textOf('package.json'))
const ci = textOf('.ci/run')
const { jobs } = parse(textOf('.github/workflows/ci.yml'))
/** `20.19:test 22:test:unit 24:test` */
const nodes = (/NODES-([^}]*)/.exec(ci)?.[1] ?? '').split(' ').map(entry => {
  const [version = '', ...tests] = entry.split(':')
  return { version, tests: tests.join(':') }
})

it('all tests run on the oldest Node that package.json promises and on that of the image, in .ci/run and on GitHub alike', () => {
  const all = nodes.filter(({ tests }) => tests === 'test').map(({ version }) => version)
  const image = /FROM \S*node:(\d+)/.exec(textOf('deploy/Containerfile'))?.[1]

  expect(all).toEqual([engines.node.replace('>=', ''), image])
  expect(jobs.all.strategy.matrix.node).toEqual(all)
})

it('unit tests run on the versions between them', () => {
  const unit = nodes.filter(({ tests }) => tests === 'test:unit').map(({ version }) => version)

  expect(unit).toEqual(['22'])
  expect(jobs.unit.steps.find(({ with: own }: Step) => own?.['node-version'])?.with['node-version']).toBe('22')
  expect(nodes.filter(({ tests }) => !(tests in scripts))).toEqual([])
})

it('.ci/run is a script that bash can read', () => {
  expect(spawnSync('bash', ['-n', join(ROOT, '.ci/run')], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  })
})

interface Step {
  readonly with?: Readonly<Record<string, string>>
}
