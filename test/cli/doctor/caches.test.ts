import { expect, it } from 'vitest'
import { checkCaches } from '../../../src/cli/doctor/check-caches.ts'
import { loadGood, small } from '../../config/files.ts'

/** Findings on a pool of chats with these fields. */
function foundOf(fields: string): readonly string[] {
  const yaml = small.replace(
    /\{[^{}]*site[^}]*\}/,
    `{ ${fields}site: here, model: m, replicas: [http://127.0.0.1:1/v1] }`,
  )
  const { config } = loadGood(yaml)
  return checkCaches(config, [...config.pools.values()]).map(({ state, text }) => `${state}: ${text}`)
}

it.each([
  ['', ['ok: accounts share the prompt caches of near: not isolated, since the backends take no cache_salt']],
  [
    'provider: vllm, ',
    [
      'ok: each account has a prompt cache of its own at near; `caches: org` finds more where people of an org share prompts',
    ],
  ],
  ['provider: vllm, caches: org, ', []],
  ['caches: pool, ', []],
])('svcctl doctor says who shares the caches of a pool with "%s"', (fields, found) => {
  expect(foundOf(fields)).toEqual(found)
})
