import { afterEach, expect, it, vi } from 'vitest'
import { usesColour } from '../../../src/server/log/terminal-text.ts'

afterEach(() => void vi.unstubAllEnvs())

const NONE = { FORCE_COLOR: undefined, NO_COLOR: undefined, TERM: 'xterm-256color' }

it.each([
  ['nothing says otherwise', {}, { terminal: true, pipe: false }],
  ['NO_COLOR=1', { NO_COLOR: '1' }, { terminal: false, pipe: false }],
  ['NO_COLOR is empty', { NO_COLOR: '' }, { terminal: true, pipe: false }],
  ['TERM=dumb', { TERM: 'dumb' }, { terminal: false, pipe: false }],
  ['FORCE_COLOR=1', { FORCE_COLOR: '1' }, { terminal: true, pipe: true }],
  ['FORCE_COLOR=1 beside NO_COLOR=1', { FORCE_COLOR: '1', NO_COLOR: '1' }, { terminal: true, pipe: true }],
  ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, { terminal: false, pipe: false }],
  ['FORCE_COLOR=false', { FORCE_COLOR: 'false' }, { terminal: false, pipe: false }],
])('where %s, a terminal and a pipe get colours or not', (_, env, expected) => {
  for (const [name, value] of Object.entries({ ...NONE, ...env })) vi.stubEnv(name, value)

  expect({ terminal: usesColour({ isTTY: true }), pipe: usesColour({}) }).toEqual(expected)
})
