import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { AS_ROOT } from '../lanes/lanes.ts'
import { childEnv } from '../support/child-env.ts'
import { ROOT, textOf } from './files.ts'

const { scripts, engines, devDependencies } = JSON.parse(textOf('package.json'))
const ci = textOf('.ci/run')
const { jobs } = parse(textOf('.github/workflows/ci.yml'))
/** `20.19 24` */
const nodes = (/NODES-([^}]*)/.exec(ci)?.[1] ?? '').split(' ')
const image = /FROM \S*node:(\d+)/.exec(textOf('deploy/Containerfile'))?.[1]
const oldest = engines.node.replace('>=', '')
const NEWEST = '26'

it('on GitHub all tests run on the oldest Node that package.json promises and on that of the image, unit tests on 22 and the newest', () => {
  expect(jobs.all.strategy.matrix.node).toEqual([oldest, image])
  expect(jobs.unit.strategy.matrix.node).toEqual(['22', NEWEST])
})

it('.ci/run runs the unit tests on the oldest Node that package.json promises and on the newest; GitHub has those between', () => {
  expect(nodes).toEqual([oldest, NEWEST])
  expect(scripts).toHaveProperty('test:unit')
})

it.each([
  ['20.19.0', ['26']],
  ['20.20.2', ['26']],
  ['24.4.1', ['20.19', '26']],
])('.ci/run leaves out the major that has run all tests: %s', (own, runs) => {
  const choice = /^other_versions\(\) \{[\s\S]*?^\}$/m.exec(ci)?.[0]
  const given = `node() { echo ${own}; }\nNODES='${nodes.join(' ')}'`
  const { stdout } = spawnSync('bash', ['-c', `${given}\n${choice}\nother_versions`], { encoding: 'utf8' })

  expect(stdout.trim().split('\n')).toEqual(runs.map(version => `unit-${version}`))
})

it('the CPU of a lane counts processes that lost their parents', () => {
  const busy = 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
  // The orphan is there until its adopter has reaped it.
  const lane = `sh -c '(${busy}) & echo $! > orphan'; while kill -0 "$(cat orphan)" 2>/dev/null; do sleep 0.05; done`
  const cwd = mkdtempSync(join(tmpdir(), 'svc-reap-'))
  const { stderr } = spawnSync('bash', ['-c', `TIMEFORMAT=%U; time ${join(ROOT, '.ci/reap')} bash -c "$LANE"`], {
    cwd,
    env: childEnv({ LANE: lane }),
    encoding: 'utf8',
  })
  const { stderr: busyAlone } = spawnSync('bash', ['-c', `TIMEFORMAT=%U; time sh -c '${busy}'`], {
    cwd,
    encoding: 'utf8',
  })

  expect(Number(stderr)).toBeGreaterThan(Number(busyAlone) / 2)
})

it('the types of Node are those of the oldest that package.json promises, so that nothing of a later minor is used', () => {
  expect(devDependencies['@types/node']).toMatch(new RegExp(`^${oldest.replace('.', '\\.')}\\.`))
})

it.each([
  [0, 'in_trap npm run test:root'],
  [1001, 'sudo -EH env PATH=/node/bin:/usr/bin npm run test:root'],
])('.ci/run has the tests that need root run as root, also by user %i', (user, command) => {
  const choice = /^as_root=.*\n.*$/m.exec(ci)?.[0]
  const lanes = /^run_lane\(\) \{[\s\S]*?^\}$/m.exec(ci)?.[0]
  const given = `set -u\nPATH=/node/bin:/usr/bin\nid() { echo ${user}; }\nsudo() { echo sudo "$@"; }\nin_trap() { echo in_trap "$@"; }`

  expect(
    spawnSync('/bin/bash', ['-c', `${given}\n${choice}\n${lanes}\nrun_lane root`], { encoding: 'utf8' }).stdout,
  ).toBe(`${command}\n`)
})

it('.ci/run runs every lane that package.json has but the long one, and no other', () => {
  const queues = [...ci.matchAll(/^(?:queue|yielding) "\$\{(\w+)\[@\]\}" & queues/gm)].map(([, name]) => name)
  const queued = queues.flatMap(name => new RegExp(`^${name}=\\((.*)\\)$`, 'm').exec(ci)?.[1]?.split(' ') ?? [])
  const names = Object.keys(scripts).flatMap(name => /^test:(\w+)$/.exec(name)?.[1] ?? [])
  const elsewhere = ['unit', 'slowest', 'long']

  expect(queued.filter(lane => names.includes(lane)).sort()).toEqual(
    names.filter(name => !elsewhere.includes(name)).sort(),
  )
  expect(queued).toContain('node')
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
