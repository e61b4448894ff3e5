import { expect, it } from 'vitest'
import { parse } from '../../../src/config/read/compose.ts'
import { sectionsOf } from '../../../src/config/read/sections.ts'

const of = (...texts: string[]) =>
  sectionsOf(
    texts.map((text, index) =>
      parse({ file: `${index}.yaml`, path: `${index}.yaml`, text }, {}, problem => {
        throw new Error(problem.message)
      }),
    ),
  )

it('machine-specific fields, comments and the order of names change no section', () => {
  const one = of(
    'server:\n  listen: 10.0.0.1:8080\n  state_dir: /a\n  drain_delay: 5s\nplans:\n  free: { a: 1, b: 2 }\n',
  )
  const other = of('# gw-2\nplans:\n  free: { b: 2, a: 1 }\nserver:\n  drain_delay: 5s\n  listen: 10.0.0.2:8080\n')

  expect(other).toEqual(one)
  expect(Object.keys(one).sort()).toEqual(['plans', 'server'])
})

it('every other field changes its section alone, in whichever file it stands', () => {
  const one = of('server: { drain_delay: 5s }\nplans: {}\n', 'pools: { a: { url: "http://x" } }\n')
  const other = of('server: { drain_delay: 6s }\nplans: {}\n', 'pools: { a: { url: "http://y" } }\n')

  expect(other.plans).toBe(one.plans)
  expect(other.server).not.toBe(one.server)
  expect(other.pools).not.toBe(one.pools)
})
