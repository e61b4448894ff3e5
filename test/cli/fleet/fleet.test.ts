import { describe, expect, it } from 'vitest'
import { fleetText, processesText } from '../../../src/cli/fleet/run.ts'
import { widthOf } from '../../../src/cli/kit/table.ts'
import { driftOf, driftText, shownFleet } from '../../../src/wire/admin/fleet.ts'
import { type KnownProcess, shownProcess } from '../../../src/wire/admin/process.ts'
import { atWidth } from '../at-width.ts'

const NOW = Date.parse('2026-11-21T10:00:00Z')

const members = [
  { id: 'a', name: 'gateway-5d9c7b6f4-x2kqp:1', revision: '8f5337f55caa', version: '1.4.0', inFlight: 117 },
  { id: 'b', name: 'gateway-5d9c7b6f4-zzt8w:1', revision: '8f5337f55caa', version: '1.4.0', inFlight: 98 },
  { id: 'c', name: 'gateway-7f1b2a9c8-pp0ln:1', revision: '03be11c2a9d7', version: '1.5.0', inFlight: 0 },
].map((each, index) => ({ ...each, admin: `http://10.0.17.${index + 11}:9090`, since: NOW - (index + 1) * 4_000_000 }))

const alone = { worker: null, state: 'serving', restarts: 0, connections: 0, inFlight: 0 } as const
const vitals = { cpuSeconds: 4711.2, cores: 0.9312, residentBytes: 214_123_456, lagSeconds: 0.012 }
const processes: readonly KnownProcess[] = [
  { ...alone, process: 'main', pid: 40711, startedAt: NOW - 90_000_000, vitals: { ...vitals, cores: 0.021 } },
  ...[0, 1, 2].map(worker => ({
    ...{ process: 'worker' as const, worker, pid: 40713 + worker, startedAt: NOW - 80_000_000 },
    ...{ state: 'serving' as const, restarts: worker, connections: 1211 + worker, inFlight: 117 * worker, vitals },
  })),
  {
    ...{ ...alone, process: 'worker', worker: 3, state: 'starting', restarts: 7 },
    ...{ pid: 51234, startedAt: NOW - 500, vitals: undefined },
  },
  { ...alone, process: 'store', pid: 40712, startedAt: NOW - 90_000_000, vitals: { ...vitals, cores: 0.4 } },
]

describe.each([80, 120, 200])('in %s columns', columns => {
  it('the processes of a gateway are their golden text', async () => {
    const text = atWidth(columns, () => processesText(processes.map(shownProcess)))

    await expect(text).toMatchFileSnapshot(`../golden/processes-${columns}.txt`)
    expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
  })

  it('a fleet is its golden text', async () => {
    const text = atWidth(columns, () => fleetText(shownFleet('redis', members, 'b')))

    await expect(text).toMatchFileSnapshot(`../golden/fleet-${columns}.txt`)
    expect(text.split('\n').filter(line => widthOf(line) > columns)).toEqual([])
  })
})

it('gateways that differ are named by what they have, the value of most first', () => {
  expect(driftOf(members).map(driftText)).toEqual([
    'gateways serve different revisions: 8f5337f55caa on gateway-5d9c7b6f4-x2kqp:1, gateway-5d9c7b6f4-zzt8w:1; 03be11c2a9d7 on gateway-7f1b2a9c8-pp0ln:1',
    'gateways have different versions: 1.4.0 on gateway-5d9c7b6f4-x2kqp:1, gateway-5d9c7b6f4-zzt8w:1; 1.5.0 on gateway-7f1b2a9c8-pp0ln:1',
  ])
  expect(driftOf(members.slice(0, 2))).toEqual([])
  expect(driftOf([])).toEqual([])
})
