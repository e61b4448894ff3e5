import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { AS_ROOT } from '../../vitest.lanes.ts'
import { ROOT, textOf } from './files.ts'

const { scripts, engines } = JSON.parse(textOf('package.json'))
const ci = textOf('.ci/run')
const { jobs } = parse(textOf('.github/workflows/ci.yml'))
/** `20.19:test 22:test:unit 24:test` */
const nodes = (/NODES-([^}]*)/.exec(ci)?.[1] ?? '').split(' ').map(entry => {
  const [version = '', ...tests] = entry.split(':')
  return { version, tests: tests.join(':') }
})

it('on GitHub all tests run on the oldest Node that package.json promises and on that of the image, unit tests between them', () => {
  const image = /FROM \S*node:(\d+)/.exec(textOf('deploy/Containerfile'))?.[1]

  expect(jobs.all.strategy.matrix.node).toEqual([engines.node.replace('>=', ''), image])
  expect(jobs.unit.steps.find(({ with: own }: Step) => own?.['node-version'])?.with['node-version']).toBe('22')
})

it('.ci/run runs npm test on the oldest and the newest of these versions, unit tests between them', () => {
  expect(nodes).toEqual([
    { version: '20.19', tests: 'test' },
    { version: '22', tests: 'test:unit' },
    { version: '24', tests: 'test' },
  ])
  expect(scripts).toHaveProperty('test:unit')
})

it.each([
  ['20.19.0', ['22 test:unit', '24 test']],
  ['20.20.2', ['20.19 test:unit', '22 test:unit', '24 test']],
  ['24.4.1', ['20.19 test', '22 test:unit']],
])(
  '.ci/run tests on each version but that in PATH, and on the oldest also where PATH has a later one of its major: %s',
  (own, runs) => {
    const choice = /^for entry in \$NODES; do\n[\s\S]*? esac$/m.exec(ci)?.[0]
    const given = `own=${own} NODES='${nodes.map(({ version, tests }) => `${version}:${tests}`).join(' ')}'`
    const { stdout } = spawnSync('bash', ['-c', `${given}\n${choice}\necho "$version $tests"; done`], {
      encoding: 'utf8',
    })

    expect(stdout.trim().split('\n')).toEqual(runs)
  },
)

it.each([
  [0, 'npm run test:root'],
  [1001, 'sudo -EH env PATH=/node/bin:/usr/bin npm run test:root'],
])('.ci/run has the tests that need root run as root, also by user %i', (user, command) => {
  const lane = /^as_root=[\s\S]*? npm run test:root$/m.exec(ci)?.[0]
  const given = `set -u\nPATH=/node/bin:/usr/bin\nid() { echo ${user}; }\nrun() { echo "$*"; }`

  expect(spawnSync('bash', ['-c', `${given}\n${lane}`], { encoding: 'utf8' }).stdout).toBe(`${command}\n`)
})

it('the tests that a user without rights would skip are those that run as root', () => {
  const needing = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .map(name => `test/${name}`)
    .filter(name => name.endsWith('.test.ts') && /skipIf\(!may[A-Z]/.test(textOf(name)))

  expect(needing.sort()).toEqual(AS_ROOT)
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
