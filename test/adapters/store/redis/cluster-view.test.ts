import { expect, test } from 'vitest'
import { agreed, readNodes } from '../../../../src/adapters/redis/servers/cluster-view.ts'
import { slotOf, tagIn } from '../../../../src/adapters/redis/servers/slots.ts'

const ASKED = { host: '10.0.0.1', port: 7000 }
const line = (address: string, flags: string, epoch: number, ...slots: string[]) =>
  `07c37df ${address} ${flags} - 0 1426238317239 ${epoch} connected ${slots.join(' ')}`

test('slots are those of Redis: of what stands in braces, where anything does', () => {
  expect(['123456789', 'svc:{1e}:key:abc', '1e', 'a{}b', '{a}{b}'].map(slotOf)).toEqual([
    12_739,
    slotOf('1e'),
    slotOf('{1e}'),
    slotOf('a{}b'),
    slotOf('a'),
  ])
  expect(tagIn(new Set([slotOf('1e')]))).toSatisfy((tag: string) => slotOf(`x:{${tag}}`) === slotOf('1e'))
  expect(tagIn(new Set())).toBeUndefined()
})

test('a node is where it says, by its name where it has one, or where it was asked', () => {
  const { masters, places } = readNodes(
    [
      line(':7000@17000', 'myself,master', 1, '0-2', '5', '[93->-292f8b]'),
      line('10.0.0.2:7000@17000,two.internal', 'master', 2, '7-8'),
      line('fd00::7:7000@17000', 'slave', 1),
      line(':0@0', 'master,noaddr', 3, '7'),
      line('10.0.0.4:7000@17000', 'master,fail', 4),
    ].join('\n'),
    ASKED,
  )

  expect(masters).toEqual([
    { place: ASKED, epoch: 1, ranges: '0-2 5' },
    { place: { host: 'two.internal', port: 7000 }, epoch: 2, ranges: '7-8' },
  ])
  expect(places.map(({ host }) => host)).toContain('fd00::7')
})

test('a node without slots is no master to connect to: other nodes may not know yet that it is a replica now', () => {
  const view = readNodes(
    [line('10.0.0.1:7000@17000', 'myself,master', 1, '0-9'), line('10.0.0.2:7000@17000', 'master', 0)].join('\n'),
    ASKED,
  )

  expect([...agreed([view]).keys()]).toEqual(['10.0.0.1:7000'])
  expect(view.places).toHaveLength(2)
})

test('of a slot that two masters claim it is that of the youngest failover, whoever is asked first', () => {
  const before = readNodes(line('10.0.0.1:7000@17000', 'myself,master', 1, '0-9'), ASKED)
  const after = readNodes(line('10.0.0.2:7000@17000', 'myself,master', 8, '0-9'), ASKED)

  for (const views of [
    [before, after],
    [after, before],
  ])
    expect([...agreed(views)].map(([name, { slots }]) => [name, slots.size]).sort()).toEqual([['10.0.0.2:7000', 10]])
})

test('nodes that tell the same, and one that lags behind, agree on the slots of each master', () => {
  const now = ['0-2 5', '3-4 6-9'].map((slots, index) => line(`10.0.0.${index + 1}:7000@17000`, 'master', 9, slots))
  const late = line('10.0.0.1:7000@17000', 'master', 4, '0-9')
  const views = [now.join('\n'), late, now.toReversed().join('\n')].map(text => readNodes(text, ASKED))

  expect([...agreed(views)].map(([name, { slots }]) => [name, [...slots].sort()]).sort()).toEqual([
    ['10.0.0.1:7000', [0, 1, 2, 5]],
    ['10.0.0.2:7000', [3, 4, 6, 7, 8, 9]],
  ])
})
